package cuda

import (
	"context"
	"math/bits"

	"github.com/lacuna-kg/lacuna/internal/parallel"
)

// keyedNode is a node with what it is sorted by.
type keyedNode struct {
	key  uint64
	node int32
}

// sortNodes gives the nodes, which ascend, in order of their keys, those of one key as they were. Many are sorted in pieces side by side,
// which are then merged two by two; a cut has few, and other cores are at other cuts.
func sortNodes(nodes []keyedNode) []int32 {
	pieces := 1 // a power of two
	for pieces < 64 && len(nodes) > pieces<<14 {
		pieces *= 2
	}
	at := func(i int) int { return len(nodes) * i / pieces }
	from, to := nodes, make([]keyedNode, len(nodes))
	parallel.Each(context.Background(), pieces, func(i int) { sortByDigits(from[at(i):at(i+1)], to[at(i):at(i+1)]) })
	for width := 1; width < pieces; width *= 2 {
		parallel.Each(context.Background(), pieces/(2*width), func(i int) {
			first, middle, end := at(2*i*width), at((2*i+1)*width), at((2*i+2)*width)
			merge(to[first:end], from[first:middle], from[middle:end])
		})
		from, to = to, from
	}
	order := make([]int32, len(nodes))
	for i, n := range from {
		order[i] = n.node
	}
	return order
}

// digit is how many bits of a key are sorted by at a time.
const digit = 11

// sortByDigits sorts by the lowest digit first, with as much memory beside it; bits that all keys share are passed over between digits.
func sortByDigits(nodes, spare []keyedNode) {
	var differ uint64
	for _, n := range nodes {
		differ |= n.key ^ nodes[0].key
	}
	from, to := nodes, spare
	for shift := 0; differ>>shift != 0; shift += digit {
		shift += bits.TrailingZeros64(differ >> shift)
		var next [1 << digit]int32
		for _, n := range from {
			next[n.key>>shift&(1<<digit-1)]++
		}
		sum := int32(0)
		for d, count := range next {
			next[d], sum = sum, sum+count
		}
		for _, n := range from {
			d := n.key >> shift & (1<<digit - 1)
			to[next[d]] = n
			next[d]++
		}
		from, to = to, from
	}
	if len(nodes) > 0 && &from[0] != &nodes[0] {
		copy(nodes, from)
	}
}

// merge merges two lists, of equal keys the first list's first.
func merge(to, a, b []keyedNode) {
	for i := range to {
		if len(b) == 0 || len(a) > 0 && a[0].key <= b[0].key {
			to[i], a = a[0], a[1:]
		} else {
			to[i], b = b[0], b[1:]
		}
	}
}
