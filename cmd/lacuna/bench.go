package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/internal/bench"
)

func (a *app) benchCommand() *cobra.Command {
	var graph graphFlags
	var device deviceFlags
	var seconds float64
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the learned projection on this machine against its floor",
		Long: `Measure the projection network of the paper (NBFNet, width 32, 4 layers, PNA) on a
graph: the time of a sample forward, and forward and backward, beside the floor that
counting edges and products gives. Every figure is the fastest of several runs.`,
		Example: `  lacuna bench -g FB15k-237-betae
  LACUNA_CPU=avx2 lacuna bench -g FB15k-237-betae --json`,
		Args: arguments(0, 0, "no argument (name the graph by -g)"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows, err := a.bench(cmd, &graph, &device, seconds)
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
	return cmd
}

func (a *app) bench(cmd *cobra.Command, graph *graphFlags, flags *deviceFlags, seconds float64) ([]bench.Row, error) {
	splits, err := graph.open(cmd.Context(), a)
	if err != nil {
		return nil, err
	}
	defer splits.Close()
	topology, err := exec.Topology(splits.Train)
	if err != nil {
		return nil, err
	}
	device, err := flags.open()
	if err != nil {
		return nil, err
	}
	threads := flags.threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	if !a.json {
		a.screen.printf("%s: %s entities, %s edges; %s, %d threads\n\n", graph.name(),
			thousands(topology.Nodes), thousands(topology.Edges()), device.Name(), threads)
	}
	opts := bench.Options{
		Device: device, Name: "cpu", Graph: topology, Config: gnn.Default(), Threads: threads,
		Time: time.Duration(seconds * float64(time.Second)),
	}
	return bench.Run(cmd.Context(), opts, bench.Works)
}

func (a *app) showBench(rows []bench.Row) {
	s := a.screen
	s.printf("%s\n", s.bold(fmt.Sprintf("%-17s %5s %14s %9s %9s %9s %9s", "work", "batch", "ms per sample", "floor", "of floor", "ns/edge", "GFLOP/s")))
	for _, r := range rows {
		s.printf("%-17s %5d %14.2f %9.2f %8.0f%% %9.2f %9.1f\n", r.Work, r.Batch, r.MSPerSample, r.FloorMS, 100*r.FloorMS/r.MSPerSample, r.NSPerEdge, r.GFLOPS)
	}
}
