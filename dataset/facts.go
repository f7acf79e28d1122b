package dataset

import (
	"context"
	"slices"
	"sync"

	"github.com/lacuna-kg/lacuna/internal/sorted"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/symbolic"
)

// facts are the graphs that answers are found on. The two larger ones are made
// when they are first needed.
type facts struct {
	splits    *kg.Splits
	making    sync.Mutex
	upToValid *kg.Graph
	upToTest  *kg.Graph
}

// of gives the graph of a split's easy answers and the one of all its answers.
func (f *facts) of(ctx context.Context, split Split) (easy, all *kg.Graph, err error) {
	f.making.Lock()
	defer f.making.Unlock()
	known := f.splits.Train
	if split == Train {
		return known, known, nil
	}
	if f.upToValid == nil {
		if f.upToValid, err = f.splits.UpToValid(ctx); err != nil {
			return nil, nil, err
		}
	}
	if split == Valid {
		return known, f.upToValid, nil
	}
	if f.upToTest == nil {
		if f.upToTest, err = f.splits.UpToTest(ctx); err != nil {
			return nil, nil, err
		}
	}
	return f.upToValid, f.upToTest, nil
}

// oracle finds the answers of queries of one split; it serves one goroutine.
type oracle struct {
	easy *symbolic.Traverser
	all  *symbolic.Traverser // nil for training queries, which have no hard answers
}

// oracles prepares the graphs of a split and gives a maker of oracles, one for each goroutine.
func (f *facts) oracles(ctx context.Context, split Split) (func() oracle, error) {
	easy, all, err := f.of(ctx, split)
	return func() oracle {
		o := oracle{easy: symbolic.NewTraverser(easy)}
		if split != Train {
			o.all = symbolic.NewTraverser(all)
		}
		return o
	}, err
}

// answers gives the wanted parts of the answers of e. With a negation, an easy
// answer may be none on all the facts; it stays an easy answer, as in BetaE's data.
func (o oracle) answers(e query.Expr, wanted Parts) (easy, hard []kg.Entity) {
	easy = slices.Clone(o.easy.Answers(e))
	if o.all != nil && wanted&HardAnswers != 0 {
		hard = difference(o.all.Answers(e), easy)
	}
	return easy, hard
}

// complete fills the parts of a query that are absent.
func (o oracle) complete(q Query) Query {
	if q.Absent == 0 {
		return q
	}
	easy, hard := o.answers(q.Expr, q.Absent)
	if q.Absent&EasyAnswers != 0 {
		q.Easy = easy
	}
	if q.Absent&HardAnswers != 0 {
		q.Hard = hard
	}
	q.Absent = 0
	return q
}

// difference gives the members of a that are not in b; both are sorted, the result is new.
func difference(a, b []kg.Entity) []kg.Entity {
	return sorted.Difference(make([]kg.Entity, 0, max(0, len(a)-len(b))), a, b)
}
