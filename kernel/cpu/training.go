package cpu

import "github.com/lacuna-kg/lacuna/kernel"

// Loss is the plain definition, one sample per core: its logarithms are in float64.
func (d *Device) Loss(losses, dprob, prob kernel.Buffer, answers kernel.Lists, known kernel.Known, objective kernel.Objective, weights []float32) {
	samples := answers.Len()
	want(losses.Len() == samples && len(weights) == samples && prob.Len()%samples == 0, "loss", prob.Len(), samples)
	want(known.Answers.Len() == 0 || known.Answers.Len() == samples, "loss", known.Answers.Len(), samples)
	nodes := prob.Len() / samples
	d.parallel(samples, func(w *worker, b int) {
		one := kernel.NewLists([][]int32{answers.Row(b)})
		found, weight := known.Row(b, len(answers.Row(b)))
		still := kernel.Known{Answers: kernel.NewLists([][]int32{found}), Weight: weight}
		w.plain.Loss(losses.Slice(b, b+1), rowOf(dprob, b, nodes), rowOf(prob, b, nodes), one, still, objective, weights[b:b+1])
	})
}

func (d *Device) Adam(param, grad, first, second kernel.Buffer, step kernel.AdamStep) {
	x, g, m, v := d.floats(param), d.floats(grad), d.floats(first), d.floats(second)
	want(len(x) == len(g) && len(x) == len(m) && len(x) == len(v), "adam", len(x), len(g))
	rate, root := step.Factors()
	b1, b2 := float32(step.Beta1), float32(step.Beta2)
	c1, c2 := float32(1-step.Beta1), float32(1-step.Beta2)
	d.ranges(len(x), setTask, func(_ *worker, from, to int) {
		k := d.use.sets[0]
		k.adam(x[from:to], g[from:to], m[from:to], v[from:to], b1, b2, c1, c2, float32(rate), float32(root), float32(step.Epsilon))
		done := to - (to-from)%k.lanes
		plainAdam(x[done:to], g[done:to], m[done:to], v[done:to], b1, b2, c1, c2, float32(rate), float32(root), float32(step.Epsilon))
	})
}

// Ranks counts over all entities, then takes the answers, which are few, back out.
func (d *Device) Ranks(prob kernel.Buffer, hard, answers kernel.Lists) []kernel.Rank {
	p, samples := d.floats(prob), answers.Len()
	want(hard.Len() == samples && len(p)%samples == 0, "ranks", len(p), samples)
	nodes := len(p) / samples
	ranks := make([]kernel.Rank, len(hard.Items))
	d.parallel(samples, func(_ *worker, b int) {
		scores := row(p, b, nodes)
		known := make([]float32, 0, len(answers.Row(b)))
		for _, a := range answers.Row(b) {
			known = append(known, scores[a])
		}
		for i, a := range hard.Row(b) {
			above, equal := d.countScores(scores, scores[a])
			knownAbove, knownEqual := d.countScores(known, scores[a])
			ranks[int(hard.At[b])+i] = kernel.Rank{Greater: int32(above - knownAbove), Equal: int32(equal - knownEqual)}
		}
	})
	return ranks
}

func (d *Device) countScores(scores []float32, score float32) (above, equal int) {
	k := d.use.sets[0]
	above, equal = k.count(scores, score)
	done := len(scores) - len(scores)%k.lanes
	restAbove, restEqual := plainCount(scores[done:], score)
	return above + restAbove, equal + restEqual
}
