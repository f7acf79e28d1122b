package neural_test

import (
	"context"
	"fmt"
	"log"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/turing"
)

// A model on a graph: how likely is a link that the graph does not state?
func Example() {
	ctx := context.Background()
	splits, err := read.Stream(ctx, turing.Facts(), "turing.tsv", read.Options{})
	if err != nil {
		log.Fatal(err)
	}
	device, err := neural.OpenDevice(neural.DeviceOptions{Name: "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	model, err := neural.OpenModel(neural.Turing, device)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	predictor, err := model.On(ctx, splits.Train, "the laureates")
	if err != nil {
		log.Fatal(err)
	}
	defer predictor.Close()

	g := splits.Train
	lecun, _ := g.Entities.Names.Find("Yann LeCun")
	nyu, _ := g.Entities.Names.Find("New York University")
	university, _ := g.Relations.Names.Find("University")
	link := kg.Triple{Head: kg.Entity(lecun), Relation: kg.Forward(university), Tail: kg.Entity(nyu)}
	p, err := predictor.Links(ctx, []kg.Entity{link.Head}, link.Relation, link.Tail)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("stated: %v, probability %.1f\n", g.Has(link), p[0])
	// Output: stated: false, probability 0.9
}
