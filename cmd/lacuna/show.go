package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/browse"
	"github.com/lacuna-kg/lacuna/gaps"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// shown is the JSON report of an entity.
type shown struct {
	Name   string       `json:"name"`
	ID     string       `json:"id"`
	Facts  []shownFacts `json:"facts"`
	Likely []gaps.Line  `json:"likely"` // missing ones
}

// shownFacts are those of one relation, read from the entity.
type shownFacts struct {
	Relation string   `json:"relation"`
	Total    int      `json:"total"`
	Others   []string `json:"others"` // the first of them
}

// Of an entity so many are shown.
const (
	shownOthers = 8
	shownLikely = 10
	leastLikely = 0.1
)

func (a *app) showCommand() *cobra.Command {
	var flags gapFlags
	cmd := &cobra.Command{
		Use:   "show ENTITY",
		Short: "Show an entity: its facts, what they lead to, and facts that are likely missing",
		Long: `Show what the graph states of an entity, relation by relation, and the likeliest facts
that it does not state, with their probabilities; -m exact shows what is stated alone.
R^-1 reads a relation from its tail: what leads to the entity by R.`,
		Example: `  lacuna show 'Alan Kay'
  lacuna show -g films.csv Fellini --why`,
		Args: command.Arguments(1, 1, "the name or identifier of an entity (lacuna find finds it)"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.show(cmd, &flags, args[0]) },
	}
	flags.graph.Register(cmd)
	flags.device.Register(cmd)
	flags.device.RegisterCut(cmd)
	command.RegisterModel(cmd, &flags.model)
	flags.fitted.RegisterFile(cmd)
	flags.fitted.RegisterCalibration(cmd)
	cmd.Flags().BoolVar(&flags.literals, "literals", false, "predict numbers, dates and truth values, too (the model can only guess these)")
	cmd.Flags().BoolVar(&flags.why, "why", false, "add the facts that support each prediction")
	command.First(cmd, "graph", "model", "why", "links", "calibration", "read", "device")
	return cmd
}

func (a *app) show(cmd *cobra.Command, flags *gapFlags, name string) error {
	engine, err := a.Open(cmd.Context(), &flags.graph, command.ChosenModel(flags.model, &flags.graph, lacuna.Links), &flags.device, &flags.fitted, lacuna.Linking(lacuna.LinkOptions{File: flags.fitted.File}))
	if err != nil {
		return err
	}
	defer engine.Close()
	g := engine.Graph
	e, err := query.FindEntity(name, g.Vocabulary)
	if err != nil {
		return query.TellApart(err, func(e kg.Entity) string { return browse.Hint(g, e) })
	}
	a.remarkTaken(g, name)
	report := newShown(g, e)
	if engine.Model().Predictor != nil {
		finder, err := engine.Gaps(cmd.Context())
		if err != nil {
			return err
		}
		likely, err := finder.Of(cmd.Context(), e, shownLikely, leastLikely, gaps.Options{Why: flags.why, Literals: flags.literals})
		if err != nil {
			return err
		}
		for _, f := range likely {
			report.Likely = append(report.Likely, gaps.NewLine(g, f))
		}
	}
	if a.JSON {
		return a.PrintJSON(report)
	}
	a.showEntity(report, engine.Model().Predictor != nil)
	return nil
}

// remarkTaken says which entity a name was taken to mean where several have it.
func (a *app) remarkTaken(g *kg.Graph, name string) {
	if line := browse.TakenEntity(g, name); line != "" {
		a.Remark("%s", line)
	}
}

func newShown(g *kg.Graph, e kg.Entity) shown {
	s := shown{Name: g.Entity(e), ID: g.Entities.Names.At(uint32(e)), Facts: []shownFacts{}, Likely: []gaps.Line{}}
	relations, tails := g.Edges(e)
	for i, r := range relations {
		if i == 0 || relations[i-1] != r {
			s.Facts = append(s.Facts, shownFacts{Relation: g.Relation(r)})
		}
		last := &s.Facts[len(s.Facts)-1]
		if last.Total++; len(last.Others) < shownOthers {
			last.Others = append(last.Others, g.Entity(tails[i]))
		}
	}
	return s
}

func (a *app) showEntity(r shown, predicted bool) {
	s := a.Screen
	title := s.Bold(r.Name)
	if r.ID != r.Name {
		title += "  " + s.Dim(r.ID)
	}
	s.Printf("%s\n", title)
	for _, f := range r.Facts {
		others := strings.Join(f.Others, ", ")
		if more := f.Total - len(f.Others); more > 0 {
			others += ", … and " + count.Number(more) + " more"
		}
		s.Printf("  %s  %s\n", s.Green(f.Relation), others)
	}
	if len(r.Facts) == 0 {
		s.Printf("  no facts\n")
	}
	if !predicted {
		return
	}
	s.Printf("%s\n", s.Bold("Likely missing"))
	for _, l := range r.Likely {
		s.Printf("  %.2f  %s  %s\n", l.Probability, s.Yellow(l.Relation), l.Tail)
		if l.Why != "" {
			s.Printf("        %s\n", s.Dim("as "+l.Why))
		}
	}
	if len(r.Likely) == 0 {
		s.Printf("  nothing from a probability of %.1f on\n", leastLikely)
	}
}
