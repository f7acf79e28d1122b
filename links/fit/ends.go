package fit

import (
	"cmp"
	"context"
	"math"
	"slices"

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

// turnedOf is how many links of a row are read from their tails where a column is to be filled. What is shown first is the likeliest by both ends, and seldom
// that by the head alone where the head knows little.
const turnedOf = 3

// toTurn are the likeliest links of a row, as far as the room of their tails tells: of those that are taken whole, as of the others all facts are taken, and few else.
func toTurn(row []link, most int) (turned []twice) {
	whole := slices.DeleteFunc(slices.Clone(row), func(l link) bool { return l.rank >= takenWhole })
	slices.SortStableFunc(whole, func(a, b link) int { return cmp.Compare(b.logit+b.evidence.Tail, a.logit+a.evidence.Tail) })
	for _, l := range whole[:min(most, len(whole))] {
		turned = append(turned, twice{ahead: l})
	}
	return turned
}

// turn reads links from their tails, those of one tail in one row.
func (w *world) turn(ctx context.Context, turned []twice) error {
	var pairs []links.Pair
	of := map[links.Pair][]int{} // the links of each
	for i, t := range turned {
		back := t.ahead.asRead().Inverse()
		p := links.Pair{Head: back.Head, Relation: back.Relation}
		if of[p] == nil {
			pairs = append(pairs, p)
		}
		of[p] = append(of[p], i)
	}
	return w.eachRow(ctx, pairs, func(i int, odds links.Odds, e links.Evidence) {
		row := w.row(pairs[i], odds, e)
		for _, k := range of[pairs[i]] {
			head := turned[k].ahead.asRead().Head
			if x := odds.Of(head); x > 0 {
				own := link{logit: math.Log(float64(x)), evidence: e.Of(head), weight: 1, inRow: 0}
				turned[k].back = append([]link{own}, row...)
			}
		}
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
func (o observations) ends(m links.Map, missing missing) *links.Ends {
	ends := &links.Ends{Doubt: links.Doubt}
	if !missing.hidden {
		return ends
	}
	first, more := o.byEnds(m, o.both)
	if asked, _ := o.byEnds(m, o.asked); asked.found() >= fewestTurned {
		first = asked
	}
	if first.found()+more.found() >= fewestTurned {
		ceiling := m.Of(0).Ceiling
		ends.First = first.firstBlend(ceiling, missing.patterns)
		ends.More, _ = more.blend(ceiling, ridge*min(1, first.and(more).weightOfFacts()))
	}
	ends.Doubt = more.doubt(m.Of(0).Ceiling, ends.More)
	return ends
}

// firstBlend is that of heads without a value. What each end counts is learned from all of their links; how far it is to be trusted, of all
// relations and of each, from those that people see who fill columns: of rows read forwards the likeliest one. All count alike, however few rows
// they stand for, and so does what patterns find of a relation.
func (o observations) firstBlend(ceiling float64, patterns map[kg.Relation]float64) *links.Blend {
	all := observations{links: slices.Clone(o.links)}
	for i := range all.links {
		all.links[i].weight = 1
	}
	blend, _ := all.blend(ceiling, ridge)
	if blend == nil {
		return nil
	}
	shown := all.shown(blend)
	for i, l := range shown.links {
		shown.links[i].logit = blend.Score(l.evidence.Relation, l.logit-l.evidence.Total, l.logit+l.evidence.Total)
		shown.links[i].evidence.Total, shown.links[i].evidence.Top = 0, patterns[l.evidence.Relation]
	}
	trust, byPatterns := shown.blend(ceiling, ridge)
	if trust == nil { // what ends say tells nothing beyond the relation
		trust = &links.Blend{Mean: 1}
	}
	*blend = links.Blend{Mean: trust.Mean * blend.Mean, Apart: trust.Mean * blend.Apart, Bias: trust.Mean*blend.Bias + trust.Bias}
	blend.Relations = shown.relations(links.Part{Logit: trust.Mean, Top: byPatterns, Bias: trust.Bias, Ceiling: ceiling}, ridge)
	for q, share := range patterns {
		blend.Relations[q] += byPatterns * share
	}
	return blend
}

// shown is the likeliest link of each row that was read forwards.
func (o observations) shown(b *links.Blend) (shown observations) {
	score := func(l link) float64 {
		return b.Score(l.evidence.Relation, l.logit-l.evidence.Total, l.logit+l.evidence.Total)
	}
	at := map[int]int{}
	for _, l := range o.links {
		if i, found := at[l.row]; l.isBack {
			continue
		} else if !found {
			at[l.row], shown.links = len(shown.links), append(shown.links, l)
		} else if score(l) > score(shown.links[i]) {
			shown.links[i] = l
		}
	}
	return shown
}

// byEnds are links by what both ends say, their mean as the logit and half of their distance as the total: those whose head has no value yet, and others.
func (o observations) byEnds(m links.Map, both []twice) (first, more observations) {
	ceiling, promised := m.Of(0).Ceiling, o.promised(m)
	for _, t := range both {
		low, high := t.readings(m, promised)
		a, b := toLogit(low, ceiling), toLogit(high, ceiling)
		l := t.ahead
		l.isBack = l.evidence.Relation.IsInverse()
		l.logit, l.evidence = (a+b)/2, links.Evidence{Total: (b - a) / 2, Relation: kg.Forward(l.evidence.Relation.Base())}
		if t.has() {
			more.links = append(more.links, l)
		} else {
			first.links = append(first.links, l)
		}
	}
	return first, more
}

// blend is what each reading counts, nil where nothing was seen or nothing can be learned, and what patterns count: no value is likelier for being harder to tell.
func (o observations) blend(ceiling, hold float64) (*links.Blend, float64) {
	if len(o.links) == 0 {
		return nil, 0
	}
	w := o.regression(weights{1}, weights{1, 1, 1, 0, 0, 1}, hold, ceiling).solution()
	if w[2] < 0 || !(w[0] > 0) {
		w = o.regression(weights{1}, weights{1, 1, 0, 0, 0, 1}, hold, ceiling).solution()
	}
	if !(w[0] > 0) {
		return nil, 0
	}
	return &links.Blend{Mean: w[0], Apart: max(-w[0], min(w[0], w[1])), Bias: w[5]}, w[2]
}

// doubts are what is tried of how far a link may be above the more sceptical of its readings.
var doubts = []float64{0.5, 1, links.Doubt}

// doubt is the one under which what was seen is likeliest.
func (o observations) doubt(ceiling float64, blend *links.Blend) (best float64) {
	least := math.Inf(1)
	for _, d := range doubts {
		surprise := 0.0
		for _, l := range o.links {
			low, high := l.logit-l.evidence.Total, l.logit+l.evidence.Total
			score := min(blend.Score(l.evidence.Relation, low, high), low+d)
			surprise -= l.weight * math.Log(max(1e-12, truth(ceiling/(1+math.Exp(-score)), l.held)))
		}
		if surprise <= least {
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
