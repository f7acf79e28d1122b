package query_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/query"
)

// exampleVocabulary has the names of a graph of films.
func exampleVocabulary() *kg.Vocabulary {
	const films = "Fellini\tDirected\tRoma\nFellini\tBornIn\tRimini\nRossellini\tBornIn\tRome\n"
	splits, err := read.Stream(context.Background(), strings.NewReader(films), "films.tsv", read.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return splits.Train.Vocabulary
}

// A question is read in any of the notations, and printed in that of logicians.
func ExampleParse() {
	q, err := query.Parse("?f : exists p: Directed(p, f) & !BornIn(p, Rome)")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(q)
	// Output: ?f : ∃p : Directed(p, f) ∧ ¬BornIn(p, Rome)
}

// Bind resolves the names on a graph and decomposes the formula into set operations.
func ExampleBind() {
	names := exampleVocabulary()
	q, err := query.Parse("?f : exists p: Directed(p, f) & !BornIn(p, Rome)")
	if err != nil {
		log.Fatal(err)
	}
	e, err := query.Bind(q, names)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(query.FormatOperators(e, names))
	// Output: P[Directed](N(P[BornIn^-1]({Rome})))
}

// What has no answer by sets is refused with its place and the reason.
func ExampleBind_refused() {
	for _, text := range []string{
		"?f : Directed(Felini, f)",
		"?c : exists p: BornIn(p, c) & Directed(p, c)",
	} {
		q, err := query.Parse(text)
		if err != nil {
			log.Fatal(err)
		}
		_, err = query.Bind(q, exampleVocabulary())
		fmt.Println(err)
	}
	// Output:
	// query:1:15: no entity "Felini" (did you mean "Fellini"?)
	// query:1:31: the variables c and p are linked twice, by BornIn and Directed, a cycle: only variables that form a tree can be answered
}

// Rewrite applies laws that hold in every fuzzy logic until nothing changes.
func ExampleRewrite() {
	names := exampleVocabulary()
	q, err := query.Parse("?p : !!BornIn(p, Rome) & (Directed(p, Roma) & BornIn(p, Rimini))")
	if err != nil {
		log.Fatal(err)
	}
	e, err := query.Bind(q, names)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(query.FormatOperators(e, names))
	fmt.Println(query.FormatOperators(query.Rewrite(e, query.Passes...), names))
	// Output:
	// C(N(N(P[BornIn^-1]({Rome}))), P[Directed^-1]({Roma}), P[BornIn^-1]({Rimini}))
	// C(P[BornIn^-1]({Rome}), P[Directed^-1]({Roma}), P[BornIn^-1]({Rimini}))
}

// The shapes of the benchmarks have names, and others are named after them.
func ExampleShapeOf() {
	names := exampleVocabulary()
	for _, text := range []string{
		"?f : Directed(Fellini, f)",
		"?f : exists p: BornIn(p, Rome) & Directed(p, f)",
		"?p : BornIn(p, Rome) & !Directed(p, Roma)",
	} {
		q, err := query.Parse(text)
		if err != nil {
			log.Fatal(err)
		}
		e, err := query.Bind(q, names)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(query.ShapeOf(e))
	}
	// Output:
	// 1p
	// 2p
	// 2in
}
