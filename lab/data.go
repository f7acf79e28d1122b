package lab

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

func (a *app) dataCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Check and convert query sets",
		Args:  command.NoArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.verifyCommand(), a.convertCommand())
	return cmd
}

func (a *app) verifyCommand() *cobra.Command {
	var graph command.GraphFlags
	var splits, shapes []string
	var examples int
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Recompute every easy and hard answer of a query set by traversal",
		Long: `Recompute every easy and hard answer of a query set by traversal of its graph and
report each disagreement. DIR holds BetaE's pickles, the Query2Box release, or
queries drawn by lacuna-lab sample. Exits with 1 where anything disagrees.

A Query2Box folder holds no triples: name the graph by -g, or keep it beside the
folder under the same numbering (FB15k-237-betae beside FB15k-237-q2b).`,
		Example: `  lacuna-lab data verify FB15k-237-betae
  lacuna-lab data verify FB15k-237-q2b --splits test --shapes 1p
  lacuna-lab data verify FB15k-237-q2b -g FB15k-237-betae --json`,
		Args: command.Arguments(1, 1, "one folder of queries"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts := dataset.VerifyOptions{Shapes: query.SplitShapes(shapes...), Examples: examples}
			return a.verify(cmd, &graph, args[0], splits, opts)
		},
	}
	graph.Register(cmd)
	cmd.Flags().StringSliceVar(&splits, "splits", nil, "splits to check: train, valid, test (default: all)")
	cmd.Flags().StringArrayVar(&shapes, "shapes", nil, "shapes to check, such as 1p,2in (default: all)")
	cmd.Flags().IntVar(&examples, "examples", 3, "disagreements to describe for each shape; -1 for none")
	command.CompleteFlag(cmd, "splits", "train", "valid", "test")
	return cmd
}

func (a *app) verify(cmd *cobra.Command, graph *command.GraphFlags, dir string, splits []string, opts dataset.VerifyOptions) error {
	for _, name := range splits {
		var split dataset.Split
		if err := split.UnmarshalText([]byte(name)); err != nil {
			return kg.Errorf(kg.Invalid, "--splits", "%v", err)
		}
		opts.Splits = append(opts.Splits, split)
	}
	set, err := a.OpenSet(cmd, graph, dir)
	if err != nil {
		return err
	}
	defer set.Close()
	bar := a.Progress("checking")
	opts.Progress = func(checked int) { bar.Update(0, 0, count.Of(checked, "query")) }
	report, err := dataset.Verify(cmd.Context(), set, opts)
	bar.Done()
	if err != nil {
		return err
	}
	if a.JSON {
		err = a.PrintJSON(report)
	} else {
		a.showVerified(report)
	}
	if err == nil && report.Disagreeing > 0 {
		return fmt.Errorf("%s of %s disagree with traversal", count.Number(report.Disagreeing), count.Of(report.Queries, "query"))
	}
	return err
}

func (a *app) showVerified(r dataset.Report) {
	s := a.Screen
	s.Printf("%s\n", s.Bold(fmt.Sprintf("%-6s %-6s %10s %10s %10s  %s", "split", "shape", "queries", "agree", "disagree", "remarks")))
	for _, g := range r.Groups {
		faults := command.Pad(fmt.Sprintf("%10s", count.Number(g.Disagreeing)), 10)
		if g.Disagreeing > 0 {
			faults = s.Red(faults)
		}
		s.Printf("%-6s %-6s %10s %10s %s  %s\n", g.Split, g.Shape, count.Number(g.Queries), count.Number(g.Agreeing), faults, s.Dim(groupRemarks(g)))
	}
	for _, e := range r.Examples {
		s.Printf("\n%s %s  %s\n", e.Split, e.Shape, command.Clip(e.Query, max(30, s.Width-12)))
		s.Printf("  %s%s\n", describeDifference("easy", e.Easy), describeDifference("hard", e.Hard))
	}
	s.Printf("\n%s, %s agree, %s disagree, %s without answers to check\n",
		count.Of(r.Queries, "query"), count.Number(r.Agreeing), count.Number(r.Disagreeing), count.Number(r.NotGiven))
}

// groupRemarks says what is missing from or wrong in the answers of a shape.
func groupRemarks(g dataset.GroupReport) string {
	var remarks []string
	add := func(n int, noun, how string) {
		if n > 0 {
			remarks = append(remarks, count.Of(n, noun)+" "+how)
		}
	}
	add(g.MissingEasy, "easy answer", "missing")
	add(g.ExtraEasy, "easy answer", "too many")
	add(g.MissingHard, "hard answer", "missing")
	add(g.ExtraHard, "hard answer", "too many")
	add(g.NotGiven, "query", "without answers given")
	add(g.EasyNotGiven-g.NotGiven, "query", "without easy answers given")
	add(g.HardNotGiven-g.NotGiven, "query", "without hard answers given")
	return strings.Join(remarks, ", ")
}

func describeDifference(kind string, d dataset.Difference) string {
	if len(d.Missing)+len(d.Extra) == 0 {
		return ""
	}
	text := fmt.Sprintf("%s: %d given, %d true", kind, d.Given, d.True)
	if len(d.Missing) > 0 {
		text += "; missing " + strings.Join(d.Missing, ", ")
	}
	if len(d.Extra) > 0 {
		text += "; too many " + strings.Join(d.Extra, ", ")
	}
	return text + "  "
}

func (a *app) convertCommand() *cobra.Command {
	var graph command.GraphFlags
	var output string
	var opts dataset.ConvertOptions
	cmd := &cobra.Command{
		Use:   "convert DIR -o DIR",
		Short: "Write a BetaE or Query2Box set in Lacuna's own compact format",
		Long: `Write a BetaE or Query2Box set in Lacuna's own format: a snapshot of the graph and a
compressed, checksummed file for each split, of which a shape is read without the others.

Answers that the files lack are found by traversal whenever the set is read or, with
--complete, once and for all.`,
		Example: `  lacuna-lab data convert FB15k-237-betae -o fb15k-237
  lacuna-lab data convert FB15k-237-q2b -g FB15k-237-betae --complete -o fb15k-237`,
		Args: command.Arguments(1, 1, "one folder of queries"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return kg.Errorf(kg.Invalid, "", "convert: -o DIR is needed, the folder to write")
			}
			set, err := a.OpenSet(cmd, &graph, args[0])
			if err != nil {
				return err
			}
			defer set.Close()
			bar := a.Progress("converting")
			defer bar.Done()
			queries := 0
			opts.Progress = func(written int) { queries = written; bar.Update(0, 0, count.Of(written, "query")) }
			if err := dataset.Convert(cmd.Context(), set, output, opts); err != nil {
				return err
			}
			if a.JSON {
				return a.PrintJSON(map[string]any{"output": output, "queries": queries})
			}
			a.Screen.Printf("%s: written\n", output)
			return nil
		},
	}
	graph.Register(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "", "the folder to write (required)")
	cmd.Flags().BoolVar(&opts.Complete, "complete", false, "find answers that the files lack by traversal")
	return cmd
}
