package links

import "github.com/lacuna-kg/lacuna/kernel"

// By their best derivation alone many entities are equally likely: all that is stated of one predicted entity, for example. Of these the likelier ones are those
// that other derivations speak for as well (docs/lab/ranking.md).

// PartingTies is the executor whose projections give an entity a hair more than its best derivation, the more others it has. It
// does so in the product logic: Gödel's is exactly as good as the weakest link.
func (x Executor) PartingTies() Executor {
	x.parts = true
	return x
}

func (p *pool) partsTies() bool { return p.parts && p.logic.Norm == kernel.Product }

// ways are the derivations of an entity so far.
type ways struct {
	best float32 // degree
	sum  float32 // of all their degrees
}

// hair is the most that others add, as a part of the best one: too little to be seen in a probability. belowOne is less than what is stated.
const hair, belowOne = 1e-4, 1 - 0x1p-24

// withHair is the degree of the best derivation, and what others add to it.
func (w ways) withHair() float32 {
	if w.best == 1 {
		return 1
	}
	others := max(0, w.sum-w.best)
	return min(w.best*(1+hair*others/(others+w.best)), belowOne)
}
