package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

func (a *app) exportModelCommand() *cobra.Command {
	var output, name string
	var half bool
	cmd := &cobra.Command{
		Use:   "export-model MODEL -o FILE.safetensors",
		Short: "Write a trained model as one file to hand out",
		Long: `Write the best model of a training folder, or any other model, as one file that ask,
serve and eval take, with its card: the graph, the configuration, the seed, the steps and
the validation of its training. At half precision it takes half the space; eval tells
whether that costs anything.`,
		Example: `  lacuna export-model films-model -o films.safetensors
  lacuna export-model fb237 --half --name FB15k-237 -o fb15k-237.safetensors`,
		Args: arguments(1, 1, "one model: a training folder or a checkpoint"),
		RunE: func(_ *cobra.Command, args []string) error {
			if output == "" {
				return kg.Errorf(kg.Invalid, "", "export-model: -o FILE is needed, the model to write")
			}
			return a.exportModel(args[0], output, name, half)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "the model to write (required)")
	cmd.Flags().StringVar(&name, "name", "", "what the card calls the graph, instead of the name of its folder")
	cmd.Flags().BoolVar(&half, "half", false, "half precision (F16)")
	return cmd
}

func (a *app) exportModel(source, output, name string, half bool) error {
	model, card, err := lacuna.OpenModel(source, kernel.NewPlain())
	if err != nil {
		return err
	}
	defer model.Close()
	if name != "" {
		card.Graph.Name = name
	}
	as := checkpoint.F32
	if half {
		as = checkpoint.F16
	}
	if err := checkpoint.Save(output, model, card, as); err != nil {
		return err
	}
	written, err := os.Stat(output)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"output": output, "parameters": model.Parameters.Len, "type": as, "bytes": written.Size(), "graph": card.Graph.Name, "step": card.Step})
	}
	a.screen.printf("%s: %s parameters as %s, %s bytes\n", output, thousands(model.Parameters.Len), as, thousands(int(written.Size())))
	return nil
}
