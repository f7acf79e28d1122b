package eval

import (
	"slices"

	"github.com/lacuna-kg/lacuna/internal/sorted"
	"github.com/lacuna-kg/lacuna/kg"
)

// matcher is one run over a basic graph pattern, level by level of its order. A step that is one
// relation is looked up when the first of its ends has a value: its list waits for
// the level of the other end, where all lists that have arrived there must meet. Methods return
// false to stop.
type matcher struct {
	*pattern
	order *order
	r     row
	lists [][]kg.Entity // by step, of those that have begun and not ended
	yield func(row) bool
}

func (m *matcher) level(depth int) bool {
	if depth == len(m.order.levels) {
		return m.yield(m.r)
	}
	l := &m.order.levels[depth]
	if l.variable >= 0 {
		return m.bindVariable(l, depth)
	}
	return m.match(m.steps[l.step], func() bool { return !m.arrive(&l.arrival) || m.counted(l) && m.level(depth+1) })
}

// bindVariable gives a variable every entity on which the lists agree that have arrived at it.
func (m *matcher) bindVariable(l *level, depth int) bool {
	var few [4][]kg.Entity
	lists := few[:0]
	for _, s := range l.lists {
		lists = append(lists, m.lists[s])
	}
	domain := l.domain
	if l.twins != nil {
		domain = l.twins.find(m, domain)
	}
	if shortest := shortestOf(lists); shortest < 0 || len(domain) < len(lists[shortest]) {
		lists = append(lists, domain)
	}
	if len(lists) > 1 {
		shortest := shortestOf(lists)
		lists[0], lists[shortest] = lists[shortest], lists[0]
	}
	goOn := sorted.Meet(lists, func(at kg.Entity) bool {
		if !m.Spend(1) {
			return false
		}
		m.r[l.variable] = entityNode(at)
		return !m.arrive(&l.arrival) || m.counted(l) && m.level(depth+1)
	})
	m.r[l.variable] = unbound
	return goOn
}

func shortestOf(lists [][]kg.Entity) int {
	shortest := -1
	for i, list := range lists {
		if shortest < 0 || len(list) < len(lists[shortest]) {
			shortest = i
		}
	}
	return shortest
}

// counted notes a row for who wants to see the plan.
func (m *matcher) counted(l *level) bool {
	if l.shown != nil {
		l.shown.Rows++
	}
	return true
}

// arrive looks up what begins at the variables that have just got their values, and tests what
// ends at them; false means that the row leads nowhere.
func (m *matcher) arrive(a *arrival) bool {
	for _, c := range a.checks {
		if !m.stated(c) {
			return false
		}
	}
	for _, f := range a.fetches {
		at, ok := f.from.of(m.r).entity()
		if !ok {
			return false
		}
		list := m.graph.Tails(at, f.relation)
		if len(list) == 0 {
			return false
		}
		m.lists[f.step] = list
	}
	for _, c := range a.conditions {
		if m.conditions[c].holds(m.r) != yes {
			return false
		}
	}
	return m.Err == nil
}

// stated tells whether a plain step holds whose ends have values.
func (m *matcher) stated(s int) bool {
	head, isHead := m.steps[s].subject.of(m.r).entity()
	tail, isTail := m.steps[s].object.of(m.r).entity()
	if !isHead || !isTail {
		return false
	}
	_, found := slices.BinarySearch(m.graph.Tails(head, m.steps[s].forth.relation), tail)
	return found
}

// match runs over all ways to match a step and calls then with each.
func (m *matcher) match(s step, then func() bool) bool {
	if s.forth == nil {
		return m.matchPredicate(s, then)
	}
	return m.matchRoute(s, s.forth, s.back, then)
}

func (m *matcher) matchRoute(s step, forth, back *route, then func() bool) bool {
	subject, object := s.subject.of(m.r), s.object.of(m.r)
	head, isHead := subject.entity()
	tail, isTail := object.entity()
	bind := func(s slot) func(kg.Entity) bool {
		return func(at kg.Entity) bool { return m.bound(s, entityNode(at), then) }
	}
	switch {
	case s.stayWays > 0 && !s.mayStay() && (isHead && m.graph.degree(head) == 0 || isTail && m.graph.degree(tail) == 0):
		return true // a name that no fact has: no node of the graph
	case s.mayStay() && (subject != unbound && !isHead || object != unbound && !isTail):
		return m.matchStaying(s, subject, object, then)
	case subject != unbound && !isHead, object != unbound && !isTail:
		return true
	case isHead && isTail && forth.kind == repetition:
		return !m.reaches(forth, back, head, tail) || m.Err == nil && then()
	case isHead && (!isTail || m.fanOut(forth, head) <= m.fanOut(back, tail)):
		return m.follow(forth, head, bind(s.object))
	case isTail:
		return m.follow(back, tail, bind(s.subject))
	}
	for e := range m.graph.nodes() {
		if s.stayWays > 0 && m.graph.degree(e) == 0 {
			continue
		}
		goOn := m.Spend(1) && m.bound(s.subject, entityNode(e), func() bool {
			if s.loop() && forth.kind == repetition {
				return !m.reaches(forth, back, e, e) || m.Err == nil && then()
			}
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
func (m *matcher) matchStaying(s step, subject, object node, then func() bool) bool {
	at := max(subject, object)
	if subject != unbound && object != unbound && subject != object {
		return true
	}
	for range s.stayWays {
		goOn := m.Spend(1) && m.bound(s.subject, at, func() bool { return m.bound(s.object, at, then) })
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
func (m *matcher) matchPredicate(s step, then func() bool) bool {
	if given := m.r[s.predicate]; given != unbound {
		relation, known := m.relation(given)
		forth := &route{relation: relation, known: known}
		back := &route{relation: relation.Inverse(), known: known}
		return !known || m.matchRelation(s, forth, back, then)
	}
	if head, ok := s.subject.of(m.r).entity(); ok {
		return m.matchEdges(s, head, false, then)
	}
	if tail, ok := s.object.of(m.r).entity(); ok {
		return m.matchEdges(s, tail, true, then)
	}
	if s.subject.of(m.r) != unbound || s.object.of(m.r) != unbound {
		return true // a term that the graph lacks
	}
	for e := range m.graph.nodes() {
		goOn := m.Spend(1) && m.bound(s.subject, entityNode(e), func() bool { return m.matchEdges(s, e, false, then) })
		if !goOn {
			return false
		}
	}
	return true
}

// matchRelation is matchRoute for a single relation, which need not look at every node.
func (m *matcher) matchRelation(s step, forth, back *route, then func() bool) bool {
	if s.subject.of(m.r) != unbound || s.object.of(m.r) != unbound {
		return m.matchRoute(s, forth, back, then)
	}
	for _, e := range m.graph.heads(forth.relation) {
		goOn := m.Spend(1) && m.bound(s.subject, entityNode(e), func() bool {
			return m.follow(forth, e, func(to kg.Entity) bool { return m.bound(s.object, entityNode(to), then) })
		})
		if !goOn {
			return false
		}
	}
	return true
}

// matchEdges matches the triples from a node, or those to it.
func (m *matcher) matchEdges(s step, from kg.Entity, inverse bool, then func() bool) bool {
	end := s.object
	if inverse {
		end = s.subject
	}
	predicate := slot{variable: s.predicate}
	for r, to := range m.graph.edges(from) {
		if !m.Spend(1) {
			return false
		}
		goOn := r.IsInverse() != inverse || m.bound(predicate, m.relationNode(r.Base()), func() bool {
			return m.bound(end, entityNode(to), then)
		})
		if !goOn {
			return false
		}
	}
	return true
}
