package gnn

import (
	"context"
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
)

// batch is what the samples of a call share.
type batch struct {
	graph     kernel.DeviceGraph     // that messages run on
	incidence kernel.DeviceIncidence // alternating
	relations []int32                // (B)
	vectors   *vectors               // from the cache: those of every query relation
}

// Activations are what Forward keeps of a batch for Backward. They hold device memory until
// Backward or Release gives it back, and the graph must live as long.
type Activations struct {
	batch
	set    block // (B,V) the sets that came in
	prob   block // (B,V) the sets that went out
	chunks []chunk

	conditioned *conditioned // ultra: the relation model's part
}

// chunk is a run of samples that are computed together; state is nil where the limit
// on kept memory was reached, and Backward runs forward again.
type chunk struct {
	from, to int
	state    *state
}

// state is everything a chunk computed on the way through one network.
type state struct {
	graph  kernel.DeviceGraph
	prefix string        // of the network's parameters
	set    kernel.Buffer // (B,V)
	ownSet block         // the memory of set where it is the state's own
	query  block         // (B,D)
	tables *tables
	hidden []block // (B,V,D) before the first layer and after each; two in turn when not kept
	linear []block // (B,V,D) per layer, kept only
	stats  []block // (B,V,S,D) per layer, kept only and only with Limits.KeepStats
	isKept bool
	bytes  int64 // counted in Model.kept
}

// Project computes out (B,V), the projection of each set of in (B,V) along its relation.
// Failures of the device surface in its Sync.
func (g *Graph) Project(ctx context.Context, out, in kernel.Buffer, relations []int32) error {
	m := g.model
	if err := m.check(g, out, in, relations); err != nil {
		return err
	}
	in, own := m.incoming(in)
	defer m.buffers.give(own)
	nodes := g.Nodes()
	step := even(len(relations), m.inferenceChunk(g.messages))
	for from := 0; from < len(relations); from += step {
		to := min(from+step, len(relations))
		b, err := m.remembered(ctx, g, relations[from:to])
		if err != nil {
			return err
		}
		s, err := m.run(ctx, b, out.Slice(from*nodes, to*nodes), in.Slice(from*nodes, to*nodes), false)
		m.release(s)
		if err != nil {
			return err
		}
	}
	return nil
}

// incoming gives the sets as the network takes them, with the block they lie in where
// they are others than the caller's.
func (m *Model) incoming(in kernel.Buffer) (kernel.Buffer, block) {
	if m.Adjustments.readsAsIs() {
		return in, block{}
	}
	own := m.buffers.take(in.Len())
	m.device.Copy(own.Buffer, in)
	m.Adjustments.read(m.device, own.Buffer)
	return own.Buffer, own
}

// Forward is Project that keeps what Backward needs.
func (g *Graph) Forward(ctx context.Context, out, in kernel.Buffer, relations []int32) (*Activations, error) {
	m := g.model
	if err := m.check(g, out, in, relations); err != nil {
		return nil, err
	}
	t := &Activations{set: m.buffers.take(in.Len()), prob: m.buffers.take(in.Len())}
	t.batch = batch{graph: g.messages, incidence: g.incidence, relations: append([]int32(nil), relations...)}
	m.device.Copy(t.set.Buffer, in)
	m.Adjustments.read(m.device, t.set.Buffer)
	err := m.condition(ctx, t, g)
	step := even(len(relations), m.trainingChunk(g.messages))
	for from := 0; from < len(relations) && err == nil; from += step {
		err = m.forwardChunk(ctx, t, from, min(from+step, len(relations)))
	}
	if err != nil {
		m.Release(t)
		return nil, err
	}
	m.device.Copy(out, t.prob.Buffer)
	return t, nil
}

// forwardChunk runs samples of a batch and keeps their state while there is room.
func (m *Model) forwardChunk(ctx context.Context, t *Activations, from, to int) error {
	c := chunk{from: from, to: to}
	bytes := int64(to-from) * m.keptBytes(t.graph)
	keep := m.kept+bytes <= m.Limits.Kept
	s, err := m.runChunk(ctx, t, c, keep)
	if keep && err == nil {
		c.state, s.bytes = s, bytes
		m.kept += bytes
	} else {
		m.release(s)
	}
	t.chunks = append(t.chunks, c)
	return err
}

func (m *Model) runChunk(ctx context.Context, t *Activations, c chunk, keep bool) (*state, error) {
	return m.run(ctx, t.of(c), t.rows(c, t.prob.Buffer), t.rows(c, t.set.Buffer), keep)
}

// of is the part of the batch that belongs to a chunk.
func (t *Activations) of(c chunk) batch {
	b := t.batch
	b.relations = t.relations[c.from:c.to]
	return b
}

