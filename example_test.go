package lacuna_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sample"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/train"
	"github.com/lacuna-kg/lacuna/turing"
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

// Options choose the model, the device, and how questions are answered.
func ExampleOpen() {
	ctx := context.Background()
	engine, err := lacuna.Open(ctx, "testdata/films.tsv", lacuna.Model(lacuna.Foundation), lacuna.Device("cpu"), lacuna.Threshold(0.3))
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	result, err := engine.Ask(ctx, "?c : Country(Yojimbo, c)")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Shown()[0].Entity, result.Shown()[0].Known)
	// Output:
	// Japan false
}

// A graph that is in memory already, here read from an io.Reader, and no model: the answers are what it states.
func ExampleNew() {
	ctx := context.Background()
	splits, err := read.Stream(ctx, strings.NewReader(films), "films.tsv", read.Options{})
	if err != nil {
		log.Fatal(err)
	}
	engine, err := lacuna.New(ctx, splits.Train, lacuna.Model(lacuna.Exact))
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	result, err := engine.Ask(ctx, "?f : exists p, c: Directed(p, f) & BornIn(p, c) & CityOf(c, Italy)")
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

// laureatesEngine is on the graph that comes with Lacuna, with the model that was trained on it.
func laureatesEngine() *lacuna.Engine {
	engine, err := lacuna.Open(context.Background(), "", lacuna.Device("cpu"))
	if err != nil {
		log.Fatal(err)
	}
	return engine
}

// What the graph states is one thing, what it implies another. The threshold only tells answers from
// what is less likely: the likeliest predictions are there in any case.
func ExampleEngine_Ask() {
	ctx := context.Background()
	engine := laureatesEngine()
	defer engine.Close()
	for _, option := range []lacuna.AskOption{lacuna.By(lacuna.Exact), lacuna.By(lacuna.Links)} {
		result, err := engine.Ask(ctx, turing.PaperQuestion, option, lacuna.Threshold(0.9))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.KnownTotal, "known of", result.Total, "answers,", len(result.LessLikely), "predictions that are less likely")
	}
	// Output:
	// 6 known of 6 answers, 0 predictions that are less likely
	// 6 known of 6 answers, 10 predictions that are less likely
}

// An error says where and what was expected, and of what kind it is.
func ExampleEngine_Ask_error() {
	ctx := context.Background()
	engine := laureatesEngine()
	defer engine.Close()
	_, err := engine.Ask(ctx, "?p : Win(p, Turing Awrd)")
	fmt.Println(err)
	fmt.Println(kg.KindOf(err) == kg.NotFound)
	_, err = engine.Ask(ctx, turing.PaperQuestion, lacuna.Threshold(50))
	fmt.Println(err)
	// Output:
	// query:1:13: no entity "Turing Awrd" (did you mean "Turing Award"?)
	// true
	// threshold 50, expected a probability, from 0 to 1
}

