package fit

import (
	"cmp"
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/links"
)

// A curve has about maxKnots knots, each of which rests on leastFacts facts or more; rows count alike where there are enoughByRow.
const (
	maxKnots    = 8
	leastFacts  = 30
	enoughByRow = 90
)

// block is links of neighbouring scores.
type block struct {
	weight, facts   float64
	found           float64 // facts, each as far as it counts
	expected, score float64 // facts by the scores, and the sum of the scores weighed by them
}

// knot puts the middle of a block, where its facts are expected, to as many as came.
func (b block) knot(ceiling float64) links.Knot {
	const nearlyAll = 0.99
	score, share := b.score/b.expected, min(nearlyAll, b.facts/(ceiling*b.weight))
	return links.Knot{Score: score, Logit: score + logit(share) - logit(b.expected/b.weight)}
}

func (b block) join(c block) block {
	return block{b.weight + c.weight, b.facts + c.facts, b.found + c.found, b.expected + c.expected, b.score + c.score}
}

// curve bends the scores of a part to what came out: isotonic regression over blocks of links
// with equally many facts. Blocks that would turn the order round are one (pool adjacent violators).
func (o observations) curve(m links.Part) links.Curve {
	var pooled []block
	ceiling := m.Ceiling
	counts := o.counting()
	for _, b := range o.blocks(m, counts) {
		pooled = append(pooled, b)
		for n := len(pooled); n > 1 && !ascends(pooled[n-2].knot(ceiling), pooled[n-1].knot(ceiling)); n = len(pooled) {
			pooled = append(pooled[:n-2], pooled[n-2].join(pooled[n-1]))
		}
	}
	var curve links.Curve
	for _, b := range pooled {
		curve = append(curve, b.knot(ceiling))
	}
	return level(curve, o.highScore(m, counts))
}

// level lets a curve rise slowly above a score: there are too few facts beyond it that would speak for more.
func level(c links.Curve, from float64) links.Curve {
	const far, slope = 20, 0.25
	if len(c) == 0 {
		return c
	}
	last := c[len(c)-1]
	if from > last.Score {
		last = links.Knot{Score: from, Logit: last.Logit + from - last.Score}
		c = append(c, last)
	}
	return append(c, links.Knot{Score: last.Score + far, Logit: last.Logit + slope*far})
}

// highScore is that of the last fact but a few, which are too few to say what lies above it.
func (o observations) highScore(m links.Part, counts count) float64 {
	const few = 10
	score := func(l link) float64 { return m.Score(l.logit, l.evidence) }
	facts := slices.DeleteFunc(slices.Clone(o.links), func(l link) bool { return !l.held })
	slices.SortFunc(facts, func(a, b link) int { return cmp.Compare(score(b), score(a)) })
	above, last := 0.0, 0.0
	for _, l := range facts {
		last = score(l)
		if above += counts(l); above >= few {
			break
		}
	}
	return last
}

// count is how much a fact counts.
type count func(link) float64

// counting lets the facts of a row with many stated tails count for less, as in the regression, unless too few are left: a block should not rest on
// a single row.
func (o observations) counting() count {
	if o.sum(byRow) < enoughByRow {
		return alike
	}
	return byRow
}

func alike(link) float64 { return 1 }

func byRow(l link) float64 { return min(1, plentyStated/float64(max(1, l.evidence.Stated))) }

// sum is what all facts count.
func (o observations) sum(counts count) (n float64) {
	for _, l := range o.links {
		if l.held {
			n += counts(l)
		}
	}
	return n
}

func ascends(a, b links.Knot) bool { return b.Score > a.Score && b.Logit > a.Logit }

// blocks cuts the links, by ascending score, where enough facts have come together. What has none is
// joined to the next block.
func (o observations) blocks(m links.Part, counts count) []block {
	type scored struct {
		link
		score float64
	}
	list := make([]scored, len(o.links))
	for i, l := range o.links {
		list[i] = scored{l, m.Score(l.logit, l.evidence)}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	enough := max(leastFacts, o.sum(counts)/maxKnots)
	var blocks []block
	var b block
	for _, l := range list {
		expected := l.weight / (1 + math.Exp(-l.score))
		b.weight += l.weight
		b.expected += expected
		b.score += expected * l.score
		if l.held {
			b.facts += l.weight
			b.found += counts(l.link)
		}
		if b.found >= enough && b.facts < m.Ceiling*b.weight {
			blocks, b = append(blocks, b), block{}
		}
	}
	if n := len(blocks); n > 0 && b.weight > 0 { // the rest has too few facts of its own
		blocks[n-1] = blocks[n-1].join(b)
	}
	return blocks
}

func logit(p float64) float64 { return math.Log(p / (1 - p)) }
