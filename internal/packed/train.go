package packed

import (
	"cmp"
	"slices"
)

// rounds is how often pieces are chosen: each may double their length, and the last ones settle the choice.
const rounds = 6

// train chooses the pieces for texts like those of a sample. It begins with single bytes; each round packs the sample, counts
// the pieces and the pairs of neighbours it meets, and keeps those that cover most bytes.
func train(sample [][]byte) *Table {
	t := newTable(nil)
	for range rounds {
		t = newTable(best(t.gains(sample)))
	}
	return t
}

// unit is what a step of packing covers: a piece, or from 256 on a byte without one.
type unit uint16

const units = 512

func (t *Table) text(u unit) string {
	if u >= 256 {
		return string([]byte{byte(u - 256)})
	}
	p := t.pieces[u]
	text := make([]byte, longest)
	for i := range text {
		text[i] = byte(p.word >> (8 * i))
	}
	return string(text[:p.length])
}

// gains tells how many bytes of the sample each piece and each pair of neighbours covers.
func (t *Table) gains(sample [][]byte) map[string]int {
	met, pairs := t.countUnits(sample)
	gains := map[string]int{}
	for u, times := range met {
		if times == 0 {
			continue
		}
		text := t.text(unit(u))
		gains[text] += times * len(text)
		for v, times := range pairs[u*units : (u+1)*units] {
			if times > 0 && len(text) < longest {
				both := text + t.text(unit(v))
				both = both[:min(len(both), longest)]
				gains[both] += int(times) * len(both)
			}
		}
	}
	return gains
}

// countUnits counts the units that packing the sample takes, and the pairs of neighbours among them.
func (t *Table) countUnits(sample [][]byte) (met []int, pairs []uint32) {
	met, pairs = make([]int, units), make([]uint32, units*units)
	for _, text := range sample {
		for before := -1; len(text) > 0; {
			code, length := t.match(text)
			u := unit(code)
			if code == none {
				u = 256 + unit(text[0])
			}
			met[u]++
			if before >= 0 {
				pairs[before*units+int(u)]++
			}
			before, text = int(u), text[length:]
		}
	}
	return met, pairs
}

// best gives the pieces of the largest gains, in an order that depends on them alone.
func best(gains map[string]int) []string {
	pieces := make([]string, 0, len(gains))
	for text := range gains {
		pieces = append(pieces, text)
	}
	slices.SortFunc(pieces, func(a, b string) int {
		return cmp.Or(cmp.Compare(gains[b], gains[a]), cmp.Compare(a, b))
	})
	return pieces[:min(len(pieces), escape)]
}
