package eval

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/symbolic"
)

// groundings lists the missing links of every derivation of e whose answer is v, one
// entry for each choice of entities for the variables.
func groundings(observed, full *kg.Graph, e query.Expr, v kg.Entity) []int {
	switch e := e.(type) {
	case query.Anchor:
		if e.Entity != v {
			return nil
		}
	case query.Complement:
		if slices.Contains(symbolic.NewTraverser(full).Answers(e.Of), v) {
			return nil
		}
	case query.Union:
		var all []int
		for _, operand := range e.Of {
			all = append(all, groundings(observed, full, operand, v)...)
		}
		return all
	case query.Intersection:
		all := []int{0}
		for _, operand := range e.Of {
			var next []int
			for _, cost := range groundings(observed, full, operand, v) {
				for _, so := range all {
					next = append(next, so+cost)
				}
			}
			all = next
		}
		return all
	case query.Projection:
		return throughEdges(observed, full, e, v)
	}
	return []int{0}
}

func throughEdges(observed, full *kg.Graph, e query.Projection, v kg.Entity) []int {
	var all []int
	for h := range kg.Entity(full.NumEntities()) {
		link := kg.Triple{Head: h, Relation: e.Relation, Tail: v}
		if !full.Has(link) {
			continue
		}
		missing := 1
		if observed.Has(link) {
			missing = 0
		}
		for _, cost := range groundings(observed, full, e.Of, h) {
			all = append(all, cost+missing)
		}
	}
	return all
}

func TestMissingLinksAgreeWithGroundings(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	seen := map[int]int{}
	for range 60 {
		observed, full := randomPair(random)
		links := symbolic.NewMissingLinks(observed, full)
		for _, shape := range append([]string{"i(2p,2u)", "p(n(1p))", "u(2i,n(1p))", "p(u(2p,i(1p,n(2p))))"}, query.Shapes...) {
			e := grounded(random, shape, full)
			everyone := make([]kg.Entity, full.NumEntities())
			for v := range everyone {
				everyone[v] = kg.Entity(v)
			}
			for v, got := range links.Of(e, everyone) {
				want := symbolic.NoDerivation
				if costs := groundings(observed, full, query.Canonical(e), kg.Entity(v)); len(costs) > 0 {
					want = slices.Min(costs)
				}
				if got != want {
					t.Fatalf("%s: %#v of %d: %d missing links, want %d", shape, e, v, got, want)
				}
				seen[got]++
			}
		}
	}
	if seen[0] == 0 || seen[1] == 0 || seen[2] == 0 || seen[3] == 0 || seen[symbolic.NoDerivation] == 0 {
		t.Errorf("the cases are too plain: counts %v", seen)
	}
}

// randomPair gives a tiny graph and one with more facts.
func randomPair(random *rand.Rand) (observed, full *kg.Graph) {
	v := vocabulary(6, 2)
	triples := make([]kg.Triple, 14)
	for i := range triples {
		triples[i] = kg.Triple{Head: kg.Entity(random.IntN(6)), Relation: kg.Forward(uint32(random.IntN(2))), Tail: kg.Entity(random.IntN(6))}
	}
	return kg.Build(v, triples[:6]), kg.Build(v, triples)
}

// grounded fills a shape with random entities and relations.
func grounded(random *rand.Rand, shape string, g *kg.Graph) query.Expr {
	template, err := query.ParseShape(shape)
	if err != nil {
		panic(err)
	}
	ids := make([]uint32, template.Slots)
	for i, isRelation := range template.Relations() {
		if isRelation {
			ids[i] = uint32(random.IntN(g.NumRelations()))
		} else {
			ids[i] = uint32(random.IntN(g.NumEntities()))
		}
	}
	return template.Fill(ids)
}

func TestDoubleNegationHidesNoLinks(t *testing.T) {
	v := vocabulary(2, 1)
	links := symbolic.NewMissingLinks(kg.Build(v, nil), kg.Build(v, []kg.Triple{{Head: 0, Relation: relationR, Tail: 1}}))
	e := complement(complement(tailsOf(0, relationR)))
	if got := links.Of(e, []kg.Entity{0, 1}); !slices.Equal(got, []int{symbolic.NoDerivation, 1}) {
		t.Errorf("missing links %v, want none to count and 1", got)
	}
}
