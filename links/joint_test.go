package links

import (
	"math/rand/v2"
	"testing"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Two degrees together are no less than their product, no more than the lesser, and grow with either; what is certain changes nothing.
func TestJointLiesBetweenProductAndMinimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 10_000 {
		x, y, more := rng.Float32(), rng.Float32(), rng.Float32()
		got := joint(x, y)
		if got < x*y*(1-1e-6) || got > min(x, y) || got != joint(y, x) {
			t.Fatalf("%v and %v together are %v", x, y, got)
		}
		if more > x && joint(more, y) < got {
			t.Fatalf("%v and %v together are %v, less than with %v: %v", more, y, joint(more, y), x, got)
		}
		if joint(1, y) != y || joint(x, 0) != 0 {
			t.Fatalf("1 and %v together are %v, %v and 0 %v", y, joint(1, y), x, joint(x, 0))
		}
	}
}

// A projection gives the best derivation by the definition of joint, whichever of a member and its link is likelier; other logics keep theirs.
func TestProjectsJointly(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 100 {
		g, model := randomGraph(rng), randomTable(rng)
		in, relation := make(fuzzy.Set, entities), kg.Relation(rng.IntN(2*relations))
		for i := range in {
			in[i] = float32(rng.IntN(5)) / 4
		}
		executor := NewExecutor(New(g, model, Options{Least: -1}), everything)
		project := func(x Executor, l fuzzy.Logic) fuzzy.Set {
			p := x.NewPool(2, l)
			p.Write(0, in)
			if err := p.Project(t.Context(), []exec.Projection{{Out: 1, In: 0, Relation: relation}}); err != nil {
				t.Fatal(err)
			}
			return p.Read(1)
		}
		want := make([]float64, entities)
		for v := range want {
			for h, degree := range in {
				link := model.link(g, Map{}, Pair{kg.Entity(h), relation}, kg.Entity(v))
				want[v] = max(want[v], float64(joint(degree, float32(link))))
			}
		}
		if got := project(executor.Jointly(), fuzzy.Product); !near(got, want) {
			t.Fatalf("jointly %v, want %v", got, want)
		}
		for v, x := range project(executor.Jointly(), fuzzy.Godel) {
			if y := project(executor, fuzzy.Godel)[v]; x != y {
				t.Fatalf("Gödel's logic: entity %d has %v, expected %v", v, x, y)
			}
		}
	}
}

// An intersection is joint where both sides predict; a complement takes away what it did before.
func TestComplementsAreNotJoint(t *testing.T) {
	p := NewExecutor(New(randomGraph(rand.New(rand.NewPCG(1, 2))), nil, Options{}), Follow{}).Jointly().NewPool(0, fuzzy.Product).(*pool)
	x := set{members: []kg.Entity{0, 1}, degrees: fuzzy.Set{0.25, 1}}
	y := set{members: []kg.Entity{0, 1}, degrees: fuzzy.Set{0.5, 0.5}}
	both, without := p.combine(kernel.And, x, y), p.combine(kernel.And, x, p.combine(kernel.Not, y, y))
	if both.degrees[0] != joint(0.25, 0.5) || both.degrees[0] <= 0.125 || both.degrees[1] != 0.5 {
		t.Errorf("together %v", both.degrees)
	}
	if without.degrees[0] != 0.125 || without.degrees[1] != 0.5 {
		t.Errorf("without %v", without.degrees)
	}
}
