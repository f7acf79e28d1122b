package neural

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/lacuna-kg/lacuna/cut"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// By default links are predicted on the DefaultCut entities around their head where a graph has more than CutAbove: docs/benchmarks.md
// has what that costs and gains.
const (
	DefaultCut = 10_000
	CutAbove   = 200_000
)

// CutOf is the number of entities that links of a graph are predicted on, 0 for all.
func (m *Model) CutOf(g *kg.Graph) int { return CutSize(m.Cut, g) }

// CutSize is CutOf where so many entities are asked for, as Model.Cut says it.
func CutSize(asked int, g *kg.Graph) int {
	if asked == 0 && g.NumEntities() > CutAbove {
		asked = DefaultCut
	}
	if asked < 0 || asked >= g.NumEntities() {
		return 0
	}
	return asked
}

// cuts is a model on the parts of a graph. Predictors of Without share it.
type cuts struct {
	cutter *cut.Cutter
	whole  *gnn.Whole // nil before the first prediction

	mutex  sync.Mutex
	recent []recentCut // the last used at the end
}

type recentCut struct {
	head kg.Entity
	cut  *readyCut
}

// readyCut is a cut that the device can be given.
type readyCut struct {
	*cut.Cut
	ready gnn.Prepared
}

// keptCuts is how many cuts are kept for the next question on the same head: some megabytes each.
const keptCuts = 16

// Meetings are the relations that meet in the entities of a graph.
func Meetings(g *kg.Graph) gnn.Meetings { return meetings{g} }

// meetings are the relations that meet in the entities of a graph, as gnn.Whole takes them.
type meetings struct{ *kg.Graph }

func (m meetings) Inverse(r int32) int32 { return int32(kg.Relation(r).Inverse()) }

func (m meetings) RelationsOf(to []int32, entity int) []int32 {
	relations, _ := m.Edges(kg.Entity(entity))
	for i, r := range relations { // which ascend
		if i == 0 || r != relations[i-1] {
			to = append(to, int32(r))
		}
	}
	return to
}

// ready derives, at the first call, what all parts share. The caller holds the model's lock.
func (c *cuts) ready(ctx context.Context, m *Model, g *kg.Graph) error {
	if c.whole != nil {
		return nil
	}
	whole, err := m.Network.NewWhole(ctx, meetings{g})
	if err == nil {
		c.whole = whole
	}
	return err
}

func (c *cuts) free() {
	if c != nil && c.whole != nil {
		c.whole.Free()
	}
}

// around gives the cut around a head, kept or new, ready for a model.
func (c *cuts) around(m *gnn.Model, head kg.Entity) (*readyCut, error) {
	if found := c.recall(head); found != nil {
		return found, nil
	}
	made, err := c.make(m, head)
	if err != nil {
		return nil, err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.recent) == keptCuts {
		c.recent = slices.Delete(c.recent, 0, 1)
	}
	c.recent = append(c.recent, recentCut{head, made})
	return made, nil
}

// make makes a cut, with others in it in any case.
func (c *cuts) make(m *gnn.Model, head kg.Entity, also ...kg.Entity) (*readyCut, error) {
	made, err := c.cutter.Around(head, also...)
	if err != nil {
		return nil, err
	}
	ready, err := m.Prepare(made.Topology)
	return &readyCut{made, ready}, err
}

func (c *cuts) recall(head kg.Entity) *readyCut {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	at := slices.IndexFunc(c.recent, func(r recentCut) bool { return r.head == head })
	if at < 0 {
		return nil
	}
	found := c.recent[at]
	c.recent = append(slices.Delete(c.recent, at, at+1), found)
	return found.cut
}

// sameHead are the pairs from number from to number to, which share a cut.
type sameHead struct {
	from, to int
	head     kg.Entity
}

