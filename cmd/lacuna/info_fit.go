package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links/fit"
)

// fitFlags say how a model's fit to a graph is found out.
type fitFlags struct {
	wanted bool
	device command.DeviceFlags
	hidden int
	time   time.Duration
	seed   uint64
}

func (f *fitFlags) register(cmd *cobra.Command) {
	f.device.Register(cmd)
	f.device.RegisterCut(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&f.wanted, "fit", false, "say what to expect of the model (default foundation) on this graph")
	flags.IntVar(&f.hidden, "hidden", eval.DefaultHidden, "with --fit: the most facts to hide and ask for")
	flags.DurationVar(&f.time, "max-time", eval.DefaultFitTime, "with --fit: when to stop, half of it for hidden facts and the rest for probabilities")
	flags.Uint64Var(&f.seed, "seed", 1, "with --fit: seed of the choice of facts")
}

// fitReport is the JSON report of info --fit.
type fitReport struct {
	Graph     string         `json:"graph"`
	Model     string         `json:"model"`
	TrainedOn string         `json:"trained_on"`
	Seen      bool           `json:"seen"` // the model was trained on these very facts
	Concerns  []eval.Concern `json:"concerns"`
	Fit       *eval.Fit      `json:"fit"`              // null where nothing could be hidden
	Reason    string         `json:"reason,omitempty"` // and why
	// Probabilities is how those of links hold that are fitted to the graph as for a first question; null where none could be.
	Probabilities *fit.Report `json:"probabilities"`
	Unfitted      string      `json:"unfitted,omitempty"` // and why
}

// fit says in what a graph is unusual, how well the model recovers links of it and how its probabilities hold.
func (a *app) fit(cmd *cobra.Command, flags *fitFlags, graph *command.GraphFlags, model string) error {
	engine, err := a.Open(cmd.Context(), graph, cmp.Or(model, lacuna.Foundation), &flags.device, nil)
	if err != nil {
		return err
	}
	defer engine.Close()
	of := engine.Model()
	a.remarkSeen(of.Name, engine.Graph)
	if of.Predictor == nil {
		return kg.Errorf(kg.Invalid, "", "info --fit: plain traversal predicts nothing, expected a model")
	}
	report := fitReport{
		Graph: graph.Name(), Model: of.Name, TrainedOn: of.Card.Graph.Name, Seen: of.Seen(),
		Concerns: eval.Concerns(engine.Graph),
	}
	if err := a.measureFit(cmd.Context(), engine, flags, &report); err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(report)
	}
	a.showFit(report, engine.Graph)
	return nil
}

// measureFit fills in the figures, or why there are none. Links have half of the time, their probabilities what is left.
func (a *app) measureFit(ctx context.Context, engine *lacuna.Engine, flags *fitFlags, report *fitReport) (err error) {
	within := cmp.Or(flags.time, eval.DefaultFitTime)
	end := time.Now().Add(within)
	bar := a.Progress("asking for hidden facts")
	report.Fit, err = engine.Estimate(ctx, eval.FitOptions{
		HeldOut: slices.Concat(engine.Valid, engine.Test), Hidden: flags.hidden, Time: max(1, within/2), Seed: flags.seed,
		Progress: func(asked, hidden int) { bar.Update(int64(asked), int64(hidden), "") },
	})
	bar.Done()
	if report.Reason, err = tooSmall(err); err != nil {
		return err
	}
	bar = a.Progress("fitting probabilities")
	report.Probabilities, err = engine.FitLinks(ctx, "", fit.Options{
		Held: engine.Valid, Elsewhere: len(engine.Test), Rows: rowsOfFit, Time: max(1, time.Until(end)), Seed: flags.seed,
		Progress: func(done, total int) { bar.Update(int64(done), int64(total), "rows") },
	})
	bar.Done()
	report.Unfitted, err = tooSmall(err)
	return err
}

// rowsOfFit are the rows to fit probabilities to, and to measure them on.
const rowsOfFit = 800

// tooSmall takes for a finding that a graph has too little to measure on.
func tooSmall(err error) (finding string, other error) {
	if kg.KindOf(err) == kg.Invalid {
		return err.Error(), nil
	}
	return "", err
}

// few names the graphs that a model was trained on, or counts them where they would not fit a line.
func few(graphs string) string {
	if n := len(strings.Split(graphs, ", ")); n > 4 {
		return fmt.Sprintf("%s (info -m names them)", count.Of(n, "graph"))
	}
	return graphs
}

func (a *app) showFit(r fitReport, g *kg.Graph) {
	s := a.Screen
	s.Printf("%s: %s, %s, %s\n", s.Bold(r.Graph), count.Of(g.NumEntities(), "entity"), count.Of(g.Relations.Names.Len(), "relation"), count.Of(g.NumTriples(), "fact"))
	s.Printf("%s: trained on %s\n\n", s.Bold(r.Model), few(r.TrainedOn))
	for _, c := range r.Concerns {
		s.Printf("%s %s\n", s.Yellow("caution:"), c.Text)
	}
	if len(r.Concerns) == 0 {
		s.Printf("The structure of the graph gives no reason for doubt.\n")
	}
	s.Printf("\n")
	if r.Fit == nil {
		s.Printf("No estimate: %s.\n", r.Reason)
	} else {
		a.showRecovery(r)
	}
	a.showKept(r)
	if r.Seen {
		s.Printf("%s the model was trained on this graph, the hidden facts among it: expect less of what it has not seen.\n", s.Yellow("caution:"))
	}
	if r.Model == lacuna.Foundation && r.Fit != nil {
		s.Printf("\nMinutes of training on this graph may find more: lacuna train -g %s --from foundation --max-time 3m -o DIR\n", r.Graph)
	}
}

