package join

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/pace"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// errStopped ends a search that met one of its bounds.
var errStopped = errors.New("a bound of the search was met")

// table holds the rows that the searches of a question have seen, and keeps the bounds that they share.
type table struct {
	ctx       context.Context
	rows      *links.Rows
	graph     *kg.Graph
	logic     fuzzy.Logic
	follow    links.Follow
	least     float64
	unseen    float64              // what a link counts that its row leaves out
	start     float64              // the least probability of a link to start from
	stated    bool                 // nothing is predicted
	without   func(kg.Triple) bool // facts, forwards, that do not count; nil for none, and where something is predicted
	bounds    bool                 // degrees are bounds of what both ends of a link say
	rowOf     map[links.Pair]*row
	left      map[kg.Relation]int // how many more rows of a relation may be followed
	lacking   map[kg.Relation]int // and of these, such that a file lacks
	computed  int                 // how many more of any relation may be computed
	starts    map[int]int         // by variable: entities that it did not start from, the most of any search
	heads     map[kg.Relation][]kg.Entity
	filed     map[kg.Relation]bool // whether a file has rows of it
	estimates map[kg.Relation]estimate
	gathered  gathering // for one variable after the other
	cut       Cut
	outer     float64 // the bound of the beginning that an inner search runs for; 0 outside of any
	steps     int
	most      int
	end       time.Time // zero without
	compute   time.Time // until then rows are computed; zero without an end
}

// member is an entity with a degree.
type member struct {
	entity kg.Entity
	degree float64
}

func newTable(rows *links.Rows, o Options) *table {
	t := &table{
		rows: rows, graph: rows.Graph(), logic: o.Logic, least: o.Least, unseen: o.Unseen, start: cmp.Or(o.Start, DefaultStart), stated: !rows.Predicts(), bounds: o.Bounds, most: cmp.Or(o.Steps, DefaultSteps),
		follow: links.NewExecutor(rows, o.Follow).Follow(), rowOf: map[links.Pair]*row{},
		left: map[kg.Relation]int{}, lacking: map[kg.Relation]int{}, heads: map[kg.Relation][]kg.Entity{}, filed: map[kg.Relation]bool{}, starts: map[int]int{},
		estimates: map[kg.Relation]estimate{},
	}
	t.compute = o.ComputeUntil
	if o.Time > 0 {
		t.end = time.Now().Add(o.Time)
	}
	return t
}

// followedStarts is how many times as many rows as elsewhere are followed from the entities that a search starts from: there
// nothing given says which of them matter.
const followedStarts = 4

// computedLinks bounds the rows that are computed for a question of many links: so many times as many as are followed for each. On a CPU that is
// some two seconds; the likeliest beginnings come first.
const computedLinks = 6

// expect allows for the rows of all links of a question.
func (t *table) expect(n *node) {
	if t.computed = computedLinks * t.follow.Most; t.follow.Most >= t.graph.NumEntities() {
		t.computed = math.MaxInt // all are wanted
	}
	led := map[int]bool{} // the variables that a link leads to
	n.eachLink(func(link *node) {
		led[link.tail.Variable] = led[link.tail.Variable] || link.tail.IsVariable && link.head != link.tail
	})
	n.eachLink(func(link *node) {
		t.left[link.relation] += t.follow.Most
		if link.head.IsVariable && !led[link.head.Variable] { // the search starts from it
			t.left[link.relation] += (followedStarts - 1) * t.follow.Most
		}
		t.lacking[link.relation] += t.follow.Lacking
	})
}

// step counts a step of a search and ends it where a bound is met.
func (t *table) step() error {
	t.steps++
	if t.steps%256 == 0 {
		pace.Rest(t.ctx) // a step holds nothing
		if err := kg.Stopped(t.ctx); err != nil {
			return err
		}
		if !t.end.IsZero() && time.Now().After(t.end) {
			t.cut.Stopped = "time"
			return errStopped
		}
	}
	if t.steps > t.most {
		t.cut.Stopped = "steps"
		return errStopped
	}
	return nil
}

// wanted is a row that is needed, and the degree of what needs it.
type wanted struct {
	pair    links.Pair
	degree  float64
	isGiven bool // it is that of an entity of the question
	isAhead bool // it will be needed later
}

// lacks tells whether a row is not here yet, or only for want of somebody who is likely enough to follow it.
func (t *table) lacks(p links.Pair) bool {
	if t.stated {
		return false
	}
	r := t.rowOf[p]
	return r == nil || r.isFaint
}

// isFaint tells whether what needs a row is too unlikely for its predictions to be followed.
func (t *table) isFaint(w wanted) bool { return w.degree < float64(t.follow.Weight) }

