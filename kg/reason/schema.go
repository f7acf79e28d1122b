package reason

import (
	"cmp"
	"iter"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
)

const (
	rdfs = "http://www.w3.org/2000/01/rdf-schema#"
	owl  = "http://www.w3.org/2002/07/owl#"
)

// schema is what a graph says of its classes and properties.
type schema struct {
	typeOf, subClassOf, subPropertyOf uint32 // relations
	property                          uint32 // the class of all properties
	superclasses                      map[uint32][]uint32
	properties                        map[uint32]*property // by relation
	transitive                        []uint32             // relations
}

// property is what is said of a relation.
type property struct {
	supers, inverses          []uint32
	domains, ranges           []uint32 // classes
	symmetric, transitiveSelf bool
}

// readSchema makes the schema of all that is known so far, and tells how many facts it was made of.
func (c *closure) readSchema() (facts int) {
	n := c.names
	s := &schema{
		typeOf: n.relationOf(rdf.Namespace + "type"), subClassOf: n.relationOf(rdfs + "subClassOf"), subPropertyOf: n.relationOf(rdfs + "subPropertyOf"),
		property: n.entityOf(rdf.Namespace + "Property"), superclasses: map[uint32][]uint32{}, properties: map[uint32]*property{},
	}
	c.schema = s
	each := func(relation uint32, take func(head, tail uint32)) {
		for f := range c.all(relation) {
			if c.look(); f.head == f.tail && (relation == s.subClassOf || relation == s.subPropertyOf) {
				continue // which implies nothing
			}
			facts++
			take(f.head, f.tail)
		}
	}
	each(s.subClassOf, func(head, tail uint32) { s.superclasses[head] = append(s.superclasses[head], tail) })
	each(s.subPropertyOf, func(head, tail uint32) {
		c.of(head).supers = append(c.of(head).supers, n.relationNamed(tail))
		c.of(tail)
	})
	each(n.relationOf(rdfs+"domain"), func(head, tail uint32) { c.of(head).domains = append(c.of(head).domains, tail) })
	each(n.relationOf(rdfs+"range"), func(head, tail uint32) { c.of(head).ranges = append(c.of(head).ranges, tail) })
	each(n.relationOf(owl+"inverseOf"), func(head, tail uint32) {
		c.of(head).inverses = append(c.of(head).inverses, n.relationNamed(tail))
		c.of(tail).inverses = append(c.of(tail).inverses, n.relationNamed(head))
	})
	symmetric, transitive := n.entityOf(owl+"SymmetricProperty"), n.entityOf(owl+"TransitiveProperty")
	for f := range c.all(s.typeOf) {
		switch c.look(); f.tail {
		case symmetric:
			facts++
			c.of(f.head).symmetric = true
		case transitive:
			facts++
			c.of(f.head).transitiveSelf = true
		}
	}
	s.transitive = []uint32{s.subClassOf, s.subPropertyOf}
	for relation, p := range s.properties {
		if p.transitiveSelf {
			s.transitive = append(s.transitive, relation)
		}
	}
	slices.Sort(s.transitive)
	return facts
}

// of is what is said of the property that an entity is.
func (c *closure) of(entity uint32) *property {
	relation := c.names.relationNamed(entity)
	p := c.schema.properties[relation]
	if p == nil {
		p = &property{}
		c.schema.properties[relation] = p
	}
	return p
}

// stated runs over the facts of the graph.
func (c *closure) stated() iter.Seq[fact] {
	return func(yield func(fact) bool) {
		for t := range c.graph.Triples() {
			if !yield(fact{uint32(t.Head), t.Relation.Base(), uint32(t.Tail)}) || c.err != nil {
				return
			}
		}
	}
}

// all runs over the facts of a relation, stated and implied.
func (c *closure) all(relation uint32) iter.Seq[fact] {
	return func(yield func(fact) bool) {
		if int(relation) < c.graph.Relations.Names.Len() {
			forward := kg.Forward(relation)
			for _, head := range c.graph.ByRelation().Heads(forward) {
				for _, tail := range c.graph.Tails(head, forward) {
					if !yield(fact{uint32(head), relation, uint32(tail)}) {
						return
					}
				}
			}
		}
		for f := range c.implied {
			if f.relation == relation && !yield(f) {
				return
			}
		}
	}
}

func (c *closure) isStated(f fact) bool {
	return int(f.head) < c.graph.NumEntities() && int(f.tail) < c.graph.NumEntities() && int(f.relation) < c.graph.Relations.Names.Len() &&
		c.graph.Has(kg.Triple{Head: kg.Entity(f.head), Relation: kg.Forward(f.relation), Tail: kg.Entity(f.tail)})
}

// compare orders facts by their names.
func compare(a, b kg.Fact) int {
	return cmp.Or(cmp.Compare(a.Graph, b.Graph), cmp.Compare(a.Head, b.Head), cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.Tail, b.Tail))
}
