package symbolic_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/symbolic"
)

// A traverser gives what the graph states, and costs what the question touches.
func ExampleTraverser_Answers() {
	const films = "Fellini\tDirected\tRoma\nRossellini\tDirected\tStromboli\nRossellini\tDirected\tPaisan\nRossellini\tBornIn\tRome\n"
	splits, err := read.Stream(context.Background(), strings.NewReader(films), "films.tsv", read.Options{})
	if err != nil {
		log.Fatal(err)
	}
	names := splits.Train.Vocabulary
	q, err := query.Parse("?f : exists p: BornIn(p, Rome) & Directed(p, f)")
	if err != nil {
		log.Fatal(err)
	}
	e, err := query.Bind(q, names)
	if err != nil {
		log.Fatal(err)
	}
	for _, answer := range symbolic.NewTraverser(splits.Train).Answers(e) {
		fmt.Println(names.Entity(answer))
	}
	// Output:
	// Stromboli
	// Paisan
}
