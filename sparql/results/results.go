// Package results has what a query of SPARQL gives, a truth value or a stream of
// solutions, and writes it in the formats of the recommendations.
package results

import (
	"iter"

	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Results are the outcome of a query: a truth value, a stream of solutions or, if Graph, of triples.
type Results struct {
	Ask   bool
	Truth bool
	// Probability and Known are of a predicted ASK: how likely yes is, and whether the graph states it. Nil of exact ones.
	Probability *float32
	Known       *bool
	Graph       bool // rows are subject, predicate and object
	Vars        []string
	Cut         *Cut // of predictions; nil where nothing was left out
	// Rows runs over the solutions, once: a term for every variable, the zero Term
	// where it has none. The slice is valid until the next one. An error ends it.
	Rows iter.Seq2[[]term.Term, error]
}

// Rows are solutions that are there already, as a stream.
func Rows(rows [][]term.Term) iter.Seq2[[]term.Term, error] {
	return func(yield func([]term.Term, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}
