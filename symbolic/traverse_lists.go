package symbolic

import (
	"math/bits"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// gallopRatio is how much longer one sorted list must be than the other for
// searches in it to beat a walk through both.
const gallopRatio = 16

// intersectionOf appends to dst what both sorted lists hold.
func intersectionOf(dst, a, b []kg.Entity) []kg.Entity {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a)*gallopRatio < len(b) {
		for _, e := range a {
			at, found := gallop(b, e)
			if found {
				dst = append(dst, e)
			}
			b = b[at:]
		}
		return dst
	}
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			dst = append(dst, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return dst
}

// differenceOf appends to dst what the sorted list a holds and b lacks.
func differenceOf(dst, a, b []kg.Entity) []kg.Entity {
	for _, e := range a {
		at, found := gallop(b, e)
		b = b[at:]
		if !found {
			dst = append(dst, e)
		}
	}
	return dst
}

// unionOf appends to dst what either sorted list holds, once.
func unionOf(dst, a, b []kg.Entity) []kg.Entity {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			dst = append(dst, a[0])
			a = a[1:]
		case a[0] > b[0]:
			dst = append(dst, b[0])
			b = b[1:]
		default:
			dst = append(dst, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return append(append(dst, a...), b...)
}

// gallop gives the place of e in a sorted list and whether it is there, in time
// logarithmic in that place: what is sought usually lies near the front.
func gallop(list []kg.Entity, e kg.Entity) (at int, found bool) {
	step := 1
	for step <= len(list) && list[step-1] < e {
		step *= 2
	}
	from := step / 2
	at, found = slices.BinarySearch(list[from:min(step, len(list))], e)
	return from + at, found
}

// collector is a set of entities to which members come in any order and which
// gives them back sorted. It is a bitset with a bit of summary for each word, so
// that draining (and thereby clearing) it visits only words in use: a small
// query on a graph of millions of entities never walks the whole of it.
type collector struct {
	words   []uint64
	summary []uint64 // bit i: words[i] is not empty
}

func newCollector(entities int) collector {
	words := (entities + 63) / 64
	return collector{words: make([]uint64, words), summary: make([]uint64, (words+63)/64)}
}

func (c *collector) addAll(list []kg.Entity) {
	for _, e := range list {
		c.words[e/64] |= 1 << (e % 64)
		c.summary[e/4096] |= 1 << (e / 64 % 64)
	}
}

// drain appends the members to dst in order and leaves the collector empty.
func (c *collector) drain(dst []kg.Entity) []kg.Entity {
	for s, used := range c.summary {
		for ; used != 0; used &= used - 1 {
			w := s*64 + bits.TrailingZeros64(used)
			for word := c.words[w]; word != 0; word &= word - 1 {
				dst = append(dst, kg.Entity(w*64+bits.TrailingZeros64(word)))
			}
			c.words[w] = 0
		}
		c.summary[s] = 0
	}
	return dst
}

// CountCommon counts what two sorted lists share.
func CountCommon(a, b []kg.Entity) int {
	common := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			common++
			a, b = a[1:], b[1:]
		}
	}
	return common
}
