package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/neural"
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

// openModel reads a model onto the device of the flags. Nothing is left open after an error.
func (a *app) openModel(name string, device *deviceFlags) (*neural.Model, error) {
	on, err := device.open(a)
	if err != nil {
		return nil, err
	}
	model, err := neural.OpenModel(name, on)
	if err != nil {
		return nil, err
	}
	a.remarkSlow(name, model.Network.Config, on)
	return model, nil
}

// predicting gives the engine a model on the device of the flags; plain traversal is none.
func (a *app) predicting(ctx context.Context, engine *lacuna.Engine, name, graphName string, device *deviceFlags) (*lacuna.Engine, error) {
	if name == exactModel {
		return engine, nil
	}
	on, err := device.open(a)
	if err != nil {
		return nil, err
	}
	if engine, err = engine.LoadModel(ctx, name, graphName, on); err != nil {
		return nil, err
	}
	card, _ := engine.Card()
	a.remarkSlow(name, card.Config.Config, on)
	return engine, nil
}

// remarkSlow says that a device has no kernels made for a network.
func (a *app) remarkSlow(name string, network gnn.Config, on kernel.Device) {
	if network.FallsBack(on) {
		a.remark("%s: %s has no fast kernels for a network of kind %s; it runs on general ones, right but slower", name, on.Name(), network.Kind)
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
