package eval

import (
	"cmp"
	"context"
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
)

// questions streams what is to be evaluated, in the order of the files, and its
// number where that is known, else 0.
func questions(ctx context.Context, o Options) (stream iter.Seq2[Question, error], total int, err error) {
	if o.Limit == 0 {
		return everyQuestion(ctx, o), storedQueries(o), nil
	}
	chosen, err := choose(ctx, o)
	return withoutError(chosen), len(chosen), err
}

// withoutError streams what is in memory already.
func withoutError(list []Question) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		for _, q := range list {
			if !yield(q, nil) {
				return
			}
		}
	}
}

// everyQuestion streams the queries that have answers to rank.
func everyQuestion(ctx context.Context, o Options) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		for q, err := range o.Set.Queries(ctx, o.Split, o.Shapes...) {
			if err != nil {
				yield(Question{}, err)
				return
			}
			if question := newQuestion(q, o.Split); len(question.Targets) > 0 && !yield(question, nil) {
				return
			}
		}
	}
}

// choose draws at most the limit of each type, every query as likely as any other.
func choose(ctx context.Context, o Options) ([]Question, error) {
	draws := map[string]*draw{}
	number := 0
	for q, err := range everyQuestion(ctx, o) {
		if err != nil {
			return nil, err
		}
		d := draws[q.shape]
		if d == nil {
			d = newDraw(o.Limit, o.Seed, q.shape)
			draws[q.shape] = d
		}
		d.offer(q, number)
		number++
	}
	var kept []drawn
	for _, d := range draws {
		kept = append(kept, d.kept...)
	}
	slices.SortFunc(kept, func(a, b drawn) int { return cmp.Compare(a.number, b.number) })
	chosen := make([]Question, len(kept))
	for i, k := range kept {
		chosen[i] = k.Question
	}
	return chosen, nil
}

// draw is a sample of fixed size from a stream of unknown length (Vitter's reservoir).
type draw struct {
	limit  int
	seen   int
	kept   []drawn
	random *rand.Rand
}

type drawn struct {
	Question
	number int // in the stream
}

// newDraw gives every type its own random numbers, so that the sample of one does
// not depend on which others are evaluated.
func newDraw(limit int, seed uint64, shape string) *draw {
	hash := fnv.New64a()
	hash.Write([]byte(shape))
	return &draw{limit: limit, random: rand.New(rand.NewPCG(seed, hash.Sum64()))}
}

func (d *draw) offer(q Question, number int) {
	d.seen++
	if len(d.kept) < d.limit {
		d.kept = append(d.kept, drawn{q, number})
		return
	}
	if at := d.random.IntN(d.seen); at < d.limit {
		d.kept[at] = drawn{q, number}
	}
}

// storedQueries is the number of queries that a file of the own format lists.
func storedQueries(o Options) int {
	total := 0
	withFile(o.Set, o.Split, func(r *dataset.Reader) {
		for _, c := range r.Shapes() {
			if len(o.Shapes) == 0 || slices.Contains(o.Shapes, c.Shape) {
				total += c.Queries
			}
		}
	})
	return total
}

// withFile opens the file of a split in the own format, where it is in that. What is
// wrong with it comes to light when its queries are read.
func withFile(s *dataset.Set, split dataset.Split, look func(*dataset.Reader)) {
	if s.Format != dataset.Own {
		return
	}
	r, err := dataset.OpenReader(filepath.Join(s.Dir, split.String()+dataset.FileSuffix))
	if err != nil {
		return
	}
	defer r.Close()
	look(r)
}

// batches cuts the stream so that each batch keeps to the limits of the options.
func batches(ctx context.Context, o Options, stream iter.Seq2[Question, error]) iter.Seq2[[]Question, error] {
	return func(yield func([]Question, error) bool) {
		var batch []Question
		var bytes int64
		for q, err := range stream {
			if err == nil {
				err = kg.Stopped(ctx)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			more := o.Method.Bytes(q.Expr)
			if len(batch) == o.Batch || len(batch) > 0 && bytes+more > o.Memory {
				if !yield(batch, nil) {
					return
				}
				batch, bytes = nil, 0
			}
			batch, bytes = append(batch, q), bytes+more
		}
		if len(batch) > 0 {
			yield(batch, nil)
		}
	}
}
