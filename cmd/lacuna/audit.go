package main

import (
	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/gaps"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// auditFlags say which facts are looked at.
type auditFlags struct {
	gapFlags
	limit int
	facts int
	all   bool
	seed  uint64
}

func (a *app) auditCommand() *cobra.Command {
	var flags auditFlags
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "List the facts that the rest of the graph speaks against",
		Long: `Leave each fact out, ask the model for it from both of its ends, and list those that
the rest of the graph speaks against most, with what it says instead.

A fact on the list is worth a look and need not be wrong: rare is not wrong. So the
audit tries itself out: it plants wrong facts in a copy of the graph, true ones with
another tail of the same relation, and says how well it tells them from the others.

With -o a table is written, and Ctrl-C loses nothing: the same command goes on where it
stopped. On a large graph the facts that simple patterns support best are not checked,
so that it ends within about half a minute; --all checks every one, --sample N so many,
drawn at random.`,
		Example: `  lacuna audit
  lacuna audit -g films.csv --relation country
  lacuna audit -g films.csv --sample 5000 -n 50 -o suspicious.csv`,
		Args: command.Arguments(0, 0, "no argument (name the graph by -g)"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.audit(cmd, &flags) },
	}
	flags.register(cmd)
	f := cmd.Flags()
	f.IntVarP(&flags.limit, "limit", "n", 20, "facts to list")
	f.IntVar(&flags.facts, "sample", 0, "facts to check, drawn at random (default: as many as half a minute allows)")
	f.BoolVar(&flags.all, "all", false, "check every fact, however long it takes")
	cmd.MarkFlagsMutuallyExclusive("all", "sample")
	command.Moved(cmd, "facts", "--sample N")
	f.Uint64Var(&flags.seed, "seed", 0, "seed of the random draws")
	command.First(cmd, "graph", "model", "relation", "limit", "sample", "output", "read", "device")
	return cmd
}

func (a *app) audit(cmd *cobra.Command, flags *auditFlags) error {
	if flags.limit < 1 || flags.facts < 0 {
		return kg.Errorf(kg.Invalid, "", "audit: -n %d --sample %d: expected to list 1 fact or more, and to look at some", flags.limit, flags.facts)
	}
	out, err := a.newGapOutput(&flags.gapFlags)
	if err != nil {
		return err
	}
	defer out.abort()
	engine, err := flags.open(cmd, a, links.DefaultLeast)
	if err != nil {
		return err
	}
	defer engine.Close()
	if err := out.start(cmd, engine, gaps.Columns{Doubts: true}); err != nil {
		return err
	}
	relations, err := flags.chosen(engine.Graph)
	if err != nil {
		return err
	}
	for i, r := range relations {
		relations[i] = kg.Forward(r.Base()) // a fact is one, however it is read
	}
	finder, err := engine.Gaps(cmd.Context())
	if err != nil {
		return err
	}
	return a.runAudit(cmd, flags, finder, gaps.Audit{Relations: relations, Facts: flags.facts, All: flags.all, List: flags.limit, Seed: flags.seed}, out)
}

func (a *app) runAudit(cmd *cobra.Command, flags *auditFlags, finder *gaps.Finder, of gaps.Audit, out *gapOutput) error {
	bar := a.Progress("auditing")
	defer bar.Done()
	found, err := finder.Audit(cmd.Context(), of, flags.options(bar, "fact"))
	bar.Done()
	if err != nil {
		return out.end(err)
	}
	if out.table == nil {
		return a.showAudit(out, found)
	}
	for _, d := range found.List {
		if err := out.line(gaps.NewDoubtLine(out.graph, d)); err != nil {
			return err
		}
	}
	if err := out.end(nil); err != nil {
		return err
	}
	a.showTrial(found)
	return nil
}

// audited is the JSON report.
type audited struct {
	Facts   int         `json:"facts"`   // looked at
	Skipped int         `json:"skipped"` // well supported, to save time
	Alone   int         `json:"alone"`   // have an end without another fact
	Trial   gaps.Trial  `json:"trial"`
	List    []gaps.Line `json:"list"`
	Origin  *origin     `json:"origin"`
}

func (a *app) showAudit(out *gapOutput, found *gaps.Audited) error {
	report := audited{found.Facts, found.Skipped, found.Alone, found.Trial, []gaps.Line{}, out.origin}
	for _, d := range found.List {
		report.List = append(report.List, gaps.NewDoubtLine(out.graph, d))
	}
	if a.JSON {
		return a.PrintJSON(report)
	}
	s := a.Screen
	what := "These fit the rest of the graph worst:"
	if len(found.List) == 0 {
		what = "Nothing speaks against any of them."
	}
	s.Printf("%s %s left out one by one. %s\n", count.Of(found.Facts, "fact"), count.Either(found.Facts, "was", "were"), what)
	for _, l := range report.List {
		s.Printf("%6.1f  %s\n", l.Against, s.Bold(l.Relation+"("+l.Head+", "+l.Tail+")"))
		s.Printf("        %s\n", s.Dim(insteadText(l)))
	}
	s.Printf("\n")
	a.showTrial(found)
	return nil
}

// showLeftOut says which facts were not checked, and why.
func (a *app) showLeftOut(found *gaps.Audited) {
	if found.Skipped > 0 {
		a.Screen.Printf("%s that simple patterns support %s not checked (--all checks every one).\n", count.Of(found.Skipped, "fact"), count.Either(found.Skipped, "was", "were"))
	}
	if found.Alone > 0 {
		a.Screen.Printf("%s cannot be judged: one of the ends has no other fact.\n", count.Of(found.Alone, "fact"))
	}
}

func insteadText(l gaps.Line) string {
	if l.Instead == "" {
		return "nothing is likelier"
	}
	return "more likely: " + l.Instead + ", " + probabilityText(l.InsteadProbability) + "; the fact itself: " +
		probabilityText(l.Probability)
}

// showTrial says how far the list is to be trusted.
func (a *app) showTrial(found *gaps.Audited) {
	s, t := a.Screen, found.Trial
	if a.JSON {
		return
	}
	a.showLeftOut(found)
	switch {
	case t.Planted == 0:
		s.Printf("The graph is too small to try the audit out: how far to trust it is unknown.\n")
	case !t.Useful():
		s.Printf("%s: of %s planted for a trial each looks worse than one of the graph's own in %.0f %% of cases, and chance is 50.\n",
			s.Yellow("Do not trust this list"), count.Of(t.Planted, "wrong fact"), 100*t.Told)
	default:
		s.Printf("Self-test: a planted wrong fact looks worse than a true one in %.0f %% of cases (chance: 50);\n%d of %d planted facts would be among the first %d. A fact on this list is worth a look; it need not be wrong.\n",
			100*t.Told, t.Listed, t.Planted, len(found.List))
	}
}
