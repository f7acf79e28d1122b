package symbolic

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// NoDerivation is the number of missing links of an answer that not even the full graph gives.
const NoDerivation = -1

// MissingLinks counts, for an answer, the links of its best derivation that the
// observed graph lacks. A derivation is a choice of an entity for every variable
// of the query such that the full graph states every atom; its missing links are
// the atoms that the observed graph, on which methods answer, does not state. The
// best has the fewest. An atom counts as often as the query states it.
//
// The least number of every entity follows from the operands' by one rule an operation:
//
//	entity        0 for itself
//	projection    least over the edges of the full graph: that of the head, and 1 if the edge is not observed
//	intersection  sum of the operands
//	union         least of the operands
//	complement    0 for what the operand does not give on the full graph: that nothing
//	              is there is no link, and no observation of links can show it
//
// For test queries the observed graph is that of the training facts. Shares of
// answers with one missing link that others published are higher; counting the
// validation facts as observed too comes near them, which may be what they did.
//
// The full graph must state what the observed one does. A MissingLinks serves one goroutine.
type MissingLinks struct {
	observed, full *kg.Graph
	traverser      *Traverser // of the full graph
	free           []*leastLinks
}

// NewMissingLinks counts what the observed graph lacks of the full one.
func NewMissingLinks(observed, full *kg.Graph) *MissingLinks {
	return &MissingLinks{observed: observed, full: full, traverser: NewTraverser(full)}
}

// Fork makes another for its own goroutine.
func (m *MissingLinks) Fork() *MissingLinks {
	return &MissingLinks{observed: m.observed, full: m.full, traverser: m.traverser.Fork()}
}

// Of gives the missing links of each of the answers of e, NoDerivation for what is none.
func (m *MissingLinks) Of(e query.Expr, answers []kg.Entity) []int {
	least := m.eval(query.Canonical(e)) // without double negation, which would hide links
	counts := make([]int, len(answers))
	for i, a := range answers {
		counts[i] = NoDerivation
		if cost := least.cost[a]; cost != 0 {
			counts[i] = int(cost) - 1
		}
	}
	m.release(least)
	return counts
}

// leastLinks is a set with the least number of missing links of each member.
type leastLinks struct {
	members []kg.Entity // in any order
	cost    []uint16    // of every entity: 0 for no member, else the number and 1
}

// MostMissing is where numbers stop, far above what a readable query can need.
const MostMissing = 1 << 14

// lower makes e a member, or lowers its cost.
func (l *leastLinks) lower(e kg.Entity, cost uint16) {
	switch old := l.cost[e]; {
	case old == 0:
		l.members = append(l.members, e)
		l.cost[e] = cost
	case cost < old:
		l.cost[e] = cost
	}
}

// keepOnly drops the members that keep does not want; it may change the cost of the others.
func (l *leastLinks) keepOnly(keep func(kg.Entity) bool) {
	l.members = slices.DeleteFunc(l.members, func(e kg.Entity) bool {
		if keep(e) {
			return false
		}
		l.cost[e] = 0
		return true
	})
}

func (m *MissingLinks) eval(e query.Expr) *leastLinks {
	switch e := e.(type) {
	case query.Anchor:
		out := m.empty()
		out.lower(e.Entity, 1)
		return out
	case query.Projection:
		return m.project(e)
	case query.Intersection:
		return m.intersect(e.Of)
	case query.Union:
		return m.unite(e.Of)
	case query.Complement:
		out := m.everything()
		m.remove(out, e)
		return out
	}
	return m.everything()
}

func (m *MissingLinks) project(e query.Projection) *leastLinks {
	of, out := m.eval(e.Of), m.empty()
	for _, h := range of.members {
		m.step(out, of.cost[h], m.full.Tails(h, e.Relation), m.observed.Tails(h, e.Relation))
	}
	m.release(of)
	return out
}

// step follows the edges from one entity to tails, of which those in known are observed. Both ascend.
func (m *MissingLinks) step(out *leastLinks, cost uint16, tails, known []kg.Entity) {
	for _, t := range tails {
		if len(known) > 0 && known[0] == t {
			known = known[1:]
			out.lower(t, cost)
			continue
		}
		out.lower(t, min(cost+1, MostMissing))
	}
}

// intersect adds up the positive operands and then takes away what complements exclude.
func (m *MissingLinks) intersect(operands []query.Expr) *leastLinks {
	var met *leastLinks
	for _, operand := range operands {
		if _, negated := operand.(query.Complement); negated {
			continue
		}
		of := m.eval(operand)
		if met == nil {
			met = of
			continue
		}
		met.keepOnly(func(e kg.Entity) bool {
			met.cost[e] = min(met.cost[e]+of.cost[e]-1, MostMissing) // both hold their number and 1
			return of.cost[e] != 0
		})
		m.release(of)
	}
	if met == nil {
		met = m.everything()
	}
	for _, operand := range operands {
		if complement, negated := operand.(query.Complement); negated {
			m.remove(met, complement)
		}
	}
	return met
}

// remove takes from a set what the operand of a complement gives on the full graph.
func (m *MissingLinks) remove(from *leastLinks, complement query.Complement) {
	excluded := m.traverser.Answers(complement.Of)
	from.keepOnly(func(e kg.Entity) bool {
		_, found := slices.BinarySearch(excluded, e)
		return !found
	})
}

func (m *MissingLinks) unite(operands []query.Expr) *leastLinks {
	joined := m.eval(operands[0])
	for _, operand := range operands[1:] {
		of := m.eval(operand)
		for _, e := range of.members {
			joined.lower(e, of.cost[e])
		}
		m.release(of)
	}
	return joined
}

func (m *MissingLinks) everything() *leastLinks {
	all := m.empty()
	for e := range kg.Entity(m.full.NumEntities()) {
		all.lower(e, 1)
	}
	return all
}

func (m *MissingLinks) empty() *leastLinks {
	if last := len(m.free) - 1; last >= 0 {
		l := m.free[last]
		m.free = m.free[:last]
		return l
	}
	return &leastLinks{cost: make([]uint16, m.full.NumEntities())}
}

// release clears a set for its next use, in time that its size alone decides.
func (m *MissingLinks) release(l *leastLinks) {
	for _, e := range l.members {
		l.cost[e] = 0
	}
	l.members = l.members[:0]
	m.free = append(m.free, l)
}
