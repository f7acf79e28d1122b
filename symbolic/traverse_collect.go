package symbolic

import (
	"math/bits"

	"github.com/lacuna-kg/lacuna/kg"
)

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
