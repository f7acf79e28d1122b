package sparql_test

import (
	"context"
	"log"
	"os"
	"strings"

	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/results"
)

// An exact query on a graph of names that are no IRIs, its solutions as TSV.
func ExampleRun() {
	const films = "Fellini\tDirected\tRoma\nFellini\tBornIn\tRimini\nRossellini\tDirected\tRome Open City\nRossellini\tBornIn\tRome\n"
	ctx := context.Background()
	splits, err := read.Stream(ctx, strings.NewReader(films), "films.tsv", read.Options{})
	if err != nil {
		log.Fatal(err)
	}
	const text = `SELECT ?film { ?p :Directed ?film MINUS { ?p :BornIn :Rimini } }`
	found, err := sparql.Run(ctx, text, sparql.Dataset{Graph: splits.Train}, sparql.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := found.Write(os.Stdout, results.TSV); err != nil {
		log.Fatal(err)
	}
	// Output:
	// ?film
	// <urn:lacuna:Rome%20Open%20City>
}
