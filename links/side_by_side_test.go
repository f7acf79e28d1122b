package links

import (
	"math/rand/v2"
	"testing"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/kernel"
)

// Combinations over few slots, written and read in any order, give what they give in turn, whatever the order within a stretch.
func TestSideBySide(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		slots := 2 + random.IntN(8)
		steps := make([]exec.Combination, random.IntN(12))
		for i := range steps {
			steps[i] = exec.Combination{Op: kernel.And, Out: random.IntN(slots), X: random.IntN(slots), Y: random.IntN(slots)}
		}
		inTurn, apart := make([]int, slots), make([]int, slots)
		for slot := range inTurn {
			inTurn[slot], apart[slot] = slot, slot
		}
		run := func(on []int, s exec.Combination) { on[s.Out] = 31*on[s.X] + 17*on[s.Y] + 1 }
		for _, s := range steps {
			run(inTurn, s)
		}
		count := 0
		for _, stretch := range sideBySide(steps) {
			count += len(stretch)
			random.Shuffle(len(stretch), func(i, j int) { stretch[i], stretch[j] = stretch[j], stretch[i] })
			for _, s := range stretch {
				run(apart, s)
			}
		}
		for slot := range inTurn {
			if count != len(steps) || inTurn[slot] != apart[slot] {
				t.Fatalf("%+v: slot %d is %d in turn and %d in stretches", steps, slot, inTurn[slot], apart[slot])
			}
		}
	}
}

// The questions of a batch do not wait for each other.
func TestQuestionsAreCombinedSideBySide(t *testing.T) {
	var steps []exec.Combination
	for question := range 5 { // ¬a ∧ b, one after the other as a schedule lists them
		first := 4 * question
		steps = append(steps, exec.Combination{Op: kernel.Not, Out: first + 2, X: first, Y: first},
			exec.Combination{Op: kernel.And, Out: first + 3, X: first + 1, Y: first + 2})
	}
	got := sideBySide(steps)
	if len(got) != 2 || len(got[0]) != 5 || len(got[1]) != 5 {
		t.Errorf("%v", got)
	}
}
