package sample

import (
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
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
}

// noRelation is what precedes the first projection of a chain.
const noRelation = ^kg.Relation(0)

// ground writes ids for the slots of t, found from the answer, and tells whether that was
// possible. after is the relation of the projection above in the same chain. Most
// attempts come to nothing: as ids alone are written, no expression is built in vain.
func (g *grounder) ground(t *query.Template, ids []uint32, answer kg.Entity, after kg.Relation) bool {
	switch t.Kind {
	case query.AnchorKind:
		ids[0] = uint32(answer)
		return true
	case query.ProjectionKind:
		r, head, found := g.stepBack(answer, after)
		ids[0] = uint32(r)
		return found && g.ground(t.Of[0], ids[1:], head, r)
	case query.ComplementKind:
		return g.ground(t.Of[0], ids, answer, after) // BetaE: a complement does not end a chain
	case query.IntersectionKind, query.UnionKind:
		return g.groundAll(t.Of, ids, answer)
	}
	return true
}

// groundAll grounds operands, of which two of the same template must not become the same.
func (g *grounder) groundAll(of []*query.Template, ids []uint32, answer kg.Entity) bool {
	at := 0
	for i, operand := range of {
		own := ids[at : at+operand.Slots]
		if !g.ground(operand, own, answer, noRelation) {
			return false
		}
		before := 0
		for _, other := range of[:i] {
			if other.Code() == operand.Code() && slices.Equal(own, ids[before:before+other.Slots]) {
				return false
			}
			before += other.Slots
		}
		at += operand.Slots
	}
	return true
}

// isLink tells whether a template is a single edge from an anchor, such as 1p and the operands of 2i.
func isLink(t *query.Template) bool {
	return t.Kind == query.ProjectionKind && t.Of[0].Kind == query.AnchorKind
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
