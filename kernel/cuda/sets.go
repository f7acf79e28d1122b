package cuda

import (
	"math"
	"unsafe"

	"github.com/lacuna-kg/lacuna/kernel"
)

func (d *device) Singletons(sets kernel.Buffer, nodes int, slots, entities []int32) {
	checkRows("singletons", sets, slots, nodes)
	f := d.frame()
	if f == nil || len(slots) == 0 {
		return
	}
	defer f.close()
	slots, entities = lastOf(slots, entities)
	for from := 0; from < len(slots); from += maxRows {
		to := min(from+maxRows, len(slots))
		f.launch("singletons", over(nodes).by(to-from), 0, at(sets), send(f, slots[from:to]), send(f, entities[from:to]), int32(nodes))
	}
}

// lastOf drops what a later entry overwrites: the threads of a launch have no order.
func lastOf(slots, entities []int32) (distinct, of []int32) {
	last := make(map[int32]int, len(slots))
	for i, slot := range slots {
		last[slot] = i
	}
	for i, slot := range slots {
		if last[slot] == i {
			distinct, of = append(distinct, slot), append(of, entities[i])
		}
	}
	return distinct, of
}

// levels groups steps so that those of a level depend on none of their own level, and levels in order give
// what the steps in order give. reads and writes name the slots that a step touches.
func levels(steps []kernel.LogicStep, reads, writes func(s kernel.LogicStep) []int32) [][]quad {
	var grouped [][]quad
	written, touched := map[int32]int{}, map[int32]int{} // the first level after the last write, after the last use
	for _, s := range steps {
		level := 0
		for _, slot := range reads(s) {
			level = max(level, written[slot])
		}
		for _, slot := range writes(s) {
			level = max(level, touched[slot])
		}
		for _, slot := range reads(s) {
			touched[slot] = max(touched[slot], level+1)
		}
		for _, slot := range writes(s) {
			written[slot], touched[slot] = level+1, level+1
		}
		if level == len(grouped) {
			grouped = append(grouped, nil)
		}
		grouped[level] = append(grouped[level], onDevice(s))
	}
	return grouped
}

// onDevice is a step as the kernels take it: Not has the bits of its λ instead of a second operand.
func onDevice(s kernel.LogicStep) quad {
	if s.Op == kernel.Not {
		return quad{int32(s.Op), s.Out, s.X, int32(math.Float32bits(s.Lambda))}
	}
	return quad{int32(s.Op), s.Out, s.X, s.Y}
}

// operands are what a step reads; Not's second is its first.
func operands(s kernel.LogicStep) []int32 {
	if s.Op == kernel.Not {
		return []int32{s.X}
	}
	return []int32{s.X, s.Y}
}

func result(s kernel.LogicStep) []int32 { return []int32{s.Out} }

func normalise(steps []kernel.LogicStep) []kernel.LogicStep {
	list := append([]kernel.LogicStep(nil), steps...)
	for i := range list {
		if list[i].Op == kernel.Not {
			list[i].Y = list[i].X
		}
	}
	return list
}

func checkSteps(sets kernel.Buffer, nodes int, steps []kernel.LogicStep) {
	for _, s := range steps {
		checkRows("logic", sets, []int32{s.Out, s.X, s.Y}, nodes)
	}
}

func (d *device) Logic(l kernel.Logic, sets kernel.Buffer, nodes int, steps []kernel.LogicStep) {
	steps = normalise(steps)
	checkSteps(sets, nodes, steps)
	f := d.frame()
	if f == nil {
		return
	}
	defer f.close()
	for _, level := range levels(steps, operands, result) {
		for from := 0; from < len(level); from += maxRows {
			part := level[from:min(from+maxRows, len(level))]
			f.moved = 12 * int64(len(part)*nodes)
			f.launch("logic", over(nodes).by(len(part)), 0, at(sets), send(f, part), int32(l), int32(nodes))
		}
	}
}

