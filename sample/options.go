package sample

import (
	"fmt"
	"runtime"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/ranks"
)

// All as the number of queries asks for every query there is. Only 1p is listed so.
const All = -1

// The values of options that are left zero.
const (
	// DefaultMaxAnswers lies between BetaE's limits, 120 for FB15k-237 and 80 for NELL.
	DefaultMaxAnswers = 100
	// DefaultPatience is seconds of work on a graph of any size.
	DefaultPatience = 1 << 20
)

// Options say what to draw. The same seed and counts give the same queries in
// the same order, whatever the number of threads and ranks.
type Options struct {
	Seed   uint64
	Counts map[dataset.Split][]Count
	// MaxAnswers limits the hard answers of a validation or test query, and the
	// answers that the held-out facts take from it; 0 means DefaultMaxAnswers.
	MaxAnswers int
	// Missing, if not 0, keeps the validation and test queries that have a hard answer whose best derivation lacks just so many links of the training
	// facts, as evaluation counts them. Drawn without it nearly all answers lack one.
	Missing int
	// Patience is the number of attempts in a row without a new query after which
	// a shape counts as exhausted; 0 means DefaultPatience.
	Patience int
	// SkipEmpty passes over a shape that the graph does not yield at all, which is an error otherwise.
	SkipEmpty bool
	// Threads is the number of attempts made at a time; 0 means one a core.
	Threads int
	// Team, if given, is the ranks that draw together: all of them call Run with the same graph and options, and rank 0
	// alone gets queries, outcomes and progress, which are those of one process.
	Team *ranks.Team
	// Source names the graph in the provenance of what is written; it changes nothing else.
	Source string
	// Progress, if given, is called now and then by the goroutine of the caller.
	Progress func(Progress)
}

// Count asks for a number of queries of a shape, by any name that query.ParseShape reads.
type Count struct {
	Shape   string
	Queries int // or All
}

// Progress is how far one shape of one split is.
type Progress struct {
	Split    dataset.Split
	Shape    string
	Done     int
	Wanted   int
	Attempts int
}

func (o Options) maxAnswers() int {
	if o.MaxAnswers == 0 {
		return DefaultMaxAnswers
	}
	return o.MaxAnswers
}

func (o Options) patience() int {
	if o.Patience == 0 {
		return DefaultPatience
	}
	return o.Patience
}

func (o Options) threads() int {
	if o.Threads == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return o.Threads
}

// task is one shape of one split, checked.
type task struct {
	split    dataset.Split
	shape    string
	template *query.Template
	wanted   int // or All
	stream   uint64
}

// tasks checks the options against the data, so that no mistake comes to light only after minutes.
func (o Options) tasks(s *kg.Splits) ([]task, error) {
	if o.MaxAnswers < 0 || o.Patience < 0 || o.Threads < 0 || o.Missing < 0 {
		return nil, kg.Errorf(kg.Invalid, "sample", "expected limits of 0 or more, found %d answers, patience of %d, %d threads, %d missing links", o.MaxAnswers, o.Patience, o.Threads, o.Missing)
	}
	var tasks []task
	for _, split := range dataset.AllSplits() {
		if len(o.Counts[split]) > 0 {
			if err := checkFacts(split, s); err != nil {
				return nil, err
			}
		}
		seen := map[string]bool{}
		for _, count := range o.Counts[split] {
			t, err := newTask(split, count, o.Seed)
			if err == nil && seen[t.shape] {
				err = kg.Errorf(kg.Invalid, place(split, t.shape), "expected each shape once, found it twice")
			}
			if err != nil {
				return nil, err
			}
			seen[t.shape] = true
			tasks = append(tasks, t)
		}
	}
	if len(tasks) == 0 {
		return nil, kg.Errorf(kg.Invalid, "sample", "expected at least one shape with a number of queries, found none")
	}
	return tasks, nil
}

func newTask(split dataset.Split, count Count, seed uint64) (task, error) {
	template, err := query.ParseShape(count.Shape)
	if err != nil {
		return task{}, err
	}
	t := task{split: split, shape: template.String(), template: template, wanted: count.Queries}
	t.stream = streamOf(seed, place(split, t.shape))
	switch {
	case template.Slots == 0 || template.Kind == query.AnchorKind:
		return task{}, kg.Errorf(kg.Invalid, place(split, t.shape), "expected a shape with a projection: there is nothing to draw")
	case count.Queries == All && !isLink(template):
		return task{}, kg.Errorf(kg.Invalid, place(split, t.shape), "only 1p can be listed in full; give a number of queries")
	case count.Queries < 1 && count.Queries != All:
		return task{}, kg.Errorf(kg.Invalid, place(split, t.shape), "expected a number of queries of 1 or more, found %d", count.Queries)
	}
	return t, nil
}

func checkFacts(split dataset.Split, s *kg.Splits) error {
	held := map[dataset.Split]int{dataset.Train: s.Train.NumTriples(), dataset.Valid: len(s.Valid), dataset.Test: len(s.Test)}
	if held[split] > 0 {
		return nil
	}
	if split == dataset.Train {
		return kg.Errorf(kg.Invalid, "sample", "the graph has no facts to draw queries from")
	}
	return kg.Errorf(kg.Invalid, "sample", "%s queries ask for facts that are held out, and the graph has no %s facts (--hide 0.1 hides a tenth of its facts for them)", split, split)
}

func place(split dataset.Split, shape string) string { return fmt.Sprintf("%s %s", split, shape) }

// streamOf gives every split and shape its own random stream, by FNV-1a over its name.
func streamOf(seed uint64, name string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, c := range []byte(name) {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	return scramble(seed ^ scramble(h))
}
