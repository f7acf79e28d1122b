package eval

import (
	"fmt"
	"iter"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// triples are what CONSTRUCT and DESCRIBE give, each once.
type triples struct {
	*evaluator
	seen  map[[3]node]bool // nil where none can come twice
	given int
	yield func([]term.Term, error) bool
	done  bool
}

// triplesOf runs what makes triples.
func (e *evaluator) triplesOf(run func(*triples)) *results.Results {
	rows := func(yield func([]term.Term, error) bool) {
		defer e.Close()
		t := &triples{evaluator: e, seen: map[[3]node]bool{}, yield: yield}
		run(t)
		if e.Err != nil && !t.done {
			yield(nil, e.Err)
		}
	}
	return &results.Results{Graph: true, Vars: []string{"subject", "predicate", "object"}, Rows: rows}
}

// add gives a triple if it is one and new; false means that nobody wants more.
func (t *triples) add(nodes [3]node) bool {
	if nodes[0] == unbound || nodes[1] == unbound || nodes[2] == unbound || t.seen[nodes] { // nil has none
		return t.Err == nil
	}
	subject, predicate, object := t.term(nodes[0]), t.term(nodes[1]), t.term(nodes[2])
	if subject.Kind == term.Literal || subject.Kind == term.Triple || predicate.Kind != term.IRI {
		return t.Err == nil
	}
	if t.seen != nil {
		t.seen[nodes] = true
		if !t.Keep(bytesOfTriple) {
			return false
		}
	}
	if t.given++; !t.within(t.given) {
		return false
	}
	t.done = !t.yield([]term.Term{subject, predicate, object}, nil)
	return !t.done
}

// within holds the number of solutions to its limit.
func (e *evaluator) within(given int) bool {
	if given > e.limits.Solutions && e.Err == nil {
		e.Err = kg.Errorf(kg.TooLarge, "sparql", "more than the limit of %d solutions: add LIMIT", e.limits.Solutions)
	}
	return e.Err == nil
}

// isCopy recognises a dump, whose triples are those of a pattern, each once: they are a stream, and need not be kept.
func isCopy(q *algebra.Query) bool {
	pattern := q.Pattern
	if g, isGraph := pattern.(algebra.GraphOf); isGraph && g.Name.Var < 0 {
		pattern = g.Of
	}
	basic, ok := pattern.(algebra.Basic)
	if !ok || len(basic.Triples) != 1 || len(q.Template) != 1 {
		return false
	}
	from, to := basic.Triples[0], q.Template[0]
	predicate := from.Predicate >= 0 || syntax.Predicate(from.Path) != term.Term{} && syntax.Predicate(from.Path) == syntax.Predicate(to.Path)
	return predicate && from.Subject == to.Subject && from.Predicate == to.Predicate && from.Object == to.Object
}

// construct fills the template with every row; its blank nodes are new ones for each.
func (e *evaluator) construct(template []algebra.Triple, names []string, rows iter.Seq[row]) *results.Results {
	slots := e.templateSlots(template)
	return e.triplesOf(func(t *triples) {
		if isCopy(e.query) {
			t.seen = nil
		}
		for r := range rows {
			clear(e.blanks)
			var value func(s slot) node
			value = func(s slot) node {
				if s.parts != nil {
					return e.madeTriple([3]node{value(s.parts[0]), value(s.parts[1]), value(s.parts[2])})
				}
				if s.variable >= 0 && syntax.IsAnonymous(names[s.variable]) {
					return e.remembered(e.blank(names[s.variable]))
				}
				return s.of(r)
			}
			for _, parts := range slots {
				if !t.add([3]node{value(parts[0]), value(parts[1]), value(parts[2])}) {
					return
				}
			}
		}
	})
}

// madeTriple is the triple term of some nodes, unbound where they make none.
func (e *evaluator) madeTriple(parts [3]node) node {
	t, ok := e.triple([3]term.Term{e.term(parts[0]), e.term(parts[1]), e.term(parts[2])})
	if !ok {
		return unbound
	}
	return e.remembered(t)
}

// templateSlots are the triples of a template by their parts.
func (e *evaluator) templateSlots(template []algebra.Triple) [][3]slot {
	all := make([][3]slot, len(template))
	for i, t := range template {
		predicate := slot{variable: t.Predicate}
		if t.Predicate < 0 {
			predicate.value = e.number(syntax.Predicate(t.Path))
		}
		all[i] = [3]slot{e.slot(t.Subject), predicate, e.slot(t.Object)}
	}
	return all
}

// blank makes a node that the graph lacks, the same for one label within a solution.
func (e *evaluator) blank(label string) term.Term {
	if t, known := e.blanks[label]; known && label != "" {
		return t
	}
	t := e.newBlank()
	e.blanks[label] = t
	return t
}

// newBlank is a node that neither the graph has nor anybody has made.
func (e *evaluator) newBlank() term.Term {
	for {
		e.made++
		t := term.Term{Kind: term.Blank, Value: fmt.Sprintf("new%d", e.made)}
		if _, taken := e.graph.find(t); !taken {
			return t
		}
	}
}

// describe gives the facts of resources, and those of the blank nodes that they lead to.
func (e *evaluator) describe(of []algebra.Slot, rows iter.Seq[row]) *results.Results {
	return e.triplesOf(func(t *triples) {
		d := &description{t, map[kg.Entity]bool{}}
		for r := range rows {
			for _, s := range of {
				if entity, ok := e.slot(s).of(r).entity(); ok && !d.entity(entity) {
					return
				}
			}
		}
	})
}

// description remembers whom it has described.
type description struct {
	*triples
	described map[kg.Entity]bool
}

// entity gives the facts of an entity; false means to stop.
func (d *description) entity(first kg.Entity) bool {
	todo := []kg.Entity{first}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if d.described[at] {
			continue
		}
		d.described[at] = true
		if !d.Keep(bytesOfVisit) {
			return false
		}
		for r, to := range d.graph.edges(at) {
			if r.IsInverse() {
				continue
			}
			if !d.Spend(1) || !d.add([3]node{entityNode(at), d.relationNode(r.Base()), entityNode(to)}) {
				return false
			}
			if strings.HasPrefix(d.graph.name(to), "_:") {
				todo = append(todo, to)
			}
		}
	}
	return true
}
