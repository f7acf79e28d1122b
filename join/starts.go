package join

import (
	"cmp"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/sorted"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// started is the entities that a search begins with for a variable, and how many it leaves out.
type started struct {
	tries candidates
	left  int
}

// starts are the entities that a search begins with where nothing that has a value leads to
// a variable: those of which the rarest of its relations is stated, those with the most facts of it first, as they are likelier to have
// another, and, where links are predicted, those of which it is predicted with at least a stated probability. They are the same for all beginnings.
func (s *search) starts(l *level, bound float64) (candidates, error) {
	if l.started == nil {
		found, err := s.findStarts(l)
		if err != nil {
			return candidates{}, err
		}
		l.started = &found
	}
	if l.started.left > 0 {
		s.leaveStarts(l.variable, l.started.left, bound)
	}
	return l.started.tries, nil
}

func (s *search) findStarts(l *level) (started, error) {
	conditions := slices.Concat(l.rest, l.pending)
	stated, bounded := s.statedOf(conditions, l.variable)
	entities := s.graph.NumEntities()
	switch {
	case s.stated && bounded:
		return started{tries: candidates{sure: stated}}, nil
	case !bounded || s.follow.Most >= entities: // all, those that something is stated of first
		return started{tries: candidates{sure: append(slices.Clone(stated), s.others(stated)...)}}, nil
	}
	chosen := slices.Clone(stated)
	if r, ok := s.rarest(conditions, l.variable); ok {
		slices.SortStableFunc(chosen, func(a, b kg.Entity) int { return cmp.Compare(len(s.graph.Tails(b, r)), len(s.graph.Tails(a, r))) })
		predicted, err := s.predictedHeads(r, stated)
		if err != nil {
			return started{}, err
		}
		chosen = append(chosen, predicted...)
	}
	return started{candidates{sure: chosen}, max(0, entities-len(chosen))}, nil
}

// others are the entities that are not in a list, ascending.
func (t *table) others(than []kg.Entity) []kg.Entity {
	var all []kg.Entity
	for e := range kg.Entity(t.graph.NumEntities()) {
		if _, found := slices.BinarySearch(than, e); !found {
			all = append(all, e)
		}
	}
	return all
}

// rarest is the relation from v, of those of which links have to be there, that is stated of the fewest entities.
func (t *table) rarest(of []*node, v int) (rarest kg.Relation, found bool) {
	fewest := 0
	for _, n := range of {
		if n.kind != linkNode || !slices.Contains(n.free, v) {
			continue
		}
		if r := role(n, v); !found || len(t.headsOf(r)) < fewest {
			rarest, found, fewest = r, true, len(t.headsOf(r))
		}
	}
	return rarest, found
}

// predictedHeads are the entities, beside those that are stated, that a relation is predicted to go from with at least the
// probability of a start: read from the other end, over the tails that it is stated to lead to most often.
func (t *table) predictedHeads(r kg.Relation, stated []kg.Entity) ([]kg.Entity, error) {
	back := r.Inverse()
	tails := slices.Clone(t.headsOf(back))
	slices.SortStableFunc(tails, func(a, b kg.Entity) int { return cmp.Compare(len(t.graph.Tails(b, back)), len(t.graph.Tails(a, back))) })
	var pairs []links.Pair
	for _, e := range tails[:min(len(tails), t.follow.Most)] {
		if p := (links.Pair{Head: e, Relation: back}); !t.rows.Lacks(p) || len(pairs) < t.follow.Lacking {
			pairs = append(pairs, p)
		}
	}
	rows, err := t.rows.Get(t.ctx, pairs)
	if err != nil {
		return nil, err
	}
	best := map[kg.Entity]float32{}
	for _, row := range rows {
		for i, h := range row.Tails {
			if p := row.Probabilities[i]; float64(p) >= t.start {
				best[h] = max(best[h], p)
			}
		}
	}
	return likeliest(best, stated), nil
}

// likeliest are the entities that are not stated, the likeliest first.
func likeliest(best map[kg.Entity]float32, stated []kg.Entity) []kg.Entity {
	var members []member
	for e, p := range best {
		if _, found := slices.BinarySearch(stated, e); !found {
			members = append(members, member{e, float64(p)})
		}
	}
	slices.SortFunc(members, byDegree)
	all := make([]kg.Entity, len(members))
	for i, m := range members {
		all[i] = m.entity
	}
	return all
}

// statedOf are the entities that all of some conditions, or the one with the fewest, state anything of as v.
func (t *table) statedOf(of []*node, v int) (fewest []kg.Entity, bounded bool) {
	for _, n := range of {
		if !slices.Contains(n.free, v) {
			continue
		}
		if entities, ok := t.statedBy(n, v); ok && (!bounded || len(entities) < len(fewest)) {
			fewest, bounded = entities, true
		}
	}
	return fewest, bounded
}

func (t *table) statedBy(n *node, v int) (entities []kg.Entity, bounded bool) {
	switch n.kind {
	case linkNode:
		return t.headsOf(role(n, v)), true
	case memberNode:
		return n.members, true
	case allNode, someNode:
		return t.statedOf(n.of, v)
	case anyNode:
		for _, part := range n.of {
			of, ok := t.statedBy(part, v)
			if !ok || !slices.Contains(part.free, v) {
				return nil, false
			}
			entities = sorted.Union(nil, entities, of)
		}
		return entities, true
	}
	return nil, false
}
