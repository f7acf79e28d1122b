// Package tuples measures how well questions of any form are answered by links, stated and
// predicted: hard answers, which are tuples, are ranked among all tuples that are no answers, jointly and each variable by itself; right tuples
// are told from wrong ones; one answer is found where there is one. In the flow it stands beside eval, which measures
// questions whose answers are entities by whole sets; package join answers them here.
package tuples

import (
	"cmp"
	"slices"
	"time"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// Options say what is evaluated, and how. The zero values of the bounds are the defaults.
type Options struct {
	Set   *dataset.Set
	Split dataset.Split
	Model string   // names what answers in the report
	Types []string // those to evaluate; none means all
	Limit int      // the most questions of a type, the first of the file; 0 for all
	Rows  *links.Rows
	// Follow is that of the search for answers.
	Follow links.Follow
	Logic  fuzzy.Logic
	// Listed is how many tuples that are no answers are looked at before the search for hard ones is given up: those below tie with all the rest.
	Listed int
	Time   time.Duration // that one question may take
	// Yes is the least probability that counts as yes. It is to be chosen on other questions, such as those of validation (Told.BestAt).
	Yes float64
	// Relaxed, if given, answers each question with one answer variable after links were dropped until its variables form a tree.
	Relaxed eval.Method
	// Progress, if given, is called after every question, not twice at a time.
	Progress func(done, total int, of string)
}

// The values of options that are left zero.
const (
	DefaultListed = 10_000
	DefaultTime   = 20 * time.Second
	DefaultYes    = 0.5
)

func (o Options) withDefaults() Options {
	o.Listed, o.Time, o.Yes = cmp.Or(o.Listed, DefaultListed), cmp.Or(o.Time, DefaultTime), cmp.Or(o.Yes, DefaultYes)
	return o
}

// questions are those to evaluate, a list for each type in the order of the file.
func (o Options) questions() (types [][]dataset.TupleQuery, err error) {
	all, err := o.Set.Tuples(o.Split)
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	for _, q := range all {
		if len(o.Types) > 0 && !slices.Contains(o.Types, q.Type) {
			continue
		}
		i, met := at[q.Type]
		if !met {
			i, at[q.Type] = len(types), len(types)
			types = append(types, nil)
		}
		if o.Limit == 0 || len(types[i]) < o.Limit {
			types[i] = append(types[i], q)
		}
	}
	if len(types) == 0 {
		return nil, kg.Errorf(kg.NotFound, o.Set.Dir, "found no %s questions of the types asked for whose answers are tuples", o.Split)
	}
	return types, nil
}
