package train

import (
	"iter"
	"math/bits"
)

// crisp is a set of small numbers as bits: entities, or edges. The symbolic side of a
// training step works on such sets; on them all three logics agree.
type crisp []uint64

func newCrisp(n int) crisp { return make(crisp, (n+63)/64) }

func (s crisp) add(i int)      { s[i>>6] |= 1 << (i & 63) }
func (s crisp) has(i int) bool { return s[i>>6]>>(i&63)&1 == 1 }

// all runs over the members in ascending order.
func (s crisp) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for w, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(w<<6 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// fill makes s the set of the numbers below n.
func (s crisp) fill(n int) {
	for w := range s {
		s[w] = ^uint64(0)
	}
	s.trim(n)
}

// trim removes what is not below n, which only the last word can hold.
func (s crisp) trim(n int) {
	if n&63 != 0 {
		s[len(s)-1] &= 1<<(n&63) - 1
	}
}

// not makes s the complement of x among the numbers below n.
func (s crisp) not(x crisp, n int) {
	for w := range s {
		s[w] = ^x[w]
	}
	s.trim(n)
}

func (s crisp) and(x, y crisp) {
	for w := range s {
		s[w] = x[w] & y[w]
	}
}

func (s crisp) or(x, y crisp) {
	for w := range s {
		s[w] = x[w] | y[w]
	}
}
