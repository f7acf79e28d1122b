package lacuna_test

import (
	"context"
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

const films = `Fellini	Directed	Roma
Rossellini	Directed	Stromboli
Hitchcock	Directed	Vertigo
Fellini	BornIn	Rimini
Rossellini	BornIn	Rome
Hitchcock	BornIn	London
Rimini	CityOf	Italy
Rome	CityOf	Italy
`

// Ask a graph read from any io.Reader, and look at the set after every step.
func Example() {
	ctx := context.Background()
	splits, err := read.Stream(ctx, strings.NewReader(films), "films.tsv", read.Options{})
	if err != nil {
		log.Fatal(err)
	}
	engine := lacuna.New(splits.Train)
	result, err := engine.Ask(ctx, "?f : exists p, c: Directed(p, f) & BornIn(p, c) & CityOf(c, Italy)", lacuna.AskOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, step := range result.Steps {
		fmt.Printf("%s %s%s: %.0f\n", step.Op, step.Entity, step.Relation, step.Cardinality)
	}
	for _, answer := range result.Answers {
		fmt.Println(answer.Entity, answer.Known)
	}
	// Output:
	// entity Italy: 1
	// project CityOf^-1: 2
	// project BornIn^-1: 2
	// project Directed: 2
	// Roma true
	// Stromboli true
}

// Questions asked together run as one batch.
func ExampleEngine_AskAll() {
	ctx := context.Background()
	splits, err := lacuna.Embedded(ctx)
	if err != nil {
		log.Fatal(err)
	}
	engine := lacuna.New(splits.Train)
	results, err := engine.AskAll(ctx, []string{
		"?p : Win(p, Turing Award) & CitizenOf(p, Norway)",
		"?p : Win(p, Turing Award) & Win(p, Nobel Prize in Physics)",
	}, lacuna.AskOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range results {
		fmt.Println(r.Shape, r.Total, r.Answers[0].Entity)
	}
	// Output:
	// 2i 2 Ole-Johan Dahl
	// 2i 1 Geoffrey Hinton
}

// An error says where and what was expected, and of what kind it is.
func ExampleEngine_Ask_error() {
	ctx := context.Background()
	splits, err := lacuna.Embedded(ctx)
	if err != nil {
		log.Fatal(err)
	}
	_, err = lacuna.New(splits.Train).Ask(ctx, "?p : Win(p, Turing Awrd)", lacuna.AskOptions{})
	fmt.Println(err)
	fmt.Println(kg.KindOf(err) == kg.NotFound)
	// Output:
	// query:1:13: no entity "Turing Awrd" (did you mean "Turing Award"?)
	// true
}

// New facts count at once, also about entities that no model has ever seen: nothing is trained again.
func ExampleEngine_Change() {
	ctx := context.Background()
	splits, err := read.Stream(ctx, strings.NewReader(films), "films.tsv", read.Options{})
	if err != nil {
		log.Fatal(err)
	}
	engine, err := lacuna.New(splits.Train).FoundationModel(ctx, "films.tsv", plain.New())
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	changed, report, err := engine.Change(ctx, []kg.Fact{
		{Head: "Antonioni", Relation: "Directed", Tail: "Blow-Up"},
		{Head: "Antonioni", Relation: "BornIn", Tail: "Ferrara"},
	}, []kg.Fact{{Head: "Rossellini", Relation: "Directed", Tail: "Stromboli"}})
	if err != nil {
		log.Fatal(err)
	}
	defer changed.Close()
	fmt.Printf("%d added, %d removed, %d new entities\n", report.Added, report.Removed, report.NewEntities)

	// Nothing states that Ferrara is in Italy; the model has an opinion on it all the same.
	for _, e := range []*lacuna.Engine{engine, changed} {
		result, err := e.Ask(ctx, "?c : CityOf(c, Italy)", lacuna.AskOptions{Limit: -1, Threshold: 1e-9})
		if err != nil {
			log.Fatal(err)
		}
		asked := slices.ContainsFunc(result.Answers, func(a lacuna.Answer) bool { return a.Entity == "Ferrara" && !a.Known })
		fmt.Println("a prediction for Ferrara:", asked)
	}
	// Output:
	// 2 added, 1 removed, 3 new entities
	// a prediction for Ferrara: false
	// a prediction for Ferrara: true
}
