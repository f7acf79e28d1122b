package neural

import (
	"context"
	"fmt"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/internal/pace"
	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// rowsAtOnce bounds the values of the sets that Tails projects together: enough to fill a GPU,
// few enough that the lock is free for others every second or so on a CPU.
const (
	rowsAtOnce      = 1 << 24
	rowsAtOnceOnCPU = 1 << 18
	portionOnCPU    = 1 << 13
)

// partFunc takes the probabilities of some pairs; see Tails.
type partFunc = func(from int, device kernel.Device, probabilities kernel.Buffer, columns []kg.Entity) error

// Tails gives the probability of every entity to be a tail of each head, by itself, along its
// relation: part is called with the values of some pairs in turn, (n, C) for those from number
// `from` on, where they were computed. A column is one of the entities given, which ascend, or of all where they are nil: on
// cuts others are not looked at. Part may change but not keep the values, and has the device to itself: Tails takes the
// model's lock, a part at a time. What is wrong with a part ends the call.
func (p *Predictor) Tails(ctx context.Context, heads []kg.Entity, relations []kg.Relation, part partFunc) error {
	if len(heads) != len(relations) {
		return fmt.Errorf("tails of %d heads along %d relations", len(heads), len(relations))
	}
	if p.cuts != nil {
		return p.tailsOnCuts(ctx, heads, relations, part)
	}
	step := max(1, p.tailsAtOnce()/max(1, p.Graph.NumEntities()))
	if pace.Shares(ctx) {
		step = p.Portion()
	}
	for from := 0; from < len(heads); from += step {
		pace.Rest(ctx)
		to := min(from+step, len(heads))
		err := p.tails(ctx, heads[from:to], relations[from:to], func(device kernel.Device, probabilities kernel.Buffer) error {
			return part(from, device, probabilities, nil)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Portion is how many pairs at most Tails should be asked for at a time by who shares the processors with others: what a GPU
// takes at once, some milliseconds of a CPU.
func (p *Predictor) Portion() int {
	values, size := rowsAtOnce, p.Graph.NumEntities()
	if p.isOnCPU() {
		values = portionOnCPU
	}
	if p.cuts != nil {
		size = p.cuts.cutter.Size()
		return max(parallel.Ahead(p.isOnCPU()), values/size) // which are made side by side
	}
	return max(1, values/max(1, size))
}

func (p *Predictor) tailsAtOnce() int {
	if p.isOnCPU() {
		return rowsAtOnceOnCPU
	}
	return rowsAtOnce
}

func (p *Predictor) isOnCPU() bool { return p.Model.Network.Device().Memory() == 0 }

// tails projects one batch of singletons.
func (p *Predictor) tails(ctx context.Context, heads []kg.Entity, relations []kg.Relation, use func(kernel.Device, kernel.Buffer) error) error {
	p.Model.Lock()
	defer p.Model.Unlock()
	nodes := make([]int32, len(heads))
	for i, h := range heads {
		nodes[i] = int32(h)
	}
	on, err := p.all(ctx)
	if err != nil {
		return err
	}
	return p.project(ctx, on, nodes, relations, func(device kernel.Device, out kernel.Buffer) error {
		p.factors.blendInto(device, out, p.Graph, heads, relations, nil)
		return use(device, out)
	})
}

// project projects the sets of one node each.
func (p *Predictor) project(ctx context.Context, on *gnn.Graph, nodes []int32, relations []kg.Relation, use func(kernel.Device, kernel.Buffer) error) error {
	device, size, n := on.Device(), on.Nodes(), len(nodes)
	work := device.NewBuffer(2 * n * size)
	defer device.Free(work)
	in, out := work.Slice(0, n*size), work.Slice(n*size, 2*n*size)
	slots, along := make([]int32, n), make([]int32, n)
	for i := range nodes {
		slots[i], along[i] = int32(i), int32(relations[i])
	}
	device.Singletons(in, size, slots, nodes)
	if err := on.Project(ctx, out, in, along); err != nil {
		return stopped(ctx, err)
	}
	if err := use(device, out); err != nil {
		return err
	}
	return device.Sync()
}
