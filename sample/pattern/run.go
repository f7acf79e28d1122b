package pattern

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Limits bound the answers of a question that is drawn.
type Limits struct {
	Hard int // answers that held-out facts bring, or take away; 0 is DefaultHard
	All  int // answers; 0 is DefaultAll
}

// The values of options that are left zero.
const (
	DefaultHard     = 100
	DefaultAll      = 10_000
	DefaultPatience = 1 << 15
)

// Options say what to draw. The same seed gives the same questions, whatever the number of cores.
type Options struct {
	Patterns []*Pattern
	Wanted   map[dataset.Split]int // questions of each pattern
	Seed     uint64
	Limits   Limits
	Patience int // attempts in a row without a new question after which a pattern counts as exhausted
	// Progress, if given, is called now and then.
	Progress func(split dataset.Split, pattern string, done, wanted int)
}

// Outcome tells how the drawing of one pattern of one split went.
type Outcome struct {
	Split    dataset.Split
	Pattern  string
	Wanted   int
	Found    int
	Attempts int
	verdicts map[verdict]int
}

// String is one line about the outcome.
func (o Outcome) String() string {
	text := fmt.Sprintf("%s %s: found %d of %s in %s", o.Split, o.Pattern, o.Found, count.Of(o.Wanted, "question"), count.Of(o.Attempts, "attempt"))
	var why []string
	for _, v := range slices.Sorted(maps.Keys(o.verdicts)) {
		if v != accepted {
			why = append(why, fmt.Sprintf("%d %s", o.verdicts[v], v))
		}
	}
	if len(why) == 0 {
		return text
	}
	return text + " (" + strings.Join(why, ", ") + ")"
}

// Run draws questions of one split. A pattern that the graph does not yield at all is an error.
func Run(ctx context.Context, s *kg.Splits, split dataset.Split, o Options) ([]dataset.TupleQuery, []Outcome, error) {
	o.Limits = Limits{cmp.Or(o.Limits.Hard, DefaultHard), cmp.Or(o.Limits.All, DefaultAll)}
	o.Patience = cmp.Or(o.Patience, DefaultPatience)
	full, err := split.FullGraph(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	small := s.Train
	switch split {
	case dataset.Train:
		small = nil
	case dataset.Test:
		if small, err = s.UpToValid(ctx); err != nil {
			return nil, nil, err
		}
	}
	if small != nil && small.NumTriples() == full.NumTriples() {
		return nil, nil, kg.Errorf(kg.Invalid, "sample", "%s questions ask for facts that are held out, and the graph has no %s facts (--hide 0.1 hides a tenth of its facts for them)", split, split)
	}
	w := newWorld(full, small, o.Limits)
	var all []dataset.TupleQuery
	var outcomes []Outcome
	for i, p := range o.Patterns {
		r := run{world: w, Pattern: p, Options: o, seen: map[string]bool{}, outcome: Outcome{split, p.Name, o.Wanted[split], 0, 0, map[verdict]int{}}}
		if err := r.draw(ctx, o.Seed<<16^uint64(i)<<2^uint64(split)); err != nil {
			return nil, outcomes, err
		}
		all, outcomes = append(all, r.found...), append(outcomes, r.outcome)
		if r.outcome.Found == 0 && r.outcome.Wanted > 0 {
			return nil, outcomes, kg.Errorf(kg.Invalid, "", "the graph yields no question of this pattern: %v", r.outcome)
		}
	}
	return all, outcomes, nil
}

// run draws one pattern of one split: blocks of attempts on all cores, taken in the order of their numbers.
type run struct {
	*world
	*Pattern
	Options
	outcome Outcome
	found   []dataset.TupleQuery
	seen    map[string]bool
}

// blockSize is how many attempts are made before any is taken.
const blockSize = 32

type attempt struct {
	questions []dataset.TupleQuery
	verdict   verdict
	err       error
}

func (r *run) draw(ctx context.Context, stream uint64) error {
	fruitless := 0
	for first := uint64(0); r.outcome.Found < r.outcome.Wanted && fruitless < r.Patience; first += blockSize {
		block := make([]attempt, blockSize)
		parallel.Each(ctx, blockSize, func(i int) {
			a := &block[i]
			a.questions, a.verdict, a.err = r.try(ctx, r.Pattern, stream, first+uint64(i))
		})
		if err := kg.Stopped(ctx); err != nil {
			return err
		}
		for _, a := range block {
			if a.err != nil {
				return a.err
			}
			if r.take(a) {
				fruitless = 0
			} else {
				fruitless++
			}
		}
		if r.Progress != nil {
			r.Progress(r.outcome.Split, r.Name, r.outcome.Found, r.outcome.Wanted)
		}
	}
	return nil
}

// take counts an attempt in and tells whether it brought a new question.
func (r *run) take(a attempt) bool {
	if r.outcome.Found >= r.outcome.Wanted {
		return false
	}
	r.outcome.Attempts++
	if a.verdict == accepted && r.seen[a.questions[0].Query.String()] {
		a.verdict = repeated
	}
	r.outcome.verdicts[a.verdict]++
	if a.verdict != accepted {
		return false
	}
	r.seen[a.questions[0].Query.String()] = true
	questions := a.questions[:min(len(a.questions), r.outcome.Wanted-r.outcome.Found)]
	r.found = append(r.found, questions...)
	r.outcome.Found += len(questions)
	return true
}
