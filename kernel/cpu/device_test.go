package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/conformance"
)

// sets are the instruction sets to test: those of this CPU, or the one LACUNA_CPU names.
func sets(t testing.TB) []string {
	forced := os.Getenv("LACUNA_CPU")
	if forced == "" {
		return Instructions()
	}
	if !slices.Contains(Instructions(), forced) {
		t.Skipf("needs a CPU with %s, as LACUNA_CPU asks; this one has %v: set LACUNA_CPU to one of them, or to nothing", forced, Instructions())
	}
	return []string{forced}
}

func open(t testing.TB, o Options) *Device {
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Every set of instructions meets the plain definition, whichever way the work is cut.
func TestConformance(t *testing.T) {
	for _, set := range sets(t) {
		for _, cut := range []cuts{defaultCuts, {hub: 16, window: 10, samples: 100}, {hub: 16, window: 10, samples: 1, rare: 1 << 20}} {
			t.Run(fmt.Sprintf("%s/%+v", set, cut), func(t *testing.T) {
				d := open(t, Options{Threads: 3, Instructions: set})
				d.cuts = cut
				for _, c := range conformance.Cases() {
					if cut != defaultCuts && !isCut(c.Name) {
						continue
					}
					if _, err := c.Run(d, conformance.Float32()); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

// isCut says whether a case depends on cuts: layers do, but for the ablation's, and so does meeting.
func isCut(name string) bool {
	return strings.HasPrefix(name, "meet/") || strings.HasPrefix(name, "layer/") && !strings.Contains(name, "/directed/") && !strings.Contains(name, "/bases/")
}

// One layer, forward and backward, gives the same bits for any number of threads.
func TestThreadsChangeNothing(t *testing.T) {
	for _, samples := range []int{1, 3, 9} {
		var want []uint32
		for _, threads := range []int{1, 2, 7} {
			d := open(t, Options{Threads: threads})
			d.hub = 100
			got := runLayer(d, samples)
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d samples: %d threads give other bits than 1", samples, threads)
			}
		}
	}
}

// runLayer gives the bits of all results of a PNA layer on a graph of several tasks.
func runLayer(d *Device, samples int) (bits []uint32) {
	const nodes, relations, width = 3000, 5, 32
	draw := rand.New(rand.NewPCG(3, uint64(samples)))
	var edges []kernel.Edge
	for range 40000 {
		tail := int32(nodes * draw.Float64() * draw.Float64() * draw.Float64())
		edges = append(edges, kernel.Edge{Head: draw.Int32N(nodes), Relation: draw.Int32N(relations), Tail: tail})
	}
	topology, err := kernel.NewGraph(nodes, relations, edges, nil)
	if err != nil {
		panic(err)
	}
	buffer := func(n int) kernel.Buffer {
		b := d.NewBuffer(n)
		d.Upload(b, random(draw, n))
		return b
	}
	l := kernel.Layer{Message: kernel.DistMult, Aggregate: kernel.PNA, Width: width}
	weights := func() kernel.LayerWeights {
		return kernel.LayerWeights{Weight: buffer(width * l.Features()), Bias: buffer(width), NormScale: buffer(width), Shift: buffer(width)}
	}
	in := kernel.LayerInput{
		Hidden: buffer(samples * nodes * width), Set: buffer(samples * nodes), Query: buffer(samples * width),
		Relations: buffer(relations * width), RelationOf: make([]int32, samples),
	}
	din := kernel.LayerGradient{Hidden: buffer(samples * nodes * width), Query: buffer(samples * width), Relations: buffer(relations * width)}
	w, dw, out, g := weights(), weights(), buffer(samples*nodes*width), d.NewGraph(topology)
	d.LayerForward(l, g, out, kernel.Kept{}, in, w)
	d.LayerBackward(l, g, din, dw, buffer(samples*nodes*width), kernel.Kept{}, in, w)
	for _, b := range []kernel.Buffer{out, din.Hidden, din.Query, din.Relations, dw.Weight, dw.Bias, dw.NormScale, dw.Shift} {
		for _, x := range d.Values(b) {
			bits = append(bits, math.Float32bits(x))
		}
	}
	return bits
}

func TestMeasure(t *testing.T) {
	d := open(t, Options{Threads: 2})
	topology, err := kernel.NewGraph(3, 1, []kernel.Edge{{Head: 0, Tail: 1}, {Head: 2, Tail: 1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, l := d.NewGraph(topology), kernel.Layer{Aggregate: kernel.PNA, Width: 32}
	if r := d.Measure(l, g); !(r.EdgeNanoseconds > 0 && r.Gigaflops > 0) {
		t.Errorf("rates %+v, expected more than nothing", r)
	}
	r := Rates{EdgeNanoseconds: 1e6, Gigaflops: 2 * 3 * 5 * 32 * 32 / 1e6} // 1 ms an edge, 1 ms all products
	if got := r.Floor(l, g, 4, 2, false); got.Round(time.Microsecond) != 6*time.Millisecond {
		t.Errorf("floor of 4 layers of (2 + 1) ms on 2 threads: %v, expected 6ms", got)
	}
	if got := r.Floor(l, g, 4, 2, true); got.Round(time.Microsecond) != 18*time.Millisecond {
		t.Errorf("floor with backward: %v, expected 18ms", got)
	}
}

func TestAblationFallsBack(t *testing.T) {
	d, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for message := kernel.DistMult; message <= kernel.Corr; message++ {
		for aggregate := kernel.Sum; aggregate <= kernel.Bases; aggregate++ {
			want := message == kernel.Sub || message == kernel.Corr || aggregate == kernel.Directed || aggregate == kernel.Bases
			if got := d.FallsBack(kernel.Layer{Message: message, Aggregate: aggregate, Width: 32, Bases: 1}); got != want {
				t.Errorf("%v %v: falls back %v, expected %v", message, aggregate, got, want)
			}
		}
	}
}

func TestUnknownInstructions(t *testing.T) {
	if _, err := New(Options{Instructions: "sse"}); err == nil || !strings.Contains(err.Error(), Instructions()[0]) {
		t.Errorf("error %v, expected one that lists what there is", err)
	}
	if _, err := New(Options{Threads: -1}); err == nil {
		t.Error("−1 threads were accepted")
	}
}
