package dataset

import (
	"context"
	"runtime"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// VerifyOptions says what Verify does; the zero value checks everything.
type VerifyOptions struct {
	Splits   []Split // those to check; none means all
	Shapes   []string
	Workers  int // 0 means one a core
	Examples int // disagreements to describe for each split and shape; 0 means 3, below 0 none
	// Progress is called now and then with the number of queries checked so far.
	Progress func(checked int)
}

func (o VerifyOptions) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

func (o VerifyOptions) examples() int {
	if o.Examples == 0 {
		return 3
	}
	return max(o.Examples, 0)
}

// Verify recomputes every answer of a set by traversal and reports where the files
// disagree: easy answers on the training graph (for Test with the validation
// facts), hard answers on the graph with the split's own facts less the easy
// ones. An error means that the check itself failed, not that something disagrees.
func Verify(ctx context.Context, s *Set, opts VerifyOptions) (Report, error) {
	report := Report{Dir: s.Dir, Format: s.Format, Note: s.Note, Groups: []GroupReport{}, Examples: []Disagreement{}}
	splits := opts.Splits
	if len(splits) == 0 {
		splits = s.Splits()
	}
	for _, split := range splits {
		if err := verifySplit(ctx, s, split, opts, &report); err != nil {
			return report, err
		}
	}
	return report, nil
}

func verifySplit(ctx context.Context, s *Set, split Split, opts VerifyOptions, report *Report) error {
	newOracle, err := s.facts.oracles(ctx, split)
	if err != nil {
		return err
	}
	groups := map[string]int{} // places of the split's shapes in the report
	verdicts := inParallel(ctx, opts.workers(), s.stored(ctx, split, opts.Shapes...), func() func(Query) verdict {
		v := &verifier{split: split, oracle: newOracle()}
		return v.verify
	})
	for v, err := range verdicts {
		if err != nil {
			return err
		}
		at, seen := groups[v.shape]
		if !seen {
			at = len(report.Groups)
			groups[v.shape] = at
			report.Groups = append(report.Groups, GroupReport{Split: split, Shape: v.shape})
		}
		report.count(&report.Groups[at], v)
		if v.outcome == disagrees && report.Groups[at].Disagreeing <= opts.examples() {
			report.Examples = append(report.Examples, describeDisagreement(split, v, s.Graph.Train.Vocabulary))
		}
		if opts.Progress != nil && report.Queries%1024 == 0 {
			opts.Progress(report.Queries)
		}
	}
	if opts.Progress != nil {
		opts.Progress(report.Queries)
	}
	return nil
}

type outcome uint8

const (
	agrees outcome = iota
	disagrees
	notGiven // the files give no answers at all
)

// verdict is what came of checking one query.
type verdict struct {
	query   Query
	shape   string
	outcome outcome
	easy    discrepancy
	hard    discrepancy
}

// discrepancy is how a list differs from the true one.
type discrepancy struct {
	given, found   int
	missing, extra []kg.Entity // true answers not given, given ones that are none
}

func (d discrepancy) any() bool { return len(d.missing)+len(d.extra) > 0 }

// verifier checks queries in one goroutine.
type verifier struct {
	split  Split
	oracle oracle
	shapes query.Templates
}

func (v *verifier) verify(q Query) verdict {
	result := verdict{query: q, shape: v.shapes.ShapeOf(q.Expr)}
	given := (EasyAnswers | HardAnswers) &^ q.Absent
	if given == 0 || v.split == Train && given == HardAnswers {
		result.outcome = notGiven
		return result
	}
	easy, hard := v.oracle.answers(q.Expr, given)
	if given&EasyAnswers != 0 {
		result.easy = compare(q.Easy, easy)
	}
	if given&HardAnswers != 0 {
		result.hard = compare(q.Hard, hard)
	}
	if result.easy.any() || result.hard.any() {
		result.outcome = disagrees
	}
	return result
}

func compare(given, found []kg.Entity) discrepancy {
	return discrepancy{len(given), len(found), difference(found, given), difference(given, found)}
}
