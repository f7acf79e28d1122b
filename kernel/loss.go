package kernel

import "math"

// Lists are rows of ascending entity ids: row i is Items[At[i]:At[i+1]].
type Lists struct {
	At    []int32
	Items []int32
}

// NewLists packs rows, each of which ascends.
func NewLists(rows [][]int32) Lists {
	l := Lists{At: make([]int32, 1, len(rows)+1)}
	for _, r := range rows {
		l.Items = append(l.Items, r...)
		l.At = append(l.At, int32(len(l.Items)))
	}
	return l
}

// Len is the number of rows; the zero value has none.
func (l Lists) Len() int { return max(len(l.At)-1, 0) }

// Row is row i.
func (l Lists) Row(i int) []int32 { return l.Items[l.At[i]:l.At[i+1]] }

// lossEpsilon keeps logit = log((p+ε)/(1−p+ε)) finite.
const lossEpsilon = 1e-10

// SampleWeights are the weights of a batch's mean: equal, or by number of answers.
func SampleWeights(answers Lists, byAnswers bool) []float32 {
	weights := make([]float32, answers.Len())
	for b := range weights {
		weights[b] = 1 / float32(len(weights))
		if byAnswers {
			weights[b] = float32(len(answers.Row(b))) / float32(len(answers.Items))
		}
	}
	return weights
}

// Known are the answers that a step's thinned graph still gives away, and what one of them
// weighs beside a hidden answer. The zero value knows of none: all answers weigh the same.
type Known struct {
	Answers Lists // a sublist of the answers, row by row, or no row at all
	Weight  float32
}

// Row is row i with the weight of its answers. Where no answer is hidden the known ones have
// nothing to weigh less than: the limit of small weights, 1/|A| each, holds at weight 0 too.
func (k Known) Row(i, answers int) (known []int32, weight float32) {
	if k.Answers.Len() == 0 {
		return nil, 1
	}
	known = k.Answers.Row(i)
	if len(known) == answers {
		return nil, 1
	}
	return known, k.Weight
}

func (p *Plain[F]) Loss(losses, dprob, prob Buffer, answers Lists, known Known, temperature float32, weights []float32) {
	out, pr, dp := p.Values(losses), p.Values(prob), p.Values(dprob)
	samples := answers.Len()
	want(len(out) == samples && len(weights) == samples && len(pr)%samples == 0, "loss", len(pr), samples)
	want(known.Answers.Len() == 0 || known.Answers.Len() == samples, "loss", known.Answers.Len(), samples)
	nodes := len(pr) / samples
	weight, share, isAnswer := make([]float64, nodes), make([]float64, nodes), make([]bool, nodes)
	for b := range samples {
		x := row(pr, b, nodes)
		mark(isAnswer, answers.Row(b), true)
		shares(share, answers.Row(b), known, b)
		total := entityWeights(weight, x, isAnswer, share, float64(temperature))
		out[b] = F(crossEntropy(weight, x, isAnswer) / total)
		if dp != nil {
			crossEntropyBackward(row(dp, b, nodes), float64(weights[b])/total, weight, x, isAnswer)
		}
		mark(isAnswer, answers.Row(b), false)
	}
}

func mark(set []bool, items []int32, as bool) {
	for _, v := range items {
		set[v] = as
	}
}

// shares writes what each answer of row b weighs beside the others.
func shares(share []float64, answers []int32, known Known, b int) {
	for _, v := range answers {
		share[v] = 1
	}
	found, weight := known.Row(b, len(answers))
	for _, v := range found {
		share[v] = float64(weight)
	}
}

// entityWeights writes every entity's weight and gives their sum: answers have 1 among them, each
// its share; the rest share 1 by softmax(logit/temperature), or equally at temperature 0.
func entityWeights[F Float](weight []float64, p []F, isAnswer []bool, share []float64, temperature float64) (total float64) {
	highest := math.Inf(-1)
	for v, x := range p {
		weight[v] = 0
		if temperature > 0 {
			weight[v] = logit(float64(x)) / temperature
		}
		if !isAnswer[v] {
			highest = max(highest, weight[v])
		}
	}
	positives, negatives := 0.0, 0.0
	for v := range weight {
		if isAnswer[v] {
			weight[v] = share[v]
			positives += share[v]
			continue
		}
		weight[v] = math.Exp(weight[v] - highest)
		negatives += weight[v]
	}
	for v := range weight {
		if isAnswer[v] {
			weight[v] /= positives
		} else {
			weight[v] /= negatives
		}
		total += weight[v]
	}
	return total
}

func logit(p float64) float64 { return math.Log((p + lossEpsilon) / (1 - p + lossEpsilon)) }

// truth is the probability the model gives to what holds of an entity. The sigmoid of
// the logit above is (p+ε)/(1+2ε), so the cross entropy is −log of truth over 1+2ε.
func truth[F Float](p F, isAnswer bool) float64 {
	if isAnswer {
		return float64(p) + lossEpsilon
	}
	return float64(1-p) + lossEpsilon
}

func crossEntropy[F Float](weight []float64, p []F, isAnswer []bool) (loss float64) {
	for v, x := range p {
		loss -= weight[v] * math.Log(truth(x, isAnswer[v])/(1+2*lossEpsilon))
	}
	return loss
}

// crossEntropyBackward overwrites dp; the weights pass no gradient.
func crossEntropyBackward[F Float](dp []F, factor float64, weight []float64, p []F, isAnswer []bool) {
	for v, x := range p {
		d := factor * weight[v] / truth(x, isAnswer[v])
		if isAnswer[v] {
			d = -d
		}
		dp[v] = F(d)
	}
}
