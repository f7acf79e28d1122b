package join

import (
	"slices"

	"github.com/lacuna-kg/lacuna/internal/sorted"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// row is a row of links, in the order of their probabilities once somebody follows it and in
// that of its tails once somebody looks one up.
type row struct {
	links.Row
	best        float32 // of the predicted links
	isFaint     bool    // its predictions were left out as unlikely ones needed it, so that a likelier one may still get them
	isSorted    bool
	isAscending bool
	ascending   predicted
}

// predicted is the predicted links of a row, by tail.
type predicted struct {
	tails         []kg.Entity
	probabilities []float32
}

// newRow remembers the likeliest of a row's links.
func newRow(of links.Row) *row {
	r := &row{Row: of}
	for _, p := range of.Probabilities {
		r.best = max(r.best, p)
	}
	return r
}

// sort puts the likeliest predicted links first.
func (r *row) sort() {
	if !r.isSorted {
		r.Row, r.isSorted = r.Likeliest(len(r.Tails)), true
	}
}

// byTail is the predicted links, the tails ascending.
func (r *row) byTail() predicted {
	if r.isAscending {
		return r.ascending
	}
	r.isAscending = true
	if slices.IsSorted(r.Tails) { // as a model gives them
		r.ascending = predicted{r.Tails, r.Probabilities}
		return r.ascending
	}
	order := make([]uint64, len(r.Tails))
	for i, e := range r.Tails {
		order[i] = uint64(e)<<32 | uint64(i)
	}
	slices.Sort(order)
	r.ascending = predicted{make([]kg.Entity, len(order)), make([]float32, len(order))}
	for to, key := range order {
		r.ascending.tails[to], r.ascending.probabilities[to] = kg.Entity(key>>32), r.Probabilities[uint32(key)]
	}
	return r.ascending
}

// len is how many links the row has.
func (r *row) len() int { return len(r.Stated) + len(r.Tails) }

// highest is the highest degree of a link of the row.
func (r *row) highest() float64 {
	if len(r.Stated) > 0 {
		return 1
	}
	return float64(r.best)
}

// degree is that of a link of the row.
func (r *row) degree(tail kg.Entity) float64 {
	if _, found := slices.BinarySearch(r.Stated, tail); found {
		return 1
	}
	of := r.byTail()
	at, found := slices.BinarySearch(of.tails, tail)
	if !found {
		return 0
	}
	return float64(of.probabilities[at])
}

// cursor looks up links of a row whose tails ascend: each is sought from where the last one was.
type cursor struct {
	stated []kg.Entity
	predicted
}

func (r *row) cursor() cursor { return cursor{r.Stated, r.byTail()} }

// degree is that of a link of the row, to a tail that is not below the last one.
func (c *cursor) degree(tail kg.Entity) float64 {
	at, found := sorted.Gallop(c.stated, tail)
	if c.stated = c.stated[at:]; found {
		return 1
	}
	at, found = sorted.Gallop(c.tails, tail)
	if c.tails, c.probabilities = c.tails[at:], c.probabilities[at:]; !found {
		return 0
	}
	return float64(c.probabilities[0])
}
