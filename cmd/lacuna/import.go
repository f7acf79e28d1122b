package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/endpoint"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
	"github.com/lacuna-kg/lacuna/kg/write"
)

func (a *app) importCommand() *cobra.Command {
	var graph command.GraphFlags
	var from endpointFlags
	var database neo4jFlags
	var output string
	var dry bool
	var plans planFlags
	cmd := &cobra.Command{
		Use:   "import SOURCE... -o FILE",
		Short: "Read triples once and keep them as a snapshot that opens at once, or as RDF",
		Long: `Read triples from a file, a folder or stdin (-) and write a snapshot: one
checksummed file that is memory-mapped when it is opened, so that a graph of
millions of triples is ready in a fraction of a second.

A table has a triple a line, under a header of the usual names or none, or it is a wide
one: a row an entity, a column a relation. Several files make one graph; tables among
them may refer to each other by their keys. --plan shows what each table and column
becomes before anything is read, and saves it with -o; --use-plan follows a saved plan.
--dry-run shows the first facts as they are read and writes nothing.

Where FILE ends in .nq, .trig, .nt or .ttl the graph is written as RDF 1.2 instead, with
graph names and annotations (.nq and .trig), so that nothing is lost on the way back.

Formats, each also compressed by gzip, bzip2 or zstd:
` + command.Listed(read.FormatNames()),
		Example: `  lacuna import films.tsv -o films.lacuna
  lacuna import films.lacuna -o films.nq
  lacuna import films.csv --plan
  lacuna import films.csv --plan -o plan.json
  lacuna import films.csv --use-plan plan.json -o films.lacuna
  lacuna import films.csv people.csv --refer director_id=people -o films.lacuna
  lacuna import triples.csv --columns htr --entity-labels names.tsv -o graph.lacuna
  lacuna import --sparql https://example.org/sparql -o graph.lacuna
  lacuna import --neo4j bolt://user:password@localhost:7687/movies -o graph.lacuna
  curl -s https://example.org/data.ttl.gz | lacuna import - --format ttl -o graph.lacuna`,
		Args: func(cmd *cobra.Command, args []string) error {
			if from.address != "" || database.address != "" {
				return command.Arguments(0, 0, "no source beside --sparql or --neo4j")(cmd, args)
			}
			return command.Arguments(1, math.MaxInt, "a source of triples")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case from.address != "":
				return a.importCopy(cmd, from.fetch, &graph, output, from.opts.PageSize)
			case database.address != "":
				return a.importCopy(cmd, database.fetch, &graph, output, from.opts.PageSize)
			}
			graph.Source, graph.More = args[0], args[1:]
			if plans.show {
				return a.showReadingPlan(cmd, &graph, output)
			}
			if err := plans.follow(&graph); err != nil {
				return err
			}
			if dry {
				return a.showFirstFacts(cmd, &graph)
			}
			skipped := leftOut{path: output + ".skipped"}
			if output != "" {
				graph.Read.BadRow = skipped.add
			}
			return skipped.end(a, a.importGraph(cmd, &graph, output))
		},
	}
	graph.RegisterReading(cmd)
	from.register(cmd)
	database.register(cmd)
	plans.register(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "", "`file` to write: the snapshot or RDF (required), or with --plan the plan")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "show the first facts as they are read, and write nothing")
	cmd.MarkFlagsMutuallyExclusive("sparql", "neo4j", "dry-run", "plan")
	cmd.MarkFlagsMutuallyExclusive("sparql-graph", "neo4j")
	command.First(cmd, "output", "plan", "use-plan", "dry-run", "format", "columns", "key", "refer", "skip-bad", "entity-labels", "encoding", "sparql", "neo4j")
	return cmd
}

// fetch copies what a server has into folder and makes it the source of graph.
type fetch func(ctx context.Context, a *app, graph *command.GraphFlags, folder string, pageSize int) error

// importCopy imports what a server has, and keeps what it gave until the snapshot is there.
func (a *app) importCopy(cmd *cobra.Command, copyTo fetch, graph *command.GraphFlags, output string, pageSize int) error {
	if output == "" {
		return kg.Errorf(kg.Invalid, "", "import: -o FILE is needed, the snapshot to write; the facts are kept beside it until then")
	}
	if pageSize < 0 {
		return kg.Errorf(kg.Invalid, "", "--page %d: expected a number of rows", pageSize)
	}
	folder := output + ".part"
	if err := copyTo(cmd.Context(), a, graph, folder, pageSize); err != nil {
		return err
	}
	if err := a.importGraph(cmd, graph, output); err != nil {
		return err
	}
	return endpoint.Remove(folder)
}

// imported is the JSON report of an import.
type imported struct {
	Output     string  `json:"output"`
	Entities   int     `json:"entities"`
	Relations  int     `json:"relations"`
	Triples    int     `json:"triples"`
	Duplicates int     `json:"duplicates"`
	Valid      int     `json:"valid"`
	Test       int     `json:"test"`
	Bytes      int64   `json:"bytes"`
	Seconds    float64 `json:"seconds"`
}

