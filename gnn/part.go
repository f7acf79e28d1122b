package gnn

import (
	"context"
	"slices"
	"sync"

	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kernel"
)

// Whole is a graph that is too large to pass over, of which a model sees parts: it has what the network derives from the
// whole, once, and its parts share. For ultra that is the graph of relations and the vectors computed from it; the
// facts themselves it does not hold.
type Whole struct {
	model     *Model
	relations kernel.DeviceGraph // ultra
	cache     *cache             // ultra
}

// Meetings says which relations meet in the entities of a graph whose facts are read in both directions.
type Meetings interface {
	NumEntities() int
	NumRelations() int
	Inverse(relation int32) int32
	// RelationsOf appends the relations of the edges that begin at an entity, ascending, each once.
	RelationsOf(to []int32, entity int) []int32
}

// NewWhole derives what the parts of a graph share. Its memory is bounded by the relations, not by the facts. Free ends it.
func (m *Model) NewWhole(ctx context.Context, of Meetings) (*Whole, error) {
	w := &Whole{model: m}
	return w, m.network.deriveWhole(ctx, w, of)
}

// Prepared is a part of a graph as the host makes it ready for the device.
type Prepared struct {
	topology, messages *kernel.Graph
	meets              *kernel.Incidence // alternating
}

// Prepare makes a part ready that Whole.Put takes. Any goroutine may call it, while others use the model: of many parts the next ones are made
// ready while the device is at one. The topology must not change afterwards.
func (m *Model) Prepare(topology *kernel.Graph) (p Prepared, err error) {
	p.topology, p.messages = topology, topology
	if m.Config.Direction == TailToHead {
		p.messages = topology.Reverse()
	}
	if m.Config.Kind == Alternating {
		if p.meets, err = kernel.NewIncidence(topology); err != nil {
			return p, err
		}
		m.device.PrepareIncidence(p.meets)
	}
	m.device.Prepare(p.messages)
	return p, nil
}

// Part puts a part of the graph on the device. The topology must not change as long as it is used. The
// whole must outlive it.
func (w *Whole) Part(ctx context.Context, topology *kernel.Graph) (*Graph, error) {
	p, err := w.model.Prepare(topology)
	if err != nil {
		return nil, err
	}
	return w.Put(ctx, p)
}

// Put is Part of what is prepared.
func (w *Whole) Put(ctx context.Context, p Prepared) (*Graph, error) {
	g := &Graph{model: w.model, topology: p.topology, relations: w.relations, cache: w.cache, meets: p.meets, isPart: true}
	if g.relations == nil {
		if err := w.model.network.derive(ctx, g); err != nil {
			return nil, err
		}
	}
	g.upload(p.messages)
	return g, nil
}

// Free gives the memory back.
func (w *Whole) Free() {
	if w.relations != nil {
		w.model.freeRelations(w.relations, w.cache)
	}
}

// relationGraphOf is relationGraph of a graph that has an inverse twin of each fact. Then the tails of r are the heads of r⁻¹,
// and one product holds all four types: with M the relations that meet as heads, j is in the row of i
//
//	h2h: j ∈ M(i)    t2t: j⁻¹ ∈ M(i⁻¹)    h2t: j⁻¹ ∈ M(i)    t2h: j ∈ M(i⁻¹)
func relationGraphOf(ctx context.Context, of Meetings, block int) (*kernel.Graph, error) {
	heads, err := meetingsByRelation(ctx, of, block)
	if err != nil {
		return nil, err
	}
	inverses := func(list []int32) []int32 {
		inverse := make([]int32, len(list))
		for k, r := range list {
			inverse[k] = of.Inverse(r)
		}
		slices.Sort(inverse)
		return inverse
	}
	rows, edges := make([]relationRow, len(heads)), 0
	for i := range rows {
		back := heads[of.Inverse(int32(i))]
		rows[i] = relationRow{headToHead: heads[i], tailToTail: inverses(back), headOfTail: inverses(heads[i]), tailOfHead: back}
		edges += 2 * (len(heads[i]) + len(back))
	}
	if err := checkRelationEdges(edges, len(rows)); err != nil {
		return nil, err
	}
	return assemble(rows, edges), nil
}

// meetingsByRelation lists, for every relation, those that meet it as heads of an entity. Cores take shares of the entities
// and have bits of their own, which are joined.
func meetingsByRelation(ctx context.Context, of Meetings, block int) ([][]int32, error) {
	relations := of.NumRelations()
	words, met := (relations+63)/64, make([][]int32, relations)
	for from := 0; from < relations; from += block {
		all := bitBlock{from: int32(from), to: int32(min(from+block, relations)), words: words}
		all.collect(ctx, of)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := all.from; i < all.to; i++ {
			met[i] = listBits(all.row(i))
		}
	}
	return met, nil
}

// sharedEntities is how many entities a core takes at a time.
const sharedEntities = 1 << 14

// collect adds the relations of every entity.
func (b *bitBlock) collect(ctx context.Context, of Meetings) {
	b.bits = make([]uint64, int(b.to-b.from)*b.words)
	var blocks []*bitBlock // one a core
	var listing sync.Mutex
	entities := of.NumEntities()
	parallel.EachWith(ctx, (entities+sharedEntities-1)/sharedEntities, func() func(int) {
		own := &bitBlock{from: b.from, to: b.to, words: b.words, bits: make([]uint64, len(b.bits)), ends: make([]uint64, b.words)}
		listing.Lock()
		blocks = append(blocks, own)
		listing.Unlock()
		var list []int32
		return func(share int) {
			for v := share * sharedEntities; v < min((share+1)*sharedEntities, entities); v++ {
				list = of.RelationsOf(list[:0], v)
				own.join(list, list)
			}
		}
	})
	for _, own := range blocks {
		for i, w := range own.bits {
			b.bits[i] |= w
		}
	}
}
