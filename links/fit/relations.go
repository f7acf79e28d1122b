package fit

import (
	"math"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// A network knows some relations of a graph better than others, and is not as sure of them as it knows them. What it proved to know of each is
// one number more, held near that of all together: the fewer facts, the nearer.

// heldTo is how strongly a relation is held to the mean of all: as much as by so many facts of an even chance.
const heldTo = 4

// mostApart bounds how far a relation is from the mean, in log-odds.
const mostApart = 3

// relations is how much likelier the links of each relation are than a part says.
func (o observations) relations(m links.Part, hold float64) map[kg.Relation]float64 {
	of := map[kg.Relation][]link{}
	for _, l := range o.links {
		of[l.evidence.Relation] = append(of[l.evidence.Relation], l)
	}
	apart := map[kg.Relation]float64{}
	for q, some := range of {
		if b := offset(m, some, hold*heldTo/4); b != 0 {
			apart[q] = b
		}
	}
	return apart
}

// offset is what has to be added to the scores of links to make what was observed likeliest, by Newton's method.
func offset(m links.Part, some []link, hold float64) (b float64) {
	scores := make([]float64, len(some))
	for i, l := range some {
		scores[i] = m.Score(l.logit, l.evidence)
	}
	for range maxSteps {
		gradient, curvature := -hold*b, hold
		for i, l := range some {
			truth := 1 / (1 + math.Exp(-scores[i]-b))
			p := m.Ceiling * truth
			untrue := 1.0
			switch {
			case l.denied:
				p = truth
			case m.Ceiling < 1:
				untrue = (1 - truth) / (1 - p)
			}
			if l.held {
				gradient += l.weight * (1 - truth)
			} else {
				gradient -= l.weight * p * untrue
			}
			curvature += l.weight * p * (1 - truth) * untrue
		}
		step := max(-1, min(1, gradient/curvature))
		b = max(-mostApart, min(mostApart, b+step))
		if math.Abs(step) < 1e-6 {
			break
		}
	}
	return b
}
