package gnn

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
)

// updates is what a chunk of Alternating computed on relations.
type updates struct {
	incidence kernel.DeviceIncidence
	isKept    bool
	states    []block // (B,R,D) z₀ … z_T; two in turn when not kept
	heard     []block // (B,R,3D) per update; one that all used when not kept
	linear    []block // (B,R,D) per update; the same
}

// updateWeights are the parameters of one update, or their gradients.
type updateWeights struct {
	message, messageBias kernel.Buffer // (2D,D), (2D)
	weight, bias         kernel.Buffer // (D,3D), (D)
	scale, shift         kernel.Buffer // (D)
}

func (s Slab) update(i int) updateWeights {
	name := fmt.Sprintf("%s%d.", relationUpdates, i)
	return updateWeights{
		s.Of(name + "message.weight"), s.Of(name + "message.bias"), s.Of(name + "linear.weight"), s.Of(name + "linear.bias"),
		s.Of(name + "layer_norm.weight"), s.Of(name + "layer_norm.bias"),
	}
}

// last is the newest state.
func (u *updates) last() block { return u.states[len(u.states)-1] }

// firstRelations are the states up to the first layer: they depend on graph, parameters and query relation alone.
func (m *Model) firstRelations(b batch, keep bool) *updates {
	u := &updates{incidence: b.incidence, isKept: keep, states: []block{m.askedRelations(b)}}
	for i := range m.Config.firstUpdates() {
		m.updateRelations(u, nil, i)
	}
	return u
}

// rememberedRelations are the same from the graph's cache. Only the last is there; that before it is memory for the next.
func (m *Model) rememberedRelations(b batch) *updates {
	size := len(b.relations) * b.vectors.width
	turns := []block{m.buffers.take(size), m.buffers.take(size)}
	u := &updates{incidence: b.incidence}
	for i := range m.Config.firstUpdates() + 1 {
		u.states = append(u.states, turns[i%2])
	}
	table := b.vectors.table.Slice(0, b.vectors.table.Len()/b.vectors.width*b.vectors.width)
	m.device.Gather(u.last().Buffer, table, b.vectors.slots(b.relations), b.vectors.width)
	return u
}

// updateRelations adds the state z_{i+1}:
//
//	(a, b) = message(z)    heard = Meet(x; z, a, b)    z' = ReLU(LayerNorm(Linear(heard))) + z
//
// x are the states of entities, nil where all pass on alike. INCITE maps x before the product; here the layer
// before and the message after it do, as a matrix for every entity would cost more than the meeting itself.
func (m *Model) updateRelations(u *updates, entities kernel.Buffer, i int) {
	w, z := m.Parameters.update(i), u.states[i]
	if len(u.heard) == 0 || u.isKept {
		u.heard, u.linear = append(u.heard, m.buffers.take(3*z.Len())), append(u.linear, m.buffers.take(z.Len()))
	}
	heard, linear := u.heard[len(u.heard)-1].Buffer, u.linear[len(u.linear)-1].Buffer
	messages := m.relationMessages(w, z.Buffer)
	in := kernel.MeetInput{Width: m.Config.Width, Entities: entities, Relations: z.Buffer, Messages: messages.Buffer}
	m.device.MeetForward(u.incidence, heard, in)
	m.buffers.give(messages)
	m.device.LinearForward(linear, heard, w.weight, w.bias, kernel.Identity)
	next := m.nextRelations(u)
	m.device.NormForward(next.Buffer, linear, z.Buffer, w.scale, w.shift)
	u.states = append(u.states, next)
}

// relationMessages are what relations say, computed again in backward.
func (m *Model) relationMessages(w updateWeights, z kernel.Buffer) block {
	messages := m.buffers.take(2 * z.Len())
	m.device.LinearForward(messages.Buffer, z, w.message, w.messageBias, kernel.Identity)
	return messages
}

// nextRelations is the memory of the next state. One that nobody reads any more is overwritten: the query is taken from the last
// before the first layer, when that is still there.
func (m *Model) nextRelations(u *updates) block {
	if n := len(u.states); n > 1 && !u.isKept {
		return u.states[n-2]
	}
	return m.buffers.take(u.states[0].Len())
}

// updateRelationsBackward takes the gradient of z_{i+1} to z_i, and adds to that of the entities' states.
func (m *Model) updateRelationsBackward(grads Slab, u *updates, d *tableGradients, dentities, entities kernel.Buffer, i int) {
	w, dw := m.Parameters.update(i), grads.update(i)
	z, dz, dnext := u.states[i].Buffer, d.relations[i].Buffer, d.relations[i+1].Buffer
	dlinear, dheard, dmessages := m.buffers.zeros(z.Len()), m.buffers.zeros(3*z.Len()), m.buffers.zeros(2*z.Len())
	messages := m.relationMessages(w, z)
	defer m.buffers.give(dlinear, dheard, dmessages, messages)
	m.device.NormBackward(dlinear.Buffer, dz, dw.scale, dw.shift, dnext, u.linear[i].Buffer, w.scale, w.shift)
	m.device.LinearBackward(dheard.Buffer, dw.weight, dw.bias, dlinear.Buffer, u.linear[i].Buffer, u.heard[i].Buffer, w.weight, kernel.Identity)
	in := kernel.MeetInput{Width: m.Config.Width, Entities: entities, Relations: z, Messages: messages.Buffer}
	din := kernel.MeetInput{Width: m.Config.Width, Entities: dentities, Relations: dz, Messages: dmessages.Buffer}
	m.device.MeetBackward(u.incidence, din, dheard.Buffer, in)
	m.device.LinearBackward(dz, dw.message, dw.messageBias, dmessages.Buffer, messages.Buffer, z, w.message, kernel.Identity)
}

// releaseUpdates gives the memory back. States that took turns are two blocks only.
func (m *Model) releaseUpdates(u *updates) {
	if u == nil {
		return
	}
	states := u.states
	if !u.isKept {
		states = states[:min(2, len(states))]
	}
	m.buffers.give(states...)
	m.buffers.give(u.heard...)
	m.buffers.give(u.linear...)
}
