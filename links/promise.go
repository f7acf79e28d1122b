package links

import (
	"math"

	"github.com/lacuna-kg/lacuna/kg"
)

// What a row promises is bounded. Of how many facts an entity lacks its stated ones tell more than a network does: were facts held out at random, a row
// of n stated tails lacks Lacks·n, more or less. A network that is a little too sure of an entity with hundreds of tails
// promises hundreds more, and a fit sees too few of these rows to know.

// LeastPromised is the probability from which the links of a row are added up; below it a row need not have them.
const LeastPromised = DefaultLeast

// moreThanMost is how many times as much as rows like it lack a row may promise: some lack more than others.
const moreThanMost = 1.5

// moreThanUsual is how many times as usual one tail more may be for a row than for others with as many.
const moreThanUsual = 4

// Share is what stays of each probability in a row whose links promise so many facts together: they may promise half as many again as
// such rows lack, and one, and less where one more is not usual. Rows of which nothing is stated promise what they do.
func (m Part) Share(promised float64, e Evidence) float64 {
	if m.Lacks == 0 || e.Stated == 0 {
		return 1
	}
	most := moreThanMost*m.Lacks*float64(e.Stated) + 1
	if m.Room != 0 {
		most *= min(1, moreThanUsual*math.Exp(e.Room))
	}
	return min(1, most/promised)
}

// temper lowers probabilities of a row, all alike, to what it may promise.
func (m Part) temper(probabilities []float32, e Evidence) {
	promised := 0.0
	for _, p := range probabilities {
		if p >= LeastPromised {
			promised += float64(p)
		}
	}
	if share := m.Share(promised, e); share < 1 {
		for i, p := range probabilities {
			probabilities[i] = float32(share * float64(p))
		}
	}
}

// Reader gives the probabilities of the links of a row by their odds, to the bit as rows have them.
type Reader struct {
	probability func(tail kg.Entity, odds float32) float32
	share       float64
}

// Reader reads a row, of which it has to see all odds.
func (m Map) Reader(row Odds, e Evidence) Reader {
	part := m.Of(e.Stated)
	r, promised := Reader{part.reader(e), 1}, 0.0
	if part.Lacks == 0 || e.Stated == 0 {
		return r
	}
	for tail, odds := range row.All() {
		if p := r.Probability(tail, odds); p >= LeastPromised {
			promised += float64(p)
		}
	}
	r.share = part.Share(promised, e)
	return r
}

// Probability is that of a link; of odds of 0 it is 0.
func (r Reader) Probability(tail kg.Entity, odds float32) float32 {
	if odds == 0 {
		return 0
	}
	p := r.probability(tail, odds)
	if r.share < 1 {
		p = float32(r.share * float64(p))
	}
	return p
}
