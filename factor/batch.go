package factor

import (
	"context"

	"github.com/lacuna-kg/lacuna/internal/parallel"
)

// batch is some pairs on their way: what is asked of tails, a row a pair, and of relations, a row a fact.
type batch struct {
	*learner
	pairs     []int
	questions []float32 // (pairs, 2·Rank)
	tails     [][]int32
	between   []float32 // (facts, 2·Rank)
	relations [][]int32
	first     []int // of each pair's facts
}

func newBatch(l *learner, pairs []int) *batch {
	b := &batch{learner: l, pairs: pairs, questions: make([]float32, len(pairs)*l.Width())}
	facts := 0
	for _, p := range pairs {
		_, q, tails := l.examples.of(p)
		b.tails, b.first = append(b.tails, tails), append(b.first, facts)
		facts += len(tails)
		for range tails {
			b.relations = append(b.relations, []int32{int32(q)})
		}
	}
	if l.RelationWeight > 0 {
		b.between = make([]float32, facts*l.Width())
	}
	return b
}

// vectors are those of a pair.
func (b *batch) vectors(i int) (h, q []float32) {
	head, relation, _ := b.examples.of(b.pairs[i])
	return row(b.Entities, head, b.Width()), row(b.Model.Relations, relation, b.Width())
}

// ask makes the rows of both kinds.
func (b *batch) ask(ctx context.Context) {
	parallel.Each(ctx, len(b.pairs), func(i int) {
		h, q := b.vectors(i)
		multiply(row(b.questions, i, b.Width()), h, q)
		if b.between == nil {
			return
		}
		for k, t := range b.tails[i] {
			between(row(b.between, b.first[i]+k, b.Width()), h, row(b.Entities, int(t), b.Width()))
		}
	})
}

// backward adds what rows of both kinds give their parts.
func (b *batch) backward(dquestions, dbetween []float32) {
	width, de, dr := b.Width(), b.tables[entities].gradient, b.tables[relations].gradient
	for i, p := range b.pairs {
		head, relation, tails := b.examples.of(p)
		h, q := b.vectors(i)
		dh := row(de, head, width)
		multiplyBackward(dh, row(dr, relation, width), row(dquestions, i, width), h, q)
		if dbetween == nil {
			continue
		}
		for k, t := range tails {
			betweenBackward(dh, row(de, int(t), width), row(dbetween, b.first[i]+k, width), h, row(b.Entities, int(t), width))
		}
	}
}

// norm gives weight times the N3 norm of the vectors of every fact, head, relation and tail, and adds its gradient.
func (b *batch) norm(weight float64) (sum float64) {
	width, de, dr := b.Width(), b.tables[entities].gradient, b.tables[relations].gradient
	for i, p := range b.pairs {
		head, relation, tails := b.examples.of(p)
		h, q := b.vectors(i)
		n := float64(len(tails))
		sum += n * cubes(row(de, head, width), h, float32(n*weight))
		sum += n * cubes(row(dr, relation, width), q, float32(n*weight))
		for _, t := range tails {
			sum += cubes(row(de, int(t), width), row(b.Entities, int(t), width), float32(weight))
		}
	}
	return weight * sum
}
