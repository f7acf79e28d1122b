package gnn

import (
	"context"
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
)

// Trace is what Forward keeps of a batch for Backward. It holds device memory until
// Backward or Release gives it back, and the graph must live as long.
type Trace struct {
	graph     kernel.DeviceGraph
	relations []int32
	set       block // (B,V) the sets that came in
	prob      block // (B,V) the sets that went out
	chunks    []chunk
}

// chunk is a run of samples that are computed together; state is nil where the limit
// on kept memory was reached, and Backward runs forward again.
type chunk struct {
	from, to int
	state    *state
}

// state is everything a chunk computed on the way.
type state struct {
	graph   kernel.DeviceGraph
	set     kernel.Buffer // (B,V)
	query   block         // (B,D)
	tables  *tables
	hidden  []block // (B,V,D) before the first layer and after each; two in turn when not kept
	linear  []block // (B,V,D) per layer, kept only
	stats   []block // (B,V,S,D) per layer, kept only and only with Limits.KeepStats
	isTrace bool
	bytes   int64 // counted in Model.kept
}

// Project computes out (B,V), the projection of each set of in (B,V) along its relation.
// Failures of the device surface in its Sync.
func (m *Model) Project(ctx context.Context, g kernel.DeviceGraph, out, in kernel.Buffer, relations []int32) error {
	if err := m.check(g, out, in, relations); err != nil {
		return err
	}
	nodes := g.Nodes()
	step := m.inferenceChunk(nodes)
	for from := 0; from < len(relations); from += step {
		to := min(from+step, len(relations))
		s, err := m.run(ctx, g, out.Slice(from*nodes, to*nodes), in.Slice(from*nodes, to*nodes), relations[from:to], false)
		m.release(s)
		if err != nil {
			return err
		}
	}
	return nil
}

// Forward is Project that keeps what Backward needs.
func (m *Model) Forward(ctx context.Context, g kernel.DeviceGraph, out, in kernel.Buffer, relations []int32) (*Trace, error) {
	if err := m.check(g, out, in, relations); err != nil {
		return nil, err
	}
	nodes := g.Nodes()
	t := &Trace{graph: g, relations: append([]int32(nil), relations...), set: m.memory.take(in.Len()), prob: m.memory.take(in.Len())}
	m.device.Copy(t.set.Buffer, in)
	step := m.trainingChunk(nodes)
	for from := 0; from < len(relations); from += step {
		c := chunk{from: from, to: min(from+step, len(relations))}
		bytes := int64(c.to-from) * m.keptBytes(nodes)
		keep := m.kept+bytes <= m.Limits.Kept
		s, err := m.run(ctx, g, t.prob.Slice(from*nodes, c.to*nodes), t.set.Slice(from*nodes, c.to*nodes), relations[from:c.to], keep)
		if keep && err == nil {
			c.state, s.bytes = s, bytes
			m.kept += bytes
		} else {
			m.release(s)
		}
		t.chunks = append(t.chunks, c)
		if err != nil {
			m.Release(t)
			return nil, err
		}
	}
	m.device.Copy(out, t.prob.Buffer)
	return t, nil
}

func (m *Model) check(g kernel.DeviceGraph, out, in kernel.Buffer, relations []int32) error {
	if g.Relations() != m.Relations {
		return fmt.Errorf("projection: the graph has %d relations, the model %d", g.Relations(), m.Relations)
	}
	for i, r := range relations {
		if r < 0 || int(r) >= m.Relations {
			return fmt.Errorf("projection %d: relation %d, the model knows %d", i, r, m.Relations)
		}
	}
	if want := len(relations) * g.Nodes(); in.Len() != want || out.Len() != want {
		return fmt.Errorf("projection: sets of %d and %d values, expected %d", in.Len(), out.Len(), want)
	}
	return nil
}

// run computes one chunk. The state it returns must be released, also after an error.
func (m *Model) run(ctx context.Context, g kernel.DeviceGraph, prob, set kernel.Buffer, relations []int32, keep bool) (*state, error) {
	s := &state{graph: g, set: set, isTrace: keep}
	s.query = m.memory.take(len(relations) * m.Config.Width)
	m.device.Gather(s.query.Buffer, m.Parameters.Of("query.weight"), relations, m.Config.Width)
	s.tables = m.newTables(relations)
	s.hidden = append(s.hidden, m.memory.take(set.Len()*m.Config.Width))
	m.device.Boundary(s.hidden[0].Buffer, set, s.query.Buffer)
	for i := range m.Config.Layers {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		m.runLayer(s, i)
	}
	m.device.HeadForward(prob, m.headInput(s), m.Parameters.head())
	return s, ctx.Err()
}

func (m *Model) runLayer(s *state, i int) {
	out := m.nextState(s)
	var kept kernel.Kept
	if s.isTrace {
		s.linear = append(s.linear, m.memory.take(out.Len()))
		kept.Linear = s.linear[i].Buffer
	}
	if s.isTrace && m.Limits.KeepStats {
		s.stats = append(s.stats, m.memory.take(out.Len()*m.layer.Stats()))
		kept.Stats = s.stats[i].Buffer
	}
	m.device.LayerForward(m.layer, s.graph, out.Buffer, kept, m.layerInput(s, i), m.Parameters.layer(i))
	s.hidden = append(s.hidden, out)
}

// nextState is the buffer for the coming state. Where nobody needs the older ones, the
// state before the last is overwritten; its entry stays, so that hidden[i] is always
// the input of layer i.
func (m *Model) nextState(s *state) block {
	n := len(s.hidden)
	if s.isTrace || m.Config.ConcatHidden || n < 2 {
		return m.memory.take(s.hidden[0].Len())
	}
	return s.hidden[n-2]
}

func (m *Model) layerInput(s *state, i int) kernel.LayerInput {
	return kernel.LayerInput{
		Hidden: s.hidden[i].Buffer, Set: s.set, Query: s.query.Buffer,
		Relations: s.tables.vectors[i], RelationOf: s.tables.of,
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
	if !s.isTrace && !m.Config.ConcatHidden {
		hidden = hidden[:min(2, len(hidden))]
	}
	m.memory.give(hidden...)
	m.memory.give(s.linear...)
	m.memory.give(s.stats...)
	m.memory.give(s.query)
	m.releaseTables(s.tables)
}

// Release gives back a trace that Backward will not see.
func (m *Model) Release(t *Trace) {
	for i := range t.chunks {
		m.release(t.chunks[i].state)
		t.chunks[i].state = nil
	}
	m.memory.give(t.set, t.prob)
	t.set, t.prob = block{}, block{}
}
