package fit

import (
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/links"
)

// lines fits the lines of each kind of questions, starting from the usual ones: where little was observed they stay near. Fitted is the slope
// where the graph states an answer, and no more: of questions without one there are few, whose predictions are right or wrong together.
// One step is left to the map of links.
func (a asked) lines() links.Answers {
	lines := links.UsualAnswers()
	for kind, usual := range lines {
		usual.Some.Slope = listed(a[kind]).slope(usual.Some.Slope)
		lines[kind] = usual
	}
	return lines
}

// slope maximises the log likelihood of sigmoid(s·logit d) less slowly/2·(s − usual)², which is concave, by Newton's method.
func (o observations) slope(usual float64) float64 {
	s := usual
	for range maxSteps {
		gradient, curvature := -slowly*(s-usual), float64(slowly)
		for _, l := range o.links {
			p := 1 / (1 + math.Exp(-s*l.logit))
			gradient += l.weight * l.logit * (truth(1, l.held) - p)
			curvature += l.weight * l.logit * l.logit * p * (1 - p)
		}
		step := max(-0.5, min(0.5, gradient/curvature))
		if s += step; math.Abs(step) < 1e-6 {
			break
		}
	}
	return max(s, leastSlope)
}

// slowly is the penalty of slopes: the predictions of a question are not independent, and questions few. leastSlope keeps their order.
const (
	slowly     = 30
	leastSlope = 0.1
)

// listed are the likeliest predictions of each question to which the graph states an answer, as many as people are shown, but for those that no
// derivation leads to. So questions count alike: those of one are right or wrong together, and hundreds of them would drown those of others.
func listed(questions [][]link) (few observations) {
	for _, l := range slices.Concat(questions...) {
		if l.rank < likeliest && l.evidence.Stated > 0 && !math.IsInf(l.logit, 0) {
			few.links = append(few.links, l)
		}
	}
	return few
}
