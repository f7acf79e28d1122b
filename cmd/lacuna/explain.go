package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/internal/atomicfile"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// explainFlags are those of ask and what is to be explained.
type explainFlags struct {
	askFlags
	benchmarkFlags
	answer    []string
	bounds    explain.Options
	svg, html string
}

func (a *app) explainCommand() *cobra.Command {
	var flags explainFlags
	cmd := &cobra.Command{
		Use:   "explain [QUESTION]",
		Short: "Show how a question is answered, step by step, and why an entity answers it",
		Long: `Show a question in its logical and operator form, the postfix program it is
compiled into, and the set of entities after each instruction of the run. Then say
why one entity answers it: the chain of entities that leads to it, each link known or
predicted and, for every predicted link, the paths in the graph that speak for it, with
a check that the prediction falls when their facts are removed.

Without --answer: the likeliest predicted answer, else the likeliest of all. Without a
question: that of the demonstration, on the embedded graph.

With -d the question is one of a query set, and its variables are shown as the paper
does: the top easy and hard entities of each, true or false by the full graph, and a
random true grounding with filtered ranks.`,
		Example: `  lacuna explain
  lacuna explain --answer MIT --html why.html
  lacuna explain '?p : Win(p, Turing Award) & !CitizenOf(p, United States)'
  lacuna explain -g films.tsv '?f : exists p: Directed(p, f) & BornIn(p, Rome)' --json
  lacuna explain -g films.tsv '?p, ?f : Directed(p, f) & BornIn(p, Rome)' -a Fellini -a Roma
  lacuna explain -d FB15k-237-betae -m model.safetensors --shape 3p --random 7 --svg 3p.svg`,
		Args: command.Arguments(0, 1, "one question"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.explain(cmd, &flags, args) },
	}
	flags.register(cmd)
	command.First(cmd, "graph", "model", "answer", "html", "svg", "paths", "threshold", "data", "shape", "with", "by", "read", "device")
	return cmd
}

func (f *explainFlags) register(cmd *cobra.Command) {
	f.askFlags.register(cmd)
	f.benchmarkFlags.register(cmd)
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.answer, "answer", "a", nil, "`entity` to explain, whether it is an answer or not; once for each answer variable")
	flags.IntVar(&f.bounds.Paths, "paths", 5, "paths to show for each predicted link")
	flags.StringVar(&f.svg, "svg", "", "`file` for a drawing of the explanation")
	flags.StringVar(&f.html, "html", "", "`file` for the explanation as one self-contained page")
}

func (a *app) explain(cmd *cobra.Command, flags *explainFlags, questions []string) error {
	if flags.bounds.Paths < 1 {
		return kg.Errorf(kg.Invalid, "", "--paths %d: expected at least 1", flags.bounds.Paths)
	}
	if flags.set != "" {
		return a.visualise(cmd, flags, questions)
	}
	if err := flags.benchmarkFlags.refuse(cmd); err != nil {
		return err
	}
	result, explanation, from, err := a.explained(cmd, flags, questions)
	if err != nil {
		return err
	}
	if explanation != nil {
		if err := a.writeDrawings(flags, explanation); err != nil {
			return err
		}
	} else if flags.svg != "" || flags.html != "" {
		return kg.Errorf(kg.NotFound, "", "nothing answers the question: name the entity to explain by --answer")
	}
	if a.JSON {
		return a.PrintJSON(explainedJSON{result, strings.Split(strings.TrimRight(result.Listing, "\n"), "\n"), explanation, from})
	}
	if result.Joined != nil {
		a.showJoin(result)
	} else {
		a.showRun(result)
	}
	if explanation != nil {
		a.showWhy(explanation)
	} else {
		a.Screen.Printf("\nno answer has a probability of at least %.2f (--answer NAME says why an entity is none)\n", flags.threshold)
	}
	a.Screen.Printf("\n%s\n", a.Screen.Dim(statsLine(result)))
	for _, hint := range result.Hints {
		a.Remark("%s", hint)
	}
	return nil
}

func (a *app) explained(cmd *cobra.Command, flags *explainFlags, questions []string) (r *lacuna.Result, why *explain.Explanation, from *origin, err error) {
	options, err := flags.options(cmd)
	if err != nil {
		return nil, nil, nil, err
	}
	if a.JSON {
		options = append(options, lacuna.Limit(lacuna.All))
	}
	engine, err := a.openEngine(cmd, &flags.askFlags)
	if err != nil {
		return nil, nil, nil, err
	}
	defer engine.Close()
	if questions, err = defaultQuestion(questions, flags.graph.Source, engine.Graph); err != nil {
		return nil, nil, nil, err
	}
	question, err := engine.Prepare(questions[0], options...)
	if err != nil {
		return nil, nil, nil, err
	}
	if r, why, err = engine.Explain(cmd.Context(), question, flags.answer, flags.bounds); err == nil && a.JSON {
		from, err = originOf(cmd.Context(), cmd, engine, question.Asking.By)
	}
	return r, why, from, err
}

// explainedJSON is a result with its program listing and the explanation of one answer.
type explainedJSON struct {
	*lacuna.Result
	Program     []string             `json:"program"`
	Explanation *explain.Explanation `json:"explanation"` // null where nothing answers
	Origin      *origin              `json:"origin,omitempty"`
}

// drawable is what can be drawn: an explanation, or the view of a benchmark query.
type drawable interface {
	SVG() string
	HTML() (string, error)
}

// writeDrawings writes the files that the flags ask for.
func (a *app) writeDrawings(flags *explainFlags, d drawable) error {
	if flags.svg != "" {
		if err := writeText(flags.svg, d.SVG()); err != nil {
			return err
		}
	}
	if flags.html == "" {
		return nil
	}
	page, err := d.HTML()
	if err != nil {
		return err
	}
	return writeText(flags.html, page)
}

func writeText(path, text string) error {
	return kg.WriteError(path, atomicfile.Write(path, []byte(text)))
}

func (a *app) showRun(r *lacuna.Result) {
	s := a.Screen
	s.Printf("%s  %s\n", s.Bold("question "), r.Query)
	s.Printf("%s  %s\n", s.Bold("operators"), r.Operators)
	s.Printf("%s  %s\n", s.Bold("shape    "), r.Shape)
	s.Printf("\n%s\n%s", s.Bold("program"), r.Listing)
	s.Printf("\n%s\n", s.Bold("sets"))
	for i, step := range r.Steps {
		line := fmt.Sprintf("%3d  %s  %6s  %s", i, command.Pad(stepLabel(step, 32), 32), setSize(step), s.Dim(memberList(step, s.Width-50)))
		s.Printf("%s\n", strings.TrimRight(line, " "))
	}
	a.showCuts(r)
}

func statsLine(r *lacuna.Result) string {
	s := r.Stats
	graph := count.Of(s.Entities, "entity") + ", " + count.Of(s.Triples, "triple")
	if r.Joined != nil {
		return fmt.Sprintf("%s; parsed in %.2f ms, joined in %.2f ms", graph, s.PrepareMS, s.ProjectMS)
	}
	return fmt.Sprintf("%s; %s in %s; parsed in %.2f ms, projected in %.2f ms, combined in %.2f ms",
		graph, count.Of(s.Projections, "projection"), count.Of(len(s.Batches), "round"), s.PrepareMS, s.ProjectMS, s.CombineMS)
}
