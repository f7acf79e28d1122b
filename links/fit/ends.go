package fit

import (
	"context"
	"math"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// What people are shown is read from both ends. So the likeliest link of some rows is read from its tail, too, and how both readings make a probability is fitted
// to which of these links are facts.

// twice is a link in the row of its head, and the row of its tail with the link at its beginning; nil where the tail does not see the head.
type twice struct {
	ahead link
	back  []link
}

// lacks tells whether a pair lacks a fact.
func (w *world) lacks(p links.Pair) bool {
	return len(w.full.Tails(p.Head, p.Relation)) > len(w.predictor.Graph.Tails(p.Head, p.Relation))
}

// likeliestOf is the likeliest link of a row, as far as the room of its tail tells.
func likeliestOf(row []link) link {
	best := row[0]
	for _, l := range row[1:] {
		if l.logit+l.evidence.Tail > best.logit+best.evidence.Tail {
			best = l
		}
	}
	return best
}

// turn reads links from their tails.
func (w *world) turn(ctx context.Context, turned []twice) error {
	pairs, heads := make([]links.Pair, len(turned)), make([]kg.Entity, len(turned))
	for i, t := range turned {
		back := t.ahead.asRead().Inverse()
		pairs[i], heads[i] = links.Pair{Head: back.Head, Relation: back.Relation}, back.Tail
	}
	return w.eachRow(ctx, pairs, func(i int, odds links.Odds, e links.Evidence) {
		x := odds.Of(heads[i])
		if x == 0 {
			return
		}
		own := link{logit: math.Log(float64(x)), evidence: e.Of(heads[i]), weight: 1, inRow: 0}
		turned[i].back = append([]link{own}, w.row(pairs[i], odds, e)...)
	})
}

// asRead is the fact of a link in the direction of its row.
func (l link) asRead() kg.Triple {
	if l.evidence.Relation == l.fact.Relation {
		return l.fact
	}
	return l.fact.Inverse()
}

// readings are those of a link from both its ends under a map, as rows have them, by which the link is possible.
func (t twice) readings(m links.Map, promised map[int]float64) (low, high float64) {
	back := observations{links: t.back}.promised(m)
	read := func(l link, promised float64) float64 {
		part := m.Of(l.evidence.Stated)
		return m.Probability(l.logit, l.evidence) * part.Share(promised, l.evidence)
	}
	ahead, behind := read(t.ahead, promised[t.ahead.row]), read(t.back[0], back[t.back[1].row])
	return min(ahead, behind), max(ahead, behind)
}

// fewestTurned is how many facts read from both ends are worth a fit.
const fewestTurned = 10

// ends is how both readings of a link make its probability, nil where too few were seen to say.
func (o observations) ends(m links.Map) *links.Ends {
	ceiling := m.Of(0).Ceiling
	var some observations
	promised, facts := o.promised(m), 0
	for _, t := range o.both {
		low, high := t.readings(m, promised)
		a, b := toLogit(low, ceiling), toLogit(high, ceiling)
		l := t.ahead
		l.logit, l.evidence = (a+b)/2, links.Evidence{Total: (b - a) / 2, Relation: kg.Forward(l.evidence.Relation.Base())}
		if some.links = append(some.links, l); l.held {
			facts++
		}
	}
	if facts < fewestTurned {
		return nil
	}
	hold := ridge * min(1, some.weightOfFacts())
	w := some.regression(weights{1}, weights{1, 1, 0, 0, 0, 1}, hold, ceiling).solution()
	if !(w[0] > 0) {
		return nil
	}
	w[1] = max(-w[0], min(w[0], w[1]))
	part := links.Part{Logit: w[0], Total: w[1], Bias: w[5], Ceiling: ceiling}
	return &links.Ends{Mean: w[0], Apart: w[1], Bias: w[5], Relations: some.relations(part, hold)}
}

// toLogit is the log-odds of a reading below a ceiling, kept from the infinite.
func toLogit(p, ceiling float64) float64 {
	const least = 1e-9
	return logit(max(least, min(1-least, p/ceiling)))
}
