package symbolic

import (
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// Traverser answers expressions exactly, over crisp sets, by walking the edges of
// one graph: the source of easy and hard answers and of what is known. Where the
// Projector of this package works on fuzzy sets as wide as the graph, a Traverser
// costs what the query touches. Its scratch memory is reused, so that it serves
// one goroutine at a time and allocates nothing once it is warm.
type Traverser struct {
	graph *kg.Graph
	index *lazyIndex
	mark  collector
	free  [][]kg.Entity // buffers that no value uses now
}

// NewTraverser makes a traverser of the graph. Expressions given to it must be
// over the ids of the graph's vocabulary.
func NewTraverser(g *kg.Graph) *Traverser {
	return &Traverser{graph: g, index: &lazyIndex{}, mark: newCollector(g.NumEntities())}
}

// Fork makes a traverser of the same graph for another goroutine. They share what they learn of the graph.
func (t *Traverser) Fork() *Traverser {
	return &Traverser{graph: t.graph, index: t.index, mark: newCollector(t.graph.NumEntities())}
}

// Answers gives the entities in the set that e describes, sorted. The slice is
// valid until the next call and must not be changed.
func (t *Traverser) Answers(e query.Expr) []kg.Entity {
	v := t.eval(e)
	if v.negated {
		v = t.materialise(v)
	}
	t.release(v) // the memory stays as it is until a later call takes the buffer
	return v.list
}

// Count is the number of answers, without listing them where e is a complement.
func (t *Traverser) Count(e query.Expr) int {
	v := t.eval(e)
	t.release(v)
	if v.negated {
		return t.graph.NumEntities() - len(v.list)
	}
	return len(v.list)
}

// value is a set of entities: those of the sorted list or, if negated, all
// others. A complement therefore costs nothing, and is written out only where
// the answer itself is one.
type value struct {
	list    []kg.Entity
	negated bool
	owned   bool // list is a buffer of the traverser rather than a part of the graph
}

func (t *Traverser) eval(e query.Expr) value {
	switch e := e.(type) {
	case query.Anchor:
		return value{list: append(t.buffer(), e.Entity), owned: true}
	case query.Universe:
		return value{negated: true}
	case query.Projection:
		return t.project(e)
	case query.Intersection:
		return t.intersect(e.Of)
	case query.Union:
		return t.unite(e.Of)
	case query.Complement:
		v := t.eval(e.Of)
		v.negated = !v.negated
		return v
	}
	panic("symbolic: unknown kind of expression")
}

// project follows one relation from every member of a set. From a single entity
// the result is the very slice of the graph, which is sorted already.
func (t *Traverser) project(e query.Projection) value {
	if anchor, ok := e.Of.(query.Anchor); ok {
		return value{list: t.graph.Tails(anchor.Entity, e.Relation)}
	}
	of := t.eval(e.Of)
	defer t.release(of)
	switch {
	case of.negated:
		t.stepFromAllBut(of.list, e.Relation)
	case len(of.list) == 1:
		return value{list: t.graph.Tails(of.list[0], e.Relation)}
	default:
		t.stepFrom(of.list, e.Relation)
	}
	return t.collected()
}

// stepFrom marks what the listed entities reach by r.
func (t *Traverser) stepFrom(list []kg.Entity, r kg.Relation) {
	if x := t.index.worth(t.graph, len(list)); x != nil {
		x.stepFrom(list, r, &t.mark)
		return
	}
	for _, h := range list {
		t.mark.addAll(t.graph.Tails(h, r))
	}
}

// stepFromAllBut marks what all entities but the listed reach by r.
func (t *Traverser) stepFromAllBut(except []kg.Entity, r kg.Relation) {
	if x := t.index.worth(t.graph, t.graph.NumEntities()); x != nil {
		x.stepFromAllBut(except, r, &t.mark)
		return
	}
	for h := range kg.Entity(t.graph.NumEntities()) {
		if len(except) > 0 && except[0] == h {
			except = except[1:]
			continue
		}
		t.mark.addAll(t.graph.Tails(h, r))
	}
}

func (t *Traverser) collected() value {
	return value{list: t.mark.drain(t.buffer()), owned: true}
}

// materialise lists the members of a negated value.
func (t *Traverser) materialise(v value) value {
	all, except := t.buffer(), v.list
	for h := range kg.Entity(t.graph.NumEntities()) {
		if len(except) > 0 && except[0] == h {
			except = except[1:]
		} else {
			all = append(all, h)
		}
	}
	t.release(v)
	return value{list: all, owned: true}
}

// buffer gives an empty list to append to.
func (t *Traverser) buffer() []kg.Entity {
	if len(t.free) == 0 {
		return make([]kg.Entity, 0, 64)
	}
	last := len(t.free) - 1
	b := t.free[last]
	t.free = t.free[:last]
	return b[:0]
}

func (t *Traverser) release(v value) {
	if v.owned {
		t.free = append(t.free, v.list)
	}
}
