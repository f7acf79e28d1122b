package lab

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/internal/lines"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/ranks"
	"github.com/lacuna-kg/lacuna/sample"
	"github.com/lacuna-kg/lacuna/sample/pattern"
)

// sampleFlags says what to draw.
type sampleFlags struct {
	graph  command.GraphFlags
	output string
	counts [3]string // for each split: a number, "all", "betae" or shape=number,…
	shapes []string
	// patterns are questions of any form, drawn instead of shapes.
	patterns []string
	hide     float64 // the share of facts to hold out for each of validation and test
	opts     sample.Options
	ranks    command.RankFlags
}

func (a *app) sampleCommand() *cobra.Command {
	var flags sampleFlags
	cmd := &cobra.Command{
		Use:   "sample -o DIR",
		Short: "Draw query sets with easy and hard answers from a graph, as BetaE does",
		Long: `Draw queries from a graph, each grounded backwards from a random answer, and write
them with their answers to a new folder. Training queries are answered on the
training facts. Validation and test queries have easy answers, found without the
held-out facts, and at least one hard answer that needs them. Of a graph that holds
out none, such as a file of triples, --hide holds out some: none that is the last of
an entity or of a relation, as train does. The folder has the graph without them.

Shapes are the 14 of the benchmarks (` + strings.Join(query.Shapes, " ") + `)
or any tree: 'P(C(P(e), P(e), N(P(e))))'. The same seed gives the same set,
whatever the number of threads. Started by mpirun or srun, all ranks draw what one
process draws, and rank 0 writes it.

Counts are a number for every shape, or shape=number pairs, or betae for the
sizes of BetaE's sets.

--patterns draws questions of any form instead: cycles, several links between two
variables, two or three answer variables, yes or no. A pattern is a question with
r1, r2, … for relations and s1, s2, … for given entities that are drawn, other names
are the graph's; or one of these names, fit for the ten types of FIT:
` + lines.Fill(pattern.Names(), 78, ""),
		Example: `  lacuna-lab sample -g FB15k-237-betae -o fb15k-237-queries
  lacuna-lab sample -g films/ --train 1000 --valid 100 --test 100 --seed 7 -o queries
  lacuna-lab sample -g films.tsv --hide 0.1 -o queries
  lacuna-lab sample -g FB15k-237-betae --train 0 --valid 0 --test 300 --missing 2 -o two-missing
  lacuna-lab sample -g films/ --shapes 2p,2in --train 500 --valid 0 --test 0 -o queries
  lacuna-lab sample -g films/ --train '1p=all,2i=1000' -o queries
  mpirun -n 4 lacuna-lab sample -g FB15k-237-betae -o fb15k-237-queries
  lacuna-lab sample -g FB15k-237-betae --patterns fit,triangle --valid 500 -o cyclic
  lacuna-lab sample -g films/ --patterns '?x, ?y : Directed(x, y) & r1(x, y)' -o pairs`,
		Args: command.Arguments(0, 0, "no argument (name the graph by -g, the folder by -o)"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			threads := command.DeviceFlags{Threads: flags.opts.Threads}
			return a.Together(cmd.Context(), flags.ranks, &threads, func(team *ranks.Team) error {
				flags.opts.Team = team
				return a.sample(cmd, &flags)
			})
		},
	}
	flags.graph.Register(cmd)
	flags.ranks.Register(cmd)
	f := cmd.Flags()
	f.StringVarP(&flags.output, "output", "o", "", "the folder to write (required)")
	f.StringArrayVar(&flags.shapes, "shapes", nil, "shapes to draw where a count is a plain number (default: those of BetaE)")
	f.StringArrayVar(&flags.patterns, "patterns", nil, "questions of any form to draw: names, or one written out, such as '?y : r1(s1, y) & r2(y, y)'; may be repeated")
	cmd.MarkFlagsMutuallyExclusive("shapes", "patterns")
	for split, name := range dataset.AllSplits() {
		f.StringVar(&flags.counts[split], name.String(), sample.BetaE, "queries of the "+name.String()+" split")
	}
	f.Float64Var(&flags.hide, "hide", 0, "of a graph that holds out no facts, hide this share of them for validation, and again for test, such as 0.1")
	f.Uint64Var(&flags.opts.Seed, "seed", 0, "seed of the draw")
	f.IntVar(&flags.opts.MaxAnswers, "max-answers", sample.DefaultMaxAnswers, "the most hard answers of a validation or test query")
	f.IntVar(&flags.opts.Missing, "missing", 0, "keep validation and test queries with an answer whose best derivation lacks just so many links (default: any number)")
	f.IntVar(&flags.opts.Patience, "patience", sample.DefaultPatience, "attempts without a new query after which a shape counts as exhausted")
	f.IntVar(&flags.opts.Threads, "threads", 0, "attempts to make at a time (default: one a core)")
	command.CompleteFlag(cmd, "shapes", query.Shapes...)
	command.First(cmd, "graph", "output", "shapes", "patterns", "train", "valid", "test", "hide", "seed", "max-answers", "patience", "threads", "read")
	return cmd
}

