package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links/fit"
)

// looking is how many rows are looked at, with a bar.
func (flags *calibrateFlags) looking(a *app) (fit.Options, *command.Progress) {
	how, bar := flags.links, a.Progress("calibrating")
	how.Progress = func(done, total int) { bar.Update(int64(done), int64(total), "rows") }
	return how, bar
}

// calibrateLinks fits the probabilities of links and prints what they promise and keep.
func (a *app) calibrateLinks(ctx context.Context, engine *lacuna.Engine, flags *calibrateFlags) error {
	how, bar := flags.looking(a)
	how.Held, how.Elsewhere = engine.Valid, len(engine.Test)
	report, err := engine.FitLinks(ctx, flags.output, how)
	bar.Done()
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(struct {
			Output string `json:"output"`
			Model  string `json:"model"`
			Graph  string `json:"graph"`
			*fit.Report
		}{flags.output, engine.Model().Name, flags.graph.Name(), report})
	}
	a.showLinkCalibration(flags.output, engine, flags.graph.Name(), report)
	return nil
}

func (a *app) showLinkCalibration(output string, engine *lacuna.Engine, graph string, r *fit.Report) {
	s, how := a.Screen, "held out for validation"
	if r.Hidden {
		how = "hidden"
	}
	s.Printf("%s: links by %s on %s; %s %s\n", output, engine.Model().Name, graph, count.Of(r.Held, "fact"), how)
	around := ""
	if r.Around > 0 {
		around = fmt.Sprintf(" each predicted on the %s around its head (--cut N),", count.Of(r.Around, "entity"))
	}
	s.Printf("measured on %s that were not fitted on,%s seed %d\n\n", count.Of(r.Rows, "row"), around, r.Seed)
	s.Printf("probability        before            after\n")
	for i, b := range r.Before.Bins {
		s.Printf("%.2f to %.2f  %16s %16s\n", b.From, b.To, kept(b), kept(r.After.Bins[i]))
	}
	s.Printf("0.50 to 1.00  %16s %16s\n", kept(r.Before.Likely), kept(r.After.Likely))
	s.Printf("ECE           %14.2f %% %14.2f %%\n\n", 100*r.Before.ECE, 100*r.After.ECE)
	s.Printf("%s\n", s.Dim("Links expected to be facts held out → that are; ECE of the ten likeliest links of a row."))
	if engine.Model().Seen() && r.Hidden {
		a.Remark("the model was trained on this graph, the hidden facts among it: expect it to be less sure of what it has not seen than this says")
	}
}

func kept(b fit.Bin) string { return fmt.Sprintf("%.0f → %.0f", b.Expected, b.Found) }

// checkLinks prints what probabilities of whole questions promise and keep on facts that they were not fitted to.
func (a *app) checkLinks(ctx context.Context, engine *lacuna.Engine, flags *calibrateFlags) error {
	fitTo, held := engine.Valid, engine.Test
	if flags.check == "valid" {
		fitTo, held = halves(engine.Valid, flags.links.Seed)
	}
	if len(held) == 0 {
		return kg.Errorf(kg.Invalid, "", "--check %s: %s holds out no such facts", flags.check, flags.graph.Name())
	}
	bar := a.Progress("asking")
	report, err := engine.CheckLinks(ctx, lacuna.CheckOptions{
		Held: held, FitTo: fitTo, Elsewhere: len(engine.Valid) + len(engine.Test) - len(fitTo) - len(held), File: flags.fitted,
		Questions: flags.questions, Seed: flags.links.Seed,
		Progress: func(done, total int) { bar.Update(int64(done), int64(total), "kinds of questions") },
	})
	bar.Done()
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(struct {
			Model string `json:"model"`
			Graph string `json:"graph"`
			*lacuna.Checked
		}{engine.Model().Name, flags.graph.Name(), report})
	}
	a.Screen.Printf("answers by %s on %s, %s %s facts held out, seed %d\n\n", engine.Model().Name, flags.graph.Name(), count.Number(report.Held), flags.check, report.Seed)
	a.showReliability(report)
	return nil
}

// halves splits facts at random.
func halves(facts []kg.Triple, seed uint64) (some, others []kg.Triple) {
	facts = slices.Clone(facts)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
	return facts[:len(facts)/2], facts[len(facts)/2:]
}

// showReliability prints how probabilities of whole questions hold, a line for the questions that are alike.
func (a *app) showReliability(r *lacuna.Checked) {
	s := a.Screen
	row := func(cells ...string) {
		for _, cell := range cells {
			s.Printf("%-14s", cell)
		}
		s.Printf("\n")
	}
	head := []string{"answers", "questions", "all shown"}
	for _, b := range r.Groups[0].Bins {
		head = append(head, fmt.Sprintf("%.2f to %.2f", b.From, b.To))
	}
	row(append(head, "0.50 to 1.00", "ECE")...)
	for _, g := range r.Groups {
		cells := []string{g.Name, count.Number(g.Questions), fmt.Sprintf("%.0f → %.0f", g.Expected, g.Found)}
		for _, b := range append(g.Bins, g.Likely) {
			cells = append(cells, kept(b))
		}
		row(append(cells, fmt.Sprintf("%.2f %%", 100*g.ECE))...)
	}
	s.Printf("\n%s\n", s.Dim("The ten likeliest predictions of each question: expected to be right → right, by the facts held out."))
}
