package kg_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// A graph is never changed: a change gives another one, and says what became of each fact.
func ExampleGraph_Change() {
	ctx := context.Background()
	splits, err := read.Stream(ctx, strings.NewReader("Fellini\tDirected\tRoma\n"), "films.tsv", read.Options{})
	if err != nil {
		log.Fatal(err)
	}
	before := splits.Train
	after, report, err := before.Change(ctx, []kg.Fact{{Head: "Fellini", Relation: "Directed", Tail: "Amarcord"}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(before.NumTriples(), after.NumTriples(), report.Added)
	// Output: 1 2 1
}

// A relation is read in both directions: an entity's row holds the facts that it is head or tail of.
func ExampleGraph_Tails() {
	splits, err := read.Stream(context.Background(), strings.NewReader("Fellini\tDirected\tRoma\nFellini\tDirected\tAmarcord\n"), "films.tsv", read.Options{})
	if err != nil {
		log.Fatal(err)
	}
	g := splits.Train
	directed := kg.Forward(0)
	for fact := range g.Triples() {
		for _, film := range g.Tails(fact.Head, directed) {
			by := g.Tails(film, directed.Inverse())
			fmt.Println(g.Entity(film), g.Relation(directed.Inverse()), g.Entity(by[0]))
		}
		break
	}
	// Output:
	// Roma Directed^-1 Fellini
	// Amarcord Directed^-1 Fellini
}
