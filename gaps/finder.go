// Package gaps looks at whole relations at once, where a question looks at one place: what
// fills a column (predict.go), which facts a graph most likely lacks (missing.go), how likely given
// triples are (score.go), and which facts the rest of the graph speaks against (audit.go).
//
// In the flow it stands above links, whose rows have the probabilities, and explain, which gives
// the reasons. What is long is made part by part, and what is done lies in a file, so that an end
// by Ctrl-C loses nothing (parts.go). Tables are written as CSV, TSV, JSON lines and Parquet (table.go).
package gaps

import (
	"context"

	"github.com/lacuna-kg/lacuna/coverage"
	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/neural"
)

// Fact is a possible fact with its probability. A relation that is read backwards leads from the tail of stated facts to their head.
type Fact struct {
	Head        kg.Entity      `json:"h"`
	Relation    kg.Relation    `json:"r"`
	Tail        kg.Entity      `json:"t"`
	Probability float32        `json:"p"`
	Stated      bool           `json:"s,omitempty"` // by the graph
	Why         []explain.Path `json:"w,omitempty"` // where it was asked for
}

// Triple is the fact without what is thought of it.
func (f Fact) Triple() kg.Triple { return kg.Triple{Head: f.Head, Relation: f.Relation, Tail: f.Tail} }

// Finder finds what a graph lacks, by a model. Any number of goroutines may use it.
type Finder struct {
	rows  *links.Rows
	model *neural.Predictor
	graph *kg.Graph
	// Sets gives guaranteed sets, for Prediction.Coverage; nil without.
	Sets func(context.Context) (*coverage.Sets, error)
}

// New finds gaps by the rows of a model on a graph.
func New(rows *links.Rows, model *neural.Predictor) *Finder {
	return &Finder{rows: rows, model: model, graph: rows.Graph()}
}

// Options say how something long is done. The zero value is a good default.
type Options struct {
	// Literals lets numbers, dates and truth values be predicted where a relation leads to them (links.Ranges). They have no facts
	// of their own, so that a network tells them apart by chance only, and are left out otherwise.
	Literals bool
	// Why adds the paths of stated facts that speak for each predicted fact.
	Why bool
	// Keep is the file where finished parts lie until all are; "" keeps none. What goes on from them has to be the same task.
	Keep string
	// Progress, if given, is called with the number of rows that are done.
	Progress func(done, total int)
}

func (o Options) progress(done, total int) {
	if o.Progress != nil {
		o.Progress(done, total)
	}
}

// addReasons finds the paths that speak for facts that are not stated.
func (f *Finder) addReasons(ctx context.Context, facts []Fact) error {
	for i := range facts {
		if facts[i].Stated {
			continue
		}
		paths, err := explain.Paths(ctx, f.model, facts[i].Triple(), pathsOfFact)
		if err != nil {
			return err
		}
		facts[i].Why = paths
	}
	return nil
}

// pathsOfFact is how many reasons a fact of a table has at most.
const pathsOfFact = 3
