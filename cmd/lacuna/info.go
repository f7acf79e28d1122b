package main

import (
	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/browse"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

func (a *app) infoCommand() *cobra.Command {
	var graph command.GraphFlags
	var relations int
	var model string
	var fit fitFlags
	cmd := &cobra.Command{
		Use:   "info",
		Short: "Say what is in a graph or a model: sizes, degrees, relations with an example each",
		Long: `Say what is in a graph, or with -m what a model says about itself.

With --fit, say what to expect of a model on a graph before trusting an answer: in
what the graph is unlike those that models are trained on, how many of the graph's
own facts, hidden for the purpose, the model finds again as links, and how far the
probabilities of links hold once they are fitted to the graph, as they are at a first
question; in less than a minute.`,
		Example: `  lacuna info
  lacuna info -m foundation
  lacuna info --fit -g films.tsv
  lacuna info --fit -g films.tsv -m films-model --json
  lacuna info -g films.lacuna
  lacuna info -g films.tsv --relations -1 --json`,
		Args: command.Arguments(0, 0, "no argument (name the graph by -g)"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if fit.wanted {
				return a.fit(cmd, &fit, &graph, model)
			}
			if model != "" {
				return a.showModel(model)
			}
			splits, err := graph.Open(cmd.Context(), a.App)
			if err != nil {
				return err
			}
			defer splits.Close()
			report := splits.Describe()
			described := browse.Relations(splits.Train)
			if a.JSON {
				return a.PrintJSON(newGraphInfo(report, described))
			}
			a.showInfo(report)
			a.showRelations(described, relations)
			return nil
		},
	}
	graph.Register(cmd)
	fit.register(cmd)
	cmd.Flags().StringVarP(&model, "model", "m", "", "`model` to describe instead, or to try with --fit: foundation, turing, a checkpoint or a training folder")
	command.CompleteModel(cmd)
	cmd.Flags().IntVar(&relations, "relations", 25, "relations to list, -1 for all")
	command.First(cmd, "graph", "model", "fit", "relations", "max-time", "hidden", "seed", "read", "device")
	return cmd
}

// graphInfo is the JSON report: the description, with what each relation leads from and to.
type graphInfo struct {
	kg.Description
	Relations []relationInfo `json:"relations"`
}

type relationInfo struct {
	kg.RelationDescription
	Domain string `json:"domain,omitempty"`
	Range  string `json:"range,omitempty"`
}

// newGraphInfo puts the two together, which list the relations in the same order.
func newGraphInfo(d kg.Description, relations []browse.Relation) graphInfo {
	info := graphInfo{Description: d, Relations: make([]relationInfo, len(relations))}
	for i, r := range relations {
		info.Relations[i] = relationInfo{d.Relations[i], r.Domain, r.Range}
	}
	return info
}

func (a *app) showInfo(info kg.Description) {
	s := a.Screen
	row := func(name, value string) { s.Printf("%s  %s\n", s.Bold(command.Pad(name, 11)), value) }
	row("entities", count.Number(info.Entities))
	if info.Isolated > 0 {
		row("isolated", count.Number(info.Isolated))
	}
	row("relations", count.Number(len(info.Relations)))
	row("triples", count.Number(info.Triples))
	if info.Denied > 0 {
		row("known false", count.Number(info.Denied))
	}
	if info.Valid+info.Test > 0 {
		row("held out", count.Number(info.Valid)+" valid, "+count.Number(info.Test)+" test")
	}
	if info.Duplicates > 0 {
		row("duplicates", count.Number(info.Duplicates)+" dropped")
	}
	s.Printf("%s  mean %.1f, most %s (%s)\n\n", s.Bold(command.Pad("degree", 11)), info.MeanDegree, count.Number(info.MaxDegree), info.Hub)
}

func (a *app) showRelations(relations []browse.Relation, most int) {
	s := a.Screen
	shown := relations
	if most >= 0 && most < len(shown) {
		shown = shown[:most]
	}
	for _, r := range shown {
		example := r.Example
		if r.Facts == 0 {
			example = r.Name
		}
		s.Printf("%10s  %s\n", count.Number(r.Facts), command.Clip(example, max(20, s.Width-12)))
		if ends := endsOf(r); ends != "" {
			s.Printf("%10s  %s\n", "", s.Dim(command.Clip(ends, max(20, s.Width-12))))
		}
	}
	if hidden := len(relations) - len(shown); hidden > 0 {
		s.Printf("%10s  %s\n", "", s.Dim("… and "+count.Number(hidden)+" more relations (--relations -1 lists all)"))
	}
}

// endsOf says what a relation leads from and to, as far as its ends have something in common.
func endsOf(r browse.Relation) string {
	switch {
	case r.Domain != "" && r.Range != "":
		return "from " + r.Domain + " to " + r.Range
	case r.Domain != "":
		return "from " + r.Domain
	case r.Range != "":
		return "to " + r.Range
	}
	return ""
}
