// Package coverage makes lists that contain the right answer with a chosen frequency, by split conformal prediction (Vovk and others,
// 2005; for knowledge graphs KGCP, NAACL 2025, and CondKGCP, ACL Findings 2025).
//
// Facts are hidden, and each is asked for from both its ends: its score says how well it fits among all that could stand in its place (score.go). A candidate of a new
// row gets a p-value: the share of hidden facts of the same group that fitted no better. The candidates whose p-value exceeds
// 1 - coverage are the set. If the fact that is asked for is exchangeable with the hidden ones, it is in the set with exactly the chosen probability: ties and the steps of
// a finite calibration are smoothed by a number that is drawn for each candidate from its names, so that the same question gives the same set.
// Groups are relations where they have enough facts, else relations of the same kind (groups.go). calibrate.go hides facts,
// file.go keeps their scores, sets.go makes sets.
package coverage

import (
	"encoding/binary"
	"hash/fnv"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// P is the smoothed p-value of a score among those of hidden facts, which ascend: with u drawn evenly from 0 to 1 that of an exchangeable fact is even, too.
func P(hidden []float32, score float32, u float64) float64 {
	below, _ := slices.BinarySearch(hidden, score)
	same := below
	for same < len(hidden) && hidden[same] == score {
		same++
	}
	return (float64(below) + u*float64(same-below+1)) / float64(len(hidden)+1)
}

// Check refuses a coverage that is none.
func Check(coverage float64) error {
	if !(coverage > 0 && coverage < 1) {
		return kg.Errorf(kg.Invalid, "", "coverage %v, expected a frequency above 0 and below 1, such as 0.9", coverage)
	}
	return nil
}

// Enough refuses a coverage that so many hidden facts cannot tell from certainty.
func Enough(hidden int, coverage float64) error {
	if hidden < Needed(coverage) {
		return kg.Errorf(kg.Invalid, "", "too few facts to guarantee a coverage of %v: %d could be hidden, at least %d are needed", coverage, hidden, Needed(coverage))
	}
	return nil
}

// Needed is how many hidden facts a coverage needs.
func Needed(coverage float64) int {
	n := max(0, int(1/(1-coverage))-2)
	for float64(n+1)*(1-coverage) < 1-1e-9 {
		n++
	}
	return n
}

// evenly draws a number from 0 to 1 for a fact, the same each time.
func evenly(t kg.Triple, seed uint64) float64 {
	h := fnv.New64a()
	var b [20]byte
	binary.LittleEndian.PutUint64(b[:], seed)
	binary.LittleEndian.PutUint32(b[8:], uint32(t.Head))
	binary.LittleEndian.PutUint32(b[12:], uint32(t.Relation))
	binary.LittleEndian.PutUint32(b[16:], uint32(t.Tail))
	h.Write(b[:])
	x := h.Sum64()
	x ^= x >> 33 // FNV's high bits depend little on the last bytes
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return float64(x>>11) / (1 << 53)
}
