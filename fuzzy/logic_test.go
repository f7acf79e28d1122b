package fuzzy

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// degrees gives random triples of degrees, the corners of the cube first.
func degrees(n int) [][3]float32 {
	var all [][3]float32
	for corner := range 8 {
		all = append(all, [3]float32{float32(corner & 1), float32(corner >> 1 & 1), float32(corner >> 2)})
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		all = append(all, [3]float32{rng.Float32(), rng.Float32(), rng.Float32()})
	}
	return all
}

func TestLaws(t *testing.T) {
	const tolerance = 1e-6
	for _, l := range Logics {
		check := func(law string, a, b float32) {
			if math.Abs(float64(a-b)) > tolerance {
				t.Errorf("%v: %s: %v != %v", l, law, a, b)
			}
		}
		and := func(x, y float32) float32 { return plain.Apply(l.Norm, kernel.And, x, y) }
		or := func(x, y float32) float32 { return plain.Apply(l.Norm, kernel.Or, x, y) }
		for _, d := range degrees(2000) {
			x, y, z := d[0], d[1], d[2]
			check("and commutes", and(x, y), and(y, x))
			check("or commutes", or(x, y), or(y, x))
			check("and associates", and(and(x, y), z), and(x, and(y, z)))
			check("or associates", or(or(x, y), z), or(x, or(y, z)))
			check("De Morgan, and", 1-and(x, y), or(1-x, 1-y))
			check("De Morgan, or", 1-or(x, y), and(1-x, 1-y))
			check("1 is neutral for and", and(x, 1), x)
			check("0 is neutral for or", or(x, 0), x)
			check("0 absorbs and", and(x, 0), 0)
			check("1 absorbs or", or(x, 1), 1)
			if both, any := and(x, y), or(x, y); both < 0 || any > 1+tolerance || both > min(x, y)+tolerance || any < max(x, y)-tolerance {
				t.Errorf("%v: out of bounds: and(%v, %v) = %v, or = %v", l, x, y, both, any)
			}
			if smaller := z * x; and(smaller, y) > and(x, y)+tolerance || or(smaller, y) > or(x, y)+tolerance {
				t.Errorf("%v: not monotone at %v ≤ %v, %v", l, smaller, x, y)
			}
		}
	}
}

func TestComplement(t *testing.T) {
	for _, lambda := range []float32{-0.95, -0.5, 0, 3} {
		not := func(x float32) float32 { return plain.Complement(x, lambda) }
		if not(0) != 1 || not(1) != 0 {
			t.Errorf("λ %v: the complements of 0 and 1 are %v and %v", lambda, not(0), not(1))
		}
		for _, d := range degrees(2000) {
			x, y := min(d[0], d[1]), max(d[0], d[1])
			if other := 1 - plain.ScaleOdds(x, 1+lambda); math.Abs(float64(not(x)-other)) > 1e-6 {
				t.Errorf("λ %v: the complement of %v is %v, 1 minus its scaled odds %v", lambda, x, not(x), other)
			}
			if not(x) < not(y) {
				t.Errorf("λ %v: %v ≤ %v, but so are their complements: %v < %v", lambda, x, y, not(x), not(y))
			}
			// Near 0 or 1 the complement keeps few of x's digits.
			if x > 0.01 && x < 0.99 && math.Abs(float64(not(not(x))-x)) > 1e-5 {
				t.Errorf("λ %v: the complement of the complement of %v is %v", lambda, x, not(not(x)))
			}
		}
	}
	if x := plain.Complement(0.5, -0.5); math.Abs(float64(x)-2./3) > 1e-6 {
		t.Errorf("odds of 1 halved: complement %v, expected 2/3", x)
	}
}

func TestParseLogic(t *testing.T) {
	for _, l := range Logics {
		if got, err := ParseLogic(l.String()); err != nil || got != l {
			t.Errorf("ParseLogic(%q) = %v, %v", l, got, err)
		}
	}
	if _, err := ParseLogic("boolean"); err == nil {
		t.Error("ParseLogic accepts boolean")
	}
}
