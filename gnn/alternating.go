package gnn

import (
	"context"
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
)

// Alternating is a foundation model as Ultra is, without a parameter of any relation, whose states of relations
// and of entities are updated in turn, after TRIX and INCITE. Ultra computes the vectors of relations once, from
// the query's relation alone; here what was found around the query's entity changes them on the way.
//
//	q ── z₀ ─ update ─ … ─ z ─┬──────── update ── z′ ──┬─ …
//	                         P₀          │            P₁
//	row q of z ──── x₀ ──── layer₀ ── x₁ ┴───────── layer₁ ── x₂ … ── head
//
// z₀ is one at q and zero elsewhere. An update (alternating_update.go) lets relations that meet in an entity tell
// each other their states, those before the first layer through every entity alike, the others as the entity's state has it. A layer
// is NBFNet's, its relation vectors P_t·z. The states of relations are those of a sample: (B,R,D).

// DefaultAlternating is that of the configuration foundation-alternating.
func DefaultAlternating() Config {
	return Config{Kind: Alternating, Message: "distmult", Aggregate: "pna", Width: 32, Layers: 6}
}

// The prefix of the parameters by which relations are updated; those of layers and head have ultra's.
const relationUpdates = "relation_updates."

type alternating struct{}

func (alternating) anyGraph() bool { return true }
func (alternating) prefix() string { return entityModel }

func (alternating) layer(c Config) (kernel.Layer, error) { return chooseBellmanFord(c) }

func (alternating) table(c Config, l kernel.Layer, _ int) *Table {
	t := &Table{}
	d := c.Width
	for i := range c.updates() {
		update := fmt.Sprintf("%s%d.", relationUpdates, i)
		t.linear(update+"message", 2*d, d)
		t.linear(update+"linear", d, 3*d)
		t.norm(update+"layer_norm", d)
	}
	for i := range c.Layers {
		layer := fmt.Sprintf("%slayers.%d.", entityModel, i)
		t.norm(layer+"layer_norm", d)
		t.linear(layer+"linear", d, l.Features())
		t.linear(layer+"relation_projection", d, d)
	}
	t.head(entityModel, (c.states()+1)*d)
	return t
}

// derive collects which relations meet in which entities.
func (alternating) derive(ctx context.Context, g *Graph) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if g.meets == nil { // not prepared
		if g.meets, err = kernel.NewIncidence(g.topology); err != nil {
			return err
		}
	}
	g.incidence, g.cache = g.Device().NewIncidence(g.meets), &cache{}
	return nil
}

// deriveWhole: parts collect their own, as relations tell each other what was found in the part.
func (alternating) deriveWhole(context.Context, *Whole, Meetings) error { return nil }

// tables begins with the states before the first layer, and the vectors of that.
func (n alternating) tables(m *Model, b batch, keep bool) *tables {
	t := &tables{of: make([]int32, len(b.relations))}
	for i := range t.of {
		t.of[i] = int32(i)
	}
	if b.vectors != nil && !keep {
		t.updates = m.rememberedRelations(b)
	} else {
		t.updates = m.firstRelations(b, keep)
	}
	n.project(m, t, 0)
	return t
}

// askedRelations are states (B,R,D) of one at the query's relation and zero elsewhere.
func (m *Model) askedRelations(b batch) block {
	samples, relations := len(b.relations), b.graph.Relations()
	asked, ones := m.buffers.take(samples*relations), m.buffers.take(samples*m.Config.Width)
	defer m.buffers.give(asked, ones)
	rows := make([]int32, samples)
	for i := range rows {
		rows[i] = int32(i)
	}
	m.device.Singletons(asked.Buffer, relations, rows, b.relations)
	m.device.Fill(ones.Buffer, 1)
	states := m.buffers.take(samples * relations * m.Config.Width)
	m.device.Boundary(states.Buffer, asked.Buffer, ones.Buffer)
	return states
}

// beforeLayer updates the relations from the states that layer i starts with, unless its vectors are there.
func (n alternating) beforeLayer(m *Model, s *state, i int) {
	if i >= len(s.tables.vectors) {
		m.updateRelations(s.tables.updates, s.hidden[i].Buffer, m.Config.lastUpdate(i))
		n.project(m, s.tables, i)
	}
}

// project adds the vectors of layer i; where nothing is kept all layers write to those of the first.
func (alternating) project(m *Model, t *tables, i int) {
	z := t.updates.states[m.Config.lastUpdate(i)+1]
	weight, bias := m.Parameters.relationProjection(i)
	if i == 0 || t.updates.isKept {
		t.addLent(m.buffers.take(z.Len()))
	} else {
		t.vectors, t.names = append(t.vectors, t.vectors[0]), append(t.names, "")
	}
	m.device.LinearForward(t.vectors[i], z.Buffer, weight, bias, kernel.Identity)
}

func (alternating) tablesBackward(m *Model, grads Slab, s *state, d stateGradients, i int) {
	u, t, last := s.tables.updates, d.tables, m.Config.lastUpdate(i)
	weight, _ := m.Parameters.relationProjection(i)
	dweight, dbias := grads.relationProjection(i)
	m.device.LinearBackward(t.relations[last+1].Buffer, dweight, dbias, t.vectors[i], s.tables.vectors[i], u.states[last+1].Buffer, weight, kernel.Identity)
	if i > 0 { // those before the first follow when the query's gradient is known
		m.updateRelationsBackward(grads, u, t, d.of(i), s.hidden[i].Buffer, last)
	}
}

// tableCount: a layer has its vectors, an update the state, what relations heard (3) and the output of their Linear.
func (alternating) tableCount(c Config) int { return c.Layers + 5*c.updates() + 4 }

// queries are the states of the queries' relations before the first layer.
func (alternating) queries(m *Model, out kernel.Buffer, b batch, t *tables) {
	m.device.Gather(out, t.updates.states[m.Config.firstUpdates()].Buffer, t.queryRows(b), m.Config.Width)
}

func (alternating) queriesBackward(m *Model, grads Slab, tr *Activations, c chunk, d stateGradients) {
	t, first := c.state.tables, m.Config.firstUpdates()
	m.device.ScatterAdd(d.tables.relations[first].Buffer, d.query.Buffer, t.queryRows(tr.of(c)), m.Config.Width)
	for i := first - 1; i >= 0; i-- {
		m.updateRelationsBackward(grads, t.updates, d.tables, nil, nil, i)
	}
}

func (s Slab) relationProjection(i int) (weight, bias kernel.Buffer) {
	name := fmt.Sprintf("%slayers.%d.relation_projection.", entityModel, i)
	return s.Of(name + "weight"), s.Of(name + "bias")
}
