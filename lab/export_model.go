package lab

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/lab/calibrate"
	"github.com/lacuna-kg/lacuna/neural"
)

// exportFlags says what to write, and what of the card to change.
type exportFlags struct {
	output, name string
	precision    command.PrecisionFlags
	threshold    *float32 // nil where the model's stays
	negation     *float32
	bias         float64
}

func (a *app) exportModelCommand() *cobra.Command {
	flags := exportFlags{threshold: new(float32), negation: new(float32)}
	cmd := &cobra.Command{
		Use:   "export-model MODEL… -o FILE.safetensors",
		Short: "Write a trained model as one file to hand out",
		Long: `Write the best model of a training folder, or any other model, as one file that ask,
serve and eval take, with its card: the graph, the configuration, the seed, the steps and
the validation of its training. At half precision it takes half the space, with --bytes
a little more than a quarter; eval tells whether that costs anything. Several models of
one network and graph, foundation models of any graphs, become their mean, parameter by
parameter: where one was trained on from the other it often does better than both.

A model that holds too much likely can be put right without training. --negation sets
how likely something under ¬ has to be to count, by a λ between -1 and 0. --bias lowers
the answers' probabilities, not their order: what is just above one half falls below.
Both keep what enters the next projection as it was. Which values are best eval tells, on
validation queries; docs/lab/put-right.md has the search for the two published models.`,
		Example: `  lacuna-lab export-model films-model -o films.safetensors
  lacuna-lab export-model fb237 --half --name FB15k-237 -o fb15k-237.safetensors
  lacuna-lab export-model fb-both.safetensors --bytes -o smaller.safetensors
  lacuna-lab export-model nell nell-more -o mean.safetensors
  lacuna-lab export-model fb237 --negation -0.95 --bias -0.5 -o sober.safetensors
  lacuna eval -d queries --split valid -m fb237 -m sober.safetensors`,
		Args: command.Arguments(1, 1000, "one or more models: training folders or checkpoints"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.output == "" {
				return kg.Errorf(kg.Invalid, "", "export-model: -o FILE is needed, the model to write")
			}
			if !cmd.Flags().Changed("threshold") {
				flags.threshold = nil
			}
			if !cmd.Flags().Changed("negation") {
				flags.negation = nil
			}
			return a.exportModel(args, flags)
		},
	}
	cmd.Flags().StringVarP(&flags.output, "output", "o", "", "the model to write (required)")
	cmd.Flags().StringVar(&flags.name, "name", "", "what the card calls the graph, instead of the name of its folder")
	flags.precision.Register(cmd)
	cmd.Flags().Float32Var(flags.threshold, "threshold", 0, "drop from a set what is not above this before the next projection (default: the model's)")
	cmd.Flags().Float32Var(flags.negation, "negation", 0, "λ of the complement (1-x)/(1+λx), more than -1; --bias moves it along (default: the model's)")
	cmd.Flags().Float64Var(&flags.bias, "bias", 0, "add this to the logits of the answers, not to what enters the next projection")
	return cmd
}

// adjust changes of a model what the flags say. The bias comes last and takes the others along.
func (f exportFlags) adjust(m *gnn.Model) error {
	if f.threshold != nil {
		m.Adjustments.Threshold = *f.threshold
	}
	if f.negation != nil {
		m.Adjustments.Negation = *f.negation
	}
	if f.bias != 0 {
		if err := calibrate.Shift(m, f.bias); err != nil {
			return err
		}
	}
	if err := m.Spec().Check(); err != nil {
		return kg.Errorf(kg.Invalid, "", "export-model: %v", err)
	}
	return nil
}

func (a *app) exportModel(sources []string, flags exportFlags) error {
	model, err := neural.OpenMean(sources, plain.New())
	if err != nil {
		return err
	}
	defer model.Close()
	card := &model.Card
	if flags.name != "" {
		card.Graph.Name = flags.name
	}
	if err := flags.adjust(model.Network); err != nil {
		return err
	}
	as := flags.precision.Precision()
	if err := model.Save(flags.output, as); err != nil {
		return err
	}
	written, err := os.Stat(flags.output)
	if err != nil {
		return err
	}
	if a.JSON {
		made := map[string]any{"output": flags.output, "parameters": model.Network.Parameters.Len, "type": as.Network, "bytes": written.Size(), "graph": card.Graph.Name, "step": card.Step}
		if card.Factors != nil {
			made["vectors"] = as.Vectors
		}
		return a.PrintJSON(made)
	}
	a.Screen.Printf("%s: %s %s, %s\n", flags.output, count.Of(model.Network.Parameters.Len, "parameter"), command.PrecisionText(as, card.Factors != nil), count.Of(written.Size(), "byte"))
	return nil
}
