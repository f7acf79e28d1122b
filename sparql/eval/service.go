package eval

import (
	"context"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/limit"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Remote asks other servers for SERVICE.
type Remote interface {
	// Select sends a query to a SPARQL endpoint and gives its answer, results in JSON. It refuses whom it may not ask.
	Select(ctx context.Context, address, query string) (io.ReadCloser, error)
}

const (
	requestRows  = 100 // of other operands whose values one request has
	mostRequests = 200 // of a query to other servers
	unknownRows  = 1e6 // that another server is expected to give: it comes last
)

// serviceRun is SERVICE.
type serviceRun struct {
	*evaluator
	of   algebra.Service
	name slot
}

func (e *evaluator) service(o algebra.Service) *serviceRun {
	return &serviceRun{e, o, e.slot(o.Name)}
}

// operator asks for all that the server has: its rows are joined here.
func (s *serviceRun) operator() operator {
	return func(in row) iter.Seq[row] {
		return func(yield func(row) bool) { s.block([]row{in}, s.name.variable >= 0, yield) }
	}
}

// under joins with rows, of which many go with one request.
func (s *serviceRun) under(left iter.Seq[row]) iter.Seq[row] {
	return func(yield func(row) bool) {
		held := s.Hold()
		defer held.Release()
		var rows []row
		for r := range left {
			if !held.Keep(bytesOfRow(len(r))) {
				return
			}
			if rows = append(rows, slices.Clone(r)); len(rows) < requestRows {
				continue
			}
			if !s.block(rows, true, yield) {
				return
			}
			rows = rows[:0]
			held.Release()
		}
		if len(rows) > 0 {
			s.block(rows, true, yield)
		}
	}
}

// block joins some rows with what servers answer, each asked once. It returns false to stop.
func (s *serviceRun) block(rows []row, constrained bool, yield func(row) bool) bool {
	byServer := map[node][]row{}
	var servers []node
	for _, r := range rows {
		at := s.name.of(r)
		if byServer[at] == nil {
			servers = append(servers, at)
		}
		byServer[at] = append(byServer[at], r)
	}
	for _, at := range servers {
		if !s.join(at, byServer[at], constrained, yield) {
			return false
		}
	}
	return s.Err == nil
}

func (s *serviceRun) join(at node, rows []row, constrained bool, yield func(row) bool) bool {
	var keys []int
	if constrained {
		keys = s.keys(rows)
	}
	found := s.ask(at, s.text(keys, rows), len(rows[0]), keys)
	defer found.release()
	for _, r := range rows {
		for both := range found.matching(s.evaluator, r) {
			if !yield(both) {
				return false
			}
		}
	}
	return s.Err == nil
}

// keys are the variables of the group that all rows bind to what means the same elsewhere, which blank nodes do not.
func (s *serviceRun) keys(rows []row) (keys []int) {
	for _, v := range s.of.Vars {
		if !slices.ContainsFunc(rows, func(r row) bool { return r[v] == unbound || s.term(r[v]).Kind == term.Blank }) {
			keys = append(keys, v)
		}
	}
	return keys
}

// text is the query that is sent: the group with the values that its variables may have.
func (s *serviceRun) text(keys []int, rows []row) string {
	var b strings.Builder
	if s.of.Base != "" {
		b.WriteString("BASE <" + s.of.Base + ">\n")
	}
	b.WriteString("SELECT")
	for _, name := range s.of.Names {
		b.WriteString(" ?" + name)
	}
	if len(s.of.Names) == 0 {
		b.WriteString(" *")
	}
	b.WriteString(" WHERE {")
	if len(keys) > 0 {
		s.values(&b, keys, rows)
	}
	b.WriteString(s.of.Group + "}")
	return b.String()
}

func (s *serviceRun) values(b *strings.Builder, keys []int, rows []row) {
	b.WriteString(" VALUES (")
	for _, v := range keys {
		b.WriteString(" ?" + s.query.Names[v])
	}
	b.WriteString(" ) {")
	seen := map[string]bool{}
	for _, r := range rows {
		line := " ("
		for _, v := range keys {
			line += " " + s.term(r[v]).String()
		}
		if line += " )"; !seen[line] {
			seen[line] = true
			b.WriteString(line)
		}
	}
	b.WriteString(" }\n")
}

// ask gives the rows that a server answers with, by the values of some variables; of a silent one that fails a row without values.
func (s *serviceRun) ask(at node, text string, width int, keys []int) *hashed {
	h := &hashed{held: s.Hold(), keys: keys, rows: newNodeMap[[]row](keys)}
	err := s.send(at, text, func(found map[string]term.Term, blanks map[string]term.Term) bool {
		r := make(row, width)
		for i, name := range s.of.Names {
			if t, bound := found[name]; bound {
				r[s.of.Vars[i]] = s.remembered(s.own(t, blanks))
			}
		}
		h.add(r)
		return h.held.Keep(bytesOfHashed+bytesOfRow(width)+bytesOfNode*len(keys)) && s.Spend(1)
	})
	if s.Err == nil {
		s.Err = kg.Stopped(s.ctx)
	}
	switch {
	case err == nil || s.Err != nil:
	case s.of.Silent:
		h.release()
		h = &hashed{held: s.Hold(), rows: newNodeMap[[]row](nil)}
		h.add(make(row, width))
	default:
		s.Refuse(kg.ErrorAt(kg.KindOf(err), syntax.Place(s.of.Pos), "SERVICE %v", err))
	}
	return h
}

// add puts a row among the others. One without a value of a key, which no proper server gives, has all be compared.
func (h *hashed) add(r row) {
	for _, v := range h.keys {
		if r[v] == unbound {
			h.keys, h.rows = nil, newNodeMap[[]row](nil)
			h.rows.set(r, slices.Clone(h.all))
			break
		}
	}
	h.all = append(h.all, r)
	same, _ := h.rows.get(r)
	h.rows.set(r, append(same, r))
}

// own is a term of another server: its blank nodes are new ones here.
func (s *serviceRun) own(t term.Term, blanks map[string]term.Term) term.Term {
	if t.Kind != term.Blank {
		return t
	}
	if _, known := blanks[t.Value]; !known {
		s.Keep(bytesOfComputed)
		blanks[t.Value] = s.newBlank()
	}
	return blanks[t.Value]
}

// send asks a server and reads its solutions one by one.
func (s *serviceRun) send(at node, text string, each func(found, blanks map[string]term.Term) bool) error {
	address := s.term(at)
	switch *s.requests++; {
	case address.Kind != term.IRI:
		return kg.Errorf(kg.Invalid, "", "expected the IRI of a server, found %v: a variable has to get its value before", address)
	case s.data.Remote == nil:
		return kg.Errorf(kg.Invalid, address.Value, "other servers are not asked")
	case *s.requests > mostRequests:
		return kg.Errorf(kg.TooLarge, address.Value, "more than %d requests to other servers: make the rest of the query more selective", mostRequests)
	}
	body, err := s.data.Remote.Select(s.ctx, address.Value, text)
	if err != nil {
		return err
	}
	defer body.Close()
	blanks := map[string]term.Term{}
	metered := &meteredReader{Reader: body, meter: s.Meter, held: s.Hold()}
	defer metered.held.Release()
	return results.ReadJSON(metered, func(found map[string]term.Term) bool {
		metered.held.Release() // what is kept of it counts by itself
		return each(found, blanks)
	})
}

// meteredReader counts what is read as work, and as memory until somebody releases it.
type meteredReader struct {
	io.Reader
	meter *limit.Meter
	held  *limit.Hold
}

func (m *meteredReader) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	if !m.meter.Spend(1+n/limit.BytesOfStep) || !m.held.Keep(n) {
		return 0, m.meter.Err
	}
	return n, err
}
