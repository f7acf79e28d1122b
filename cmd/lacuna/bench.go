package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/internal/bench"
	"github.com/lacuna-kg/lacuna/kernel"
)

func (a *app) benchCommand() *cobra.Command {
	var graph graphFlags
	var device deviceFlags
	var seconds float64
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the learned projection on this machine against its floor",
		Long: `Measure the projection network of the paper (NBFNet, width 32, 4 layers, PNA) on a
graph: the time of a sample forward, and forward and backward, beside its floor, the
edges and products that must be worked through at the rates that the inner loops alone
reach on this machine. Every figure is the fastest of several runs.`,
		Example: `  lacuna bench -g FB15k-237-betae
  LACUNA_CPU=avx2 lacuna bench -g FB15k-237-betae --json`,
		Args: arguments(0, 0, "no argument (name the graph by -g)"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			splits, err := graph.open(cmd.Context(), a)
			if err != nil {
				return err
			}
			defer splits.Close()
			topology, err := exec.Topology(splits.Train)
			if err != nil {
				return err
			}
			opts, err := a.benchOptions(topology, &device)
			if err != nil {
				return err
			}
			opts.Time = time.Duration(seconds * float64(time.Second))
			rows, err := bench.Run(cmd.Context(), opts, bench.Works)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(rows)
			}
			a.showBench(rows)
			return nil
		},
	}
	graph.register(cmd)
	device.register(cmd)
	cmd.Flags().Float64Var(&seconds, "seconds", 3, "time to spend on each figure")
	cmd.AddCommand(a.benchServeCommand())
	return cmd
}

// benchOptions opens the device and measures the rates of its inner loops.
func (a *app) benchOptions(topology *kernel.Graph, flags *deviceFlags) (bench.Options, error) {
	device, err := flags.openCPU()
	if err != nil {
		return bench.Options{}, err
	}
	config, graph := gnn.Default(), device.NewGraph(topology)
	layer := kernel.Layer{Message: kernel.DistMult, Aggregate: kernel.PNA, Width: config.Width}
	rates := device.Measure(layer, graph)
	if !a.json {
		a.screen.printf("%s entities, %s edges; %s on %d threads; inner loops of one core: %.2f ns an edge, %.0f GFLOP/s\n\n",
			thousands(topology.Nodes), thousands(topology.Edges()), device.Name(), device.Threads(), rates.EdgeNanoseconds, rates.Gigaflops)
	}
	return bench.Options{
		Device: device, Name: "cpu", Graph: topology, Config: config,
		Floor: func(backward bool) time.Duration {
			return rates.Floor(layer, graph, config.Layers, device.Threads(), backward)
		},
	}, nil
}

func (a *app) showBench(rows []bench.Row) {
	s := a.screen
	s.printf("%s\n", s.bold(fmt.Sprintf("%-17s %5s %14s %9s %9s %9s %9s", "work", "batch", "ms per sample", "floor", "of floor", "ns/edge", "GFLOP/s")))
	for _, r := range rows {
		s.printf("%-17s %5d %14.2f %9.2f %8.0f%% %9.2f %9.1f\n", r.Work, r.Batch, r.MSPerSample, r.FloorMS, 100*r.FloorMS/r.MSPerSample, r.NSPerEdge, r.GFLOPS)
	}
}
