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
	denied   bool      // whether it is known to be false
	fact     kg.Triple // itself, read forward; of an answer to a whole question none
	isBack   bool      // by both ends: its row was that of its tail
}

// observations are the links of some rows, and the likeliest of some rows as both their ends see it.
type observations struct {
	rows  int
	links []link
	both  []twice
	asked []twice // the likeliest of cells that were asked for on the graph nearly as it is
}

// times lets links count for as many times as many.
func (o observations) times(n float64) observations {
	for i := range o.links {
		o.links[i].weight *= n
	}
	for i := range o.both {
		o.both[i].ahead.weight *= n
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

// observe looks at rows, every other group for one half. It ends early where there is no hope.
func (w *world) observe(ctx context.Context) (some, others observations, isHopeless bool, err error) {
	d, groups := w.newDrawing(), (w.options.Rows+rowsOfGroup-1)/rowsOfGroup
	if len(d.lacking)+len(d.whole) == 0 { // numbers and dates are all that the graph states
		return some, others, true, nil
	}
	for from := 0; from < groups; from += groupsTogether {
		n := min(groupsTogether, groups-from)
		seen, err := d.observeGroups(ctx, n)
		if err != nil {
			return some, others, false, err
		}
		for i, of := range seen {
			if (from+i)%2 == 0 {
				some = some.and(of)
			} else {
				others = others.and(of)
			}
		}
		rows := min(rowsOfGroup*(from+n), w.options.Rows)
		w.options.Progress(rows, w.options.Rows)
		if from == 0 && hopeless(some.facts()+others.facts(), rows, w.options.Rows) {
			return some, others, true, nil
		}
	}
	return some, others, false, nil
}

// hopeless tells whether so few facts in the first rows leave no hope for enough in all of them, were those four times as lucky. Nobody waits for the rest
// then: a graph whose facts have nothing to do with each other would let everyone wait, at every start.
func hopeless(facts, rows, of int) bool { return 4*facts*of < fewest*rows }

// observeGroups looks at some groups of rows: at first steps, then at what these lead to, and at some of their links from the other end.
func (d drawing) observeGroups(ctx context.Context, groups int) ([]observations, error) {
	firsts, next := make([]links.Pair, 2*groups), make([]links.Pair, 2*groups)
	counts := make([]float64, 2*groups)
	for i := range firsts {
		firsts[i], counts[i] = d.first()
	}
	seen := make([]observations, groups)
	var turned []twice
	var of []int // the first steps that they are of
	err := d.eachRow(ctx, firsts, func(i int, odds links.Odds, e links.Evidence) {
		row := d.row(firsts[i], odds, e)
		if (d.lacks(firsts[i]) || i%4 == 0) && len(row) > 0 { // before its links count for more
			for _, t := range toTurn(row, 1) {
				turned, of = append(turned, t), append(of, i)
			}
		}
		seen[i/2] = seen[i/2].and(observations{rows: 1, links: row}.times(counts[i]))
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
	err = d.eachRow(ctx, next, func(i int, odds links.Odds, e links.Evidence) {
		seen[i/2] = seen[i/2].and(observations{rows: 1, links: d.row(next[i], odds, e)}.times(counts[i]))
	})
	if err != nil {
		return nil, err
	}
	if err := d.turn(ctx, turned); err != nil {
		return nil, err
	}
	for k, i := range of {
		if turned[k].back != nil {
			if !d.lacks(firsts[i]) { // every other one stands for two
				counts[i] *= 2
			}
			seen[i/2] = seen[i/2].and(observations{both: []twice{turned[k]}}.times(counts[i]))
		}
	}
	return seen, nil
}

// eachRow computes rows of the graph that lacks facts.
func (w *world) eachRow(ctx context.Context, pairs []links.Pair, use func(i int, odds links.Odds, e links.Evidence)) error {
	return links.EachOdds(ctx, w.predictor, w.domains, w.ranges, pairs, w.stated(pairs), func(i int, odds links.Odds, e links.Evidence) {
		if w.rooms != nil {
			e.Room = w.rooms.Room(pairs[i], e.Stated)
		}
		use(i, odds, e)
	})
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
	denied := w.predictor.Graph.DeniedTails(p.Head, p.Relation)
	isDenied := func(rank int) bool { _, is := slices.BinarySearch(denied, open[rank].entity); return is }
	of := func(rank int) link {
		fact := kg.Triple{Head: p.Head, Relation: p.Relation, Tail: open[rank].entity}
		return link{logit: math.Log(float64(open[rank].odds)), evidence: evidence.Of(open[rank].entity), rank: rank, weight: 1, row: w.looked, inRow: 1, held: isHeld(rank), denied: isDenied(rank), fact: fact.Stated()}
	}
	var taken []link
	var others []int // ranks: few of thousands become links
	for rank := range open {
		if rank < takenWhole || isHeld(rank) || isDenied(rank) {
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