// rows is the part of a buffer (B,V) that belongs to a chunk.
func (t *Activations) rows(c chunk, b kernel.Buffer) kernel.Buffer {
	return b.Slice(c.from*t.graph.Nodes(), c.to*t.graph.Nodes())
}

func (m *Model) check(g *Graph, out, in kernel.Buffer, relations []int32) error {
	if !m.network.anyGraph() && g.Relations() != m.Relations {
		return fmt.Errorf("projection: the graph has %d relations, the model %d", g.Relations(), m.Relations)
	}
	for i, r := range relations {
		if r < 0 || int(r) >= g.Relations() {
			return fmt.Errorf("projection %d: relation %d, the graph has %d", i, r, g.Relations())
		}
	}
	if want := len(relations) * g.Nodes(); in.Len() != want || out.Len() != want {
		return fmt.Errorf("projection: sets of %d and %d values, expected %d", in.Len(), out.Len(), want)
	}
	return nil
}

// run computes one chunk. The state it returns must be released, also after an error.
func (m *Model) run(ctx context.Context, b batch, prob, set kernel.Buffer, keep bool) (*state, error) {
	s := &state{graph: b.graph, prefix: m.network.prefix(), set: set, isKept: keep}
	s.tables = m.network.tables(m, b, keep)
	s.query = m.buffers.take(len(b.relations) * m.Config.Width)
	m.network.queries(m, s.query.Buffer, b, s.tables)
	if err := m.propagate(ctx, s); err != nil {
		return s, err
	}
	m.device.HeadForward(prob, m.headInput(s), m.Parameters.head(s.prefix))
	return s, ctx.Err()
}

// propagate sends the boundary of a state through all layers.
func (m *Model) propagate(ctx context.Context, s *state) error {
	s.hidden = append(s.hidden, m.buffers.take(s.set.Len()*m.Config.Width))
	m.device.Boundary(s.hidden[0].Buffer, s.set, s.query.Buffer)
	for i := range m.Config.Layers {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.network.beforeLayer(m, s, i)
		m.runLayer(s, i)
	}
	return nil
}

func (m *Model) runLayer(s *state, i int) {
	out := m.nextState(s)
	var kept kernel.Kept
	if s.isKept {
		s.linear = append(s.linear, m.buffers.take(out.Len()))
		kept.Linear = s.linear[i].Buffer
	}
	if s.isKept && m.Limits.KeepStats {
		s.stats = append(s.stats, m.buffers.take(out.Len()*m.layer.Stats()))
		kept.Stats = s.stats[i].Buffer
	}
	m.device.LayerForward(m.layer, s.graph, out.Buffer, kept, m.layerInput(s, i), m.Parameters.layer(s.prefix, i))
	s.hidden = append(s.hidden, out)
}

// nextState is the buffer for the coming state. Where nobody needs the older ones, the
// state before the last is overwritten; its entry stays, so that hidden[i] is always
// the input of layer i.
func (m *Model) nextState(s *state) block {
	n := len(s.hidden)
	if s.isKept || m.Config.ConcatHidden || n < 2 {
		return m.buffers.take(s.hidden[0].Len())
	}
	return s.hidden[n-2]
}

func (m *Model) layerInput(s *state, i int) kernel.LayerInput {
	return kernel.LayerInput{
		Hidden: s.hidden[i].Buffer, Set: s.set, Query: s.query.Buffer,
		Relations: s.tables.vectors[i], RelationOf: s.tables.of, FromBoundary: i == 0,
	}
}

// headInput is what the head reads: the last states and the query.
func (m *Model) headInput(s *state) kernel.HeadInput {
	in := kernel.HeadInput{Query: s.query.Buffer}
	for _, h := range s.hidden[len(s.hidden)-m.Config.states():] {
		in.Hidden = append(in.Hidden, h.Buffer)
	}
	return in
}

// release gives a chunk's memory back. States that took turns are two blocks only.
func (m *Model) release(s *state) {
	if s == nil {
		return
	}
	m.kept -= s.bytes
	hidden := s.hidden
	if !s.isKept && !m.Config.ConcatHidden {
		hidden = hidden[:min(2, len(hidden))]
	}
	m.buffers.give(hidden...)
	m.buffers.give(s.linear...)
	m.buffers.give(s.stats...)
	m.buffers.give(s.query, s.ownSet)
	m.releaseTables(s.tables)
}

// Release gives back activations that Backward will not see.
func (m *Model) Release(t *Activations) {
	for i := range t.chunks {
		m.release(t.chunks[i].state)
		t.chunks[i].state = nil
	}
	m.releaseConditioned(t)
	m.buffers.give(t.set, t.prob)
	t.set, t.prob = block{}, block{}
}
