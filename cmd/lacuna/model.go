package main

import (
	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kg"
)

// exactModel is the name of plain traversal among models.
const exactModel = "exact"

// registerModel adds -m for commands that take one model.
func registerModel(cmd *cobra.Command, name *string) {
	cmd.Flags().StringVarP(name, "model", "m", "", "a model that predicts missing links: foundation (any graph), turing (the embedded graph), a checkpoint, a training folder, or exact for none (default: turing on the embedded graph, foundation on others)")
	completeModel(cmd)
}

// completeModel offers the names of models beside files.
func completeModel(cmd *cobra.Command) {
	names := []string{lacuna.Foundation, lacuna.Turing, exactModel}
	if err := cmd.RegisterFlagCompletionFunc("model", cobra.FixedCompletions(names, cobra.ShellCompDirectiveDefault)); err != nil {
		panic(err) // a flag that the command does not have: a programmer's error
	}
}

// openModel reads a model onto a device and checks that it answers on the graph. Nothing
// is left open after an error.
func (a *app) openModel(name string, device *deviceFlags, g *kg.Graph, graphName string) (*gnn.Model, checkpoint.Card, error) {
	on, err := device.open(a)
	if err != nil {
		return nil, checkpoint.Card{}, err
	}
	model, card, err := lacuna.OpenModel(name, on)
	if err != nil {
		return nil, card, err
	}
	if err := card.CheckRelations(g.Vocabulary, graphName); err != nil {
		model.Close()
		return nil, card, err
	}
	return model, card, nil
}

// chosenModel is the model that the user named, or the default for the graph.
func chosenModel(name string, graph *graphFlags) string {
	switch {
	case name != "":
		return name
	case graph.source == "":
		return lacuna.Turing
	}
	return lacuna.Foundation
}
