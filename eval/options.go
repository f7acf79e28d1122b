package eval

import (
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/ranks"
)

// The values of options that are left zero. On a CPU larger batches gain nothing and
// progress shows only after each; a GPU wants a few hundred.
const (
	DefaultBatch  = 64
	defaultMemory = 512 << 20
)

// Options say what is evaluated, and how.
type Options struct {
	Set    *dataset.Set
	Split  dataset.Split
	Method Method
	// Model names the method in the report: "exact", "fb237.safetensors".
	Model string
	// Shapes are those to evaluate, by any name that query.ParseShape reads; none means all.
	Shapes []string
	// Limit is the most queries of each type, 0 for all. They are drawn by Seed from the
	// whole type: files are often sorted, and their first queries no fair sample.
	Limit int
	Seed  uint64
	// Batch is the most queries that are answered together, 0 for DefaultBatch; fewer
	// where their sets would take more than Memory bytes, 0 for defaultMemory.
	Batch  int
	Memory int64
	// Team, if given, answers together, each rank with a method of its own. Rank 0 has the questions and the report; of
	// the others' options only Method and Team count, and their report is empty.
	Team *ranks.Team
	// NoMissingLinks leaves out by_missing_links, which takes a second graph and a traversal for each query.
	NoMissingLinks bool
	// Progress, if given, is called after every batch, by the goroutine of the caller.
	Progress func(Progress)
}

// Progress is how far an evaluation is.
type Progress struct {
	Done  int
	Total int // 0 where it is not known beforehand
	Shape string
	MRR   float64 // of that shape, so far
}

// checked fills in defaults and refuses what cannot be evaluated.
func (o Options) checked() (Options, error) {
	if o.Limit < 0 || o.Batch < 0 || o.Memory < 0 {
		return o, kg.Errorf(kg.Invalid, "eval", "expected limits of 0 or more, found a limit of %d queries, batches of %d, %d bytes", o.Limit, o.Batch, o.Memory)
	}
	if o.Batch == 0 {
		o.Batch = DefaultBatch
	}
	if o.Memory == 0 {
		o.Memory = defaultMemory
	}
	if splits := o.Set.Splits(); !slices.Contains(splits, o.Split) {
		return o, kg.Errorf(kg.NotFound, o.Set.Dir, "the folder has no %s queries, only %s (--split)", o.Split, names(splits))
	}
	shapes := make([]string, len(o.Shapes))
	for i, name := range o.Shapes {
		template, err := query.ParseShape(name)
		if err != nil {
			return o, err
		}
		shapes[i] = template.String()
	}
	o.Shapes = shapes
	return o, nil
}

// checkMethod refuses a method for another graph.
func (o Options) checkMethod() error {
	if has, want := o.Method.Entities(), o.Set.Graph.Train.NumEntities(); has != want {
		return kg.Errorf(kg.Invalid, o.Set.Dir, "the queries are about %d entities, but the graph of %s has %d", want, o.Model, has)
	}
	return nil
}

func names(splits []dataset.Split) string {
	list := make([]string, len(splits))
	for i, s := range splits {
		list[i] = s.String()
	}
	return strings.Join(list, " and ")
}
