package join

import (
	"cmp"
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// levels is how the variables of an ∃ are searched for, one after the other, and which
// conditions are decided with each.
type levels struct {
	start []*node // what needs none of them
	of    []level
}

// level assigns a variable.
type level struct {
	variable int
	// generators are links, equations and lists that give the values of the variable; they are decided by it.
	generators []*node
	rest       []*node // what else is decided by it
	pending    []*node // what is still open after it
	frontier   []int   // the variables so far that something open speaks of, or that answer
	decided    bool    // all answers have values
	distinct   bool    // no two beginnings have the same values for the frontier
	// isProjected: the generators decide all that speaks of the variable, so that of its values only the likeliest counts.
	isProjected bool
	started     *started // what the variable starts from, once somebody asked
}

// planner orders the variables of a search: greedily, the one that is expected to have the fewest
// values next. Where links are predicted, a variable comes after all that its links are read
// from, so that it is where their rows meet.
type planner struct {
	*table
	ranks     []int
	conjuncts []*node
	assigned  map[int]bool
}

// plan orders the given variables, all others having values, to find the values of some, the answers.
func (t *table) plan(ranks []int, conjuncts []*node, vars, answers []int) *levels {
	p := planner{t, ranks, conjuncts, map[int]bool{}}
	for _, c := range conjuncts {
		for _, v := range c.free {
			p.assigned[v] = true
		}
	}
	for _, v := range vars {
		delete(p.assigned, v)
	}
	l := &levels{}
	open := conjuncts
	l.start, open = p.split(open)
	for left := slices.Clone(vars); len(left) > 0; {
		v := p.cheapest(left)
		left = slices.DeleteFunc(left, func(w int) bool { return w == v })
		next := level{variable: v}
		for _, c := range open {
			if p.generates(c, v) {
				next.generators = append(next.generators, c)
			}
		}
		p.assigned[v] = true
		next.rest, open = p.split(open)
		next.rest = slices.DeleteFunc(next.rest, func(c *node) bool { return slices.Contains(next.generators, c) })
		next.pending = open
		l.of = append(l.of, next)
		p.finish(&l.of[len(l.of)-1], l.of, answers)
	}
	return l
}

// split parts conditions into those whose variables all have values and the others.
func (p planner) split(open []*node) (decided, rest []*node) {
	for _, c := range open {
		if slices.ContainsFunc(c.free, func(v int) bool { return !p.assigned[v] }) {
			rest = append(rest, c)
		} else {
			decided = append(decided, c)
		}
	}
	return decided, rest
}

// finish says what of the levels so far is still of interest.
func (p planner) finish(last *level, sofar []level, answers []int) {
	last.decided = true
	for _, v := range answers {
		last.decided = last.decided && p.assigned[v]
	}
	for _, l := range sofar {
		v := l.variable
		if slices.Contains(answers, v) || slices.ContainsFunc(last.pending, func(c *node) bool { return slices.Contains(c.free, v) }) {
			last.frontier = append(last.frontier, v)
		}
	}
	last.distinct = len(last.frontier) == len(sofar)
	last.isProjected = len(last.generators) > 0 && len(last.rest) == 0 && !slices.Contains(last.frontier, last.variable)
}

// generates tells whether a condition gives the values of v, with what is assigned.
func (p planner) generates(c *node, v int) bool {
	if c.kind == memberNode {
		return is(c.head, v) && p.unseen == 0 // rows that leave links out do not meet a list
	}
	if c.kind != linkNode && c.kind != sameNode || len(c.free) == 0 || is(c.head, v) && is(c.tail, v) {
		return false
	}
	switch {
	case is(c.tail, v):
		return p.has(c.head)
	case is(c.head, v):
		return p.has(c.tail) && (p.stated || c.kind == sameNode) // a predicted link is read from its head
	}
	return false
}

func (p planner) has(a query.Argument) bool { return !a.IsVariable || p.assigned[a.Variable] }

// cheapest is the variable to assign next.
func (p planner) cheapest(left []int) int {
	best, lowest := -1, 0.0
	for _, v := range left {
		if !p.stated && p.waits(v, left) {
			continue
		}
		if cost := p.cost(v); best < 0 || cost < lowest || cost == lowest && p.ranks[v] < p.ranks[best] {
			best, lowest = v, cost
		}
	}
	return best
}

// waits tells whether a link to v is read from a variable that has no value yet.
func (p planner) waits(v int, left []int) bool {
	return slices.ContainsFunc(p.conjuncts, func(c *node) bool {
		return c.kind == linkNode && is(c.tail, v) && !is(c.head, v) && c.head.IsVariable && slices.Contains(left, c.head.Variable)
	})
}

// cost estimates how many values v has.
func (p planner) cost(v int) float64 {
	entities := float64(p.graph.NumEntities())
	few, share, generators := entities, 1.0, 0
	for _, c := range p.conjuncts {
		if p.generates(c, v) {
			values := p.values(c, v)
			few, share = min(few, values), share*math.Sqrt(min(1, values/entities))
			generators++
		}
	}
	if generators > 0 { // where several meet, fewer are left
		return few * share / math.Sqrt(min(1, few/entities))
	}
	for _, c := range p.conjuncts { // it would start from all that a relation is stated of
		if c.kind == linkNode && slices.Contains(c.free, v) {
			few = min(few, p.estimate(role(c, v)).heads)
		}
	}
	return few + float64(p.graph.NumEntities())
}

// role is the relation of a link as it goes from v.
func role(c *node, v int) kg.Relation {
	if is(c.head, v) {
		return c.relation
	}
	return c.relation.Inverse()
}

// values estimates how many values a condition gives v.
func (p planner) values(c *node, v int) float64 {
	if c.kind == sameNode {
		return 1
	}
	if c.kind == memberNode {
		return float64(len(c.members))
	}
	from, relation := c.head, c.relation
	if is(c.head, v) {
		from, relation = c.tail, c.relation.Inverse()
	}
	if !from.IsVariable {
		return float64(len(p.graph.Tails(from.Entity, relation)))
	}
	return p.estimate(relation).tails
}

// estimate is how many entities a relation is stated from, and of how many it is to, on average.
type estimate struct{ heads, tails float64 }

// estimate looks at some of the entities.
func (t *table) estimate(r kg.Relation) estimate {
	if e, known := t.estimates[r]; known {
		return e
	}
	const looks = 128
	entities := t.graph.NumEntities()
	heads, tails, looked := 0, 0, 0
	for e := 0; e < entities; e += max(1, entities/looks) {
		n := len(t.graph.Tails(kg.Entity(e), r))
		heads, tails, looked = heads+min(n, 1), tails+n, looked+1
	}
	of := estimate{float64(heads) * float64(entities) / float64(max(1, looked)), float64(tails) / float64(max(1, heads))}
	t.estimates[r] = of
	return of
}

// byDegree sorts the likeliest first, equal ones by id.
func byDegree(a, b member) int {
	return cmp.Or(cmp.Compare(b.degree, a.degree), cmp.Compare(a.entity, b.entity))
}
