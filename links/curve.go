package links

import (
	"math"
	"sort"

	"github.com/lacuna-kg/lacuna/kg"
)

// Curve bends scores to logits: straight between knots, and with slope 1 beyond the first and
// the last. Without knots it is the identity.
type Curve []Knot

// Knot is a point of a curve. Both of its numbers ascend from knot to knot.
type Knot struct {
	Score float64 `json:"score"`
	Logit float64 `json:"logit"`
}

func (c Curve) check() error {
	for i, k := range c {
		finite := math.Abs(k.Score) <= maxWeight && math.Abs(k.Logit) <= maxWeight
		if !finite || i > 0 && !(k.Score > c[i-1].Score && k.Logit > c[i-1].Logit) {
			return kg.Errorf(kg.Invalid, "", "knot %d of the curve of a map of links, %v, does not ascend", i+1, k)
		}
	}
	return nil
}

func (c Curve) at(score float64) float64 {
	return c.bend(score, func(k Knot) (from, to float64) { return k.Score, k.Logit })
}

// inverse gives the score of a logit.
func (c Curve) inverse(logit float64) float64 {
	return c.bend(logit, func(k Knot) (from, to float64) { return k.Logit, k.Score })
}

func (c Curve) bend(x float64, read func(Knot) (from, to float64)) float64 {
	if len(c) == 0 {
		return x
	}
	after := sort.Search(len(c), func(i int) bool { from, _ := read(c[i]); return from > x })
	if after == 0 {
		from, to := read(c[0])
		return to + x - from
	}
	from, to := read(c[after-1])
	if after == len(c) {
		return to + x - from
	}
	nextFrom, nextTo := read(c[after])
	return to + (x-from)*(nextTo-to)/(nextFrom-from)
}
