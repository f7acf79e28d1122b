package lab

import (
	"fmt"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/factor"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// factorFlags say which graph's vectors are learned, and beside which model.
type factorFlags struct {
	graph     command.GraphFlags
	device    command.DeviceFlags
	model     string
	output    string
	precision command.PrecisionFlags
	opts      factorOptions
}

func (a *app) factorsCommand() *cobra.Command {
	flags := factorFlags{opts: factorOptions{Options: factor.DefaultOptions()}}
	cmd := &cobra.Command{
		Use:   "factors [-g GRAPH] [-m MODEL] -o FILE",
		Short: "Learn vectors of a graph's entities beside a model, for better links",
		Long: `Learn a vector for each entity and relation of the graph (ComplEx with the N3 norm and the
prediction of relations) and write the model with them beside its network. By links
(--by links) both predict together, and better than either. The file is a model as any other,
for this graph; what is added to the graph later has no vectors and is left to the network.

Where the graph holds facts out for validation, these choose how both are weighed. With
--bytes the file takes half the room that it has at half precision, and predicts almost the same.`,
		Example: `  lacuna-lab factors -g FB15k-237-betae -m models/fb15k-237-links.safetensors -o fb-both.safetensors
  lacuna ask -g FB15k-237-betae -m fb-both.safetensors --by links '?x : P(q, x)'
  lacuna-lab factors -g FB15k-237-betae --rank 64 --bytes -o small.safetensors`,
		Args: command.Arguments(0, 0, "no argument (name the graph by -g, the model by -m, the file by -o)"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.factors(cmd, &flags) },
	}
	flags.graph.Register(cmd)
	flags.device.Register(cmd)
	command.RegisterModel(cmd, &flags.model)
	f := cmd.Flags()
	f.StringVarP(&flags.output, "output", "o", "", "the model to write (required)")
	f.IntVar(&flags.opts.Rank, "rank", flags.opts.Rank, "complex numbers of a vector: 4 bytes each with --half, 2 with --bytes")
	f.IntVar(&flags.opts.Epochs, "epochs", flags.opts.Epochs, "how often each fact is learned from")
	f.IntVar(&flags.opts.Batch, "batch", flags.opts.Batch, "pairs of entity and relation in a step")
	f.Float64Var(&flags.opts.Rate, "rate", flags.opts.Rate, "learning rate")
	f.Float64Var(&flags.opts.Norm, "norm", flags.opts.Norm, "weight of the N3 norm, which keeps vectors small")
	f.Float64Var(&flags.opts.RelationWeight, "relation-weight", flags.opts.RelationWeight, "what the prediction of relations weighs beside that of tails")
	f.Uint64Var(&flags.opts.Seed, "seed", 1, "seed of the first vectors and the order of facts")
	flags.precision.Register(cmd)
	command.First(cmd, "graph", "model", "output", "rank", "epochs", "rate", "norm", "relation-weight", "seed", "half", "bytes", "read", "device")
	return cmd
}

// learnedFactors is the JSON report.
type learnedFactors struct {
	Output  string       `json:"output"`
	Rank    int          `json:"rank"`
	Vectors string       `json:"vectors"` // as which they are stored
	Blend   factor.Blend `json:"blend"`
	Bytes   int64        `json:"bytes"`
	Seconds float64      `json:"seconds"`
}

func (a *app) factors(cmd *cobra.Command, flags *factorFlags) error {
	start := time.Now()
	if flags.output == "" {
		return kg.Errorf(kg.Invalid, "", "factors: -o FILE is needed, the model to write")
	}
	engine, err := a.Open(cmd.Context(), &flags.graph, command.ChosenModel(flags.model, &flags.graph, lacuna.Links), &flags.device, nil)
	if err != nil {
		return err
	}
	defer engine.Close()
	bar := a.Progress("learning vectors")
	defer bar.Done()
	flags.opts.Held, flags.opts.As = engine.Valid, flags.precision.Precision()
	flags.opts.Progress = func(done, total int, loss float64) {
		bar.Update(int64(done), int64(total), fmt.Sprintf("steps, loss %.3f", loss))
	}
	blend, err := learnFactors(cmd.Context(), engine, flags.output, flags.opts)
	if err != nil {
		return err
	}
	info, err := os.Stat(flags.output)
	if err != nil {
		return err
	}
	bar.Done()
	return a.showFactors(learnedFactors{flags.output, flags.opts.Rank, string(flags.opts.As.Vectors), blend, info.Size(), time.Since(start).Seconds()})
}

func (a *app) showFactors(made learnedFactors) error {
	if a.JSON {
		return a.PrintJSON(made)
	}
	a.Screen.Printf("%s: vectors of rank %d, %s in %.1f s; beside the network's their logits weigh %.2f where nothing is stated, up to %.2f\n",
		made.Output, made.Rank, count.Bytes(made.Bytes), made.Seconds, made.Blend.Of(0), made.Blend.Of(math.MaxInt))
	return nil
}
