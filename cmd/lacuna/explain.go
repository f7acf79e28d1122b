package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
)

func (a *app) explainCommand() *cobra.Command {
	var flags askFlags
	cmd := &cobra.Command{
		Use:   "explain [QUESTION]",
		Short: "Show how a question is compiled and the set after each instruction",
		Long: `Show a question in its logical and operator form, the postfix program it is
compiled into, and the set of entities after each instruction of the run.
Without a question: the paper's, on the embedded graph.`,
		Example: `  lacuna explain
  lacuna explain '?p : Win(p, Turing Award) & !CitizenOf(p, United States)'
  lacuna explain -g films.tsv '?f : exists p: Directed(p, f) & BornIn(p, Rome)' --json`,
		Args: arguments(0, 1, "one question"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.explain(cmd, &flags, args) },
	}
	flags.register(cmd)
	return cmd
}

func (a *app) explain(cmd *cobra.Command, flags *askFlags, questions []string) error {
	results, err := a.answer(cmd, flags, questions)
	if err != nil {
		return err
	}
	result := results[0]
	if a.json {
		return a.printJSON(explanation{result, strings.Split(strings.TrimRight(result.Listing, "\n"), "\n")})
	}
	a.showExplanation(result)
	return nil
}

// explanation is a result with its program listing, for JSON.
type explanation struct {
	*lacuna.Result
	Program []string `json:"program"`
}

func (a *app) showExplanation(r *lacuna.Result) {
	s := a.screen
	s.printf("%s  %s\n", s.bold("question "), r.Query)
	s.printf("%s  %s\n", s.bold("operators"), r.Operators)
	s.printf("%s  %s\n", s.bold("shape    "), r.Shape)
	s.printf("\n%s\n%s", s.bold("program"), r.Listing)
	s.printf("\n%s\n", s.bold("sets"))
	for i, step := range r.Steps {
		left := clip(stepLabel(step), 32)
		s.printf("%3d  %s  %6s  %s\n", i, pad(left, 32), setSize(step), s.dim(memberList(step, s.width-50)))
	}
	s.printf("\n%s\n", s.dim(statsLine(r.Stats)))
}

func statsLine(s lacuna.Stats) string {
	return fmt.Sprintf("%s entities, %s triples; %d projections in %d rounds; parsed in %.2f ms, projected in %.2f ms, combined in %.2f ms",
		thousands(s.Entities), thousands(s.Triples), s.Projections, len(s.Batches), s.PrepareMS, s.ProjectMS, s.CombineMS)
}
