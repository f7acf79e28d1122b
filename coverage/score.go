package coverage

import (
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// row is the scores of a row: the logarithm of the share that each candidate has of all, as the network rates them and as far as the graph lets such an entity be
// a value of the relation at all, less some of the logarithm of its rank: a network is too sure of rows that it knows little about, and their sets would be endless.
// What cannot be predicted has none.
type row struct {
	odds   links.Odds
	of     links.Evidence
	total  float64
	values []float64 // ascending; nil: as KGCP scores, by the share alone and without what the graph says of the relation's values
}

// ofRank is what the logarithm of the rank weighs. Of 0, a half, 1 and 2, a half made the smallest sets in a first trial on UMLS and CoDEx-S.
const ofRank = 0.5

func newRow(odds links.Odds, e links.Evidence, plain bool) row {
	r := row{odds: odds, of: e}
	if !plain {
		r.values = []float64{}
	}
	sum, top := 0.0, math.Inf(-1)
	for x, o := range odds.All() {
		if o == 0 {
			continue
		}
		v := r.value(x, o)
		if v > top {
			sum, top = sum*math.Exp(top-v)+1, v
		} else {
			sum += math.Exp(v - top)
		}
		if !plain {
			r.values = append(r.values, v)
		}
	}
	slices.Sort(r.values)
	r.total = top + math.Log(sum)
	return r
}

func (r row) value(x kg.Entity, odds float32) float64 {
	v := math.Log(float64(odds))
	if r.values != nil {
		v += r.of.Of(x).Tail
	}
	return v
}

// never is the score of what is not predicted at all.
const never = -math.MaxFloat32

func (r row) score(x kg.Entity) float32 {
	odds := r.odds.Of(x)
	if odds == 0 {
		return never
	}
	v := r.value(x, odds)
	if r.values == nil {
		return float32(v - r.total)
	}
	return float32(v - r.total - ofRank*math.Log(float64(r.rank(v))))
}

// rank is how many candidates are as good or better.
func (r row) rank(v float64) int {
	at, _ := slices.BinarySearch(r.values, v)
	return max(1, len(r.values)-at)
}
