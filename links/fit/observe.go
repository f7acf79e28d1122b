package fit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/sorted"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// Of a row the likeliest links are taken whole, all that are facts, and of the others a few, which stand for all of them:
// nearly all of a row is false and unlikely.
const (
	takenWhole = 50
	takenFew   = 30
)

// link is one that the graph does not state.
type link struct {
	logit    float64
	evidence links.Evidence
	rank     int       // in its row, from 0
	weight   float64   // how many links it stands for
	held     bool      // whether it is one of the facts held out
	fact     kg.Triple // itself, read forward; of an answer to a whole question none
}

// observations are the links of some rows.
type observations struct {
	rows  int
	links []link
}

// found is the number of links that are facts.
func (o observations) found() int {
	n := 0
	for _, l := range o.links {
		if l.held {
			n++
		}
	}
	return n
}

// facts is how many facts those are: rows of both ends and rows drawn twice show the same one.
func (o observations) facts() int {
	distinct := map[kg.Triple]bool{}
	for _, l := range o.links {
		if l.held {
			distinct[l.fact] = true
		}
	}
	return len(distinct)
}

// observe looks at the rows drawn, every other one to fit on.
func (w *world) observe(ctx context.Context) (toFit, toMeasure observations, err error) {
	pairs := w.pairs()
	heads, relations := make([]kg.Entity, len(pairs)), make([]kg.Relation, len(pairs))
	for i, p := range pairs {
		heads[i], relations[i] = p.Head, p.Relation
	}
	entities := w.full.NumEntities()
	err = w.predictor.Tails(ctx, heads, relations, func(from int, device kernel.Device, probabilities kernel.Buffer) error {
		some := pairs[from : from+probabilities.Len()/entities]
		evidence := device.Observe(probabilities, links.Listed(w.stated(some)))
		odds := make([]float32, probabilities.Len())
		device.Download(odds, probabilities)
		for i, p := range some {
			into := &toFit
			if (from+i)/2%2 == 1 { // a first step and its second stay together
				into = &toMeasure
			}
			into.rows++
			into.links = append(into.links, w.row(p, odds[i*entities:(i+1)*entities], evidence[i])...)
		}
		w.options.Progress(from+len(some), len(pairs))
		return device.Sync()
	})
	return toFit, toMeasure, err
}

// stated are the tails that the graph states of pairs.
func (w *world) stated(pairs []links.Pair) [][]kg.Entity {
	tails := make([][]kg.Entity, len(pairs))
	for i, p := range pairs {
		tails[i] = w.predictor.Graph.Tails(p.Head, p.Relation)
	}
	return tails
}

// row collects the links of a row by their odds; those of stated tails are 0.
func (w *world) row(p links.Pair, values []float32, observed kernel.Evidence) []link {
	stated := w.predictor.Graph.Tails(p.Head, p.Relation)
	evidence := links.NewEvidence(observed, len(stated))
	var open []kg.Entity // the likeliest first
	for t, odds := range values {
		if odds > 0 {
			open = append(open, kg.Entity(t))
		}
	}
	slices.SortStableFunc(open, func(a, b kg.Entity) int { return descending(values[a], values[b]) })
	held := sorted.Difference(nil, w.full.Tails(p.Head, p.Relation), stated)
	var taken, others []link
	for rank, t := range open {
		_, isHeld := slices.BinarySearch(held, t)
		fact := kg.Triple{Head: p.Head, Relation: p.Relation, Tail: t}
		l := link{math.Log(float64(values[t])), evidence, rank, 1, isHeld, fact.Stated()}
		if rank < takenWhole || isHeld {
			taken = append(taken, l)
		} else {
			others = append(others, l)
		}
	}
	return append(taken, few(w.random, others)...)
}

// few draws some links, each for equally many.
func few(random *rand.Rand, all []link) (drawn []link) {
	n := min(takenFew, len(all))
	for range n {
		l := one(random, all)
		l.weight = float64(len(all)) / float64(n)
		drawn = append(drawn, l)
	}
	return drawn
}

func descending(a, b float32) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}
