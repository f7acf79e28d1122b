package lab

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/lab/sparqlbench"
)

// benchSPARQLFlags say what to measure, and what to compare it with.
type benchSPARQLFlags struct {
	library sparqlbench.Config
	measure sparqlbench.Options
	data    string
	write   string
	against string
}

func (a *app) benchSPARQLCommand() *cobra.Command {
	var flags benchSPARQLFlags
	cmd := &cobra.Command{
		Use:   "sparql",
		Short: "Measure SPARQL on a synthetic library, beside another engine",
		Long: `Measure SPARQL on a synthetic library of publications, after the idea of SP²Bench and
BSBM: lookups, stars, chains, cycles, negation, optional parts, groups, paths, text. The
time of a query is that of its fastest run, with its results written as TSV.

--write makes the data and the queries as files for others; sparql/compare/bench.mjs
measures Oxigraph on them, and --against puts its figures beside ours.`,
		Example: `  lacuna-lab bench sparql --triples 1000000
  lacuna-lab bench sparql --triples 1000000 --write DIR
  node sparql/compare/bench.mjs DIR/library.nt DIR/queries.json > oxigraph.json
  lacuna-lab bench sparql --data DIR/library.nt --against oxigraph.json`,
		Args: command.Arguments(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.benchSPARQL(cmd, &flags) },
	}
	f := cmd.Flags()
	f.IntVar(&flags.library.Triples, "triples", 1_000_000, "triples of the library")
	f.Uint64Var(&flags.library.Seed, "seed", 1, "seed of the library")
	f.StringVar(&flags.data, "data", "", "a library that --write made")
	f.StringVar(&flags.write, "write", "", "write library.nt and queries.json into this folder and measure nothing")
	f.StringVar(&flags.against, "against", "", "figures of another engine to compare with")
	f.StringVar(&flags.measure.Only, "only", "", "the name of the one query to run")
	f.IntVar(&flags.measure.Runs, "runs", 20, "runs of each query, at most")
	f.DurationVar(&flags.measure.Enough, "enough", 10*time.Second, "no more runs of a query after this time")
	return cmd
}

func (a *app) benchSPARQL(cmd *cobra.Command, flags *benchSPARQLFlags) error {
	if flags.library.Triples < 1 {
		return kg.Errorf(kg.Invalid, "", "--triples %d: expected 1 or more", flags.library.Triples)
	}
	if flags.write != "" {
		return a.writeLibrary(flags)
	}
	start := time.Now()
	splits, err := a.library(cmd, flags)
	if err != nil {
		return err
	}
	defer splits.Close()
	loaded := time.Since(start)
	bar := a.Progress("measuring")
	defer bar.Done()
	flags.measure.Started = func(name string) { bar.Update(0, 0, name) }
	report, err := sparqlbench.Run(cmd.Context(), splits.Train, flags.measure)
	if err != nil {
		return err
	}
	bar.Done()
	report.LoadMS = float64(loaded.Milliseconds())
	if a.JSON {
		return a.PrintJSON(report)
	}
	return a.showSPARQLBench(report, flags.against)
}

// library reads the data of a file, or makes it on the way.
func (a *app) library(cmd *cobra.Command, flags *benchSPARQLFlags) (*kg.Splits, error) {
	file := flags.data
	if file == "" {
		folder, err := os.MkdirTemp("", "lacuna-library-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
		flags.write = folder
		if err := a.writeLibrary(flags); err != nil {
			return nil, err
		}
		file = filepath.Join(folder, "library.nt")
	}
	return read.Graph(cmd.Context(), file, read.Options{})
}

// writeLibrary writes the data and the queries.
func (a *app) writeLibrary(flags *benchSPARQLFlags) error {
	if err := os.MkdirAll(flags.write, 0o755); err != nil {
		return err
	}
	queries, err := json.MarshalIndent(sparqlbench.Queries(), "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(flags.write, "queries.json"), queries, 0o644); err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(flags.write, "library.nt"))
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err := flags.library.Write(out); err != nil {
		return err
	}
	return out.Close()
}

func (a *app) showSPARQLBench(r *sparqlbench.Report, against string) error {
	s := a.Screen
	s.Printf("%s read in %.1f s; %.0f MB at the peak\n\n", count.Of(r.Triples, "triple"), r.LoadMS/1000, r.PeakMB)
	if against != "" {
		return a.showSPARQLComparison(r, against)
	}
	s.Printf("%s\n", s.Bold(fmt.Sprintf("%-16s %9s %11s %11s", "query", "rows", "ms", "CPU ms")))
	for _, m := range r.Queries {
		s.Printf("%-16s %9d %11.3f %11.3f %s\n", m.Name, m.Rows, m.MS, m.CPUMS, m.Error)
	}
	return nil
}

func (a *app) showSPARQLComparison(r *sparqlbench.Report, against string) error {
	file, err := os.Open(against)
	if err != nil {
		return kg.ReadError(against, err)
	}
	defer file.Close()
	theirs, err := sparqlbench.ReadReport(file)
	if err != nil {
		return kg.Errorf(kg.Invalid, against, "%v", err)
	}
	s := a.Screen
	s.Printf("%s: %.1f s to load, %.0f MB at the peak\n\n", theirs.Engine, theirs.LoadMS/1000, theirs.PeakMB)
	s.Printf("%s\n", s.Bold(fmt.Sprintf("%-16s %9s %11s %11s %8s %11s %11s %8s", "query", "rows", "ms", "theirs", "faster", "CPU ms", "theirs", "faster")))
	byClock, mean := sparqlbench.Compare(r, theirs, false)
	byProcessor, meanCPU := sparqlbench.Compare(r, theirs, true)
	for i, c := range byClock {
		differs := ""
		if !c.Same {
			differs = fmt.Sprintf("  (theirs %s)", count.Of(c.Theirs.Rows, "row"))
		}
		s.Printf("%-16s %9d %11.3f %11.3f %8.1f %11.3f %11.3f %8.1f%s\n", c.Name, c.Ours.Rows, c.Ours.MS, c.Theirs.MS, c.Faster,
			c.Ours.CPUMS, c.Theirs.CPUMS, byProcessor[i].Faster, differs)
	}
	s.Printf("%-16s %9s %11s %11s %8.1f %11s %11s %8.1f\n", "geometric mean", "", "", "", mean, "", "", meanCPU)
	return nil
}
