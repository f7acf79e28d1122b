package eval

import (
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// node is a term within one evaluation, as a number: an entity, a relation that is
// no entity too, or a term that only the query has. 0 is the lack of a value.
type node uint64

const (
	unbound       node = 0
	firstRelation node = 1 << 32
	firstExtra    node = 1 << 33
)

// dictionary numbers the terms of one evaluation: equal numbers for equal terms.
type dictionary struct {
	graph     *store
	extra     []term.Term
	numbers   map[term.Term]node
	relations map[uint32]node
	reread    map[node]relationOf
	made      int // blank nodes so far
}

func newDictionary(g *store) *dictionary {
	return &dictionary{graph: g, numbers: map[term.Term]node{}, relations: map[uint32]node{}, reread: map[node]relationOf{}}
}

func entityNode(e kg.Entity) node { return node(e) + 1 }

// entity gives the entity behind a node, if it is one.
func (n node) entity() (kg.Entity, bool) {
	return kg.Entity(n - 1), n != unbound && n <= firstRelation-1
}

// number gives the node of a term.
func (d *dictionary) number(t term.Term) node {
	key := t
	if t.Language != "" {
		key = t.Folded()
	}
	if n, ok := d.numbers[key]; ok {
		return n
	}
	n := d.find(t)
	if n == unbound {
		n = firstExtra + node(len(d.extra))
		d.extra = append(d.extra, t)
	}
	d.numbers[key] = n
	return n
}

func (d *dictionary) find(t term.Term) node {
	if e, ok := d.graph.find(t); ok {
		return entityNode(e)
	}
	if base, ok := d.graph.relation(t); ok {
		return firstRelation + node(base)
	}
	return unbound
}

// term is the way back from a node.
func (d *dictionary) term(n node) term.Term {
	switch {
	case n == unbound:
		return term.Term{}
	case n < firstRelation:
		return term.OfEntity(d.graph.name(kg.Entity(n - 1)))
	case n < firstExtra:
		return term.OfRelation(d.graph.relationName(uint32(n - firstRelation)))
	}
	return d.extra[n-firstExtra]
}

// relationNode is the node of a relation, that of the entity of the same name where there is one.
func (d *dictionary) relationNode(base uint32) node {
	n, known := d.relations[base]
	if !known {
		n = d.number(term.OfRelation(d.graph.relationName(base)))
		d.relations[base] = n
	}
	return n
}

// relationOf is a relation, if there is one.
type relationOf struct {
	relation kg.Relation
	known    bool
}

// relation reads a node as a relation, if there is one of that term.
func (d *dictionary) relation(n node) (kg.Relation, bool) {
	r, seen := d.reread[n]
	if !seen {
		const most = 1 << 12
		if len(d.reread) >= most { // of nodes that are no relations there may be many
			clear(d.reread)
		}
		base, known := d.graph.relation(d.term(n))
		r = relationOf{kg.Forward(base), known}
		d.reread[n] = r
	}
	return r.relation, r.known
}