// fetch gets rows together. Those beyond the bounds have what is stated, or what a file has of them from the other end, and the cut says so; but of
// those that will be needed later nothing is settled yet, as somebody likelier may come first.
func (t *table) fetch(all []wanted) error {
	var pairs []links.Pair
	for _, w := range all {
		switch {
		case !t.lacks(w.pair):
		case t.allows(w):
			t.count(w.pair)
			pairs = append(pairs, w.pair)
		case !w.isAhead:
			if err := t.leaveRow(w); err != nil {
				return err
			}
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	rows, err := t.rows.Get(t.ctx, pairs)
	if err != nil {
		return err
	}
	for i, p := range pairs {
		t.rowOf[p] = newRow(t.bounding(rows[i]))
	}
	return nil
}

// bounding is a row whose probabilities bound what both ends of its links say, where that is wanted.
func (t *table) bounding(row links.Row) links.Row {
	if !t.bounds {
		return row
	}
	probabilities := make([]float32, len(row.Probabilities)) // rows are shared
	for i, p := range row.Probabilities {
		probabilities[i] = links.Highest(p)
	}
	row.Probabilities = probabilities
	return row
}

// leaveRow leaves the predictions of a row out, for good unless what needs it is too unlikely: somebody likelier may still follow it.
func (t *table) leaveRow(w wanted) error {
	if t.rowOf[w.pair] != nil { // it is left out already
		t.leave(0, w.degree)
		t.rowOf[w.pair].isFaint = t.isFaint(w)
		return nil
	}
	t.leave(1, w.degree)
	row, err := t.unfollowed(w.pair)
	if err != nil {
		return err
	}
	row.isFaint = t.isFaint(w)
	t.rowOf[w.pair] = row
	return nil
}

// unfollowed is what there is of a row that is not followed: what a file has of it from the other end, or what is stated.
func (t *table) unfollowed(p links.Pair) (*row, error) {
	if !t.rows.Lacks(p) {
		return t.statedRow(p), nil
	}
	turned, err := t.rows.Turned(p)
	return newRow(turned), err
}

// leave notes rows that are left out, and the bound of what they could have come to. In the search of an ∃
// or of an alternative that is only a part of the answer, whose own bound counts.
func (t *table) leave(rows int, bound float64) {
	if t.outer > 0 {
		bound = t.outer
	}
	t.cut.LeftOut += rows
	t.cut.Likeliest = max(t.cut.Likeliest, bound)
}

// leaveStarts notes entities that a variable is not tried with. A search within another begins again and again with the same ones, which count once.
func (t *table) leaveStarts(variable, entities int, bound float64) {
	more := max(0, entities-t.starts[variable])
	t.starts[variable] += more
	t.leave(more, bound)
}

// inside tells the table that a search within another begins, and gives what ends it.
func (t *table) inside(bound float64) func() {
	before := t.outer
	if before == 0 {
		t.outer = bound
	}
	return func() { t.outer = before }
}

// allows tells whether one more row of a relation may be followed.
func (t *table) allows(w wanted) bool {
	r := w.pair.Relation
	switch {
	case t.isFaint(w) || t.left[r] <= 0 || t.rows.Computes(w.pair) && (t.computed <= 0 || t.isLate(w.pair)):
		return false
	case t.rows.Lacks(w.pair) && (t.lacking[r] <= 0 || t.follow.Sparing() && t.inFile(r) && !w.isGiven):
		return false
	}
	return true
}

// count takes a row that is followed off what may still be, and off what was left out.
func (t *table) count(p links.Pair) {
	if t.rowOf[p] != nil {
		t.cut.LeftOut--
	}
	t.rowOf[p] = t.statedRow(p) // so that nobody asks for it a second time
	t.left[p.Relation]--
	if t.rows.Lacks(p) {
		t.lacking[p.Relation]--
	}
	if t.rows.Computes(p) {
		t.computed--
	}
}

// computesAny tells whether the model will be asked for one of some rows.
func (t *table) computesAny(all []wanted) bool {
	return slices.ContainsFunc(all, func(w wanted) bool { return t.rows.Computes(w.pair) && t.allows(w) })
}

// isLate tells whether a row would have to be computed when it is too late for that.
func (t *table) isLate(p links.Pair) bool {
	return !t.compute.IsZero() && time.Now().After(t.compute) && !t.rows.Keeps(p)
}

// inFile tells whether a file has the rows of a relation: it was made for all entities that the relation is stated of, or for none.
func (t *table) inFile(r kg.Relation) bool {
	has, known := t.filed[r]
	if !known {
		heads := t.headsOf(r)
		has = len(heads) > 0 && !t.rows.Lacks(links.Pair{Head: heads[0], Relation: r})
		t.filed[r] = has
	}
	return has
}

// row gives a row that is here.
func (t *table) row(p links.Pair) *row {
	if t.stated {
		return t.statedRow(p)
	}
	return t.rowOf[p]
}

// statedRow is a row of what is stated alone.
func (t *table) statedRow(p links.Pair) *row {
	tails := t.graph.Tails(p.Head, p.Relation)
	if t.without != nil {
		tails = slices.DeleteFunc(slices.Clone(tails), func(e kg.Entity) bool {
			return t.without(kg.Triple{Head: p.Head, Relation: p.Relation, Tail: e}.Stated())
		})
	}
	return &row{Row: links.Row{Stated: tails}}
}

// has tells whether a fact is stated and counts.
func (t *table) has(fact kg.Triple) bool {
	return t.graph.Has(fact) && (t.without == nil || !t.without(fact.Stated()))
}

func (t *table) and(x, y float64) float64 { return plain.Apply(t.logic.Norm, kernel.And, x, y) }
func (t *table) or(x, y float64) float64  { return plain.Apply(t.logic.Norm, kernel.Or, x, y) }

// headsOf are the entities that the graph states a relation from, ascending.
func (t *table) headsOf(r kg.Relation) []kg.Entity {
	if heads, known := t.heads[r]; known {
		return heads
	}
	var heads []kg.Entity
	for e := range kg.Entity(t.graph.NumEntities()) {
		if len(t.graph.Tails(e, r)) > 0 {
			heads = append(heads, e)
		}
	}
	t.heads[r] = heads
	return heads
}