// runsOfHeads gives the runs of equal heads, of at most so many.
func runsOfHeads(heads []kg.Entity, most int) iter.Seq[sameHead] {
	return func(yield func(sameHead) bool) {
		for from := 0; from < len(heads); {
			to := from + 1
			for to < len(heads) && heads[to] == heads[from] && to-from < most {
				to++
			}
			if !yield(sameHead{from, to, heads[from]}) {
				return
			}
			from = to
		}
	}
}

// madeCut is a cut that was made ahead.
type madeCut struct {
	sameHead
	cut *readyCut
	err error
}

// tailsOnCuts is Tails where each head has its own cut: while the device is at one, other cores make the next.
func (p *Predictor) tailsOnCuts(ctx context.Context, heads []kg.Entity, relations []kg.Relation, part partFunc) error {
	workers := parallel.Ahead(p.isOnCPU())
	most := max(1, p.tailsAtOnce()/p.cuts.cutter.Size())
	made := parallel.Start(ctx, workers, 2*workers, runsOfHeads(heads, most), func(int) func(context.Context, sameHead) madeCut {
		return func(_ context.Context, s sameHead) madeCut {
			c, err := p.cuts.around(p.Model.Network, s.head)
			return madeCut{s, c, err}
		}
	})
	defer made.Close()
	for m, more := made.Next(); more; m, more = made.Next() {
		if m.err != nil {
			return m.err
		}
		err := p.tailsOnCut(ctx, m.cut, heads[m.from:m.to], relations[m.from:m.to], func(device kernel.Device, probabilities kernel.Buffer) error {
			return part(m.from, device, probabilities, m.cut.Entities)
		})
		if err != nil {
			return err
		}
	}
	return kg.Stopped(ctx)
}

func (p *Predictor) tailsOnCut(ctx context.Context, c *readyCut, heads []kg.Entity, relations []kg.Relation, use func(kernel.Device, kernel.Buffer) error) error {
	p.Model.Lock()
	defer p.Model.Unlock()
	on, err := p.put(ctx, c)
	if err != nil {
		return err
	}
	defer on.Free()
	nodes := make([]int32, len(heads))
	for i, h := range heads {
		nodes[i], _ = c.Place(h)
	}
	return p.project(ctx, on, nodes, relations, func(device kernel.Device, out kernel.Buffer) error {
		p.factors.blendInto(device, out, p.Graph, heads, relations, c.Entities)
		return use(device, out)
	})
}

// put puts the model on a cut, without the facts that are left out.
func (p *Predictor) put(ctx context.Context, c *readyCut) (*gnn.Graph, error) {
	if err := p.cuts.ready(ctx, p.Model, p.Graph); err != nil {
		return nil, stopped(ctx, err)
	}
	if len(p.without) > 0 {
		on, err := p.cuts.whole.Part(ctx, c.Topology.Thin(edgesOf(c.Topology, p.without, c.Place)))
		return on, stopped(ctx, err)
	}
	on, err := p.cuts.whole.Put(ctx, c.ready)
	return on, stopped(ctx, err)
}

// attributionOnCut says which edges of the cut around its head a link rests on.
func (p *Predictor) attributionOnCut(ctx context.Context, link kg.Triple) (*Attribution, error) {
	c, err := p.cuts.around(p.Model.Network, link.Head)
	if err != nil {
		return nil, err
	}
	tail, found := c.Place(link.Tail)
	if !found { // it is asked of all the same
		if c, err = p.cuts.make(p.Model.Network, link.Head, link.Tail); err != nil {
			return nil, err
		}
		tail, _ = c.Place(link.Tail)
	}
	on, err := p.put(ctx, c)
	if err != nil {
		return nil, err
	}
	defer on.Free()
	head, _ := c.Place(link.Head)
	set := make([]float32, len(c.Entities))
	set[head] = 1
	a, err := on.Attribution(ctx, set, int32(link.Relation), tail)
	return &Attribution{a, c.Entities}, stopped(ctx, err)
}
