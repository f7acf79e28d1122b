package fuzzy

import (
	"math"
	"math/rand/v2"
	"testing"
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
		for _, d := range degrees(2000) {
			x, y, z := d[0], d[1], d[2]
			check("and commutes", l.And(x, y), l.And(y, x))
			check("or commutes", l.Or(x, y), l.Or(y, x))
			check("and associates", l.And(l.And(x, y), z), l.And(x, l.And(y, z)))
			check("or associates", l.Or(l.Or(x, y), z), l.Or(x, l.Or(y, z)))
			check("De Morgan, and", 1-l.And(x, y), l.Or(1-x, 1-y))
			check("De Morgan, or", 1-l.Or(x, y), l.And(1-x, 1-y))
			check("1 is neutral for and", l.And(x, 1), x)
			check("0 is neutral for or", l.Or(x, 0), x)
			check("0 absorbs and", l.And(x, 0), 0)
			check("1 absorbs or", l.Or(x, 1), 1)
			if and, or := l.And(x, y), l.Or(x, y); and < 0 || or > 1+tolerance || and > min(x, y)+tolerance || or < max(x, y)-tolerance {
				t.Errorf("%v: out of bounds: and(%v, %v) = %v, or = %v", l, x, y, and, or)
			}
			if smaller := z * x; l.And(smaller, y) > l.And(x, y)+tolerance || l.Or(smaller, y) > l.Or(x, y)+tolerance {
				t.Errorf("%v: not monotone at %v ≤ %v, %v", l, smaller, x, y)
			}
		}
	}
}

// TestGradients compares with finite differences, away from the kinks of min and max.
func TestGradients(t *testing.T) {
	const step, tolerance = 1e-2, 1e-3
	for _, l := range Logics {
		operations := []struct {
			name  string
			value func(x, y float32) float32
			grad  func(x, y float32) (float32, float32)
		}{{"and", l.And, l.AndGrad}, {"or", l.Or, l.OrGrad}}
		for _, op := range operations {
			for _, d := range degrees(500)[8:] {
				x, y := d[0], d[1]
				if math.Abs(float64(x-y)) < 2*step || math.Abs(float64(x+y-1)) < 2*step {
					continue
				}
				dx, dy := op.grad(x, y)
				wantX := (op.value(x+step, y) - op.value(x-step, y)) / (2 * step)
				wantY := (op.value(x, y+step) - op.value(x, y-step)) / (2 * step)
				if math.Abs(float64(dx-wantX)) > tolerance || math.Abs(float64(dy-wantY)) > tolerance {
					t.Errorf("%v %s at (%v, %v): gradient (%v, %v), finite differences (%v, %v)", l, op.name, x, y, dx, dy, wantX, wantY)
				}
			}
		}
	}
}

func TestGodelTieSharesGradient(t *testing.T) {
	if dx, dy := Godel.AndGrad(0.5, 0.5); dx != 0.5 || dy != 0.5 {
		t.Errorf("min of equals: gradient (%v, %v), want halves", dx, dy)
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
