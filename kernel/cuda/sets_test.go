package cuda

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// Steps run level by level give what they give in order, also where slots are used again.
func TestLevels(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 1))
	for range 200 {
		steps := make([]kernel.LogicStep, 12)
		for i := range steps {
			out := draw.Int32N(6)
			steps[i] = kernel.LogicStep{Op: kernel.LogicOp(draw.IntN(3)), Out: out, X: (out + 1 + draw.Int32N(5)) % 6, Y: (out + 1 + draw.Int32N(5)) % 6, Lambda: draw.Float32() - 0.75}
		}
		steps = normalise(steps)
		start := []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}
		want, got := slices.Clone(start), slices.Clone(start)
		for _, s := range steps {
			want[s.Out] = plain.Apply(kernel.Product, s.Op, want[s.X], want[s.Y])
			if s.Op == kernel.Not {
				want[s.Out] = plain.Complement(want[s.X], float64(s.Lambda))
			}
		}
		for _, level := range levels(steps, operands, result) {
			before := slices.Clone(got) // the steps of a level see none of each other's results
			for _, s := range level {
				if op := kernel.LogicOp(s[0]); op == kernel.Not {
					got[s[1]] = plain.Complement(before[s[2]], float64(math.Float32frombits(uint32(s[3]))))
				} else {
					got[s[1]] = plain.Apply(kernel.Product, op, before[s[2]], before[s[3]])
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("steps %v: %v, expected %v", steps, got, want)
		}
	}
}

// Independent programs share levels, however their steps are listed.
func TestLevelsAreShared(t *testing.T) {
	var steps []kernel.LogicStep
	for p := range int32(50) {
		steps = append(steps, kernel.LogicStep{Op: kernel.And, Out: 4*p + 2, X: 4 * p, Y: 4*p + 1}, kernel.LogicStep{Op: kernel.Not, Out: 4*p + 3, X: 4*p + 2})
	}
	if n := len(levels(normalise(steps), operands, result)); n != 2 {
		t.Errorf("%d levels, expected 2", n)
	}
}

func TestLastOf(t *testing.T) {
	slots, entities := lastOf([]int32{4, 2, 4}, []int32{7, 8, 9})
	if !slices.Equal(slots, []int32{2, 4}) || !slices.Equal(entities, []int32{8, 9}) {
		t.Errorf("slots %v get %v", slots, entities)
	}
}

func TestGroupRows(t *testing.T) {
	targets, first, from := groupRows([]int32{5, 1, 5, 0, 1})
	if !slices.Equal(targets, []int32{0, 1, 5}) || !slices.Equal(first, []int32{0, 1, 3, 5}) || !slices.Equal(from, []int32{3, 1, 4, 0, 2}) {
		t.Errorf("targets %v, from %v, beginning at %v", targets, from, first)
	}
}

func TestSizeClass(t *testing.T) {
	for n, want := range map[int]int{1: 512, 512: 512, 513: 576, 4096: 4096, 4097: 4608, 1 << 30: 1 << 30} {
		if got := sizeClass(n); got != want {
			t.Errorf("size class of %d is %d, expected %d", n, got, want)
		}
	}
}
