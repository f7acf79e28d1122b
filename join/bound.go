package join

import (
	"encoding/binary"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/query"
)

// unassigned marks the variables of an assignment that have no value yet. No graph has so many entities.
const unassigned = ^kg.Entity(0)

// assignment is the values of the variables so far, by number.
type assignment []kg.Entity

// of is the value of an argument.
func (a assignment) of(x query.Argument) kg.Entity {
	if x.IsVariable {
		return a[x.Variable]
	}
	return x.Entity
}

func (a assignment) complete(vars []int) bool {
	for _, v := range vars {
		if a[v] == unassigned {
			return false
		}
	}
	return true
}

// key writes the values of some variables, to be found by.
func (a assignment) key(vars []int) string { return string(a.appendKey(nil, vars)) }

func (a assignment) appendKey(to []byte, vars []int) []byte {
	for _, v := range vars {
		to = binary.LittleEndian.AppendUint32(to, uint32(a[v]))
	}
	return to
}

// interval is what is known of a truth value.
type interval struct{ low, high float64 }

// exactly is a truth value that is known.
func exactly(x float64) interval { return interval{x, x} }

// bound is what an assignment says of a node, as far as rows and results are there: nothing is
// fetched for it. More values, and more rows, only make it narrower.
func (t *table) bound(n *node, a assignment) interval {
	switch n.kind {
	case linkNode:
		return t.boundLink(n, a)
	case sameNode:
		if !a.complete(n.free) {
			return interval{0, 1}
		}
		return exactly(same(n, a))
	case memberNode:
		if !a.complete(n.free) {
			return interval{0, 1}
		}
		return exactly(n.membership(a.of(n.head)))
	case allNode:
		b := exactly(1)
		for _, part := range n.of {
			x := t.bound(part, a)
			b = interval{t.and(b.low, x.low), t.and(b.high, x.high)}
		}
		return b
	case anyNode:
		b := exactly(0)
		for _, part := range n.of {
			x := t.bound(part, a)
			b = interval{t.or(b.low, x.low), t.or(b.high, x.high)}
		}
		return b
	case noNode:
		if t.bounds {
			return exactly(t.unlessStated(n.of[0], a))
		}
		x := t.bound(n.of[0], a)
		return interval{1 - x.high, 1 - x.low}
	}
	return t.boundSome(n, a)
}

func same(n *node, a assignment) float64 {
	if a.of(n.head) == a.of(n.tail) {
		return 1
	}
	return 0
}

// membership is 1 for what is on the list of a node, and else 0.
func (n *node) membership(e kg.Entity) float64 {
	if _, found := slices.BinarySearch(n.members, e); found {
		return 1
	}
	return 0
}

func (t *table) boundLink(n *node, a assignment) interval {
	head, tail := a.of(n.head), a.of(n.tail)
	if head == unassigned {
		return interval{0, 1}
	}
	pair := links.Pair{Head: head, Relation: n.relation}
	switch {
	case tail != unassigned && t.has(kg.Triple{Head: head, Relation: n.relation, Tail: tail}):
		return exactly(1)
	case t.lacks(pair):
		return interval{0, 1}
	case tail == unassigned:
		return interval{0, max(t.unseen, t.row(pair).highest())}
	}
	return exactly(max(t.unseen, t.row(pair).degree(tail)))
}

// degree is that of a link whose ends have values, and whose row is there unless the graph states it.
func (t *table) degree(n *node, a assignment) float64 {
	fact := kg.Triple{Head: a.of(n.head), Relation: n.relation, Tail: a.of(n.tail)}
	if t.has(fact) {
		return 1
	}
	if t.stated {
		return t.unseen
	}
	return max(t.unseen, t.row(links.Pair{Head: fact.Head, Relation: fact.Relation}).degree(fact.Tail))
}

func (t *table) boundSome(n *node, a assignment) interval {
	if a.complete(n.free) {
		if x, known := n.memo[a.key(n.free)]; known {
			return exactly(x)
		}
	}
	return interval{0, t.bound(n.of[0], a).high}
}

// needs collects the rows that the truth of a node needs, under an assignment of all its free
// variables; what is in an ∃ its own search fetches.
func (t *table) needs(to []wanted, n *node, a assignment, degree float64) []wanted {
	switch n.kind {
	case linkNode:
		pair := links.Pair{Head: a.of(n.head), Relation: n.relation}
		if t.lacks(pair) && !t.has(kg.Triple{Head: pair.Head, Relation: n.relation, Tail: a.of(n.tail)}) {
			to = append(to, wanted{pair: pair, degree: degree, isGiven: !n.head.IsVariable})
		}
	case noNode:
		if !t.bounds {
			to = t.needs(to, n.of[0], a, degree)
		}
	case allNode, anyNode:
		for _, part := range n.of {
			to = t.needs(to, part, a, degree)
		}
	}
	return to
}

// unlessStated is 0 for what is certain, and 1 for what is not: a bound of its negation.
func (t *table) unlessStated(n *node, a assignment) float64 {
	certain := false
	switch {
	case !a.complete(n.free):
	case n.kind == linkNode:
		certain = t.has(kg.Triple{Head: a.of(n.head), Relation: n.relation, Tail: a.of(n.tail)})
	case n.kind == sameNode:
		certain = same(n, a) == 1
	case n.kind == memberNode:
		certain = n.membership(a.of(n.head)) == 1
	}
	if certain {
		return 0
	}
	return 1
}

// truth is that of a node under an assignment of all its free variables.
func (s *search) truth(n *node, a assignment, degree float64) (float64, error) {
	if err := s.fetch(s.needs(nil, n, a, degree)); err != nil {
		return 0, err
	}
	return s.evaluate(n, a)
}

// evaluate is truth where the rows are there.
func (s *search) evaluate(n *node, a assignment) (float64, error) {
	switch n.kind {
	case allNode, anyNode:
		return s.evaluateParts(n, a)
	case noNode:
		if s.bounds {
			return s.unlessStated(n.of[0], a), nil
		}
		x, err := s.evaluate(n.of[0], a)
		return 1 - x, err
	case someNode:
		return s.best(n, a)
	case sameNode:
		return same(n, a), nil
	case memberNode:
		return n.membership(a.of(n.head)), nil
	}
	return s.degree(n, a), nil
}

func (s *search) evaluateParts(n *node, a assignment) (float64, error) {
	isAll := n.kind == allNode
	x, last := 0.0, 1.0
	if isAll {
		x, last = 1, 0
	}
	for _, part := range n.of {
		y, err := s.evaluate(part, a)
		if err != nil {
			return 0, err
		}
		if isAll {
			x = s.and(x, y)
		} else {
			x = s.or(x, y)
		}
		if x == last { // whatever follows
			break
		}
	}
	return x, nil
}

// best is the truth of an ∃: the degree of the best derivation of its variables.
func (s *search) best(n *node, a assignment) (float64, error) {
	key := a.key(n.free)
	if x, known := n.memo[key]; known {
		return x, nil
	}
	defer s.inside(s.current)()
	inside := newSearch(s.table, s.form, n, nil, a)
	found, err := inside.next()
	if err != nil {
		return 0, err
	}
	x := 0.0
	if found != nil {
		x = found.done
	}
	n.memo[key] = x
	return x, nil
}
