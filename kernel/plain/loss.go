package plain

import (
	"math"

	"github.com/lacuna-kg/lacuna/kernel"
)

// lossEpsilon keeps logit = log((p+ε)/(1−p+ε)) finite.
const lossEpsilon = kernel.OddsEpsilon

func (p *Device[F]) Loss(losses, dprob, prob kernel.Buffer, answers kernel.Lists, known kernel.Known, objective kernel.Objective, weights []float32) {
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
		var dx []F
		if dp != nil {
			dx = row(dp, b, nodes)
		}
		out[b] = F(adversarial(dx, float64(weights[b]), weight, x, isAnswer, share, float64(objective.Temperature)))
		mark(isAnswer, answers.Row(b), false)
	}
}

// adversarial is the paper's loss of a row; dp, unless nil, is overwritten with factor times its gradient.
func adversarial[F Float](dp []F, factor float64, weight []float64, p []F, isAnswer []bool, share []float64, temperature float64) float64 {
	total := entityWeights(weight, p, isAnswer, share, temperature)
	if dp != nil {
		crossEntropyBackward(dp, factor/total, weight, p, isAnswer)
	}
	return crossEntropy(weight, p, isAnswer) / total
}

func mark(set []bool, items []int32, as bool) {
	for _, v := range items {
		set[v] = as
	}
}

// shares writes what each answer of row b weighs beside the others.
func shares(share []float64, answers []int32, known kernel.Known, b int) {
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
