package eval

import (
	"iter"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/algebra"
)

// basic matches a basic graph pattern: nested loops over its steps. Which step
// comes next is decided under every row anew, by the number of edges it would have
// to look at, so that no statistics are needed and skewed data does no harm.
func (e *evaluator) basic(b algebra.Basic) operator {
	steps := make([]step, len(b.Triples))
	for i, t := range b.Triples {
		steps[i] = e.step(t)
	}
	return func(in row) iter.Seq[row] {
		return func(yield func(row) bool) {
			m := &matcher{evaluator: e, steps: slices.Clone(steps), r: slices.Clone(in), yield: yield}
			m.extend(0)
		}
	}
}

// matcher holds one run over a basic graph pattern. Its methods return false to stop.
type matcher struct {
	*evaluator
	steps []step // those before the depth at hand are matched
	r     row
	yield func(row) bool
}

func (m *matcher) extend(depth int) bool {
	if depth == len(m.steps) {
		return m.yield(m.r)
	}
	if !m.spend(len(m.steps) - depth) {
		return false
	}
	best, least := depth, m.cost(m.steps[depth])
	for i := depth + 1; i < len(m.steps) && least > 1; i++ {
		if cost := m.cost(m.steps[i]); cost < least {
			best, least = i, cost
		}
	}
	if least == 0 {
		return true
	}
	m.steps[depth], m.steps[best] = m.steps[best], m.steps[depth]
	goOn := m.match(m.steps[depth], depth)
	m.steps[depth], m.steps[best] = m.steps[best], m.steps[depth]
	return goOn
}

// cost estimates how many edges a step looks at under the row; 0 is certain to match nothing.
func (m *matcher) cost(s step) int {
	subject, object := s.subject.of(m.r), s.object.of(m.r)
	head, isHead := subject.entity()
	tail, isTail := object.entity()
	switch {
	case s.mayStay() && (subject != unbound && !isHead || object != unbound && !isTail):
		return 1
	case subject != unbound && !isHead, object != unbound && !isTail:
		return 0
	case s.forth != nil && !s.forth.possible():
		return 0
	case subject != unbound && object != unbound:
		return 1
	case s.forth == nil && isHead:
		return m.graph.degree(head)
	case s.forth == nil && isTail:
		return m.graph.degree(tail)
	case isHead:
		return m.fanOut(s.forth, head)
	case isTail:
		return m.fanOut(s.back, tail)
	}
	return m.graph.numEdges() + 1
}

// match runs over all ways to match a step and goes on to the next depth with each.
func (m *matcher) match(s step, depth int) bool {
	if s.forth == nil {
		return m.matchPredicate(s, depth)
	}
	return m.matchRoute(s, s.forth, s.back, depth)
}

func (m *matcher) matchRoute(s step, forth, back *route, depth int) bool {
	subject, object := s.subject.of(m.r), s.object.of(m.r)
	head, isHead := subject.entity()
	tail, isTail := object.entity()
	bind := func(s slot) func(kg.Entity) bool {
		return func(at kg.Entity) bool {
			return m.bound(s, entityNode(at), func() bool { return m.extend(depth + 1) })
		}
	}
	switch {
	case s.stayWays > 0 && !s.mayStay() && (isHead && m.graph.degree(head) == 0 || isTail && m.graph.degree(tail) == 0):
		return true // a name that no fact has: no node of the graph
	case isHead:
		return m.follow(forth, head, bind(s.object))
	case isTail:
		return m.follow(back, tail, bind(s.subject))
	case subject != unbound || object != unbound:
		return !s.mayStay() || m.matchStaying(s, max(subject, object), depth)
	}
	for e := range m.graph.nodes() {
		if s.stayWays > 0 && m.graph.degree(e) == 0 {
			continue
		}
		goOn := m.spend(1) && m.bound(s.subject, entityNode(e), func() bool {
			return m.follow(forth, e, bind(s.object))
		})
		if !goOn {
			return false
		}
	}
	return true
}

// mayStay tells whether a route may lead from a term that the graph lacks to itself: it does
// where the query names the term (section 18.4), while variables are nodes of the graph.
func (s step) mayStay() bool {
	return s.stayWays > 0 && (s.subject.variable < 0 || s.object.variable < 0)
}

// matchStaying matches a route that takes no step, at a term that the graph lacks.
func (m *matcher) matchStaying(s step, at node, depth int) bool {
	for range s.stayWays {
		goOn := m.bound(s.subject, at, func() bool {
			return m.bound(s.object, at, func() bool { return m.extend(depth + 1) })
		})
		if !goOn {
			return false
		}
	}
	return true
}

// bound gives a slot a value while then runs. A slot that has another value already
// matches nothing, which is no reason to stop.
func (m *matcher) bound(s slot, value node, then func() bool) bool {
	if before := s.of(m.r); before != unbound {
		return before != value || then()
	}
	m.r[s.variable] = value
	goOn := then()
	m.r[s.variable] = unbound
	return goOn
}

// matchPredicate matches a triple whose predicate is a variable.
func (m *matcher) matchPredicate(s step, depth int) bool {
	predicate := slot{variable: s.predicate}
	if given := predicate.of(m.r); given != unbound {
		relation, known := m.relation(given)
		forth := &route{relation: relation, known: known}
		back := &route{relation: relation.Inverse(), known: known}
		return !known || m.matchRoute(s, forth, back, depth)
	}
	edges := func(from kg.Entity, end slot, inverse bool) bool {
		for r, to := range m.graph.edges(from) {
			if !m.spend(1) {
				return false
			}
			goOn := r.IsInverse() != inverse || m.bound(predicate, m.relationNode(r.Base()), func() bool {
				return m.bound(end, entityNode(to), func() bool { return m.extend(depth + 1) })
			})
			if !goOn {
				return false
			}
		}
		return true
	}
	if head, ok := s.subject.of(m.r).entity(); ok {
		return edges(head, s.object, false)
	}
	if tail, ok := s.object.of(m.r).entity(); ok {
		return edges(tail, s.subject, true)
	}
	for e := range m.graph.nodes() {
		goOn := m.spend(1) && m.bound(s.subject, entityNode(e), func() bool { return edges(e, s.object, false) })
		if !goOn {
			return false
		}
	}
	return true
}