// showRecovery prints the estimate as a small table and in words.
func (a *app) showRecovery(r fitReport) {
	s, f := a.Screen, r.Fit
	s.Printf("%s %s hidden; %s of them asked for, from both ends, in %.0f s:\n\n", count.Of(f.Hidden, "fact"), count.Either(f.Hidden, "was", "were"), count.Number(f.Asked), f.Seconds)
	row := func(name, mrr, hits1, hits10 string) {
		s.Printf("  %s  %s  %s  %s\n", command.Pad(command.Clip(name, 22), 22), command.Pad(mrr, 18), command.Pad(hits1, 18), hits10)
	}
	row("", "MRR", "H@1", "H@10")
	row(r.Model, interval(f.Model.MRR), interval(f.Model.Hits1), interval(f.Model.Hits10))
	row("most frequent ends", interval(f.Frequent.MRR), interval(f.Frequent.Hits1), interval(f.Frequent.Hits10))
	s.Printf("\nOf a hundred missing facts, expect the model to rank %.0f first and %.0f among the first ten.\n", 100*f.Model.Hits1.Mean, 100*f.Model.Hits10.Mean)
	switch {
	case f.Gain.High < 0:
		s.Printf("%s that is worse than naming the most frequent ends of each relation.\n", s.Yellow("caution:"))
	case f.Gain.Low <= 0:
		s.Printf("%s that is not clearly better than naming the most frequent ends of each relation.\n", s.Yellow("caution:"))
	}
	s.Printf("%s\n", s.Dim("In brackets: where the figure lies for 19 of 20 samples of as many facts."))
}

// showKept says how the probabilities of links hold.
func (a *app) showKept(r fitReport) {
	s, p := a.Screen, r.Probabilities
	if p == nil {
		s.Printf("\nTake probabilities as an order, they are not fitted to this graph: %s.\n", r.Unfitted)
		return
	}
	how := "held out for validation"
	if p.Hidden {
		how = "hidden"
	}
	s.Printf("\nProbabilities of links, fitted as for a first question (%s %s), %s measured by a fit to others:\n\n", count.Of(p.Held, "fact"), how, count.Of(p.Rows, "row"))
	s.Printf("  of one half or more      %.0f expected to be such facts, %.0f found\n", p.After.Likely.Expected, p.After.Likely.Found)
	s.Printf("  ECE of the ten likeliest %.2f %% (%.2f %% before the fit)\n", 100*p.After.ECE, 100*p.Before.ECE)
	a.showVerdicts(p.Relations)
}

// shownRelations is how many relations are printed; --json has all.
const shownRelations = 40

// showVerdicts says what predictions of each relation are worth.
func (a *app) showVerdicts(all []fit.RelationReport) {
	if len(all) == 0 {
		return
	}
	s := a.Screen
	row := func(name, values, hidden, first, promised, found string) {
		s.Printf("  %s  %s  %s  %s  %s  %s", command.Pad(command.Clip(name, 28), 28), command.Pad(values, 6), command.Pad(hidden, 6), command.Pad(first, 5), command.Pad(promised, 8), command.Pad(found, 5))
	}
	s.Printf("\nRelation by relation, a head's values, hidden facts and how many came first, and first predictions promised to be right and right:\n\n")
	row("", "values", "hidden", "first", "promised", "right")
	s.Printf("\n")
	for _, r := range all[:min(shownRelations, len(all))] {
		row(r.Name, fmt.Sprintf("%.1f", r.Values), count.Number(r.Hidden), count.Number(r.First), fmt.Sprintf("%.1f", r.Promised), fmt.Sprintf("%.1f", r.Found))
		verdict := string(r.Verdict)
		if r.Verdict == fit.DoNotUse {
			verdict = s.Yellow(verdict)
		}
		s.Printf("  %s\n", verdict)
	}
	if more := len(all) - shownRelations; more > 0 {
		s.Printf("  %s\n", s.Dim(fmt.Sprintf("and %s (--json has them)", count.Of(more, "more relation"))))
	}
}

func interval(i eval.Interval) string {
	return fmt.Sprintf("%.3f (%.2f–%.2f)", i.Mean, i.Low, i.High)
}

// warnUpTo is how many facts a graph may have to be looked at before the first answer; it takes a
// fraction of a second. Larger ones are seldom of the kinds to warn of, and info --fit looks at any.
const warnUpTo = 1_000_000

// warnOfGraph says in one line, at the first use of a foundation model, that a graph is unlike what it knows.
func (a *app) warnOfGraph(e *lacuna.Engine) {
	if model := e.Model(); a.Quiet || model.Predictor == nil || !model.Config.AnyGraph() || e.Graph.NumTriples() > warnUpTo {
		return
	}
	concerns := eval.Concerns(e.Graph)
	if len(concerns) == 0 {
		return
	}
	more := ""
	if len(concerns) > 1 {
		more = fmt.Sprintf(" (and %d more)", len(concerns)-1)
	}
	a.Remark("take predictions with caution: %s%s; see lacuna info --fit -g %s", concerns[0].Text, more, e.Name)
}
