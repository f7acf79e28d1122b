package lab

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/train"
)

func (a *app) plotCommand() *cobra.Command {
	var output, over string
	var metrics []string
	cmd := &cobra.Command{
		Use:   "plot [NAME=]RUN… -o FILE.svg",
		Short: "Draw several runs of training into one picture",
		Long: `Draw several runs of training into one picture, as SVG. A run is a training folder or
its trace.jsonl; NAME= before it is what the legend calls it. The picture shows metrics
over the steps or, with --over, those of each run's best model over a setting in which
the runs differ, such as traversal_dropout.

Metrics are mrr (of validation), loss, and the details of validation: 1p_mrr and so on,
and train_mrr where training was asked to measure it (--validate-train).`,
		Example: `  lacuna-lab plot runs/a runs/b -o curves.svg
  lacuna-lab plot all=runs/a small=runs/b --metric mrr,train_mrr -o curves.svg
  lacuna-lab plot runs/dropout-* --over traversal_dropout --metric mrr,train_mrr -o dropout.svg`,
		Args: command.Arguments(1, 1000, "one or more runs"),
		RunE: func(_ *cobra.Command, args []string) error {
			if output == "" {
				return kg.Errorf(kg.Invalid, "", "plot: -o FILE.svg is needed, the picture to write")
			}
			return a.plot(args, over, metrics, output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "the picture to write (required)")
	cmd.Flags().StringVar(&over, "over", "step", "what the x axis shows: step, or a setting such as traversal_dropout or model.gnn")
	cmd.Flags().StringSliceVar(&metrics, "metric", []string{"mrr"}, "what the y axis shows")
	return cmd
}

func (a *app) plot(paths []string, over string, metrics []string, output string) error {
	runs := make([]train.RunTrace, len(paths))
	for i, path := range paths {
		name, rest, named := strings.Cut(path, "=")
		if named {
			path = rest
		}
		var err error
		if runs[i], err = train.ReadRun(path); err != nil {
			return err
		}
		if named {
			runs[i].Name = name
		}
	}
	figure, err := train.OverSteps(runs, metrics)
	if over != "step" {
		figure, err = train.OverSetting(runs, over, metrics)
	}
	if err != nil {
		return err
	}
	if err := checkpoint.WriteFile(output, figure.SVG()); err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(map[string]any{"output": output, "series": len(figure.Series)})
	}
	a.Screen.Printf("%s: %s of %s\n", output, count.Of(len(figure.Series), "line"), count.Of(len(runs), "run"))
	return nil
}
