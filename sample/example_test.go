package sample_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sample"
)

const exampleFilms = "Fellini\tDirected\tRoma\nFellini\tDirected\tAmarcord\nFellini\tBornIn\tRimini\n" +
	"Rossellini\tDirected\tStromboli\nRossellini\tBornIn\tRome\nMagnani\tBornIn\tRome\nMagnani\tStarsIn\tRoma\n"

// A drawer gives training queries without end; a number gives the same query each time.
func ExampleDrawer() {
	splits, err := read.Stream(context.Background(), strings.NewReader(exampleFilms), "films.tsv", read.Options{})
	if err != nil {
		log.Fatal(err)
	}
	drawer, err := sample.NewDrawer(splits.Train, []sample.Count{{Shape: "1p", Queries: 1}, {Shape: "2p", Queries: 1}}, 1)
	if err != nil {
		log.Fatal(err)
	}
	for i := range uint64(5) {
		shape, q, err := drawer.Draw(i)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(shape, query.FormatOperators(q.Expr, splits.Train.Vocabulary), len(q.Easy))
	}
	// Output:
	// 1p P[StarsIn]({Magnani}) 1
	// 1p P[Directed]({Rossellini}) 1
	// 1p P[StarsIn^-1]({Roma}) 1
	// 1p P[BornIn]({Fellini}) 1
	// 2p P[StarsIn^-1](P[Directed]({Fellini})) 1
}

// Run draws a query set: of every shape as many queries as are asked for, each with its easy and hard answers.
func ExampleRun() {
	splits, err := read.Stream(context.Background(), strings.NewReader(exampleFilms), "films.tsv", read.Options{})
	if err != nil {
		log.Fatal(err)
	}
	options := sample.Options{Seed: 1, Counts: map[dataset.Split][]sample.Count{dataset.Train: sample.Counts([]string{"1p", "2i"}, 2)}}
	_, err = sample.Run(context.Background(), splits, options, func(split dataset.Split, shape string, q dataset.Query) error {
		fmt.Println(split, shape, query.FormatOperators(q.Expr, splits.Train.Vocabulary), len(q.Easy), len(q.Hard))
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// train 1p P[Directed]({Fellini}) 2 0
	// train 1p P[BornIn]({Fellini}) 1 0
	// train 2i C(P[Directed^-1]({Stromboli}), P[BornIn^-1]({Rome})) 1 0
	// train 2i C(P[BornIn]({Rossellini}), P[BornIn]({Magnani})) 1 0
}
