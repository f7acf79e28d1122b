package golden

import (
	"context"
	"fmt"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
)

// run executes a file's queries as one batch. Every instruction of every query has a
// slot of its own in the pool, so that all intermediate sets can be compared.
type run struct {
	file   *File
	device kernel.Device
	model  *gnn.Model
	graph  *gnn.Graph
	logic  kernel.Logic

	sets, dsets kernel.Buffer // (S,V)
	first       []int32       // slot of each query's first instruction
	next        []int         // next instruction of each query
	stack       [][]int32     // slots
	steps       []kernel.LogicStep
	projections []projection
	answersOnly bool // no activations: nothing will run backward
}

// projection is one batched call with the slots its results went to.
type projection struct {
	activations *gnn.Activations
	out         []int32
}

func newRun(ctx context.Context, device kernel.Device, f *File) (*run, error) {
	model, err := gnn.New(device, f.Config.Config, f.Relations, 1)
	if err != nil {
		return nil, err
	}
	g, err := f.graph()
	if err != nil {
		return nil, err
	}
	graph, err := model.NewGraph(ctx, g)
	if err != nil {
		return nil, err
	}
	r := newProgramRun(model, graph, f)
	if err := r.load(); err != nil {
		return nil, err
	}
	for l := range kernel.Logic(len(kernel.Logics)) {
		if l.String() == f.Config.Logic {
			r.logic = l
		}
	}
	r.dsets = device.NewBuffer(r.sets.Len())
	return r, nil
}

// newProgramRun prepares to run the queries by a model, in the product logic.
func newProgramRun(model *gnn.Model, g *gnn.Graph, f *File) *run {
	r := &run{file: f, device: model.Device(), model: model, graph: g}
	slots := int32(0)
	for _, q := range f.Queries {
		r.first = append(r.first, slots)
		slots += int32(len(q.Postfix))
	}
	r.next, r.stack = make([]int, len(f.Queries)), make([][]int32, len(f.Queries))
	r.sets = r.device.NewBuffer(int(slots) * f.Entities)
	return r
}

// load uploads the file's parameters, which must be exactly those of the model.
func (r *run) load() error {
	slab := r.model.Parameters
	if len(slab.Tensors) != len(r.file.Parameters) {
		return fmt.Errorf("%d parameters, the model has %d", len(r.file.Parameters), len(slab.Tensors))
	}
	for _, t := range slab.Tensors {
		p, ok := r.file.Parameters[t.Name]
		if !ok || fmt.Sprint(p.Shape) != fmt.Sprint(t.Shape) {
			return fmt.Errorf("parameter %s: shape %v, the model's is %v", t.Name, p.Shape, t.Shape)
		}
		r.device.Upload(slab.Of(t.Name), narrow(p.Data))
	}
	return nil
}

func narrow(x []float64) []float32 {
	y := make([]float32, len(x))
	for i := range x {
		y[i] = float32(x[i])
	}
	return y
}

// forward advances every query to its next projection, runs these together, and repeats.
func (r *run) forward(ctx context.Context) error {
	for {
		var in, relations, out []int32
		for q := range r.file.Queries {
			if i, slot := r.advance(q); i != nil {
				in = append(in, r.pop(q))
				relations, out = append(relations, i.Operand), append(out, slot)
				r.stack[q] = append(r.stack[q], slot)
			}
		}
		if len(in) == 0 {
			return nil
		}
		if err := r.project(ctx, in, relations, out); err != nil {
			return err
		}
	}
}

func (r *run) pop(q int) int32 {
	top := len(r.stack[q]) - 1
	slot := r.stack[q][top]
	r.stack[q] = r.stack[q][:top]
	return slot
}

// advance runs query q up to a projection, which it returns with the slot for its result.
func (r *run) advance(q int) (*Instruction, int32) {
	program := r.file.Queries[q].Postfix
	for r.next[q] < len(program) {
		i := &program[r.next[q]]
		slot := r.first[q] + int32(r.next[q])
		r.next[q]++
		switch i.Op {
		case "p":
			return i, slot
		case "e":
			r.device.Singletons(r.sets, r.file.Entities, []int32{slot}, []int32{i.Operand})
		case "n":
			r.step(kernel.LogicStep{Op: kernel.Not, Out: slot, X: r.pop(q)})
		case "i":
			y, x := r.pop(q), r.pop(q)
			r.step(kernel.LogicStep{Op: kernel.And, Out: slot, X: x, Y: y})
		case "u":
			y, x := r.pop(q), r.pop(q)
			r.step(kernel.LogicStep{Op: kernel.Or, Out: slot, X: x, Y: y})
		}
		r.stack[q] = append(r.stack[q], slot)
	}
	return nil, 0
}

func (r *run) step(s kernel.LogicStep) {
	r.device.Logic(r.logic, r.sets, r.file.Entities, []kernel.LogicStep{s})
	r.steps = append(r.steps, s)
}

func (r *run) project(ctx context.Context, in, relations, out []int32) error {
	nodes := r.file.Entities
	x, y := r.device.NewBuffer(len(in)*nodes), r.device.NewBuffer(len(in)*nodes)
	defer r.device.Free(x)
	defer r.device.Free(y)
	r.device.Gather(x, r.sets, in, nodes)
	if err := r.projectSets(ctx, y, x, relations, out); err != nil {
		return err
	}
	r.device.Scatter(r.sets, y, out, nodes)
	return nil
}

func (r *run) projectSets(ctx context.Context, y, x kernel.Buffer, relations, out []int32) error {
	if r.answersOnly {
		return r.graph.Project(ctx, y, x, relations)
	}
	activations, err := r.graph.Forward(ctx, y, x, relations)
	if err == nil {
		r.projections = append(r.projections, projection{activations, out})
	}
	return err
}

// backward gives the loss and the gradients. Gradient stops at every projection's input.
func (r *run) backward(ctx context.Context) (loss float64, grads gnn.Slab, err error) {
	nodes, samples := r.file.Entities, len(r.file.Queries)
	var rows [][]int32
	var slots []int32
	for q := range r.file.Queries {
		rows = append(rows, r.file.Queries[q].Answers)
		slots = append(slots, r.stack[q][0])
	}
	answers := kernel.NewLists(rows)
	weights := kernel.SampleWeights(answers, r.file.Config.ByAnswers)
	prob, dprob, losses := r.device.NewBuffer(samples*nodes), r.device.NewBuffer(samples*nodes), r.device.NewBuffer(samples)
	r.device.Gather(prob, r.sets, slots, nodes)
	r.device.Loss(losses, dprob, prob, answers, kernel.Known{}, kernel.Objective{Temperature: r.file.Config.Temperature}, weights)
	for b, l := range download(r.device, losses) {
		loss += float64(weights[b]) * float64(l)
	}
	r.device.ScatterAdd(r.dsets, dprob, slots, nodes)
	r.device.LogicBackward(r.logic, r.dsets, r.sets, nodes, r.steps)
	grads = r.model.NewSlab()
	for _, p := range r.projections {
		dout := r.device.NewBuffer(len(p.out) * nodes)
		r.device.Gather(dout, r.dsets, p.out, nodes)
		if err := r.model.Backward(ctx, grads, p.activations, dout); err != nil {
			return 0, grads, err
		}
	}
	return loss, grads, r.device.Sync()
}

func download(device kernel.Device, b kernel.Buffer) []float32 {
	x := make([]float32, b.Len())
	device.Download(x, b)
	return x
}
