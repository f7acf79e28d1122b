package links

import (
	"math"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// Two predicted links of one answer are likelier together than their product says: what speaks for the one mostly speaks for the other.
// Probabilities stay the product's, which promises no more than there is. But who ranks lets the likelier of the two count for less, so that
// an answer that lacks two links is not behind all that lack one (docs/lab/missing-links.md).

// jointly is the power of the likelier link: with 1 it would be the product, with 0 Gödel's minimum.
const jointly = 0.4

// Jointly is the executor that takes predicted links of an answer to speak for each other, in the product logic.
func (x Executor) Jointly() Executor {
	x.jointly = true
	return x
}

func (p *pool) isJoint() bool { return p.jointly && p.logic.Norm == kernel.Product }

// joint is the degree of two together: where one is certain or impossible, the product.
func joint(x, y float32) float32 {
	if x == 1 || y == 1 || x == 0 || y == 0 {
		return x * y
	}
	return min(x, y) * lessened(max(x, y))
}

func lessened(degree float32) float32 { return float32(math.Pow(float64(degree), jointly)) }

// and is the degree of a member and a link that leads on from it.
func (p *pool) and(degree, probability float32) float32 {
	if p.isJoint() {
		return joint(degree, probability)
	}
	return plain.Apply(p.logic.Norm, kernel.And, degree, probability)
}

// alongJointly follows the predicted links of a row as along does. A link is seldom likelier than what leads to it: then no power is taken.
func (r *reached) alongJointly(degree float32, row Row) {
	if degree == 1 {
		r.along(kernel.Product, degree, row)
		return
	}
	less := lessened(degree)
	for i, t := range row.Tails {
		if probability := row.Probabilities[i]; probability <= degree {
			r.at(t, probability*less)
		} else {
			r.at(t, joint(degree, probability))
		}
	}
}

// combine is op of two sets. A complement, which holds of nearly all entities, speaks for none of them.
func (p *pool) combine(op kernel.LogicOp, x, y set) set {
	const complement = 0.5
	if !p.isJoint() || op != kernel.And || x.rest > complement || y.rest > complement {
		return combine(p.logic, op, x, y)
	}
	members, degrees, others := align(x, y)
	for i, degree := range degrees {
		degrees[i] = joint(degree, others[i])
	}
	return set{members, degrees, joint(x.rest, y.rest)}.compact()
}
