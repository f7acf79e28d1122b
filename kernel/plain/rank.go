package plain

import "github.com/lacuna-kg/lacuna/kernel"

func (p *Device[F]) Ranks(prob kernel.Buffer, hard, answers kernel.Lists) []kernel.Rank {
	pr := p.Values(prob)
	samples := answers.Len()
	want(hard.Len() == samples && len(pr)%samples == 0, "ranks", len(pr), samples)
	nodes := len(pr) / samples
	ranks := make([]kernel.Rank, 0, len(hard.Items))
	isAnswer := make([]bool, nodes)
	for b := range samples {
		scores := row(pr, b, nodes)
		mark(isAnswer, answers.Row(b), true)
		for _, a := range hard.Row(b) {
			ranks = append(ranks, rankOf(scores[a], scores, isAnswer))
		}
		mark(isAnswer, answers.Row(b), false)
	}
	return ranks
}

// rankOf counts by "not at most" so that a NaN makes a rank worse, never better.
func rankOf[F Float](score F, scores []F, isAnswer []bool) (r kernel.Rank) {
	for v, x := range scores {
		switch {
		case isAnswer[v]:
		case x == score:
			r.Equal++
		case !(x <= score):
			r.Greater++
		}
	}
	return r
}

func (p *Device[F]) Cardinality(out []float64, sets kernel.Buffer, least float32) {
	x := p.Values(sets)
	want(len(out) > 0 && len(x)%len(out) == 0, "cardinality", len(x), len(out))
	for b := range out {
		out[b] = 0
		for _, v := range row(x, b, len(x)/len(out)) {
			if v > F(least) {
				out[b] += float64(v)
			}
		}
	}
}
