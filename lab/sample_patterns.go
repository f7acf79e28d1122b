package lab

import (
	"fmt"
	"strconv"
	"time"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sample"
	"github.com/lacuna-kg/lacuna/sample/pattern"

	"github.com/spf13/cobra"
)

// questionsOfPattern is how many validation and test questions of each pattern are drawn where no number is given.
const questionsOfPattern = 500

// samplePatterns draws questions of any form.
func (a *app) samplePatterns(cmd *cobra.Command, flags *sampleFlags) error {
	start := time.Now()
	splits, err := flags.read(cmd.Context(), a)
	if err != nil {
		return err
	}
	defer splits.Train.Close()
	opts := pattern.Options{Seed: flags.opts.Seed, Limits: pattern.Limits{Hard: flags.opts.MaxAnswers}, Patience: min(flags.opts.Patience, pattern.DefaultPatience)}
	for _, text := range pattern.Split(flags.patterns...) {
		p, err := pattern.Parse(text, splits.Train.Vocabulary)
		if err != nil {
			return err
		}
		opts.Patterns = append(opts.Patterns, p)
	}
	if opts.Wanted, err = flags.wantedOfPatterns(splits); err != nil {
		return err
	}
	bar := a.Progress("drawing")
	opts.Progress = func(split dataset.Split, name string, done, wanted int) {
		bar.Update(int64(done), int64(wanted), split.String()+" "+name)
	}
	outcomes, err := pattern.WriteFolder(cmd.Context(), splits, flags.output, flags.graph.Source, opts)
	bar.Done()
	if err != nil {
		return err
	}
	return a.showDrawn(flags.output, outcomes, time.Since(start))
}

// wantedOfPatterns is how many questions of each pattern are wanted, by split.
func (f *sampleFlags) wantedOfPatterns(splits *kg.Splits) (map[dataset.Split]int, error) {
	held := map[dataset.Split]int{dataset.Valid: len(splits.Valid), dataset.Test: len(splits.Test)}
	wanted := map[dataset.Split]int{}
	for _, split := range dataset.AllSplits() {
		if f.counts[split] == sample.BetaE {
			if held[split] > 0 {
				wanted[split] = questionsOfPattern
			}
			continue
		}
		n, err := strconv.Atoi(f.counts[split])
		if err != nil || n < 0 {
			return nil, kg.Errorf(kg.Invalid, "--"+split.String(), "expected a number of questions of each pattern, found %q", f.counts[split])
		}
		wanted[split] = n
	}
	if wanted[dataset.Train]+wanted[dataset.Valid]+wanted[dataset.Test] == 0 {
		return nil, kg.Errorf(kg.Invalid, "", "sample: no questions are wanted: the graph holds no facts out (--hide 0.1 hides a tenth of them), and --train gives no number")
	}
	return wanted, nil
}

func (a *app) showDrawn(output string, outcomes []pattern.Outcome, took time.Duration) error {
	total := 0
	rows := make([]sampled, len(outcomes))
	for i, o := range outcomes {
		total += o.Found
		rows[i] = sampled{o.Split, o.Pattern, o.Wanted, o.Found, o.Attempts}
		if o.Found < o.Wanted {
			a.Remark("%v", o)
		}
	}
	if a.JSON {
		return a.PrintJSON(map[string]any{"output": output, "queries": total, "seconds": took.Seconds(), "shapes": rows})
	}
	s := a.Screen
	s.Printf("%s\n", s.Bold(fmt.Sprintf("%-6s %9s %10s  %s", "split", "questions", "attempts", "pattern")))
	for _, r := range rows {
		s.Printf("%-6s %9s %10s  %s\n", r.Split, count.Number(r.Queries), count.Number(r.Attempts), r.Shape)
	}
	s.Printf("%s: %s in %.1f s\n", output, count.Of(total, "question"), took.Seconds())
	return nil
}