// LogicBackward goes through the steps in reverse; a step reads the gradient of its result and adds to those of its operands.
func (d *device) LogicBackward(l kernel.Logic, dsets, sets kernel.Buffer, nodes int, steps []kernel.LogicStep) {
	steps = normalise(steps)
	checkSteps(sets, nodes, steps)
	f := d.frame()
	if f == nil {
		return
	}
	defer f.close()
	for i, j := 0, len(steps)-1; i < j; i, j = i+1, j-1 {
		steps[i], steps[j] = steps[j], steps[i]
	}
	for _, level := range levels(steps, result, operands) {
		for from := 0; from < len(level); from += maxRows {
			part := level[from:min(from+maxRows, len(level))]
			f.moved = 28 * int64(len(part)*nodes)
			f.launch("logic_backward", over(nodes).by(len(part)), 0, at(dsets), at(sets), send(f, part), int32(l), int32(nodes))
		}
	}
}

func (d *device) Threshold(sets kernel.Buffer, least float32) { d.inPlace("threshold", sets, least) }
func (d *device) Odds(sets kernel.Buffer, factor float32)     { d.inPlace("odds", sets, factor) }

// inPlace runs a kernel that changes every element by itself.
func (d *device) inPlace(name string, sets kernel.Buffer, by float32) {
	f := d.frame()
	if f == nil {
		return
	}
	defer f.close()
	f.launch(name, over(sets.Len()), 0, at(sets), by, int64(sets.Len()))
}

func (d *device) Traverse(g kernel.DeviceGraph, out, in kernel.Buffer, relations []int32) {
	on := g.(*graph)
	want(out.Len() == in.Len() && in.Len() == len(relations)*on.nodes, "traverse", in.Len(), []int{len(relations), on.nodes})
	for _, r := range relations {
		want(r >= 0 && int(r) < on.relations, "traverse", r, on.relations)
	}
	f := d.frame()
	if f == nil {
		return
	}
	defer f.close()
	f.needEdges(on)
	f.fill(at(out), 0, out.Len())
	for from := 0; from < len(relations); from += maxRows {
		part := relations[from:min(from+maxRows, len(relations))]
		f.launch("traverse", over(on.shape.mostEdges).by(len(part)), 0, at(out).row(from, on.nodes), at(in).row(from, on.nodes), send(f, part),
			on.shape.firstEdge, on.shape.edgesOf, on.dropped, int32(on.nodes))
	}
}

func (d *device) Ranks(prob kernel.Buffer, hard, answers kernel.Lists) []kernel.Rank {
	samples := answers.Len()
	want(hard.Len() == samples && prob.Len()%samples == 0, "ranks", prob.Len(), samples)
	ranks := make([]kernel.Rank, len(hard.Items))
	f := d.frame()
	if f == nil || len(ranks) == 0 {
		return ranks
	}
	defer f.close()
	nodes := prob.Len() / samples
	var pairs [][2]int32
	for b := range samples {
		for _, a := range hard.Row(b) {
			pairs = append(pairs, [2]int32{int32(b), a})
		}
	}
	out := f.bytes(8 * len(pairs))
	f.moved = 5 * int64(len(pairs)*nodes)
	marks, list := f.marks(answers, nodes), send(f, pairs)
	f.launch("ranks", grid{x: len(pairs), threads: 256}, 0, out, at(prob), marks, list, int32(nodes))
	f.download(unsafe.Pointer(&ranks[0]), out, 8*len(ranks)) // a Rank is two int32, as the kernel's int2
	return ranks
}

func (d *device) Cardinality(out []float64, sets kernel.Buffer, least float32) {
	want(len(out) > 0 && sets.Len()%len(out) == 0, "cardinality", sets.Len(), len(out))
	f := d.frame()
	if f == nil {
		return
	}
	defer f.close()
	sums := f.bytes(8 * len(out))
	f.launch("cardinality", grid{x: len(out), threads: 256}, 0, sums, at(sets), least, int64(sets.Len()/len(out)))
	f.download(unsafe.Pointer(&out[0]), sums, 8*len(out))
}
