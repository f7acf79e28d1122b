package sample

import (
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// grounder fills a template with ids such that a given entity is an answer, were
// it not for complements: it walks from the answer down to the anchors.
//
// As in BetaE, a complement is grounded as if it were not there, so that it takes
// away entities that would otherwise be answers (the starting one among them),
// and every operand of an intersection or union starts from the same entity.
type grounder struct {
	links  *links
	random *rand.Rand
	ids    grounding
}

// noRelation is what precedes the first projection of a chain.
const noRelation = ^kg.Relation(0)

// ground fills the slots of s from the answer and tells whether that was
// possible. after is the relation of the projection above in the same chain.
func (g *grounder) ground(s *step, answer kg.Entity, after kg.Relation) bool {
	switch s.op {
	case anchor:
		g.ids[s.from] = uint32(answer)
		return true
	case projection:
		r, head, found := g.stepBack(answer, after)
		g.ids[s.from] = uint32(r)
		return found && g.ground(s.of[0], head, r)
	case complement:
		return g.ground(s.of[0], answer, after) // BetaE: a complement does not end a chain
	case intersection, union:
		return g.groundAll(s, answer)
	}
	return true
}

func (g *grounder) groundAll(s *step, answer kg.Entity) bool {
	for _, operand := range s.of {
		if !g.ground(operand, answer, noRelation) {
			return false
		}
	}
	for _, twins := range s.twins {
		a, b := twins[0], twins[1]
		if slices.Equal(g.ids[a.from:a.to], g.ids[b.from:b.to]) {
			return false
		}
	}
	return true
}

// stepBack draws one of the relations that lead to the answer, all alike however
// many edges they have, then one of the heads that have it. The relation must not
// undo the one drawn before it in the chain: a step and its inverse ask little.
func (g *grounder) stepBack(answer kg.Entity, after kg.Relation) (r kg.Relation, head kg.Entity, found bool) {
	// An edge that comes in by r is in the answer's row as going out by r's inverse:
	// coming in by the inverse of after is going out by after itself.
	outgoing, first := g.links.of(answer)
	undoing, undoes := slices.BinarySearch(outgoing, after)
	choices := len(outgoing)
	if undoes {
		choices--
	}
	if choices == 0 {
		return 0, 0, false
	}
	chosen := g.random.IntN(choices)
	if undoes && chosen >= undoing {
		chosen++
	}
	heads := g.links.edges(answer, first+uint64(chosen))
	return outgoing[chosen].Inverse(), heads[g.random.IntN(len(heads))], true
}