func (a *app) sample(cmd *cobra.Command, flags *sampleFlags) error {
	if flags.output == "" {
		return kg.Errorf(kg.Invalid, "", "sample: -o DIR is needed, the folder to write")
	}
	if len(flags.patterns) > 0 {
		return a.sampleAlone(cmd, flags)
	}
	start := time.Now()
	splits, err := flags.open(cmd.Context(), a)
	if err != nil {
		return err
	}
	defer splits.Train.Close()
	opts := flags.opts
	opts.Source = flags.graph.Source
	flags.shapes = query.SplitShapes(flags.shapes...)
	if opts.Counts, err = flags.parseCounts(splits); err != nil {
		return err
	}
	// A shape that the user named must be there; of the usual ones, a small graph may lack some.
	opts.SkipEmpty = len(flags.shapes) == 0 && !strings.Contains(strings.Join(flags.counts[:], ""), "=")
	bar := a.Progress("sampling")
	done := &drawn{wanted: wantedQueries(opts.Counts)}
	opts.Progress = func(p sample.Progress) { done.show(bar, p) }
	outcomes, err := sample.WriteFolder(cmd.Context(), splits, flags.output, opts)
	bar.Done()
	if err != nil || !opts.Team.Leads() {
		return err
	}
	return a.showSampled(flags.output, outcomes, time.Since(start))
}

// sampleAlone draws questions of any form, which rank 0 of a team does by itself.
func (a *app) sampleAlone(cmd *cobra.Command, flags *sampleFlags) error {
	if !flags.opts.Team.Leads() {
		return nil
	}
	if flags.opts.Team.Size() > 1 {
		a.Remark("questions of any form are drawn by one rank")
	}
	return flags.opts.Team.TakeTime(cmd.Context(), func(context.Context) error { return a.samplePatterns(cmd, flags) })
}

// open reads the graph, for which others wait.
func (f *sampleFlags) open(ctx context.Context, a *app) (splits *kg.Splits, err error) {
	err = f.opts.Team.TakeTime(ctx, func(ctx context.Context) (err error) {
		splits, err = f.read(ctx, a)
		return err
	})
	return splits, err
}

// read reads the graph and hides what is to be held out of it.
func (f *sampleFlags) read(ctx context.Context, a *app) (*kg.Splits, error) {
	if f.hide < 0 || f.hide > mostHidden {
		return nil, kg.Errorf(kg.Invalid, "", "--hide %v: expected a share of the facts above 0 and at most %v", f.hide, mostHidden)
	}
	splits, err := f.graph.Open(ctx, a.App)
	switch holdsOut := err == nil && len(splits.Valid)+len(splits.Test) > 0; {
	case err != nil || f.hide == 0 && holdsOut:
		return splits, err
	case holdsOut:
		splits.Close()
		return nil, kg.Errorf(kg.Invalid, "", "--hide %v: %s holds facts out already, %d for validation and %d for test", f.hide, f.graph.Name(), len(splits.Valid), len(splits.Test))
	case f.hide == 0:
		if valid, test := f.counts[dataset.Valid], f.counts[dataset.Test]; valid == sample.BetaE && (test == sample.BetaE || test == "0") || valid == "0" && test == sample.BetaE {
			a.Remark("%s holds out no facts for validation and test queries to ask for: only training queries are drawn (--hide 0.1 hides a tenth of the facts for each)", f.graph.Name())
		}
		return splits, nil
	}
	return f.holdOut(ctx, a, splits)
}

