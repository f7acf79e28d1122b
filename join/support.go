package join

import (
	"slices"

	"github.com/lacuna-kg/lacuna/internal/sorted"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// wantsOf collects the rows that generators need.
func (t *table) wantsOf(to []wanted, l level, a assignment, degree float64) []wanted {
	for _, n := range l.generators {
		if n.kind == linkNode {
			if p := generatorPair(n, l.variable, a); t.lacks(p) {
				to = append(to, wanted{pair: p, degree: degree, isGiven: len(n.free) == 1})
			}
		}
	}
	return to
}

// generatorPair is the row that gives the values of v.
func generatorPair(n *node, v int, a assignment) links.Pair {
	if is(n.tail, v) {
		return links.Pair{Head: a.of(n.head), Relation: n.relation}
	}
	return links.Pair{Head: a.of(n.tail), Relation: n.relation.Inverse()}
}

// generated gives the values of a variable by its generators, each of the degree by all of them.
func (t *table) generated(l level, a assignment) candidates {
	var rows []*row
	for _, n := range l.generators {
		if n.kind == sameNode {
			return t.equated(l, a, n)
		}
		if n.kind == memberNode {
			rows = append(rows, newRow(links.Row{Stated: n.members}))
			continue
		}
		rows = append(rows, t.row(generatorPair(n, l.variable, a)))
	}
	if t.unseen > 0 {
		return t.mentioned(rows)
	}
	if len(rows) == 1 {
		rows[0].sort()
		return candidates{sure: rows[0].Stated, others: rows[0].Tails, degrees: rows[0].Probabilities}
	}
	return t.met(rows)
}

// equated gives the one value that an equation leaves, if the other generators have it.
func (t *table) equated(l level, a assignment, equation *node) candidates {
	value := a.of(equation.head)
	if is(equation.head, l.variable) {
		value = a.of(equation.tail)
	}
	degree := 1.0
	for _, n := range l.generators {
		switch n.kind {
		case linkNode:
			degree = t.and(degree, max(t.unseen, t.row(generatorPair(n, l.variable, a)).degree(value)))
		case memberNode:
			degree = t.and(degree, n.membership(value))
		default:
			if other := a.of(n.head); other != value && !is(n.head, l.variable) || is(n.head, l.variable) && a.of(n.tail) != value {
				degree = 0
			}
		}
	}
	if degree == 0 {
		return candidates{}
	}
	return newCandidates([]member{{value, degree}})
}

// met gives the entities where rows meet.
func (t *table) met(rows []*row) candidates {
	slices.SortStableFunc(rows, func(a, b *row) int { return a.len() - b.len() })
	if !slices.ContainsFunc(rows, func(r *row) bool { return len(r.Tails) > 0 }) {
		return candidates{sure: statedByAll(rows)}
	}
	met := &t.gathered
	others := cursors(rows[1:])
	for _, e := range rows[0].Stated {
		met.add(e, t.andAll(1, others, e))
	}
	few := rows[0].byTail()
	others = cursors(rows[1:])
	for i, e := range few.tails {
		met.add(e, t.andAll(float64(few.probabilities[i]), others, e))
	}
	return met.candidates()
}

// statedByAll are the entities that all rows state, the shortest of which comes first.
func statedByAll(rows []*row) (all []kg.Entity) {
	lists := make([][]kg.Entity, len(rows))
	for i, r := range rows {
		lists[i] = r.Stated
	}
	sorted.Meet(lists, func(e kg.Entity) bool { all = append(all, e); return true })
	return all
}

// mentioned gives the entities that any of some rows has, where links that are left out count.
func (t *table) mentioned(rows []*row) candidates {
	var all []kg.Entity
	for _, r := range rows {
		all = append(append(all, r.Stated...), r.Tails...)
	}
	if len(all) == 0 {
		all = []kg.Entity{0} // it stands for all
	}
	slices.Sort(all)
	gathered := &t.gathered
	of := cursors(rows)
	for _, e := range slices.Compact(all) {
		degree := 1.0
		for i := range of {
			degree = t.and(degree, max(t.unseen, of[i].degree(e)))
		}
		gathered.add(e, degree)
	}
	return gathered.candidates()
}

func cursors(rows []*row) []cursor {
	all := make([]cursor, len(rows))
	for i, r := range rows {
		all[i] = r.cursor()
	}
	return all
}

// andAll is a degree together with those that rows give an entity.
func (t *table) andAll(degree float64, rows []cursor, e kg.Entity) float64 {
	for i := range rows {
		if degree = t.and(degree, rows[i].degree(e)); degree == 0 {
			break
		}
	}
	return degree
}

// supported gives the values of a variable that no generator gives: those of a condition that
// bounds it, or of the relations that are stated of it. Their degrees are bounds. The conjunct
// that bounds them, if it is one, is given too.
func (s *search) supported(l *level, a assignment, bound float64) (candidates, *node, error) {
	for _, n := range append(slices.Clone(l.rest), l.pending...) {
		if n.kind != anyNode || !slices.Contains(n.free, l.variable) {
			continue
		}
		members, bounded, err := s.alternatives(n, l.variable, a)
		if err != nil {
			return candidates{}, nil, err
		}
		if bounded {
			return newCandidates(members), n, nil
		}
	}
	tries, err := s.starts(l, bound)
	return tries, nil, err
}

// alternatives are the values that an ∨ leaves a variable: those of any of its cases.
func (s *search) alternatives(n *node, v int, a assignment) ([]member, bool, error) {
	degrees := map[kg.Entity]float64{}
	for _, part := range n.of {
		if !slices.Contains(part.free, v) || !bounds(part, v) {
			return nil, false, nil
		}
		members, err := s.list(part, v, a)
		if err != nil {
			return nil, false, err
		}
		for _, m := range members {
			degrees[m.entity] = s.or(degrees[m.entity], m.degree)
		}
	}
	members := make([]member, 0, len(degrees))
	for e, x := range degrees {
		members = append(members, member{e, x})
	}
	return members, true, nil
}

// bounds tells whether a node can give the values of v at all.
func bounds(n *node, v int) bool {
	switch n.kind {
	case linkNode, sameNode, memberNode:
		return slices.Contains(n.free, v)
	case noNode:
		return false
	case anyNode:
		return !slices.ContainsFunc(n.of, func(part *node) bool { return !bounds(part, v) })
	}
	return slices.ContainsFunc(n.of, func(part *node) bool { return bounds(part, v) })
}

// list finds the values of v that a node allows, whatever the other variables are that have none
// yet: a search of its own.
func (s *search) list(n *node, v int, a assignment) ([]member, error) {
	given := slices.DeleteFunc(slices.Clone(n.free), func(w int) bool { return a[w] == unassigned })
	key := string(rune(v)) + a.key(given)
	if members, known := n.lists[key]; known {
		return members, nil
	}
	defer s.inside(s.current)()
	inside := newSearch(s.table, s.form, newSome(nil, n), []int{v}, a)
	var members []member
	for {
		found, err := inside.next()
		if err != nil {
			return nil, err
		}
		if found == nil {
			break
		}
		members = append(members, member{found.values[v], found.done})
	}
	if n.lists == nil {
		n.lists = map[string][]member{}
	}
	n.lists[key] = members
	return members, nil
}
