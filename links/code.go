package links

import (
	"encoding/binary"
	"errors"
	"math"
	"sync"

	"github.com/lacuna-kg/lacuna/kg"
)

// The predicted links of a row as bytes, in the row's order, the likeliest first:
//
//	varint   number of links
//	         for each: varint by how many steps the probability is below that before (1 before the
//	         first), then the tail in as many bytes as the ids of the graph take
//
// A step is a factor of e^(-1/1024), a tenth of a percent. Neighbours in a row are near each
// other on that scale, so that a link takes three bytes on a graph of some ten thousand entities,
// and rows are read without sorting. Stated links are the graph's and not written.
const (
	stepsOfE = 1024
	maxSteps = 88 * stepsOfE // the smallest normal float32 is e^-87.3
)

// probabilityTable has the probability of every number of steps.
var probabilityTable = sync.OnceValue(func() []float32 {
	table := make([]float32, maxSteps+1)
	for i := range table {
		table[i] = float32(math.Exp(-float64(i) / stepsOfE))
	}
	return table
})

func stepsOf(probability float32) uint64 {
	steps := math.Round(-math.Log(float64(probability)) * stepsOfE)
	return uint64(min(max(steps, 0), maxSteps))
}

// tailBytes is how many bytes an id takes.
func tailBytes(entities int) int {
	n := 1
	for n < 4 && entities > 1<<(8*n) {
		n++
	}
	return n
}

// appendRow appends the first links of a row that begins with the likeliest, at most so many.
func appendRow(to []byte, r Row, most, width int) []byte {
	n := min(most, len(r.Tails))
	to = binary.AppendUvarint(to, uint64(n))
	var last uint64
	for i, t := range r.Tails[:n] {
		steps := stepsOf(r.Probabilities[i])
		to = binary.AppendUvarint(to, steps-last)
		last = steps
		for range width {
			to = append(to, byte(t))
			t >>= 8
		}
	}
	return to
}

var errRow = errors.New("a row that does not decode")

// readRow is the way back. The bytes may be anything: what it gives is a row of the graph, or it fails.
func readRow(data []byte, entities int) (r Row, err error) {
	width := tailBytes(entities)
	count, used := binary.Uvarint(data)
	if used <= 0 || count > uint64(len(data)/(1+width)) {
		return r, errRow
	}
	data = data[used:]
	r.Tails, r.Probabilities = make([]kg.Entity, count), make([]float32, count)
	table, steps := probabilityTable(), uint64(0)
	for i := range r.Tails {
		more, used := uint64(0), 1
		if len(data) > 0 && data[0] < 0x80 {
			more = uint64(data[0])
		} else if more, used = binary.Uvarint(data); used <= 0 {
			return r, errRow
		}
		steps += min(more, maxSteps+1) // no overflow, and still too much
		if steps > maxSteps || len(data) < used+width {
			return r, errRow
		}
		tail := uint32(0)
		for k := range width {
			tail |= uint32(data[used+k]) << (8 * k)
		}
		if tail >= uint32(entities) {
			return r, errRow
		}
		r.Tails[i], r.Probabilities[i] = kg.Entity(tail), table[steps]
		data = data[used+width:]
	}
	if len(data) != 0 {
		return r, errRow
	}
	return r, nil
}
