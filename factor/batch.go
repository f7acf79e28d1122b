package factor

import (
	"context"

	"github.com/lacuna-kg/lacuna/internal/parallel"
)

// batch is some pairs on their way: what is asked for tails, a row a pair, and for relations, a row a fact.
type batch struct {
	width, pairs     int
	heads, relations vectors // of each pair
	tails            vectors // of each fact
	first            []int   // of each pair's facts, and the end of the last

	questions  []float32 // (pairs, 2·Rank)
	tailsOf    [][]int32 // of each pair
	between    []float32 // (facts, 2·Rank); nil where relations are not predicted
	relationOf [][]int32 // of each fact
}

func (l *learner) newBatch(pairs []int) *batch {
	b := &batch{width: l.width, pairs: len(pairs), questions: make([]float32, len(pairs)*l.width)}
	var heads, along, tails []int32
	for _, p := range pairs {
		h, q, some := l.examples.of(p)
		heads, along, b.first = append(heads, int32(h)), append(along, int32(q)), append(b.first, len(tails))
		tails, b.tailsOf = append(tails, some...), append(b.tailsOf, some)
		for range some {
			b.relationOf = append(b.relationOf, []int32{int32(q)})
		}
	}
	b.first = append(b.first, len(tails))
	b.heads, b.relations, b.tails = l.fetch(entities, heads), l.fetch(relations, along), l.fetch(entities, tails)
	if l.RelationWeight > 0 {
		b.between = make([]float32, len(b.tails.values))
	}
	return b
}

// ask makes the rows of both kinds.
func (b *batch) ask(ctx context.Context) {
	parallel.Each(ctx, b.pairs, func(i int) {
		h := row(b.heads.values, i, b.width)
		multiply(row(b.questions, i, b.width), h, row(b.relations.values, i, b.width))
		for k := b.first[i]; k < b.first[i+1] && b.between != nil; k++ {
			between(row(b.between, k, b.width), h, row(b.tails.values, k, b.width))
		}
	})
}

// backward adds what rows of both kinds give the vectors that they are made of.
func (b *batch) backward(ctx context.Context, dquestions, dbetween []float32) {
	parallel.Each(ctx, b.pairs, func(i int) {
		h, dh := row(b.heads.values, i, b.width), row(b.heads.gradient, i, b.width)
		multiplyBackward(dh, row(b.relations.gradient, i, b.width), row(dquestions, i, b.width), h, row(b.relations.values, i, b.width))
		for k := b.first[i]; k < b.first[i+1] && dbetween != nil; k++ {
			betweenBackward(dh, row(b.tails.gradient, k, b.width), row(dbetween, k, b.width), h, row(b.tails.values, k, b.width))
		}
	})
}

// norm gives weight times the N3 norm of the vectors of every fact, head, relation and tail, and adds its gradient.
func (b *batch) norm(weight float64) (sum float64) {
	for i := range b.pairs {
		n := float64(b.first[i+1] - b.first[i])
		for _, v := range []vectors{b.heads, b.relations} {
			sum += n * cubes(row(v.gradient, i, b.width), row(v.values, i, b.width), float32(n*weight))
		}
	}
	for k := range b.tails.index {
		sum += cubes(row(b.tails.gradient, k, b.width), row(b.tails.values, k, b.width), float32(weight))
	}
	return weight * sum
}
