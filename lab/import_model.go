package lab

import (
	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
)

func (a *app) importModelCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "import-model FILE.pth -o FILE.safetensors",
		Short: "Convert a public ULTRA or UltraQuery checkpoint",
		Long: `Convert a PyTorch checkpoint of ULTRA or UltraQuery into a model that ask and eval
take. Such a model has no parameters of any relation: it answers on every graph. The
file is read natively, nothing in it is run; one that asks for anything but tensors
and plain containers is refused.`,
		Example: `  lacuna-lab import-model ultraquery.pth -o ultraquery.safetensors
  lacuna ask -g films.tsv -m ultraquery.safetensors '?f : Directed(Fellini, f)'`,
		Args: command.Arguments(1, 1, "one checkpoint"),
		RunE: func(_ *cobra.Command, args []string) error {
			if output == "" {
				return kg.Errorf(kg.Invalid, "", "import-model: -o FILE is needed, the model to write")
			}
			model, card, err := checkpoint.ImportTorch(args[0], plain.New())
			if err != nil {
				return err
			}
			if err := checkpoint.Save(output, model, card, checkpoint.Single); err != nil {
				return err
			}
			if a.JSON {
				return a.PrintJSON(map[string]any{"output": output, "parameters": model.Parameters.Len, "config": card.Config})
			}
			a.Screen.Printf("%s: %s, messages %s, threshold %v\n", output, count.Of(model.Parameters.Len, "parameter"), card.Config.Direction, card.Config.Threshold)
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "the model to write (required)")
	return cmd
}
