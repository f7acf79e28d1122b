package complete_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/lacuna-kg/lacuna/complete"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// The beginning of any word of a name finds it, one typing error forgiven; names with more facts come first.
func ExampleIndex_Search() {
	ctx := context.Background()
	const films = "Federico Fellini\tDirected\tRoma\nFederico Fellini\tDirected\tAmarcord\nRoman Polanski\tDirected\tChinatown\nRoman Polanski\tDirected\tTess\n"
	splits, err := read.Stream(ctx, strings.NewReader(films), "films.tsv", read.Options{})
	if err != nil {
		log.Fatal(err)
	}
	g := splits.Train
	index, err := complete.New(ctx, g.Entities, func(id uint32) int {
		relations, _ := g.Edges(kg.Entity(id))
		return len(relations)
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, typed := range []string{"fel", "felini", "rom"} {
		for _, match := range index.Search(typed, 2) {
			fmt.Println(typed, "→", g.Entity(kg.Entity(match.ID)))
		}
	}
	// Output:
	// fel → Federico Fellini
	// felini → Federico Fellini
	// rom → Roman Polanski
	// rom → Roma
}
