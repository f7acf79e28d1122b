package links

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
)

// untied is a model whose links are possible and differ: of equal ones either may be among the likeliest.
func untied(rng *rand.Rand) table { return tableOf(rng.Float32) }

// A projection whose likeliest links are read from both ends is the best derivation over links by the definition, whether rows are kept or not, and
// the ways that an explanation shows are those.
func TestBothEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 150 {
		g, model := randomGraph(rng), untied(rng)
		in, relation, most := make(fuzzy.Set, entities), kg.Relation(rng.IntN(2*relations)), 1+rng.IntN(20)
		for i := range in {
			in[i] = float32(rng.IntN(5)) / 4
		}
		x := NewExecutor(New(g, model, Options{Least: -1}), everything).FromBothEnds(most)
		want := projectFromBothEnds(g, model, in, relation, most)
		for range 2 { // rows are computed, then kept
			p := x.NewPool(2, fuzzy.Product)
			p.Write(0, in)
			if err := p.Project(t.Context(), []exec.Projection{{Out: 1, In: 0, Relation: relation}}); err != nil {
				t.Fatal(err)
			}
			if !near(p.Read(1), want) {
				t.Fatalf("%d links from both ends: %v, want %v", most, p.Read(1), want)
			}
		}
	}
}

// readFromBothEnds is the reading of a link by the definition.
func readFromBothEnds(g *kg.Graph, model table, p Pair, tail kg.Entity) float64 {
	back := Pair{tail, p.Relation.Inverse()}
	read := math.Pow(model.link(g, Map{}, p, tail), 0.7) * math.Pow(model.link(g, Map{}, back, p.Head), 0.3)
	if len(g.Tails(tail, back.Relation)) == 0 {
		read *= 0.6
	}
	return read
}

// projectFromBothEnds is a projection by the definition, in double precision.
func projectFromBothEnds(g *kg.Graph, model table, in fuzzy.Set, relation kg.Relation, most int) []float64 {
	type link struct {
		head, tail kg.Entity
		p, gives   float64
	}
	var predicted []link
	out := make([]float64, entities)
	for h := range kg.Entity(entities) {
		for v := range kg.Entity(entities) {
			p := model.link(g, Map{}, Pair{h, relation}, v)
			if g.Has(kg.Triple{Head: h, Relation: relation, Tail: v}) {
				out[v] = max(out[v], float64(in[h]))
			} else if in[h] > 0 && p > 0 {
				predicted = append(predicted, link{h, v, p, float64(in[h]) * p})
			}
		}
	}
	slices.SortStableFunc(predicted, func(a, b link) int { return cmp.Compare(float32(b.gives), float32(a.gives)) })
	read := predicted[:min(most, len(predicted))]
	lowered := 0.0
	for i, l := range read {
		read[i].p = readFromBothEnds(g, model, Pair{l.head, relation}, l.tail)
		lowered += math.Log(max(read[i].p, math.SmallestNonzeroFloat32) / l.p)
	}
	for i := range predicted[len(read):] {
		predicted[len(read)+i].p *= math.Exp(min(0, lowered/float64(max(1, len(read)))))
	}
	for _, l := range predicted {
		out[l.tail] = max(out[l.tail], float64(in[l.head])*l.p)
	}
	return out
}

// gpu is a device with memory of its own.
type gpu struct{ kernel.Device }

func (gpu) Memory() int64 { return 1 << 30 }

// Small graphs are read from both ends, larger ones by a GPU alone.
func TestEndsOn(t *testing.T) {
	rng, cpu := rand.New(rand.NewPCG(1, 1)), plain.New()
	small, large := randomGraph(rng), synth.Random(rng, 250, relations, 4*fewFacts)
	if large.NumTriples() <= fewFacts {
		t.Fatalf("a graph of %d facts is not large", large.NumTriples())
	}
	for _, c := range []struct {
		of     *kg.Graph
		on     kernel.Device
		expect int
	}{{small, cpu, usualEnds}, {small, gpu{cpu}, usualEnds}, {large, cpu, 0}, {large, gpu{cpu}, usualEnds}} {
		if n := EndsOn(c.of, c.on); n != c.expect {
			t.Errorf("%d facts, memory %d: %d links of a step, expected %d", c.of.NumTriples(), c.on.Memory(), n, c.expect)
		}
	}
	x := NewExecutor(New(small, nil, Options{}), Follow{})
	if x.Ends() != 0 || x.FromBothEnds(5).Ends() != 5 || x.FromBothEnds(-1).Ends() != 0 {
		t.Error("an executor reads other ends than it was told")
	}
}
