package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
)

// tuples are the options of questions with several answer variables, and of what is not known.
func (f *askFlags) tuples(cmd *cobra.Command) []lacuna.AskOption {
	options := []lacuna.AskOption{lacuna.Predicted(f.predicted), lacuna.Marginal(f.marginal), lacuna.Why(f.why)}
	if f.predicted && !cmd.Flags().Changed("threshold") {
		options = append(options, lacuna.Threshold(0)) // the likeliest are wanted, however likely
	}
	return options
}

// showJoin prints a question whose variables form no tree, the values of its variables and its answers.
func (a *app) showJoin(r *lacuna.Result) {
	s := a.Screen
	s.Printf("%s\n", s.Bold(r.Query))
	for i, v := range r.Variables {
		if i == 0 {
			s.Printf("\n")
		}
		s.Printf("  %s  %s\n", v.Variable, s.Dim(command.Clip(listNames(v.Top), s.Width-len(v.Variable)-4)))
	}
	a.showCuts(r)
	a.showJoinCut(r.Cut)
	if r.Verdict != nil {
		a.showYesOrNo(r.Verdict)
		return
	}
	s.Printf("\n%s\n", s.Bold(countJoined(r)))
	a.listAnswers(r.Answers)
	a.listLessLikely(r)
	a.showExpected(r)
	a.showGuarantee(r)
	for _, v := range r.Marginals {
		s.Printf("\n%s\n", s.Bold(v.Variable+" by itself"))
		a.listAnswers(v.Top)
	}
}

// showYesOrNo prints the likelier of the two: what the graph states without a doubt, or doubts that the model has of a negation.
func (a *app) showYesOrNo(v *lacuna.Verdict) {
	verdict := "No."
	if v.Probability >= 0.5 {
		verdict = "Yes."
	}
	a.Screen.Printf("\n%s\n  %s%s\n", a.Screen.Bold(verdict), explain.Percent(v.Probability), a.origin(v))
	a.showDerivation(v.Derivation)
}

// origin says where the answer to a question of yes or no comes from; nothing speaks for what is impossible.
func (a *app) origin(v *lacuna.Verdict) string {
	switch {
	case v.Known && v.Probability < 0.5:
		return "  " + a.Screen.Yellow("yes by what the graph states, which the model doubts")
	case v.Implied != "":
		return "  " + a.Screen.Green("implied by "+v.Implied)
	case v.Known:
		return "  " + a.Screen.Green("known")
	case v.Probability > 0:
		return "  " + a.Screen.Yellow("predicted")
	}
	return ""
}

// showDerivation lists the links that an answer rests on.
func (a *app) showDerivation(links []lacuna.DerivedLink) {
	for _, l := range links {
		sign, origin := "", ""
		if l.Negated {
			sign = "not "
		}
		switch {
		case l.Implied != "":
			origin = ", implied by " + l.Implied
		case l.Known:
			origin = ", stated"
		}
		a.Screen.Printf("          %s\n", a.Screen.Dim(fmt.Sprintf("%.2f  %s%s(%s, %s)%s", l.Probability, sign, l.Relation, l.From, l.To, origin)))
	}
}

func countJoined(r *lacuna.Result) string {
	if r.More {
		n := len(r.Answers)
		return fmt.Sprintf("The %slikeliest %s; there are more (-n -1 lists all)", count.Either(n, "", count.Number(n)+" "), count.Either(n, "answer", "answers"))
	}
	return countAnswers(r)
}

func (a *app) showJoinCut(cut *lacuna.JoinCut) {
	if cut == nil {
		return
	}
	what := unlikelyText(cut.LeftOut) + " skipped (use --follow N to include more)"
	if cut.Stopped != "" {
		what = "the search stopped early, at its limit of " + cut.Stopped
	}
	missing := fmt.Sprintf("anything skipped is at most %.2g likely", cut.Likeliest)
	if cut.Likeliest >= 1 {
		missing = "some likely answers may be missing"
	}
	a.Screen.Printf("  %s\n", a.Screen.Dim(what+"; "+missing))
}

func listNames(answers []lacuna.Answer) string {
	names := make([]string, len(answers))
	for i, answer := range answers {
		names[i] = answer.Entity
	}
	return strings.Join(names, ", ")
}
