package kg

import (
	"cmp"
	"slices"
)

// Description says what is in a graph. Its JSON form is that of `lacuna info --json`.
type Description struct {
	Entities   int                   `json:"entities"`
	Isolated   int                   `json:"isolated"` // entities without any fact
	Triples    int                   `json:"triples"`
	Duplicates int                   `json:"duplicates"`
	Denied     int                   `json:"known_false,omitempty"` // facts
	Valid      int                   `json:"valid"`                 // held out
	Test       int                   `json:"test"`
	MeanDegree float64               `json:"mean_degree"`
	MaxDegree  int                   `json:"max_degree"`
	Hub        string                `json:"hub"` // the entity of the highest degree
	Relations  []RelationDescription `json:"relations"`
}

// RelationDescription is a relation with the number of its facts.
type RelationDescription struct {
	Name    string    `json:"name"`
	Triples int       `json:"triples"`
	Example [2]string `json:"example"` // head and tail of one fact
}

// Describe looks at every fact once. The most frequent relation comes first.
func (s *Splits) Describe() Description {
	g := s.Train
	d := Description{
		Entities: g.NumEntities(), Triples: g.NumTriples(), Duplicates: g.Duplicates(), Denied: g.NumDenied(),
		Valid: len(s.Valid), Test: len(s.Test), Relations: g.describeRelations(),
	}
	for e := range Entity(g.NumEntities()) {
		_, tails := g.Edges(e)
		if len(tails) == 0 {
			d.Isolated++
		}
		if len(tails) > d.MaxDegree {
			d.MaxDegree, d.Hub = len(tails), g.Entity(e)
		}
	}
	if d.Entities > 0 {
		d.MeanDegree = float64(g.NumEdges()) / float64(d.Entities)
	}
	return d
}

func (g *Graph) describeRelations() []RelationDescription {
	relations := make([]RelationDescription, g.Relations.Names.Len())
	for base := range relations {
		relations[base].Name = g.Relation(Forward(uint32(base)))
	}
	for t := range g.Triples() {
		r := &relations[t.Relation.Base()]
		if r.Triples == 0 {
			r.Example = [2]string{g.Entity(t.Head), g.Entity(t.Tail)}
		}
		r.Triples++
	}
	slices.SortStableFunc(relations, func(a, b RelationDescription) int { return cmp.Compare(b.Triples, a.Triples) })
	return relations
}
