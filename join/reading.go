package join

import (
	"cmp"
	"slices"

	"github.com/lacuna-kg/lacuna/query"
)

// A link between two variables can be read from either end, and its probability differs: a model
// gives the tails of a head. The end it is read from is fixed by the question alone, so that an answer is as
// likely however the search goes. As in a tree, what leads from the given entities to the answers is
// read towards the answers; what hangs on the answers, or on the way to them, without a given entity of its own is read away from
// them. So there is one order of all variables, and a link is read from the earlier end.

// far is a distance beyond all others.
const far = 1 << 30

// reading ranks the variables of a question: a link is read from the one of lower rank.
type reading struct {
	q          *query.Normal
	neighbours [][]int // by variable
	anchored   []bool  // linked with a given entity, or equal to it
}

// ranksOf gives the rank of each variable.
func ranksOf(q *query.Normal) []int {
	r := reading{q, make([][]int, len(q.Variables)), make([]bool, len(q.Variables))}
	r.visit(q.Body)
	fromAnswers := r.distances(func(v int) bool { return v < q.Answers }, func(int) bool { return true })
	fromGiven := r.distances(func(v int) bool { return r.anchored[v] }, func(int) bool { return true })
	// What lies beyond an answer is not on the way to it, and neither is what only hangs on a variable.
	isInner := func(v int) bool { return v >= q.Answers }
	hangs := r.hanging()
	grounded := r.distances(func(v int) bool { return isInner(v) && r.anchored[v] }, func(v int) bool { return isInner(v) && !hangs[v] })
	key := func(v int) [3]int {
		switch {
		case !isInner(v):
			return [3]int{1, fromGiven[v], v}
		case grounded[v] < far:
			return [3]int{0, -fromAnswers[v], fromGiven[v]}
		}
		return [3]int{2, fromAnswers[v], v}
	}
	order := make([]int, len(q.Variables))
	for v := range order {
		order[v] = v
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := key(a), key(b)
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]), cmp.Compare(x[2], y[2]))
	})
	ranks := make([]int, len(order))
	for rank, v := range order {
		ranks[v] = rank
	}
	return ranks
}

// hanging tells which variables lead from no given entity to another variable: they, or all beyond them, are linked with one variable alone.
func (r *reading) hanging() []bool {
	hangs := make([]bool, len(r.neighbours))
	for changed := true; changed; {
		changed = false
		for v := range hangs {
			if !hangs[v] && v >= r.q.Answers && !r.anchored[v] && r.others(v, hangs) <= 1 {
				hangs[v], changed = true, true
			}
		}
	}
	return hangs
}

// others counts the variables that one is linked with, without itself and those that hang on it.
func (r *reading) others(v int, hangs []bool) int {
	n := 0
	for i, w := range r.neighbours[v] {
		if w != v && !hangs[w] && !slices.Contains(r.neighbours[v][:i], w) {
			n++
		}
	}
	return n
}

// visit collects who is linked with whom, whatever negates it.
func (r *reading) visit(c query.Condition) {
	if of := query.Arguments(c); len(of) == 2 {
		a, b := of[0], of[1]
		switch {
		case a.IsVariable && b.IsVariable:
			r.neighbours[a.Variable] = append(r.neighbours[a.Variable], b.Variable)
			r.neighbours[b.Variable] = append(r.neighbours[b.Variable], a.Variable)
		case a.IsVariable:
			r.anchored[a.Variable] = true
		case b.IsVariable:
			r.anchored[b.Variable] = true
		}
	}
	for _, part := range query.Parts(c) {
		r.visit(part)
	}
}

// distances are the links between each variable and the nearest that isStart, by way of those that may be entered.
func (r *reading) distances(isStart, enters func(int) bool) []int {
	distance := make([]int, len(r.neighbours))
	var queue []int
	for v := range distance {
		if distance[v] = far; isStart(v) {
			distance[v] = 0
			queue = append(queue, v)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, next := range r.neighbours[queue[0]] {
			if distance[next] == far && enters(next) {
				distance[next] = distance[queue[0]] + 1
				queue = append(queue, next)
			}
		}
	}
	return distance
}
