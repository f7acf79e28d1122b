package neural

import (
	"context"
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// rowsAtOnce bounds the values of the sets that Tails projects together: enough to fill a GPU,
// few enough that the lock is free for others every second or so on a CPU.
const (
	rowsAtOnce      = 1 << 24
	rowsAtOnceOnCPU = 1 << 18
)

// Tails gives the probability of every entity to be a tail of each head, by itself, along its
// relation: part is called with the values of some pairs in turn, (n, V) for those from number
// `from` on, where they were computed. It may change but not keep them, and has the device to itself: Tails takes the
// model's lock, a part at a time. What is wrong with a part ends the call.
func (p *Predictor) Tails(ctx context.Context, heads []kg.Entity, relations []kg.Relation, part func(from int, device kernel.Device, probabilities kernel.Buffer) error) error {
	if len(heads) != len(relations) {
		return fmt.Errorf("tails of %d heads along %d relations", len(heads), len(relations))
	}
	step := max(1, p.tailsAtOnce()/p.on.Nodes())
	for from := 0; from < len(heads); from += step {
		to := min(from+step, len(heads))
		err := p.tails(ctx, heads[from:to], relations[from:to], func(device kernel.Device, probabilities kernel.Buffer) error {
			return part(from, device, probabilities)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Predictor) tailsAtOnce() int {
	if p.on.Device().Memory() == 0 {
		return rowsAtOnceOnCPU
	}
	return rowsAtOnce
}

// tails projects one batch of singletons.
func (p *Predictor) tails(ctx context.Context, heads []kg.Entity, relations []kg.Relation, use func(kernel.Device, kernel.Buffer) error) error {
	p.Model.Lock()
	defer p.Model.Unlock()
	device, nodes, n := p.on.Device(), p.on.Nodes(), len(heads)
	work := device.NewBuffer(2 * n * nodes)
	defer device.Free(work)
	in, out := work.Slice(0, n*nodes), work.Slice(n*nodes, 2*n*nodes)
	slots, entities, along := make([]int32, n), make([]int32, n), make([]int32, n)
	for i, h := range heads {
		slots[i], entities[i], along[i] = int32(i), int32(h), int32(relations[i])
	}
	device.Singletons(in, nodes, slots, entities)
	if err := p.on.Project(ctx, out, in, along); err != nil {
		return stopped(ctx, err)
	}
	p.factors.blendInto(device, out, p.Graph, heads, relations)
	if err := use(device, out); err != nil {
		return err
	}
	return device.Sync()
}
