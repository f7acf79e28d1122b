package main

import (
	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
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
