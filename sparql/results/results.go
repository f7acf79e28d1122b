// Package results has what a query of SPARQL gives, a truth value or a stream of
// solutions, and writes it in the formats of the recommendations.
package results

import (
	"fmt"
	"iter"
	"strings"

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
	// Warnings say, after the last row, what the query names and the graph lacks; nil for a function that says nothing.
	Warnings func() []string
	// Rows runs over the solutions, once: a term for every variable, the zero Term
	// where it has none. The slice is valid until the next one. An error ends it.
	Rows iter.Seq2[[]term.Term, error]
}

// Warned are the warnings there are.
func (r *Results) Warned() []string {
	if r.Warnings == nil {
		return nil
	}
	return r.Warnings()
}

// WarningHeader is the field of HTTP that has warnings, one a time.
const WarningHeader = "Lacuna-Warning"

// HeaderText is a text as a field of HTTP may have it: in ASCII, other bytes percent-encoded.
func HeaderText(text string) string {
	var b strings.Builder
	for _, octet := range []byte(text) {
		if octet < ' ' || octet > '~' {
			fmt.Fprintf(&b, "%%%02X", octet)
			continue
		}
		b.WriteByte(octet)
	}
	return b.String()
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