const mostHidden = 0.4

// holdOut hides facts for the splits that are wanted, the same for validation whether or not there are some for test.
func (f *sampleFlags) holdOut(ctx context.Context, a *app, whole *kg.Splits) (*kg.Splits, error) {
	defer whole.Close()
	each := int(f.hide * float64(whole.Train.NumTriples()))
	wanted := each
	if f.counts[dataset.Test] != "0" {
		wanted += each
	}
	splits, err := sample.HoldOut(ctx, whole.Train, wanted, f.opts.Seed)
	if err != nil {
		return nil, err
	}
	if n := len(splits.Valid); n > each {
		splits.Valid, splits.Test = splits.Valid[:each], splits.Valid[each:]
	}
	a.Remark("%s hidden for validation and %d for test, %s left", count.Of(len(splits.Valid), "fact"), len(splits.Test), count.Number(splits.Train.NumTriples()))
	return splits, nil
}

// parseCounts reads the counts of the three splits.
func (f *sampleFlags) parseCounts(splits *kg.Splits) (map[dataset.Split][]sample.Count, error) {
	counts := map[dataset.Split][]sample.Count{}
	betae := sample.BetaESizes(splits, sample.BetaEvaluation)
	for _, split := range dataset.AllSplits() {
		sizes := betae[split]
		if len(sizes) == 0 && f.counts[split] != sample.BetaE {
			sizes = sample.Counts(query.Shapes, 1) // so that a number for a split without facts is refused and not passed over
		}
		list, err := sample.ParseCounts(f.counts[split], f.shapes, sizes)
		if err != nil {
			return nil, kg.Errorf(kg.Invalid, "--"+split.String(), "%v", err)
		}
		if len(list) > 0 {
			counts[split] = list
		}
	}
	return counts, nil
}

func wantedQueries(counts map[dataset.Split][]sample.Count) int64 {
	total := int64(0)
	for _, list := range counts {
		for _, c := range list {
			total += int64(max(0, c.Queries))
		}
	}
	return total
}

// drawn adds up the progress of the shapes, which are drawn one after the other.
type drawn struct {
	wanted   int64
	finished int64 // queries of earlier shapes
	last     sample.Progress
}

func (d *drawn) show(bar *command.Progress, p sample.Progress) {
	if p.Split != d.last.Split || p.Shape != d.last.Shape {
		d.finished += int64(d.last.Done)
	}
	d.last = p
	bar.Update(d.finished+int64(p.Done), d.wanted, p.Split.String()+" "+p.Shape)
}

// sampled is one line of the JSON report of sample.
type sampled struct {
	Split    dataset.Split `json:"split"`
	Shape    string        `json:"shape"`
	Wanted   int           `json:"wanted"`
	Queries  int           `json:"queries"`
	Attempts int           `json:"attempts"`
}

func (a *app) showSampled(output string, outcomes []sample.Outcome, took time.Duration) error {
	total := 0
	rows := make([]sampled, len(outcomes))
	for i, o := range outcomes {
		total += o.Found
		rows[i] = sampled{o.Split, o.Shape, o.Wanted, o.Found, o.Attempts}
		if o.Short() {
			a.Remark("%v", o)
		}
	}
	if a.JSON {
		return a.PrintJSON(map[string]any{"output": output, "queries": total, "seconds": took.Seconds(), "shapes": rows})
	}
	s := a.Screen
	s.Printf("%s\n", s.Bold(fmt.Sprintf("%-6s %-8s %10s %12s", "split", "shape", "queries", "attempts")))
	for _, r := range rows {
		s.Printf("%-6s %-8s %10s %12s\n", r.Split, r.Shape, count.Number(r.Queries), count.Number(r.Attempts))
	}
	s.Printf("%s: %s in %.1f s\n", output, count.Of(total, "query"), took.Seconds())
	return nil
}
