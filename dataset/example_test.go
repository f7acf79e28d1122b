package dataset_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/query"
)

// Write a query with its answers into a file of the own format, and read it again.
func Example() {
	const films = "Fellini\tDirected\tRoma\nFellini\tDirected\tAmarcord\n"
	ctx := context.Background()
	splits, err := read.Stream(ctx, strings.NewReader(films), "films.tsv", read.Options{})
	if err != nil {
		log.Fatal(err)
	}
	names := splits.Train.Vocabulary
	entity := func(name string) kg.Entity {
		found, err := query.FindEntity(name, names)
		if err != nil {
			log.Fatal(err)
		}
		return found
	}
	q, err := query.Parse("?f : Directed(Fellini, f)")
	if err != nil {
		log.Fatal(err)
	}
	e, err := query.Bind(q, names)
	if err != nil {
		log.Fatal(err)
	}

	dir, err := os.MkdirTemp("", "queries")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "test"+dataset.FileSuffix)
	writer, err := dataset.Create(path, dataset.NewHeader(dataset.Test, names, dataset.Provenance{Method: "by hand"}))
	if err != nil {
		log.Fatal(err)
	}
	defer writer.Abort()
	if err := writer.Write(dataset.Query{Expr: e, Easy: []kg.Entity{entity("Roma")}, Hard: []kg.Entity{entity("Amarcord")}}); err != nil {
		log.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		log.Fatal(err)
	}

	reader, err := dataset.OpenReader(path)
	if err != nil {
		log.Fatal(err)
	}
	defer reader.Close()
	for stored, err := range reader.Queries(ctx, "1p") {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(query.FormatOperators(stored.Expr, names), "easy", len(stored.Easy), "hard", len(stored.Hard))
	}
	// Output: P[Directed]({Fellini}) easy 1 hard 1
}
