package sparqltest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// ReadNTriples reads a graph of N-Triples.
func ReadNTriples(t testing.TB, triples string) *kg.Graph { return Read(t, triples, read.NTriples) }

// ReadTable reads a graph of lines of head, relation and tail.
func ReadTable(t testing.TB, lines string) *kg.Graph { return Read(t, lines, read.TSV) }

// Read reads a graph of a text.
func Read(t testing.TB, text string, format read.Format) *kg.Graph {
	t.Helper()
	splits, err := read.Stream(t.Context(), strings.NewReader(text), "test", read.Options{Format: format})
	if err != nil {
		t.Fatal(err)
	}
	return splits.Train
}

// Grid is a graph in which every one of n entities is linked to every other: <x:0> <x:p> <x:1> and so on.
func Grid(t testing.TB, n int) *kg.Graph {
	t.Helper()
	var b strings.Builder
	for i := range n {
		for j := range n {
			fmt.Fprintf(&b, "<x:%d> <x:p> <x:%d> .\n", i, j)
		}
	}
	return ReadNTriples(t, b.String())
}

// Lines writes every solution as a line of variables and terms, "x=<a> y=<b>", or the truth value.
func Lines(t testing.TB, r *results.Results) []string {
	if r.Ask {
		return []string{fmt.Sprint(r.Truth)}
	}
	lines := []string{}
	for terms, err := range r.Rows {
		if err != nil {
			t.Fatal(err)
		}
		var cells []string
		for i, value := range terms {
			if value.Kind != term.Unbound {
				cells = append(cells, r.Vars[i]+"="+value.String())
			}
		}
		slices.Sort(cells)
		lines = append(lines, strings.Join(cells, " "))
	}
	return lines
}