// otherFormats are endings of files that are read and not written: a snapshot of such a name would be taken for what it is not.
var otherFormats = []string{".tsv", ".csv", ".json", ".jsonl", ".jsonld", ".rdf", ".xml", ".graphml", ".gexf", ".gml", ".parquet", ".xlsx", ".gz", ".zst", ".zip"}

func (a *app) importGraph(cmd *cobra.Command, graph *command.GraphFlags, output string) error {
	if output == "" {
		return kg.Errorf(kg.Invalid, "", "import: -o FILE is needed, the snapshot to write")
	}
	if ending := strings.ToLower(filepath.Ext(output)); slices.Contains(otherFormats, ending) {
		return kg.Errorf(kg.Invalid, "", "-o %s: a graph is not written as %s, expected .lacuna, .nq, .trig, .nt or .ttl", output, ending)
	}
	// What is read are a few arrays without pointers: to look for garbage often costs
	// nothing, and saves the memory of the ones that were outgrown.
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	start := time.Now()
	graph.Read.Scratch = filepath.Dir(output)
	splits, err := graph.Open(cmd.Context(), a.App)
	if err != nil {
		return err
	}
	defer splits.Close()
	if format, ok := write.FormatOf(output); ok {
		err = a.writeRDF(cmd.Context(), output, splits, write.Options{Format: format})
	} else {
		err = snapshot.Write(cmd.Context(), output, splits)
	}
	if err != nil {
		return err
	}
	file, err := os.Stat(output)
	if err != nil {
		return err
	}
	g := splits.Train
	report := imported{
		Output: output, Entities: g.NumEntities(), Relations: g.Relations.Names.Len(), Triples: g.NumTriples(),
		Duplicates: g.Duplicates(), Valid: len(splits.Valid), Test: len(splits.Test),
		Bytes: file.Size(), Seconds: time.Since(start).Seconds(),
	}
	if a.JSON {
		return a.PrintJSON(report)
	}
	a.showImported(report)
	return nil
}

// writeRDF writes a graph as RDF, and says what that cannot hold.
func (a *app) writeRDF(ctx context.Context, output string, splits *kg.Splits, opts write.Options) error {
	report, err := write.File(ctx, output, splits.Train, opts)
	if err != nil {
		return err
	}
	if report.Graphs+report.Statements > 0 {
		a.Remark("%s written, and %s with annotations", count.Of(report.Graphs, "named graph"), count.Of(report.Statements, "statement"))
	}
	if n := len(splits.Valid) + len(splits.Test); n > 0 {
		a.Remark("%s held out for validation and test are not written", count.Of(n, "fact"))
	}
	if report.Lonely > 0 {
		a.Remark("%s without facts or labels are not written", count.Of(report.Lonely, "entity"))
	}
	return nil
}

func (a *app) showImported(r imported) {
	a.Screen.Printf("%s: %s, %s, %s", r.Output, count.Of(r.Entities, "entity"), count.Of(r.Relations, "relation"), count.Of(r.Triples, "triple"))
	if r.Valid+r.Test > 0 {
		a.Screen.Printf(" (%s + %s held out)", count.Number(r.Valid), count.Number(r.Test))
	}
	if r.Duplicates > 0 {
		a.Screen.Printf(", %s dropped", count.Of(r.Duplicates, "duplicate"))
	}
	a.Screen.Printf("; %s in %.1f s\n", count.Bytes(r.Bytes), r.Seconds)
}

// firstFacts is how many facts a dry run shows.
const firstFacts = 10

// preview is the JSON report of a dry run.
type preview struct {
	Entities  int         `json:"entities"`
	Relations int         `json:"relations"`
	Triples   int         `json:"triples"`
	First     [][3]string `json:"first"` // head, relation, tail
}

// marked puts a name into quotes that could be taken for more than one.
func marked(name string) string {
	if strings.ContainsAny(name, ",()") && !strings.HasPrefix(name, `"`) {
		return strconv.Quote(name)
	}
	return name
}

// showFirstFacts reads the graph and shows its first facts instead of keeping it.
func (a *app) showFirstFacts(cmd *cobra.Command, graph *command.GraphFlags) error {
	splits, err := graph.Open(cmd.Context(), a.App)
	if err != nil {
		return err
	}
	defer splits.Close()
	g := splits.Train
	report := preview{Entities: g.NumEntities(), Relations: g.Relations.Names.Len(), Triples: g.NumTriples()}
	for t := range g.Triples() {
		if len(report.First) == firstFacts {
			break
		}
		report.First = append(report.First, [3]string{g.Entity(t.Head), g.Relation(t.Relation), g.Entity(t.Tail)})
	}
	if a.JSON {
		return a.PrintJSON(report)
	}
	for _, fact := range report.First {
		a.Screen.Printf("%s\n", command.Clip(marked(fact[1])+"("+marked(fact[0])+", "+marked(fact[2])+")", a.Screen.Width))
	}
	if rest := report.Triples - len(report.First); rest > 0 {
		a.Screen.Printf("%s\n", a.Screen.Dim("… and "+count.Number(rest)+" more"))
	}
	a.Screen.Printf("%s, %s, %s; nothing was written\n", count.Of(report.Entities, "entity"), count.Of(report.Relations, "relation"), count.Of(report.Triples, "triple"))
	return nil
}
