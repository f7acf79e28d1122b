package command

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// registerModel adds -m for commands that take one model.
func RegisterModel(cmd *cobra.Command, name *string) {
	cmd.Flags().StringVarP(name, "model", "m", "", "`model` to predict by: foundation, turing, a checkpoint, or exact for none")
	CompleteModel(cmd)
}

// completeModel offers the names of models beside files.
func CompleteModel(cmd *cobra.Command) {
	names := []string{lacuna.Foundation, lacuna.Turing, lacuna.Exact}
	if err := cmd.RegisterFlagCompletionFunc("model", cobra.FixedCompletions(names, cobra.ShellCompDirectiveDefault)); err != nil {
		panic(err) // a flag that the command does not have: a programmer's error
	}
}

// Open opens a graph and puts a model on it, with probabilities fitted where there are flags for that.
func (a *App) Open(ctx context.Context, graph *GraphFlags, model string, device *DeviceFlags, fitted *LinkFlags, options ...lacuna.Option) (*lacuna.Engine, error) {
	reading, done, err := graph.how(a)
	if err != nil {
		return nil, err
	}
	defer done()
	if fitted != nil {
		options = append(options, fitted.Calibrating(a, graph.Name(), &kg.Splits{}))
	}
	return a.made(model, device, append(options, reading), func(options []lacuna.Option) (*lacuna.Engine, error) {
		return lacuna.Open(ctx, graph.Source, options...)
	})
}

// NewEngine puts a model on a graph that is in memory.
func (a *App) NewEngine(ctx context.Context, g *kg.Graph, graphName, model string, device *DeviceFlags, options ...lacuna.Option) (*lacuna.Engine, error) {
	return a.made(model, device, append(options, lacuna.Named(graphName)), func(options []lacuna.Option) (*lacuna.Engine, error) {
		return lacuna.New(ctx, g, options...)
	})
}

// made makes an engine with a model on the device of the flags, which is opened where a model needs one.
func (a *App) made(model string, device *DeviceFlags, options []lacuna.Option, make func([]lacuna.Option) (*lacuna.Engine, error)) (*lacuna.Engine, error) {
	options = append(options, lacuna.Model(model))
	if model == lacuna.Exact {
		return make(options)
	}
	on, err := device.Open(a)
	if err != nil {
		return nil, err
	}
	if device.cut < -1 {
		return nil, kg.Errorf(kg.Invalid, "", "--cut %d: expected a number of entities, or -1 for all of the graph", device.cut)
	}
	switch device.cut {
	case 0: // the default
	case -1:
		options = append(options, lacuna.Cut(lacuna.All))
	default:
		options = append(options, lacuna.Cut(device.cut))
	}
	engine, err := make(append(options, lacuna.OnDevice(on)))
	if err != nil {
		return nil, err
	}
	a.RemarkSlow(model, engine.Model().Config.Config, on)
	return engine, nil
}

// remarkSlow says that a device has no kernels made for a network.
func (a *App) RemarkSlow(name string, network gnn.Config, on kernel.Device) {
	if network.FallsBack(on) {
		a.Remark("%s: %s has no fast kernels for a network of kind %s; it runs on general ones, right but slower", name, on.Name(), network.Kind)
	}
}

// chosenModel is the model that the user named, or the default for the graph and the way to answer.
func ChosenModel(name string, graph *GraphFlags, by lacuna.Way) string {
	return cmp.Or(name, lacuna.DefaultModel(graph.Source, by))
}
