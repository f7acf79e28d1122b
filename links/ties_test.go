package links

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
)

// A projection gives the best derivation and a hair for the others, by the definition over all links; in other logics none.
func TestPartingTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	parted := 0
	for range 100 {
		g, model := randomGraph(rng), randomTable(rng)
		in, relation := make(fuzzy.Set, entities), kg.Relation(rng.IntN(2*relations))
		for i := range in {
			in[i] = float32(rng.IntN(5)) / 4
		}
		rows := New(g, model, Options{Least: -1})
		project := func(x Executor, l fuzzy.Logic) fuzzy.Set {
			p := x.NewPool(2, l)
			p.Write(0, in)
			if err := p.Project(t.Context(), []exec.Projection{{Out: 1, In: 0, Relation: relation}}); err != nil {
				t.Fatal(err)
			}
			return p.Read(1)
		}
		plain, parting := NewExecutor(rows, everything), NewExecutor(rows, everything).PartingTies()
		best, got := project(plain, fuzzy.Product), project(parting, fuzzy.Product)
		for v := range kg.Entity(entities) {
			most, sum := 0.0, 0.0
			for h, degree := range in {
				x := float64(degree) * model.link(g, Map{}, Pair{kg.Entity(h), relation}, v)
				most, sum = max(most, x), sum+x
			}
			want := most
			if most > 0 && most < 1 {
				want = most * (1 + hair*(sum-most)/sum)
			}
			if math.Abs(float64(got[v])-want) > 1e-6*want {
				t.Fatalf("entity %d has %v, want %v of derivations whose best is %v and sum %v", v, got[v], want, most, sum)
			}
			if (got[v] == 1) != (best[v] == 1) {
				t.Fatalf("entity %d has %v, and %v by its best derivation", v, got[v], best[v])
			}
			if got[v] != best[v] {
				parted++
			}
		}
		for _, l := range []fuzzy.Logic{fuzzy.Godel, fuzzy.Lukasiewicz} {
			for v, x := range project(parting, l) {
				if y := project(plain, l)[v]; x != y {
					t.Fatalf("%v: entity %d has %v, expected %v", l, v, x, y)
				}
			}
		}
	}
	if parted == 0 {
		t.Error("nothing was parted")
	}
}

// Of two entities that are equally likely by their best derivation, the one that a second speaks for comes first; one derivation alone is as it is.
func TestMoreDerivationsComeFirst(t *testing.T) {
	one, two, unlikely := ways{0.2, 0.2}, ways{0.2, 0.21}, ways{0.1999, 5}
	if one.withHair() != 0.2 || !(two.withHair() > one.withHair()) || !(unlikely.withHair() < one.withHair()) {
		t.Errorf("degrees %v, %v and %v", one.withHair(), two.withHair(), unlikely.withHair())
	}
}