// Questions asked together run as one batch.
func ExampleEngine_Answer() {
	ctx := context.Background()
	engine := laureatesEngine()
	defer engine.Close()
	var questions []*lacuna.Question
	for _, text := range []string{
		"?p : Win(p, Turing Award) & CitizenOf(p, Norway)",
		"?p : Win(p, Turing Award) & Win(p, Nobel Prize in Physics)",
	} {
		q, err := engine.Prepare(text, lacuna.By(lacuna.Exact))
		if err != nil {
			log.Fatal(err)
		}
		questions = append(questions, q)
	}
	results, err := engine.Answer(ctx, questions...)
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

// Why New York University? The chain that leads to it has a link that the graph does not state,
// and facts speak for that.
func ExampleEngine_Explain() {
	ctx := context.Background()
	engine := laureatesEngine()
	defer engine.Close()
	question, err := engine.Prepare(turing.PaperQuestion)
	if err != nil {
		log.Fatal(err)
	}
	_, why, err := engine.Explain(ctx, question, []string{"New York University"}, explain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, link := range why.Links {
		fmt.Println(link.Fact(), "known:", link.Known, "paths:", len(link.Paths) > 0)
	}
	// Output:
	// Win(Yann LeCun, Turing Award) known: true paths: false
	// Field(Yann LeCun, Deep Learning) known: true paths: false
	// University(Yann LeCun, New York University) known: false paths: true
}

// The same graph in SPARQL: exactly, and with predictions.
func ExampleEngine_SPARQL() {
	ctx := context.Background()
	engine := laureatesEngine()
	defer engine.Close()
	const query = `SELECT ?u { :Yann%20LeCun :University ?u }`
	exact, err := engine.SPARQL(ctx, query)
	if err != nil {
		log.Fatal(err)
	}
	if err := exact.Write(os.Stdout, results.TSV); err != nil {
		log.Fatal(err)
	}
	predicted, err := engine.SPARQL(ctx, query+" LIMIT 2", lacuna.By(lacuna.Links), lacuna.Threshold(0.01))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(predicted.Vars)
	for row, err := range predicted.Rows {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row[0], "known:", row[2].Value)
	}
	// Output:
	// ?u
	// <urn:lacuna:University%20of%20Toronto>
	// [u probability known]
	// <urn:lacuna:University%20of%20Toronto> known: true
	// <urn:lacuna:New%20York%20University> known: false
}

// New facts count at once, also about entities that no model has ever seen: nothing is trained again.
func ExampleEngine_Change() {
	ctx := context.Background()
	splits, err := read.Stream(ctx, strings.NewReader(films), "films.tsv", read.Options{})
	if err != nil {
		log.Fatal(err)
	}
	engine, err := lacuna.New(ctx, splits.Train)
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
		result, err := e.Ask(ctx, "?c : CityOf(c, Italy)", lacuna.Limit(lacuna.All), lacuna.Threshold(0))
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

// A query set, drawn from a graph that holds some facts out, tells how well a model finds
// answers that need them.
func ExampleEngine_Evaluate() {
	ctx := context.Background()
	splits, err := lacuna.Read(ctx, "", lacuna.Reading{})
	if err != nil {
		log.Fatal(err)
	}
	dir, remove := temporary()
	defer remove()
	dir = filepath.Join(dir, "queries")
	draw := sample.Options{Seed: 1, Counts: map[dataset.Split][]sample.Count{dataset.Test: {{Shape: "1p", Queries: 10}, {Shape: "2i", Queries: 10}}}}
	if _, err := sample.WriteFolder(ctx, splits, dir, draw); err != nil {
		log.Fatal(err)
	}
	set, err := dataset.Open(ctx, dir, dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	engine, err := lacuna.New(ctx, set.Graph.Train, lacuna.Model(lacuna.TuringOfSets), lacuna.Device("cpu"))
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	for _, way := range []lacuna.Way{lacuna.Exact, lacuna.Sets} { // Sets is the paper's; the default is Links
		report, err := engine.Evaluate(ctx, eval.Options{Set: set, Split: dataset.Test}, lacuna.By(way))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: MRR %.2f over %d queries\n", report.Model, report.Avg.MRR, report.Avg.Queries)
	}
	// Output:
	// exact: MRR 0.00 over 20 queries
	// turing-sets: MRR 0.73 over 20 queries
}

// temporary makes a folder for the files of an example.
func temporary() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "lacuna")
	if err != nil {
		log.Fatal(err)
	}
	return dir, func() { os.RemoveAll(dir) }
}

// What to expect of a model on a graph that it has never seen: facts are hidden and asked for.
func ExampleEngine_Estimate() {
	ctx := context.Background()
	engine, err := lacuna.Open(ctx, "testdata/films.tsv")
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	fit, err := engine.Estimate(ctx, eval.FitOptions{Hidden: 20, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(fit.Hidden, "of", fit.Facts, "facts hidden")
	fmt.Println("better than naming the most frequent ends:", fit.Model.MRR.Mean > fit.Frequent.MRR.Mean)
	// Output:
	// 20 of 296 facts hidden
	// better than naming the most frequent ends: true
}

// Training goes on from the foundation model, a few steps only; the folder is a model for Open.
func ExampleTrain() {
	ctx := context.Background()
	config := train.Default()
	config.Steps, config.Batch = 3, 4
	dir, remove := temporary()
	defer remove()
	result, err := lacuna.Train(ctx, dir, lacuna.Training{
		Graphs: []string{"testdata/films.tsv"}, From: lacuna.Foundation, Config: &config, Version: "example",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Reason, "after", result.Step, "steps")
	engine, err := lacuna.Open(ctx, "testdata/films.tsv", lacuna.Model(dir))
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	fmt.Println(engine.Model().Seen())
	// Output:
	// finished after 3 steps
	// true
}
