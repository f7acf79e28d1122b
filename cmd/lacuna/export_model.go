package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// exportFlags says what to write, and what of the card to change.
type exportFlags struct {
	output, name string
	half         bool
	threshold    float32
}

func (a *app) exportModelCommand() *cobra.Command {
	flags := exportFlags{}
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
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.output == "" {
				return kg.Errorf(kg.Invalid, "", "export-model: -o FILE is needed, the model to write")
			}
			if !cmd.Flags().Changed("threshold") {
				flags.threshold = -1
			} else if flags.threshold < 0 || flags.threshold >= 1 {
				return kg.Errorf(kg.Invalid, "", "--threshold %v: expected 0 or more and less than 1", flags.threshold)
			}
			return a.exportModel(args[0], flags)
		},
	}
	cmd.Flags().StringVarP(&flags.output, "output", "o", "", "the model to write (required)")
	cmd.Flags().StringVar(&flags.name, "name", "", "what the card calls the graph, instead of the name of its folder")
	cmd.Flags().BoolVar(&flags.half, "half", false, "half precision (F16)")
	cmd.Flags().Float32Var(&flags.threshold, "threshold", 0, "drop from a set what is not above this before the next projection (default: the model's)")
	return cmd
}

func (a *app) exportModel(source string, flags exportFlags) error {
	model, card, err := lacuna.OpenModel(source, kernel.NewPlain())
	if err != nil {
		return err
	}
	defer model.Close()
	if flags.name != "" {
		card.Graph.Name = flags.name
	}
	if flags.threshold >= 0 {
		card.Config.Threshold = flags.threshold
	}
	as := checkpoint.F32
	if flags.half {
		as = checkpoint.F16
	}
	if err := checkpoint.Save(flags.output, model, card, as); err != nil {
		return err
	}
	written, err := os.Stat(flags.output)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"output": flags.output, "parameters": model.Parameters.Len, "type": as, "bytes": written.Size(), "graph": card.Graph.Name, "step": card.Step})
	}
	a.screen.printf("%s: %s parameters as %s, %s bytes\n", flags.output, thousands(model.Parameters.Len), as, thousands(int(written.Size())))
	return nil
}
