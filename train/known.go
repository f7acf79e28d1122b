package train

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
)

// knownAnswers lists, query by query, the answers that traversal finds on the thinned graph.
// What it finds beside them, as negation does where facts vanish, is no answer. Without
// dropout there is nothing to tell apart.
func knownAnswers(answers kernel.Lists, found []crisp) kernel.Lists {
	if found == nil {
		return kernel.Lists{}
	}
	rows := make([][]int32, answers.Len())
	for i := range rows {
		for _, v := range answers.Row(i) {
			if found[i].has(int(v)) {
				rows[i] = append(rows[i], v)
			}
		}
	}
	return kernel.NewLists(rows)
}

// queryWeights are the weights of the batch's mean. A query without a hidden answer teaches
// only to copy, so it weighs as its answers do, Config.KnownWeight; at 0 the mean is that
// of the other queries, and where there is no other, of all: the limit of small weights.
func queryWeights(b *batch, c Config) []float32 {
	weights := kernel.SampleWeights(b.answers, c.SampleWeight)
	if c.SampleWeight && c.SampleWeightGroup > 0 {
		balance(slices.Collect(slices.Chunk(weights, c.SampleWeightGroup)), len(weights))
	}
	if b.known.Len() == 0 {
		return weights
	}
	copied := make([]bool, len(weights))
	hidden, all := 0.0, 0.0
	for i, w := range weights {
		copied[i] = len(b.known.Row(i)) == len(b.answers.Row(i))
		all += float64(w)
		if !copied[i] {
			hidden += float64(w)
		}
	}
	if hidden == 0 {
		return weights
	}
	total := hidden + c.KnownWeight*(all-hidden)
	for i, w := range weights {
		weights[i] = float32(float64(w) / total)
		if copied[i] {
			weights[i] *= float32(c.KnownWeight)
		}
	}
	return weights
}

// balance lets each group of a batch's n weights have the share of its size.
func balance(groups [][]float32, n int) {
	for _, group := range groups {
		var sum float32
		for _, w := range group {
			sum += w
		}
		for i := range group {
			if sum > 0 {
				group[i] *= float32(len(group)) / (sum * float32(n))
			}
		}
	}
}
