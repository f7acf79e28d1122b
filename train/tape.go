package train

import (
	"context"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
)

// tape is the pool of the neural run of a training step: fuzzy sets on the device, each
// round projected on the graph without the edges that dropout hides from it. Of
// the projections that training follows back it keeps the activations.
type tape struct {
	exec.DeviceSets
	*learner
	graph *gnn.Graph
	masks masks // not yet used
	final []followed
	thin  []*gnn.Graph // live as long as the activations
}

// followed is a batch of projections with what Backward needs of it.
type followed struct {
	activations *gnn.Activations
	out         []int32 // slots of the results
}

// newTape makes a pool for the sets of a batch; their memory is the learner's.
func (l *learner) newTape(graph *gnn.Graph, b *batch, slots int) *tape {
	t := &tape{learner: l, graph: graph, masks: b.masks}
	t.DeviceSets = exec.DeviceSets{Device: l.device, Nodes: t.graph.Nodes(), Logic: l.logic}
	t.Values = l.scratch.take("sets", slots*t.Nodes)
	return t
}

// Project runs a round on its thinned graph: with activations the projections whose
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
	err = t.projectSome(final, func(out, in kernel.Buffer, relations []int32) error {
		activations, err := graph.Forward(ctx, out, in, relations)
		if err == nil {
			t.final = append(t.final, followed{activations, slotsOf(final)})
		}
		return err
	})
	if err != nil {
		return err
	}
	return t.projectSome(inner, func(out, in kernel.Buffer, relations []int32) error {
		return graph.Project(ctx, out, in, relations)
	})
}

// thinned is the graph of the next round.
func (t *tape) thinned(ctx context.Context) (*gnn.Graph, error) {
	if len(t.masks) == 0 {
		return t.graph, nil // no dropout
	}
	mask := t.masks[0]
	t.masks = t.masks[1:]
	if len(mask) == 0 {
		return t.graph, nil
	}
	thin, err := t.graph.Thin(ctx, mask)
	if err == nil {
		t.thin = append(t.thin, thin)
	}
	return thin, err
}

// projectSome computes some projections of a round.
func (t *tape) projectSome(batch []exec.Projection, project func(out, in kernel.Buffer, relations []int32) error) error {
	if len(batch) == 0 {
		return nil
	}
	in, out := t.scratch.take("in", len(batch)*t.Nodes), t.scratch.take("out", len(batch)*t.Nodes)
	return t.Gathered(batch, in, func(relations []int32) (kernel.Buffer, error) { return out, project(out, in, relations) })
}

func slotsOf(batch []exec.Projection) []int32 {
	slots := make([]int32, len(batch))
	for i, p := range batch {
		slots[i] = int32(p.Out)
	}
	return slots
}

// backward takes the gradient of the answers, which stands in their slots of dsets, back
// through the combinations to the last projections and adds the parameters' part to
// grads. It ends there: the set that enters a projection is detached.
func (t *tape) backward(ctx context.Context, grads gnn.Slab, dsets kernel.Buffer, schedule *exec.Schedule) error {
	t.CombineBackward(dsets, finalSteps(schedule))
	for i, f := range t.final {
		dout := t.scratch.take("out", len(f.out)*t.Nodes)
		t.device.Gather(dout, dsets, f.out, t.Nodes)
		t.final[i].activations = nil // Backward releases them
		if err := t.model.Backward(ctx, grads, f.activations, dout); err != nil {
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

// Release implements exec.Pool: activations that backward did not reach, then their
// graphs. The memory of the sets serves the next step.
func (t *tape) Release() {
	for _, f := range t.final {
		if f.activations != nil {
			t.model.Release(f.activations)
		}
	}
	for _, g := range t.thin {
		g.Free()
	}
	t.final, t.thin = nil, nil
}
