package read_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/lacuna-kg/lacuna/kg/read"
)

// Format, delimiter, header and quotes are detected.
func ExampleStream() {
	const facts = "head,relation,tail\nFellini,Directed,Roma\nRossellini,Directed,\"Rome, Open City\"\n"
	splits, err := read.Stream(context.Background(), strings.NewReader(facts), "films.csv", read.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for fact := range splits.Train.Triples() {
		fmt.Printf("%s(%s, %s)\n", splits.Train.Relation(fact.Relation), splits.Train.Entity(fact.Head), splits.Train.Entity(fact.Tail))
	}
	// Output:
	// Directed(Fellini, Roma)
	// Directed(Rossellini, Rome, Open City)
}

// What cannot be read is refused with its line and what was expected.
func ExampleStream_refused() {
	const facts = "<x:Fellini> <x:Directed> <x:Roma> .\n<x:Rossellini> <x:Directed> .\n"
	_, err := read.Stream(context.Background(), strings.NewReader(facts), "films.nt", read.Options{})
	fmt.Println(err)
	// Output: films.nt:2: expected the object, an IRI in <>, a blank node _:x or a literal in quotes
}
