package lacuna_test

import (
	"context"
	"fmt"
	"log"
	"path/filepath"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/gaps"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links/fit"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/turing"
)

// exactLaureates is an engine that knows what the embedded graph states, and predicts nothing.
func exactLaureates() *lacuna.Engine {
	engine, err := lacuna.Open(context.Background(), "", lacuna.Model(lacuna.Exact))
	if err != nil {
		log.Fatal(err)
	}
	return engine
}

// A graph without an engine, with the facts that its source holds out.
func ExampleRead() {
	splits, err := lacuna.Read(context.Background(), "", lacuna.Reading{})
	if err != nil {
		log.Fatal(err)
	}
	defer splits.Close()
	fmt.Println(splits.Train.NumTriples(), "facts,", len(splits.Test), "held out")
	// Output:
	// 2518 facts, 90 held out
}

// A prepared question says what it is before it runs.
func ExampleEngine_Prepare() {
	engine := exactLaureates()
	defer engine.Close()
	question, err := engine.Prepare(turing.PaperQuestion)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(question.Links(), "relation steps, a tree:", question.IsTree())
	// Output:
	// 3 relation steps, a tree: true
}

// What the engine's model says about itself.
func ExampleEngine_Model() {
	engine := laureatesEngine()
	defer engine.Close()
	fmt.Println(engine.Model().Name, "was trained on this graph:", engine.Model().Seen())
	// Output:
	// turing was trained on this graph: true
}

// Judged by the facts that were left out, every answer says whether it is right.
func ExampleEngine_WithTruth() {
	ctx := context.Background()
	engine := laureatesEngine()
	defer engine.Close()
	truth, err := lacuna.TruthOf(ctx, engine.Graph, engine.Test)
	if err != nil {
		log.Fatal(err)
	}
	result, err := engine.WithTruth(truth).Ask(ctx, turing.Question)
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range result.Shown() {
		if a.Entity == turing.HiddenAnswer {
			fmt.Println(a.Entity, "known:", a.Known, "right:", *a.Right)
		}
	}
	// Output:
	// MIT known: false right: true
}

// A cache keeps what the model computed from one question to the next.
func ExampleEngine_WithCache() {
	ctx := context.Background()
	engine := laureatesEngine()
	defer engine.Close()
	cache := lacuna.NewCache(64 << 20)
	cached := engine.WithCache(cache)
	for range 2 {
		if _, err := cached.Ask(ctx, turing.PaperQuestion, lacuna.By(lacuna.Sets)); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("found again:", cache.Stats().Hits > 0)
	// Output:
	// found again: true
}

// SPARQL with package sparql, for those who choose with every query whether to predict.
func ExampleEngine_Dataset() {
	engine := exactLaureates()
	defer engine.Close()
	found, err := sparql.Run(context.Background(), "ASK { :Geoffrey%20Hinton :Win :Turing%20Award }", engine.Dataset(), sparql.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Truth)
	// Output:
	// true
}

// Several changes of a graph, and one engine on what they led to.
func ExampleEngine_On() {
	ctx := context.Background()
	engine := exactLaureates()
	defer engine.Close()
	graph, _, err := engine.Graph.Change(ctx, []kg.Fact{{Head: "Ada", Relation: "Win", Tail: "Turing Award"}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	changed, err := engine.On(ctx, graph)
	if err != nil {
		log.Fatal(err)
	}
	defer changed.Close()
	result, err := changed.Ask(ctx, "Win(Ada, Turing Award)")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("known:", result.Verdict.Known)
	// Output:
	// known: true
}

// The held-out facts of a graph, ranked from both ends.
func ExampleEngine_Method() {
	ctx := context.Background()
	splits, err := lacuna.Read(ctx, "", lacuna.Reading{})
	if err != nil {
		log.Fatal(err)
	}
	engine, err := lacuna.New(ctx, splits.Train, lacuna.Model(lacuna.TuringOfSets), lacuna.Device("cpu"))
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	name, method, err := engine.Method(ctx, lacuna.By(lacuna.Sets))
	if err != nil {
		log.Fatal(err)
	}
	report, err := eval.Facts(ctx, eval.FactsOptions{Graph: splits, Split: dataset.Test, Method: method, Model: name, Limit: 10})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Model, "ranks", report.Facts, "facts")
	// Output:
	// turing-sets ranks 10 facts
}

// Probabilities fitted once and kept in a file, which Calibrating takes.
func ExampleEngine_FitLinks() {
	ctx := context.Background()
	engine, err := lacuna.Open(ctx, "testdata/films.tsv", lacuna.Device("cpu"))
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	dir, remove := temporary()
	defer remove()
	file := filepath.Join(dir, "films.calibration")
	report, err := engine.FitLinks(ctx, file, fit.Options{Rows: 300, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("fitted to hidden facts:", report.Hidden)
	again, err := lacuna.Open(ctx, "testdata/films.tsv", lacuna.Device("cpu"), lacuna.Calibrating(lacuna.CalibrationOptions{File: file}))
	if err != nil {
		log.Fatal(err)
	}
	defer again.Close()
	fitted, err := again.LinkMap(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("read again:", fitted.Fitted())
	// Output:
	// fitted to hidden facts: true
	// read again: true
}

// The likeliest facts that an entity lacks.
func ExampleEngine_Gaps() {
	ctx := context.Background()
	engine, err := lacuna.Open(ctx, "testdata/films.tsv", lacuna.Device("cpu"))
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	finder, err := engine.Gaps(ctx)
	if err != nil {
		log.Fatal(err)
	}
	film, _ := engine.Graph.Entities.Names.Find("Yojimbo")
	facts, err := finder.Of(ctx, kg.Entity(film), 1, 0, gaps.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(facts), "prediction")
	// Output:
	// 1 prediction
}
