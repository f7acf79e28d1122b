package train

import (
	"context"
	"math"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/ranks"
)

// learner is a model in training: its parameters with their gradients, moments and
// average, and the graphs, all on the device.
type learner struct {
	config  Config
	logic   fuzzy.Logic
	device  kernel.Device
	places  []place // the graphs
	model   *gnn.Model
	grads   gnn.Slab
	first   gnn.Slab // Adam's moments
	second  gnn.Slab
	average average
	scratch scratch
	team    *ranks.Team
	mixed   bool      // the ranks of the team have different devices
	host    []float32 // a slab on its way between ranks
}

// newLearner takes over the memory of a state and of graphs.
func newLearner(c Config, state *checkpoint.State, graphs []place) (*learner, error) {
	logic, err := fuzzy.ParseLogic(c.Logic)
	if err != nil {
		return nil, err
	}
	m := state.Model
	logic.Negation = m.Adjustments.Negation
	return &learner{
		config: c, logic: logic, device: m.Device(), places: graphs, model: m,
		grads: m.NewSlab(), first: state.First, second: state.Second, average: newAverage(m, state.Average),
		scratch: scratch{device: m.Device(), buffers: map[string]kernel.Buffer{}},
	}, nil
}

// step is one step of training, number b.step. Where it fails the parameters are as before.
func (l *learner) step(ctx context.Context, b *batch) (loss float64, err error) {
	loss, err = l.gradients(ctx, b)
	if loss, err = l.sumUp(ctx, b.step, loss, err); err != nil {
		return 0, err
	}
	l.clip()
	l.device.Adam(l.model.Parameters.Values, l.grads.Values, l.first.Values, l.second.Values, l.config.adam(b.step))
	if err := l.settle(ctx); err != nil {
		return 0, err
	}
	l.average.follow(l.model, l.config.decayAt(b.step))
	l.model.Changed()
	return loss, l.device.Sync()
}

// clip shortens the gradient to the configuration's norm. It is done on the host: a foundation model is small.
func (l *learner) clip() {
	if l.config.ClipNorm == 0 {
		return
	}
	values := make([]float32, l.grads.Values.Len())
	l.device.Download(values, l.grads.Values)
	if shorten(values, l.config.ClipNorm) {
		l.device.Upload(l.grads.Values, values)
	}
}

// shorten scales a vector whose norm is above most to it, and tells whether it was.
func shorten(vector []float32, most float64) bool {
	norm := 0.0
	for _, x := range vector {
		norm += float64(x) * float64(x)
	}
	norm = math.Sqrt(norm)
	if norm <= most {
		return false
	}
	for i, x := range vector {
		vector[i] = float32(float64(x) * most / norm)
	}
	return true
}

// gradients runs a batch forward and back and leaves the gradient of its loss in l.grads.
func (l *learner) gradients(ctx context.Context, b *batch) (loss float64, err error) {
	l.device.Fill(l.grads.Values, 0)
	if b.pieces == nil {
		return l.addGradients(ctx, l.places[b.graph].graph, b)
	}
	return l.piecesGradients(ctx, b.pieces)
}

// addGradients adds those of queries that run on one graph.
func (l *learner) addGradients(ctx context.Context, graph *gnn.Graph, b *batch) (loss float64, err error) {
	schedule := exec.NewSchedule(b.programs, false)
	t := l.newTape(graph, b, schedule.Slots)
	defer t.Release()
	if _, err := schedule.Follow(ctx, t, nil); err != nil {
		return 0, err
	}
	dsets := l.scratch.take("dsets", schedule.Slots*t.Nodes)
	l.device.Fill(dsets, 0)
	losses := l.lossOf(t, dsets, schedule, b)
	if err := t.backward(ctx, l.grads, dsets, schedule); err != nil {
		return 0, err
	}
	return l.weightedSum(losses, b.weights), nil
}

// lossOf computes the loss of every query and puts its gradient into the answers' slots of dsets.
func (l *learner) lossOf(t *tape, dsets kernel.Buffer, s *exec.Schedule, b *batch) (losses kernel.Buffer) {
	slots := make([]int32, len(b.programs))
	for i := range slots {
		slots[i] = int32(s.Answer(i))
	}
	n := len(slots) * t.Nodes
	prob, dprob := l.scratch.take("in", n), l.scratch.take("out", n)
	losses = l.scratch.take("losses", len(slots))
	known := kernel.Known{Answers: b.known, Weight: float32(l.config.KnownWeight)}
	l.device.Gather(prob, t.Values, slots, t.Nodes)
	l.device.Loss(losses, dprob, prob, b.answers, known, l.config.objective(), b.weights)
	l.device.Scatter(dsets, dprob, slots, t.Nodes)
	return losses
}

// weightedSum brings the losses to the host, the only numbers of a step that leave the device.
func (l *learner) weightedSum(losses kernel.Buffer, weights []float32) (sum float64) {
	values := make([]float32, len(weights))
	l.device.Download(values, losses)
	for i, loss := range values {
		sum += float64(weights[i]) * float64(loss)
	}
	return sum
}

// close gives the memory of the learner back, that of its model and graphs included.
func (l *learner) close() {
	for _, p := range l.places {
		p.free()
	}
	l.scratch.close()
	l.average.close(l.device)
	for _, slab := range []gnn.Slab{l.grads, l.first, l.second} {
		l.device.Free(slab.Values)
	}
	l.model.Close()
}

// scratch lends one buffer a name, kept from step to step: batches differ in size, and
// allocating on a device is dear. What a buffer holds is whatever it was.
type scratch struct {
	device  kernel.Device
	buffers map[string]kernel.Buffer
}

func (s scratch) take(name string, n int) kernel.Buffer {
	b, ok := s.buffers[name]
	if !ok || b.Len() < n {
		if ok {
			s.device.Free(b)
		}
		b = s.device.NewBuffer(n + n/8) // room for the next, slightly larger batch
		s.buffers[name] = b
	}
	return b.Slice(0, n)
}

func (s scratch) close() {
	for name, b := range s.buffers {
		s.device.Free(b)
		delete(s.buffers, name)
	}
}
