package train

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/lab/golden"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// exprOf reads a postfix program of a golden file.
func exprOf(program []golden.Instruction) query.Expr {
	var stack []query.Expr
	pop := func() query.Expr {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		return top
	}
	for _, i := range program {
		var e query.Expr
		switch i.Op {
		case "e":
			e = query.Anchor{Entity: kg.Entity(i.Operand)}
		case "p":
			e = query.Projection{Relation: kg.Relation(i.Operand), Of: pop()}
		case "n":
			e = query.Complement{Of: pop()}
		case "i":
			y := pop()
			e = query.Intersection{Of: []query.Expr{pop(), y}}
		case "u":
			y := pop()
			e = query.Union{Of: []query.Expr{pop(), y}}
		}
		stack = append(stack, e)
	}
	return stack[0]
}

func freshState(m *gnn.Model) *checkpoint.State {
	return &checkpoint.State{Model: m, First: m.NewSlab(), Second: m.NewSlab()}
}

// oneFeed is a feed of one graph with the dropout of the paper.
func oneFeed(t testing.TB, g *kg.Graph, topology *kernel.Graph, c Config, size int) *feed {
	return &feed{config: c, sources: []Source{drawer(t, g, c)}, dropout: []*dropout{newDropout(topology, Config{Dropout: 0.25, Seed: 1})}, size: size, tells: c.KnownWeight != 1}
}

func goldenLearner(t *testing.T, f *golden.File) (*learner, *batch) {
	d := plain.New64()
	m, err := gnn.New(d, f.Config.Config, f.Relations, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, tensor := range f.Parameters {
		values := make([]float32, len(tensor.Data))
		for i, x := range tensor.Data {
			values[i] = float32(x)
		}
		d.Upload(m.Parameters.Of(name), values)
	}
	var edges []kernel.Edge
	for _, e := range f.Edges {
		edges = append(edges, kernel.Edge{Head: e[0], Relation: e[1], Tail: e[2]})
	}
	inverse := make([]bool, f.Relations)
	for r := range inverse {
		inverse[r] = kg.Relation(r).IsInverse()
	}
	g, err := kernel.NewGraph(f.Entities, f.Relations, edges, inverse)
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Model: gnn.Spec{Config: f.Config.Config}, Logic: f.Config.Logic, Temperature: float64(f.Config.Temperature), SampleWeight: f.Config.ByAnswers}
	l, err := newLearner(c, freshState(m), []place{{graph: newGraph(t, m, g)}})
	if err != nil {
		t.Fatal(err)
	}
	b := &batch{step: 1}
	var rows [][]int32
	for _, q := range f.Queries {
		b.programs = append(b.programs, plan.Compile(exprOf(q.Postfix), plan.Options{}))
		rows = append(rows, q.Answers)
	}
	b.answers = kernel.NewLists(rows)
	b.weights = queryWeights(b, c)
	return l, b
}

