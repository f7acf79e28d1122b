package train

import (
	"context"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
)

// tape is the pool of the neural run of a training step: fuzzy sets on the device, each
// round projected on the graph without the edges that dropout hides from it. Of
// the projections that training follows back it keeps the traces.
type tape struct {
	*learner
	graph kernel.DeviceGraph
	logic kernel.Logic
	masks masks // not yet used
	sets  kernel.Buffer
	final []followed
	thin  []kernel.DeviceGraph // live as long as the traces
}

// followed is a batch of projections with what Backward needs of it.
type followed struct {
	trace *gnn.Trace
	out   []int32 // slots of the results
}

func (t *tape) nodes() int { return t.graph.Nodes() }

// NewPool implements exec.Executor.
func (t *tape) NewPool(slots int, logic fuzzy.Logic) (exec.Pool, error) {
	t.logic = logic
	t.sets = t.scratch.take("sets", slots*t.nodes())
	return t, nil
}

func (t *tape) Singletons(sets []exec.Singleton) {
	slots, entities := make([]int32, len(sets)), make([]int32, len(sets))
	for i, s := range sets {
		slots[i], entities[i] = int32(s.Slot), int32(s.Entity)
	}
	t.device.Singletons(t.sets, t.nodes(), slots, entities)
}

func (t *tape) Everything(slots []int) {
	for _, slot := range slots {
		t.device.Fill(t.sets.Slice(slot*t.nodes(), (slot+1)*t.nodes()), 1)
	}
}

func (t *tape) Combine(steps []exec.Combination) {
	t.device.Logic(t.logic, t.sets, t.nodes(), exec.LogicSteps(steps, t.model.Negation()))
}

// Project runs a round on its thinned graph: with traces the projections whose
// results reach an answer, without those that only feed other projections.
func (t *tape) Project(ctx context.Context, batch []exec.Projection) error {
	graph, err := t.thinned(ctx)
	if err != nil {
		return err
	}
	var final, inner []exec.Projection
	for _, p := range batch {
		if p.Final {
			final = append(final, p)
		} else {
			inner = append(inner, p)
		}
	}
	err = t.projectSome(final, func(out, in kernel.Buffer, slots, relations []int32) error {
		trace, err := t.model.Forward(ctx, graph, out, in, relations)
		if err == nil {
			t.final = append(t.final, followed{trace, slots})
		}
		return err
	})
	if err != nil {
		return err
	}
	return t.projectSome(inner, func(out, in kernel.Buffer, _, relations []int32) error {
		return t.model.Project(ctx, graph, out, in, relations)
	})
}

// thinned is the graph of the next round.
func (t *tape) thinned(ctx context.Context) (kernel.DeviceGraph, error) {
	if len(t.masks) == 0 {
		return t.graph, nil // no dropout
	}
	mask := t.masks[0]
	t.masks = t.masks[1:]
	if len(mask) == 0 {
		return t.graph, nil
	}
	thin, err := t.model.Thin(ctx, t.graph, mask)
	if err == nil {
		t.thin = append(t.thin, thin)
	}
	return thin, err
}

// projectSome gathers the inputs of some projections and puts the results in their slots.
func (t *tape) projectSome(batch []exec.Projection, project func(out, in kernel.Buffer, slots, relations []int32) error) error {
	if len(batch) == 0 {
		return nil
	}
	from, slots, relations := make([]int32, len(batch)), make([]int32, len(batch)), make([]int32, len(batch))
	for i, p := range batch {
		from[i], slots[i], relations[i] = int32(p.In), int32(p.Out), int32(p.Relation)
	}
	in, out := t.scratch.take("in", len(batch)*t.nodes()), t.scratch.take("out", len(batch)*t.nodes())
	t.device.Gather(in, t.sets, from, t.nodes())
	if err := project(out, in, slots, relations); err != nil {
		return err
	}
	t.device.Scatter(t.sets, out, slots, t.nodes())
	return nil
}

// backward takes the gradient of the answers, which stands in their slots of dsets, back
// through the combinations to the last projections and adds the parameters' part to
// grads. It ends there: the set that enters a projection is detached.
func (t *tape) backward(ctx context.Context, grads gnn.Slab, dsets kernel.Buffer, schedule *exec.Schedule) error {
	t.device.LogicBackward(t.logic, dsets, t.sets, t.nodes(), exec.LogicSteps(finalSteps(schedule), t.model.Negation()))
	for i, f := range t.final {
		dout := t.scratch.take("out", len(f.out)*t.nodes())
		t.device.Gather(dout, dsets, f.out, t.nodes())
		t.final[i].trace = nil // Backward releases it
		if err := t.model.Backward(ctx, grads, f.trace, dout); err != nil {
			return err
		}
	}
	return nil
}

// finalSteps are the combinations whose results reach an answer without a projection.
func finalSteps(s *exec.Schedule) []exec.Combination {
	reaches := make([]bool, s.Slots)
	for p, program := range s.Programs {
		for i := range program.Code {
			if program.Final(i) {
				reaches[s.Slot(p, i)] = true
			}
		}
	}
	var steps []exec.Combination
	for _, round := range s.Rounds {
		for _, c := range round.Combinations {
			if reaches[c.Out] {
				steps = append(steps, c)
			}
		}
	}
	return steps
}

// Read implements exec.Pool.
func (t *tape) Read(slot int) fuzzy.Set {
	set := make(fuzzy.Set, t.nodes())
	t.device.Download(set, t.sets.Slice(slot*t.nodes(), (slot+1)*t.nodes()))
	return set
}

// Release implements exec.Pool: traces that backward did not reach, then their graphs.
func (t *tape) Release() {
	for _, f := range t.final {
		if f.trace != nil {
			t.model.Release(f.trace)
		}
	}
	for _, g := range t.thin {
		t.model.FreeGraph(g)
	}
	t.final, t.thin = nil, nil
}
