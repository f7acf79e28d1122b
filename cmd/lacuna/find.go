package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/browse"
	"github.com/lacuna-kg/lacuna/complete"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// found is a name with what tells it from others.
type found struct {
	Kind  string `json:"kind"` // entity or relation
	Name  string `json:"name"`
	ID    string `json:"id,omitempty"` // where Name is a label
	Facts int    `json:"facts"`
	Hint  string `json:"hint,omitempty"` // a fact or type of an entity, an example of a relation
}

func (a *app) findCommand() *cobra.Command {
	var graph command.GraphFlags
	var limit int
	cmd := &cobra.Command{
		Use:   "find NAME",
		Short: "Find entities and relations by a part of their name",
		Long: `Find entities and relations by the beginning of a word in their names; case, accents and
one typing error are forgiven. Names with most facts come first; each with a fact or type
that tells it from others of its name. Relations are found by words of like meaning, too.`,
		Example: `  lacuna find turing
  lacuna find -g films.csv felini
  lacuna find -g films.csv born --json`,
		Args: command.Arguments(1, 1, "a name or a part of one"),
		RunE: func(cmd *cobra.Command, args []string) error {
			splits, err := graph.Open(cmd.Context(), a.App)
			if err != nil {
				return err
			}
			defer splits.Close()
			list, err := findNames(cmd.Context(), splits.Train, args[0], limit)
			if err != nil {
				return err
			}
			if a.JSON {
				return a.PrintJSON(list)
			}
			a.showFound(list, args[0])
			return nil
		},
	}
	graph.Register(cmd)
	cmd.Flags().IntVarP(&limit, "limit", "n", 10, "names to list of each kind")
	return cmd
}

func findNames(ctx context.Context, g *kg.Graph, typed string, limit int) ([]found, error) {
	degree := func(id uint32) int { _, tails := g.Edges(kg.Entity(id)); return len(tails) }
	entities, err := complete.Once(ctx, g.Entities, degree, typed, limit)
	if err != nil {
		return nil, err
	}
	list := []found{}
	for _, m := range entities {
		list = append(list, found{"entity", g.Entities.Readable(m.ID), g.Entities.LabelledID(m.ID), m.Weight, browse.Hint(g, kg.Entity(m.ID))})
	}
	for _, r := range browse.FindRelations(g, typed, limit) {
		list = append(list, found{"relation", r.Name, r.ID, r.Facts, r.Example})
	}
	return list, nil
}

func (a *app) showFound(list []found, typed string) {
	s := a.Screen
	if len(list) == 0 {
		s.Printf("No name has a word that begins with %q, or nearly so.\n", typed)
	}
	for _, f := range list {
		id := ""
		if f.ID != "" {
			id = "  " + f.ID
		}
		line := s.Bold(f.Name) + s.Dim(id)
		if f.Hint != "" {
			line += "  " + s.Dim(f.Hint)
		}
		s.Printf("%s  %14s  %s\n", command.Pad(f.Kind, 8), count.Of(f.Facts, "fact"), strings.TrimSpace(line))
	}
}
