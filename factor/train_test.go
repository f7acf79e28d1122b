package factor

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
	"github.com/lacuna-kg/lacuna/kg"
)

// ring is a graph of entities in a ring, each next to the following, and every other one twoAhead of one.
func ring(n int) *kg.Graph {
	var names, relations kg.Interner
	relations.Intern([]byte("next"))
	relations.Intern([]byte("twoAhead"))
	var facts []kg.Triple
	for i := range n {
		names.Intern([]byte(strconv.Itoa(i)))
		facts = append(facts, kg.Triple{Head: kg.Entity(i), Relation: kg.Forward(0), Tail: kg.Entity((i + 1) % n)})
		if i%2 == 0 {
			facts = append(facts, kg.Triple{Head: kg.Entity(i), Relation: kg.Forward(1), Tail: kg.Entity((i + 2) % n)})
		}
	}
	return kg.Build(&kg.Vocabulary{Entities: kg.Dictionary{Names: names.Names()}, Relations: kg.Dictionary{Names: relations.Names()}}, facts)
}

func fastDevice(t testing.TB) kernel.Device {
	device, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { device.Close() })
	return device
}

// rankOf is where a tail stands among all, from 0.
func rankOf(m *Model, h kg.Entity, q kg.Relation, tail kg.Entity) (above int) {
	question := make([]float32, m.Width())
	m.Question(question, h, q)
	logit := func(t int) (sum float32) {
		for k, x := range row(m.Entities, t, m.Width()) {
			sum += x * question[k]
		}
		return sum
	}
	for t := range m.NumEntities() {
		if logit(t) > logit(int(tail)) {
			above++
		}
	}
	return above
}

func TestTrainLearnsTheFacts(t *testing.T) {
	g := ring(12)
	device := fastDevice(t)
	o := DefaultOptions()
	o.Rank, o.Epochs, o.Batch, o.Norm = 16, 60, 8, 0.001
	var losses []float64
	o.Progress = func(done, total int, loss float64) { losses = append(losses, loss) }
	m, err := Train(context.Background(), g, device, o)
	if err != nil {
		t.Fatal(err)
	}
	if last := losses[len(losses)-1]; last > 1.5 {
		t.Errorf("the loss of a fact is %v after %d steps", last, len(losses))
	}
	for i := range 12 {
		if above := rankOf(m, kg.Entity(i), kg.Forward(0), kg.Entity((i+1)%12)); above != 0 {
			t.Errorf("%d entities are likelier next to %d than the one that is", above, i)
		}
	}
	again, err := Train(context.Background(), g, device, o)
	if err != nil || !slices.Equal(m.Entities, again.Entities) {
		t.Errorf("another run gives other vectors (%v)", err)
	}
}

func TestTrainStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	device := fastDevice(t)
	o := DefaultOptions()
	o.Progress = func(done, _ int, _ float64) {
		if done > 1 {
			t.Error("went on after the end of its context")
		}
		stop()
	}
	if _, err := Train(ctx, ring(12), device, o); kg.KindOf(err) != kg.Cancelled {
		t.Errorf("gives %v, expected a cancelled run", err)
	}
	o.Rank = 0
	if _, err := Train(context.Background(), ring(12), device, o); kg.KindOf(err) != kg.Invalid || errors.Is(err, context.Canceled) {
		t.Errorf("rank 0 gives %v", err)
	}
}
