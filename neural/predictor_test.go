package neural

import (
	"math"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/turing"
)

// laureates is the embedded graph with a model on it.
func laureates(t *testing.T, model string) (*Model, *Predictor) {
	t.Helper()
	splits, err := read.Stream(t.Context(), turing.Facts(), "turing.tsv", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := OpenModel(model, plain.New())
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.On(t.Context(), splits.Train, "the embedded graph")
	if err != nil {
		t.Fatal(err)
	}
	return m, p
}

// projected is the set that a predictor gives for one link.
func projected(t *testing.T, p *Predictor, head kg.Entity, r kg.Relation) fuzzy.Set {
	t.Helper()
	program := plan.Compile(query.Projection{Relation: r, Of: query.Anchor{Entity: head}}, plan.Options{})
	executor, err := p.Executor(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	machine := exec.Machine{Executor: executor, Logic: p.Logic(fuzzy.Product)}
	run, err := machine.Run(t.Context(), []*plan.Program{program})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Release()
	return slices.Clone(run.Answers(0))
}

// Links says of single links what the executor says of sets; and what is gone with a few facts
// on the device is what is gone with them on a graph built anew.
func TestPredictorWithoutFacts(t *testing.T) {
	for _, name := range []string{Turing, Foundation} {
		m, whole := laureates(t, name)
		const head, relation, tail = 3, 0, 5
		set := projected(t, whole, head, relation)
		link, err := whole.Links(t.Context(), []kg.Entity{head}, relation, tail)
		if err != nil || link[0] != set[tail] {
			t.Errorf("%s: the link is %v, in the set %v; %v", name, link, set[tail], err)
		}
		hidden := slices.Collect(whole.Graph.Triples())[:7]
		thin, err := whole.Without(t.Context(), hidden)
		if err != nil {
			t.Fatal(err)
		}
		rest, err := m.OnRest(t.Context(), whole.Graph, hidden)
		if err != nil {
			t.Fatal(err)
		}
		if rest.Graph.NumTriples() != whole.Graph.NumTriples()-len(hidden) {
			t.Errorf("%s: %d facts are left", name, rest.Graph.NumTriples())
		}
		got, want := projected(t, thin, head, relation), projected(t, rest, head, relation)
		for v := range want {
			if math.Abs(float64(got[v]-want[v])) > 1e-6 {
				t.Fatalf("%s: entity %d has %v thinned, %v on a graph without the facts", name, v, got[v], want[v])
			}
		}
		if slices.Equal(got, set) {
			t.Errorf("%s: the hidden facts change nothing", name)
		}
		thin.Close()
		rest.Close()
		m.Close()
		whole.Close()
	}
}

// Tails gives of each pair what the executor gives of its head alone.
func TestTails(t *testing.T) {
	for _, name := range []string{Turing, Foundation} {
		m, p := laureates(t, name)
		heads, relations := []kg.Entity{3, 0, 7, 3}, []kg.Relation{0, 0, 1, 2}
		seen := 0
		err := p.Tails(t.Context(), heads, relations, func(from int, device kernel.Device, probabilities kernel.Buffer, _ []kg.Entity) error {
			values := make([]float32, probabilities.Len())
			device.Download(values, probabilities)
			for row := range slices.Chunk(values, p.Graph.NumEntities()) {
				if want := projected(t, p, heads[from], relations[from]); !slices.Equal(row, want) {
					t.Errorf("%s, pair %d: %v, want %v", name, from, row, want)
				}
				from++
				seen++
			}
			return nil
		})
		if err != nil || seen != len(heads) {
			t.Errorf("%s: %d rows, %v", name, seen, err)
		}
		m.Close()
		p.Close()
	}
}

// The parameters stay as long as anybody uses them, in whatever order the users end.
func TestModelIsShared(t *testing.T) {
	m, first := laureates(t, Turing)
	second, err := m.On(t.Context(), first.Graph, "the same graph")
	if err != nil {
		t.Fatal(err)
	}
	before := projected(t, first, 3, 0)
	m.Close()
	m.Close() // does nothing
	first.Close()
	if !slices.Equal(projected(t, second, 3, 0), before) {
		t.Error("another user's end changed a prediction")
	}
	if m.users.Load() != 1 {
		t.Errorf("%d users, expected 1", m.users.Load())
	}
	second.Close()
	if m.users.Load() != 0 {
		t.Errorf("%d users, expected none", m.users.Load())
	}
}

func TestModelRefusesAnotherGraph(t *testing.T) {
	m, p := laureates(t, Turing)
	defer m.Close()
	defer p.Close()
	other := kg.Build(&kg.Vocabulary{Entities: kg.Dictionary{Names: new(kg.Interner).Names()}, Relations: kg.Dictionary{Names: new(kg.Interner).Names()}}, nil)
	if _, err := m.On(t.Context(), other, "films.tsv"); kg.KindOf(err) != kg.Invalid {
		t.Errorf("error %v", err)
	}
}

func TestOpenDevice(t *testing.T) {
	device, err := OpenDevice(DeviceOptions{Name: "cpu", Instructions: "plain"})
	if err != nil {
		t.Fatal(err)
	}
	if device.Memory() != 0 {
		t.Errorf("a CPU with %d bytes of its own", device.Memory())
	}
	if _, err := OpenDevice(DeviceOptions{Name: "cuda", Required: true}); err != nil && kg.KindOf(err) != kg.NotFound {
		t.Errorf("a GPU that cannot be had: %v", err)
	}
	for _, o := range []DeviceOptions{{Name: "tpu"}, {Name: "cpu", Instructions: "abacus"}} {
		if _, err := OpenDevice(o); kg.KindOf(err) != kg.Invalid {
			t.Errorf("%+v: error %v", o, err)
		}
	}
}

// closing tells when a device is closed.
type closing struct {
	kernel.Device
	closed int
}

func (d *closing) Close() error { d.closed++; return d.Device.Close() }

// A model closes the device that was opened for it, with its last user, and no other device.
func TestModelClosesItsOwnDevice(t *testing.T) {
	for _, owns := range []bool{false, true} {
		device := &closing{Device: plain.New()}
		m, err := OpenModel(Foundation, device)
		if err != nil {
			t.Fatal(err)
		}
		m.ownsDevice = owns
		p, err := m.On(t.Context(), kg.Build(&kg.Vocabulary{Entities: kg.Dictionary{Names: new(kg.Interner).Names()}, Relations: kg.Dictionary{Names: new(kg.Interner).Names()}}, nil), "nothing")
		if err != nil {
			t.Fatal(err)
		}
		m.Close()
		if device.closed != 0 {
			t.Error("the device was closed under a predictor")
		}
		p.Close()
		p.Close()
		if want := map[bool]int{true: 1}[owns]; device.closed != want {
			t.Errorf("owned %v: closed %d times", owns, device.closed)
		}
	}
}
