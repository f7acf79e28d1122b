package cuda

import "github.com/lacuna-kg/lacuna/kernel"

// marks is a byte for every entity of every row, 1 for those listed, until the frame closes.
func (f *frame) marks(lists kernel.Lists, nodes int) address {
	marks := f.bytes(lists.Len() * nodes)
	f.do("cuMemsetD8Async", uintptr(marks), 0, uintptr(lists.Len()*nodes), 0)
	f.putMarks(marks, lists, nodes, 1)
	return marks
}

func (f *frame) putMarks(marks address, lists kernel.Lists, nodes int, as int32) {
	longest := 0
	for b := range lists.Len() {
		longest = max(longest, len(lists.Row(b)))
	}
	first, items := send(f, lists.At), send(f, lists.Items)
	for from := 0; from < lists.Len(); from += maxRows {
		f.launch("mark", over(longest).by(min(maxRows, lists.Len()-from)), 0, marks.plus(from*nodes), first.plus(4*from), items, int64(nodes), as)
	}
}

func (d *device) Loss(losses, dprob, prob kernel.Buffer, answers kernel.Lists, known kernel.Known, objective kernel.Objective, weights []float32) {
	samples := answers.Len()
	want(losses.Len() == samples && len(weights) == samples && prob.Len()%samples == 0, "loss", prob.Len(), samples)
	want(known.Answers.Len() == 0 || known.Answers.Len() == samples, "loss", known.Answers.Len(), samples)
	f := d.frame()
	if f == nil {
		return
	}
	defer f.close()
	nodes := prob.Len() / samples
	f.moved = 16 * int64(prob.Len())
	marks, weigh := f.marks(answers, nodes), send(f, weights)
	if len(known.Answers.Items) > 0 {
		f.putMarks(marks, known.Answers, nodes, 2)
	}
	f.launch("loss", grid{x: samples, threads: 1024}, 0, at(losses), at(dprob), at(prob), marks, weigh, int32(nodes), known.Weight, objective.Temperature)
}

func (d *device) Adam(param, grad, first, second kernel.Buffer, step kernel.AdamStep) {
	n := param.Len()
	want(grad.Len() == n && first.Len() == n && second.Len() == n, "adam", n, grad.Len())
	f := d.frame()
	if f == nil {
		return
	}
	defer f.close()
	rate, root := step.Factors()
	f.moved = 28 * int64(n)
	f.launch("adam", over(n), 0, at(param), at(grad), at(first), at(second), int64(n), float32(step.Beta1), float32(step.Beta2),
		float32(1-step.Beta1), float32(1-step.Beta2), float32(rate), float32(root), float32(step.Epsilon))
}