// The gradient of a whole step, all shapes and logics, agrees with the golden files.
func TestStepAgreesWithGoldenFiles(t *testing.T) {
	files, err := golden.Paper(os.Getenv("LACUNA_GOLDEN"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		l, b := goldenLearner(t, f)
		loss, err := l.gradients(context.Background(), b)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(loss-f.Loss) > 1e-6 {
			t.Errorf("%s: loss %.8f, want %.8f", f.Name, loss, f.Loss)
		}
		for name, want := range f.Gradients {
			got := make([]float32, len(want.Data))
			l.device.Download(got, l.grads.Of(name))
			if off := relative(got, want.Data); off > golden.GradientTolerance {
				t.Errorf("%s: gradient of %s is off by %.1e", f.Name, name, off)
			}
		}
	}
}

func relative(got []float32, want []float64) float64 {
	difference, norm := 0.0, 0.0
	for i, x := range want {
		difference += (float64(got[i]) - x) * (float64(got[i]) - x)
		norm += x * x
	}
	return math.Sqrt(difference) / (math.Sqrt(norm) + 1e-7)
}

// With edges dropped the gradient is still that of the loss: finite differences along random
// directions. The shapes are those that no inner projection makes depend on detached sets.
func TestStepAgainstFiniteDifferences(t *testing.T) {
	g := randomGraph(8, 14, 3, 40)
	for _, knownWeight := range []float64{1, 0.25, 0} {
		c := small(map[string]int{"1p": 1, "2i": 1, "2in": 1, "2u": 1})
		c.Batch, c.Temperature, c.SampleWeight, c.KnownWeight = 8, 0, knownWeight != 0, knownWeight
		c.Model.Aggregate = "mean" // no ties, at which max and min have no slope
		topology, err := exec.Topology(g)
		if err != nil {
			t.Fatal(err)
		}
		d := plain.New64()
		m, err := c.Model.New(d, g.NumRelations(), 4)
		if err != nil {
			t.Fatal(err)
		}
		l, err := newLearner(c, freshState(m), []place{{graph: newGraph(t, m, topology)}})
		if err != nil {
			t.Fatal(err)
		}
		f := oneFeed(t, g, topology, c, c.Batch)
		b, err := f.prepare(context.Background(), job{step: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(b.masks) != 2 || len(b.masks[0]) == 0 || len(b.masks[1]) == 0 {
			t.Fatalf("masks %v, want edges dropped in two rounds", b.masks)
		}
		checkDirections(t, d, l, b)
	}
}

// checkDirections reads and writes the device's float64 values themselves.
func checkDirections(t *testing.T, d *plain.Device[float64], l *learner, b *batch) {
	p := d.Values(l.model.Parameters.Values)
	weighted := func(b *batch) (sum float64) {
		for i, x := range d.Values(l.scratch.take("losses", len(b.weights))) {
			sum += float64(b.weights[i]) * x
		}
		return sum
	}
	loss := func() (sum float64) {
		if b.pieces != nil {
			d.Fill(l.grads.Values, 0)
			for _, piece := range b.pieces {
				if _, err := l.piecesGradients(context.Background(), []*batch{piece}); err != nil {
					t.Fatal(err)
				}
				sum += weighted(piece)
			}
			return sum
		}
		if _, err := l.gradients(context.Background(), b); err != nil {
			t.Fatal(err)
		}
		return weighted(b)
	}
	loss()
	at, gradient := slices.Clone(p), slices.Clone(d.Values(l.grads.Values))
	random := rand.New(rand.NewPCG(1, 9))
	for range 5 {
		const step = 1e-6
		direction, expected := make([]float64, len(p)), 0.0
		move := func(by float64) float64 {
			for i := range p {
				p[i] = at[i] + by*direction[i]
			}
			return loss()
		}
		for i := range direction {
			direction[i] = random.NormFloat64()
			expected += gradient[i] * direction[i]
		}
		if got := (move(step) - move(-step)) / (2 * step); math.Abs(got-expected) > 1e-4*math.Abs(expected)+1e-6 {
			t.Errorf("the slope along a direction is %.6f, the gradient says %.6f", got, expected)
		}
	}
}

// Chunks of a few samples, run again in backward, give the gradient of the whole batch.
func TestChunksAddUp(t *testing.T) {
	g := randomGraph(8, 14, 3, 40)
	c := small(map[string]int{"1p": 1, "2p": 1, "2i": 1, "pin": 1})
	topology, _ := exec.Topology(g)
	var sums [][]float32
	for _, limits := range []gnn.Limits{gnn.DefaultLimits(), {Workspace: 1 << 14, Kept: 1}} {
		d := plain.New64()
		m, err := c.Model.New(d, g.NumRelations(), 4)
		if err != nil {
			t.Fatal(err)
		}
		m.Limits = limits
		l, _ := newLearner(c, freshState(m), []place{{graph: newGraph(t, m, topology)}})
		f := oneFeed(t, g, topology, c, 20)
		b, err := f.prepare(context.Background(), job{step: 1})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.gradients(context.Background(), b); err != nil {
			t.Fatal(err)
		}
		sum := make([]float32, m.Parameters.Len)
		d.Download(sum, l.grads.Values)
		sums = append(sums, sum)
	}
	want := make([]float64, len(sums[0]))
	for i, x := range sums[0] {
		want[i] = float64(x)
	}
	if off := relative(sums[1], want); off > 1e-6 {
		t.Errorf("in chunks the gradient is off by %.1e", off)
	}
}

// A step that is cut short leaves parameters and memory as they were.
func TestCancelledStepChangesNothing(t *testing.T) {
	g := randomGraph(8, 14, 3, 40)
	c := small(map[string]int{"2p": 1, "2i": 1})
	topology, _ := exec.Topology(g)
	d := plain.New()
	m, err := c.Model.New(d, g.NumRelations(), 4)
	if err != nil {
		t.Fatal(err)
	}
	l, _ := newLearner(c, freshState(m), []place{{graph: newGraph(t, m, topology)}})
	f := oneFeed(t, g, topology, c, c.Batch)
	b, err := f.prepare(context.Background(), job{step: 1})
	if err != nil {
		t.Fatal(err)
	}
	before, after := make([]float32, m.Parameters.Len), make([]float32, m.Parameters.Len)
	d.Download(before, m.Parameters.Values)
	cut := 0
	for polls := range 40 {
		ctx := &expiring{Context: context.Background(), polls: polls}
		if _, err := l.step(ctx, b); err == nil {
			break
		}
		cut++
		d.Download(after, m.Parameters.Values)
		for i := range before {
			if before[i] != after[i] {
				t.Fatalf("cut at its check %d the step changed parameter %d", polls, i)
			}
		}
	}
	if cut < 5 || cut == 40 {
		t.Errorf("the step was cut %d times, expected at several of its checks and then an end", cut)
	}
}

// expiring is a context that ends when it has been asked so often.
type expiring struct {
	context.Context
	polls int
}

func (e *expiring) Err() error {
	if e.polls--; e.polls < 0 {
		return context.Canceled
	}
	return nil
}

func TestALongGradientIsShortened(t *testing.T) {
	long, short := []float32{30, -40}, []float32{0.3, -0.4}
	if !shorten(long, 5) || math.Hypot(float64(long[0]), float64(long[1])) > 5.0001 || long[0] != 3 {
		t.Errorf("30, -40 at a norm of 5 is %v", long)
	}
	if shorten(short, 5) || short[0] != 0.3 {
		t.Errorf("0.3, -0.4 at a norm of 5 is %v", short)
	}
}

// Adam takes the same steps for a gradient of any length, but not after one that was much longer.
func TestClippingChangesWhatFollowsALongGradient(t *testing.T) {
	clipped, free := several(t), several(t)
	clipped.Config.ClipNorm = 1e-3
	mustRun(t, clipped)
	mustRun(t, free)
	if outcome(t, clipped.Dir)["parameters"] == outcome(t, free.Dir)["parameters"] {
		t.Error("clip_norm changes nothing")
	}
}
