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

// likeliestOf is the likeliest link of a row, as far as the room of its tail tells: of those that are taken whole, as of the others all facts are taken, and few else.
func likeliestOf(row []link) link {
	best := row[0]
	for _, l := range row[1:] {
		if l.rank < takenWhole && l.logit+l.evidence.Tail > best.logit+best.evidence.Tail {
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

// has tells whether the head of a link, read forwards, has a value of the relation.
func (t twice) has() bool {
	if t.ahead.evidence.Relation.IsInverse() {
		return t.back[0].evidence.Stated > 0
	}
	return t.ahead.evidence.Stated > 0
}

// ends is how both readings of a link make its probability. How much each counts is fitted to hidden facts alone, and where enough of them were seen.
func (o observations) ends(m links.Map, hidden bool) *links.Ends {
	ends := &links.Ends{Doubt: links.Doubt}
	first, more := o.byEnds(m)
	if !hidden {
		return ends
	}
	if first.found()+more.found() >= fewestTurned {
		hold := ridge * min(1, first.and(more).weightOfFacts())
		ends.First, ends.More = first.blend(m.Of(0).Ceiling, hold), more.blend(m.Of(0).Ceiling, hold)
		if ends.First != nil {
			ends.First.Relations = first.relations(part(ends.First, m.Of(0).Ceiling), hold)
		}
	}
	ends.Doubt = o.doubt(m, ends)
	return ends
}

// byEnds are links by what both ends say, their mean as the logit and half of their distance as the total: those whose head has no value yet, and others.
func (o observations) byEnds(m links.Map) (first, more observations) {
	ceiling, promised := m.Of(0).Ceiling, o.promised(m)
	for _, t := range o.both {
		low, high := t.readings(m, promised)
		a, b := toLogit(low, ceiling), toLogit(high, ceiling)
		l := t.ahead
		l.logit, l.evidence = (a+b)/2, links.Evidence{Total: (b - a) / 2, Relation: kg.Forward(l.evidence.Relation.Base())}
		if t.has() {
			more.links = append(more.links, l)
		} else {
			first.links = append(first.links, l)
		}
	}
	return first, more
}

// blend is what each reading counts, nil where nothing was seen or nothing can be learned.
func (o observations) blend(ceiling, hold float64) *links.Blend {
	if len(o.links) == 0 {
		return nil
	}
	w := o.regression(weights{1}, weights{1, 1, 0, 0, 0, 1}, hold, ceiling).solution()
	if !(w[0] > 0) {
		return nil
	}
	return &links.Blend{Mean: w[0], Apart: max(-w[0], min(w[0], w[1])), Bias: w[5]}
}

// part is a map that scores links by both ends.
func part(b *links.Blend, ceiling float64) links.Part {
	return links.Part{Logit: b.Mean, Total: b.Apart, Bias: b.Bias, Ceiling: ceiling}
}

// doubts are what is tried of how far a link may be above the more sceptical of its readings.
var doubts = []float64{0.5, 1, links.Doubt}

// doubt is the one under which what was seen is likeliest.
func (o observations) doubt(m links.Map, ends *links.Ends) (best float64) {
	first, more := o.byEnds(m)
	ceiling, least := m.Of(0).Ceiling, math.Inf(1)
	for _, d := range doubts {
		surprise := 0.0
		for i, some := range []observations{first, more} {
			for _, l := range some.links {
				low, high := l.logit-l.evidence.Total, l.logit+l.evidence.Total
				score := min([]*links.Blend{ends.First, ends.More}[i].Score(l.evidence.Relation, low, high), low+d)
				surprise -= l.weight * math.Log(max(1e-12, truth(ceiling/(1+math.Exp(-score)), l.held)))
			}
		}
		if surprise < least {
			best, least = d, surprise
		}
	}
	return best
}

// toLogit is the log-odds of a reading below a ceiling, kept from the infinite.
func toLogit(p, ceiling float64) float64 {
	const least = 1e-9
	return logit(max(least, min(1-least, p/ceiling)))
}
