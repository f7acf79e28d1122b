package eval

import (
	"iter"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// solver turns the rows of a pattern into the solutions of a query, by the
// sequence of section 18.2.5: count, order, project, make distinct, slice.
type solver struct {
	query   *algebra.Query
	pattern operator
}

func (s *solver) ask(e *evaluator) (*results.Results, error) {
	r := &results.Results{Ask: true}
	for range s.matches(e) {
		r.Truth = true
		break
	}
	return r, e.err
}

// matches are the rows of the pattern.
func (s *solver) matches(e *evaluator) iter.Seq[row] {
	return func(yield func(row) bool) {
		for r := range s.pattern(make(row, len(s.query.Names))) {
			if e.err != nil || !yield(r) { // after an error NOT EXISTS would hold for the wrong reason
				return
			}
		}
	}
}

// rows are the solutions as terms, with the error that ended them if there was one.
func (s *solver) rows(e *evaluator) iter.Seq2[[]term.Term, error] {
	if s.query.Counts() {
		return s.counted(e)
	}
	columns := make([]int, len(s.query.Columns))
	for i, c := range s.query.Columns {
		columns[i] = c.Var
	}
	return func(yield func([]term.Term, error) bool) {
		terms := make([]term.Term, len(columns))
		given := 0
		for values := range s.sliced(s.distinct(e, s.projected(e, columns))) {
			if given++; given > e.limits.Solutions {
				e.err = kg.Errorf(kg.TooLarge, "sparql", "more than the limit of %d solutions: add LIMIT", e.limits.Solutions)
				break
			}
			for i, n := range values {
				terms[i] = e.term(n)
			}
			if !yield(terms, nil) {
				return
			}
		}
		if e.err != nil {
			yield(nil, e.err)
		}
	}
}

// projected gives the values of the columns, in the order that the query wants.
func (s *solver) projected(e *evaluator, columns []int) iter.Seq[[]node] {
	project := func(r row, values []node) []node {
		for i, v := range columns {
			if values[i] = unbound; v >= 0 {
				values[i] = r[v]
			}
		}
		return values
	}
	return func(yield func([]node) bool) {
		if len(s.query.OrderBy) > 0 {
			s.sorted(e, func(r row) []node { return project(r, make([]node, len(columns))) }, yield)
			return
		}
		values := make([]node, len(columns))
		for r := range s.matches(e) {
			if !yield(project(r, values)) {
				return
			}
		}
	}
}

// sorted calls yield in the order of the query's keys; equal ones keep theirs.
func (s *solver) sorted(e *evaluator, project func(row) []node, yield func([]node) bool) {
	type entry struct {
		keys   []term.Term
		values []node
	}
	var entries []entry
	for r := range s.matches(e) {
		n := entry{make([]term.Term, len(s.query.OrderBy)), project(r)}
		for i, key := range s.query.OrderBy {
			if key.Var >= 0 {
				n.keys[i] = e.term(r[key.Var])
			}
		}
		const wordsOfTerm = 8
		if !e.keep(wordsOfTerm*len(n.keys) + len(n.values)) {
			return
		}
		entries = append(entries, n)
	}
	descending := func(i int) bool { return s.query.OrderBy[i].Descending }
	slices.SortStableFunc(entries, func(a, b entry) int { return term.CompareLists(a.keys, b.keys, descending) })
	for _, n := range entries {
		if e.err != nil || !yield(n.values) {
			return
		}
	}
}

// distinct drops what came before.
func (s *solver) distinct(e *evaluator, rows iter.Seq[[]node]) iter.Seq[[]node] {
	if !s.query.Distinct {
		return rows
	}
	return func(yield func([]node) bool) {
		seen := newDistinct(e)
		for values := range rows {
			if seen.add(values) && (e.err != nil || !yield(values)) {
				return
			}
		}
	}
}

// distinctRows remembers what it has seen.
type distinctRows struct {
	e    *evaluator
	seen map[string]bool
	vars []int
}

func newDistinct(e *evaluator) *distinctRows { return &distinctRows{e: e, seen: map[string]bool{}} }

// add tells whether the values are new. All calls give as many.
func (d *distinctRows) add(values []node) bool {
	for len(d.vars) < len(values) {
		d.vars = append(d.vars, len(d.vars))
	}
	key := keyOf(values, d.vars)
	if d.seen[key] {
		return false
	}
	const overhead = 4 // of a map and a string, in values
	d.seen[key] = true
	d.e.keep(len(values) + overhead)
	return true
}

// sliced applies OFFSET and LIMIT.
func (s *solver) sliced(rows iter.Seq[[]node]) iter.Seq[[]node] {
	return func(yield func([]node) bool) {
		if s.query.Limit == 0 {
			return
		}
		skip, left := s.query.Offset, s.query.Limit
		for values := range rows {
			if skip > 0 {
				skip--
				continue
			}
			left--
			if !yield(values) || left == 0 {
				return
			}
		}
	}
}

// counted gives the one solution of a query that counts.
func (s *solver) counted(e *evaluator) iter.Seq2[[]term.Term, error] {
	return func(yield func([]term.Term, error) bool) {
		counters := make([]counter, len(s.query.Columns))
		for i, c := range s.query.Columns {
			counters[i] = newCounter(e, *c.Count)
		}
		for r := range s.matches(e) {
			for i := range counters {
				counters[i].add(r)
			}
			if e.err != nil {
				break
			}
		}
		terms := make([]term.Term, len(counters))
		for i, c := range counters {
			terms[i] = term.Integer(c.count)
		}
		switch {
		case e.err != nil:
			yield(nil, e.err)
		case s.query.Offset == 0 && s.query.Limit != 0:
			yield(terms, nil)
		}
	}
}

// counter counts rows.
type counter struct {
	algebra.Count
	seen  *distinctRows // nil without DISTINCT
	count int
}

func newCounter(e *evaluator, c algebra.Count) counter {
	of := counter{Count: c}
	if c.Distinct {
		of.seen = newDistinct(e)
	}
	return of
}

func (c *counter) add(r row) {
	values := make([]node, len(c.Vars))
	for i, v := range c.Vars {
		if v >= 0 {
			values[i] = r[v]
		}
	}
	if !c.All && values[0] == unbound {
		return
	}
	if c.seen == nil || c.seen.add(values) {
		c.count++
	}
}
