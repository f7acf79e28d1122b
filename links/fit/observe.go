package fit

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/sorted"
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
	row      int       // its number: that of all links of a row
	inRow    float64   // how many links of its row it stands for
	held     bool      // whether it is one of the facts held out
	fact     kg.Triple // itself, read forward; of an answer to a whole question none
}

// observations are the links of some rows.
type observations struct {
	rows  int
	links []link
}

// times lets links count for as many times as many.
func (o observations) times(n float64) observations {
	for i := range o.links {
		o.links[i].weight *= n
	}
	return o
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

// groupsTogether is how many groups of rows are looked at together: enough for a device, and not too many for those who have little time.
const groupsTogether = 16

// observe looks at rows, every other group to fit on.
func (w *world) observe(ctx context.Context) (toFit, toMeasure observations, err error) {
	d, groups := w.newDrawing(), (w.options.Rows+rowsOfGroup-1)/rowsOfGroup
	if len(d.lacking)+len(d.whole) == 0 { // numbers and dates are all that the graph states
		return toFit, toMeasure, nil
	}
	for from := 0; from < groups; from += groupsTogether {
		some := min(groupsTogether, groups-from)
		seen, err := d.observeGroups(ctx, some)
		if err != nil {
			return toFit, toMeasure, err
		}
		for i, of := range seen {
			if (from+i)%2 == 0 {
				toFit = toFit.and(of)
			} else {
				toMeasure = toMeasure.and(of)
			}
		}
		rows := min(rowsOfGroup*(from+some), w.options.Rows)
		w.options.Progress(rows, w.options.Rows)
		if from == 0 && hopeless(toFit.facts()+toMeasure.facts(), rows, w.options.Rows) {
			break
		}
	}
	return toFit, toMeasure, nil
}

// hopeless tells whether so few facts in the first rows leave no hope for enough in all of them, were those four times as lucky. Nobody waits for the rest
// then: a graph whose facts have nothing to do with each other would let everyone wait, at every start.
func hopeless(facts, rows, of int) bool { return 4*facts*of < fewest*rows }

// observeGroups looks at some groups of rows: at first steps, and then at what these lead to.
func (d drawing) observeGroups(ctx context.Context, groups int) ([]observations, error) {
	firsts, next := make([]links.Pair, 2*groups), make([]links.Pair, 2*groups)
	counts := make([]float64, 2*groups)
	for i := range firsts {
		firsts[i], counts[i] = d.first()
	}
	seen := make([]observations, groups)
	add := func(i int, p links.Pair, odds links.Odds, e links.Evidence) {
		seen[i/2] = seen[i/2].and(observations{1, d.row(p, odds, e)}.times(counts[i]))
	}
	err := d.eachRow(ctx, firsts, func(i int, odds links.Odds, e links.Evidence) {
		add(i, firsts[i], odds, e)
		switch { // two groups on end are alike, as one is fitted on and one is not
		case i%2 == 0:
			next[i] = d.second(firsts[i])
		case i/4%2 == 0:
			next[i] = d.fromPredicted(firsts[i], odds)
		default:
			next[i] = d.anything(firsts[i])
		}
	})
	if err != nil {
		return nil, err
	}
	return seen, d.eachRow(ctx, next, func(i int, odds links.Odds, e links.Evidence) { add(i, next[i], odds, e) })
}

// eachRow computes rows of the graph that lacks facts.
func (w *world) eachRow(ctx context.Context, pairs []links.Pair, use func(i int, odds links.Odds, e links.Evidence)) error {
	return links.EachOdds(ctx, w.predictor, w.domains, w.ranges, pairs, w.stated(pairs), use)
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
func (w *world) row(p links.Pair, odds links.Odds, evidence links.Evidence) []link {
	w.looked++
	stated, open := w.predictor.Graph.Tails(p.Head, p.Relation), byOdds(odds)
	held := sorted.Difference(nil, w.full.Tails(p.Head, p.Relation), stated)
	isHeld := func(rank int) bool { _, is := slices.BinarySearch(held, open[rank].entity); return is }
	of := func(rank int) link {
		fact := kg.Triple{Head: p.Head, Relation: p.Relation, Tail: open[rank].entity}
		return link{logit: math.Log(float64(open[rank].odds)), evidence: evidence, rank: rank, weight: 1, row: w.looked, inRow: 1, held: isHeld(rank), fact: fact.Stated()}
	}
	var taken []link
	var others []int // ranks: few of thousands become links
	for rank := range open {
		if rank < takenWhole || isHeld(rank) {
			taken = append(taken, of(rank))
		} else {
			others = append(others, rank)
		}
	}
	return append(taken, few(w.random, others, of)...)
}

// tail is one that the model holds possible.
type tail struct {
	entity kg.Entity
	odds   float32
}

// byOdds lists those of a row, the likeliest first, of equal ones the smaller entity.
func byOdds(odds links.Odds) (open []tail) {
	for t, odds := range odds.All() {
		if odds > 0 {
			open = append(open, tail{t, odds})
		}
	}
	slices.SortFunc(open, func(a, b tail) int { return cmp.Or(cmp.Compare(b.odds, a.odds), cmp.Compare(a.entity, b.entity)) })
	return open
}

// few draws some links of a list, each for equally many.
func few[T any](random *rand.Rand, all []T, of func(T) link) (drawn []link) {
	n := min(takenFew, len(all))
	for range n {
		l := of(one(random, all))
		l.weight = float64(len(all)) / float64(n)
		l.inRow = l.weight
		drawn = append(drawn, l)
	}
	return drawn
}
