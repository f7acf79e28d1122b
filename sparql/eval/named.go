package eval

import (
	"iter"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Dataset is what a query is asked of: a default graph, and named ones. Graphs go by the numbers of kg.Named.
type Dataset struct {
	Graph   *kg.Graph
	Default []uint32 // whose statements are the default graph; nil for all that the graph states
	Named   []uint32 // that GRAPH may ask, ascending; nil for all that have a name
	Remote  Remote   // that SERVICE asks; nil for nobody
}

// named tells the graph of a name, if GRAPH may ask it.
func (d Dataset) named(name term.Term) (graph uint32, ok bool) {
	if name.Kind != term.IRI && name.Kind != term.Blank {
		return 0, false
	}
	graph, ok = d.Graph.Named().Find(term.EntityName(name))
	if d.Named != nil {
		_, listed := slices.BinarySearch(d.Named, graph)
		ok = ok && listed
	}
	return graph, ok && graph != kg.Unnamed
}

// all are the graphs that GRAPH may ask.
func (d Dataset) all() []uint32 {
	if d.Named != nil {
		return d.Named
	}
	all := make([]uint32, d.Graph.Named().Len())
	for i := range all {
		all[i] = uint32(i) + 1
	}
	return all
}

// graphOf runs an operator on named graphs. It is made ready for each when that is first asked, as the best order may differ.
func (e *evaluator) graphOf(o algebra.GraphOf) operator {
	g := &namedRun{evaluator: e, of: o.Of, name: e.slot(o.Name), made: map[uint32]operator{}}
	return func(in row) iter.Seq[row] {
		return func(yield func(row) bool) { g.run(in, yield) }
	}
}

// namedRun is GRAPH.
type namedRun struct {
	*evaluator
	of   algebra.Op
	name slot
	made map[uint32]operator
}

func (g *namedRun) run(in row, yield func(row) bool) {
	if given := g.name.of(in); given != unbound {
		if graph, known := g.data.named(g.term(given)); known {
			g.runIn(graph, given, in, yield)
		}
		return
	}
	for _, graph := range g.data.all() {
		if !g.Spend(1) || !g.runIn(graph, g.number(term.OfEntity(g.data.Graph.Named().Name(graph))), in, yield) {
			return
		}
	}
}

// runIn runs within one graph; what the pattern itself binds the name's variable to must be the name.
func (g *namedRun) runIn(graph uint32, name node, in row, yield func(row) bool) bool {
	within := slices.Clone(in)
	if g.name.variable >= 0 {
		within[g.name.variable] = unbound
	}
	out := make(row, len(in))
	for r := range g.operatorIn(graph)(within) {
		copy(out, r)
		if v := g.name.variable; v >= 0 {
			if out[v] != unbound && out[v] != name {
				continue
			}
			out[v] = name
		}
		if !yield(out) {
			return false
		}
	}
	return g.Err == nil
}

func (g *namedRun) operatorIn(graph uint32) operator {
	run := g.made[graph]
	if run == nil {
		within := *g.evaluator
		within.graph = g.dictionary.graph.of(g.data.Graph.View(graph))
		run = within.operator(g.of)
		g.made[graph] = run
	}
	return run
}
