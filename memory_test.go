package lacuna

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// What a question is said to take is never less than what its sets come to.
func TestMemoryCoversTheSets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		g := synth.Random(random, 2+random.IntN(30), 1+random.IntN(3), random.IntN(60))
		e := newEngine(g, "random", defaults())
		p := plan.Compile(drawExpr(g, random, 5), plan.Options{})
		machine := exec.Machine{Executor: links.NewExecutor(links.New(g, nil, links.Options{}), links.Follow{}), Logic: fuzzy.Logic{}}
		run, err := machine.Run(t.Context(), []*plan.Program{p})
		if err != nil {
			t.Fatal(err)
		}
		members := int64(0)
		for i, in := range p.Code {
			if in.Op != plan.Load {
				members += listed(run.View(0, i))
			}
		}
		run.Release()
		if bound := e.members(p, reach{}); members > bound {
			t.Errorf("%d members, expected at most %d:\n%s", members, bound, p.Listing(g.Vocabulary))
		}
	}
}

// listed is how many entities a list of the set names: those in it or, of a complement, those that are not.
func listed(v fuzzy.View) int64 {
	in := 0
	for range v.All() {
		in++
	}
	return int64(min(in, v.Entities()-in))
}

func drawExpr(g *kg.Graph, random *rand.Rand, depth int) query.Expr {
	relation := kg.Relation(random.IntN(g.NumRelations()))
	anchor := query.Expr(query.Anchor{Entity: kg.Entity(random.IntN(g.NumEntities()))})
	if depth == 0 {
		return anchor
	}
	x := drawExpr(g, random, depth-1)
	switch random.IntN(5) {
	case 0:
		return query.Complement{Of: x}
	case 1:
		return query.Intersection{Of: []query.Expr{x, drawExpr(g, random, depth-1)}}
	case 2:
		return query.Union{Of: []query.Expr{x, drawExpr(g, random, depth-1)}}
	}
	return query.Projection{Relation: relation, Of: x}
}

// A question of six sets on a large graph is far from what a server allows for: memory counts lists, not all entities.
func TestMemoryOfALargeGraphIsThatOfItsLists(t *testing.T) {
	const entities = listedAbove + 1
	g, err := synth.Generate(synth.Config{Seed: 1, Entities: entities, Relations: 20, Triples: 2 * entities})
	if err != nil {
		t.Fatal(err)
	}
	for _, model := range []string{Exact, Foundation} {
		e, err := New(t.Context(), g.Share(), Model(model), Device("cpu"))
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		name := func(i int) string { return g.Entity(kg.Entity(i)) }
		q, err := e.Prepare(fmt.Sprintf("?x : exists y, z: %s(%s, y) & %s(y, x) & %s(%s, z) & %[3]s(z, x)",
			g.Relation(0), name(1), g.Relation(2), g.Relation(4), name(2)))
		if err != nil {
			t.Fatal(err)
		}
		allowed := int64(1<<30) * entities / 25_000_000 // as much for an entity as the server's default for 25 million
		if q.Memory() == 0 || q.Memory() > allowed {
			t.Errorf("%s: %d bytes, expected at most %d", model, q.Memory(), allowed)
		}
	}
}
