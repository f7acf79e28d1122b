package lab

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/lab/bench"
)

// benchFlags says what to measure, and on what.
type benchFlags struct {
	graph   command.GraphFlags
	device  command.DeviceFlags
	large   synth.Config // a synthetic graph instead, where it has entities
	seconds float64
}

func (a *app) benchCommand() *cobra.Command {
	var flags benchFlags
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the learned projection on this machine against its floor",
		Long: `Measure the projection network of the paper (NBFNet, width 32, 4 layers, PNA) on a
graph: the time of a sample forward, and forward and backward, beside its floor, the
edges and products that must be worked through at the rates that the inner loops alone
reach on this machine. Every figure is the fastest of several runs. With --entities it
measures a query on a synthetic graph of that size, its ten best answers included.`,
		Example: `  lacuna-lab bench -g FB15k-237-betae
  LACUNA_CPU=avx2 lacuna-lab bench -g FB15k-237-betae --json
  lacuna-lab bench --device cuda --entities 5000000 --triples 20000000`,
		Args: command.Arguments(0, 0, "no argument (name the graph by -g)"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.bench(cmd, &flags) },
	}
	flags.graph.Register(cmd)
	flags.device.Register(cmd)
	cmd.Flags().IntVar(&flags.large.Entities, "entities", 0, "entities of a synthetic graph to query")
	cmd.Flags().IntVar(&flags.large.Relations, "relations", 1000, "its relations")
	cmd.Flags().IntVar(&flags.large.Triples, "triples", 0, "its triples")
	cmd.Flags().Float64Var(&flags.seconds, "seconds", 3, "time to spend on each figure")
	cmd.AddCommand(a.benchGraphCommand(), a.benchLinksCommand(), a.benchServeCommand(), a.benchSPARQLCommand())
	return cmd
}

func (a *app) bench(cmd *cobra.Command, flags *benchFlags) error {
	topology, works, err := flags.topology(cmd.Context(), a)
	if err != nil {
		return err
	}
	opts, err := a.benchOptions(topology, &flags.device)
	if err != nil {
		return err
	}
	opts.Time = time.Duration(flags.seconds * float64(time.Second))
	rows, err := bench.Run(cmd.Context(), opts, works)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(rows)
	}
	a.showBench(rows)
	return nil
}

// topology is the graph to measure on, and what.
func (f *benchFlags) topology(ctx context.Context, a *app) (*kernel.Graph, []bench.Work, error) {
	if f.large.Entities != 0 {
		f.large.Seed = 1
		g, err := synth.Generate(f.large)
		if err != nil {
			return nil, nil, kg.Errorf(kg.Invalid, "", "synthetic graph: %v", err)
		}
		topology, err := exec.Topology(g)
		return topology, bench.Query, err
	}
	splits, err := f.graph.Open(ctx, a.App)
	if err != nil {
		return nil, nil, err
	}
	defer splits.Close()
	topology, err := exec.Topology(splits.Train)
	return topology, bench.Works, err
}

// benchOptions opens the device and, of a CPU, measures the rates of its inner loops.
func (a *app) benchOptions(topology *kernel.Graph, flags *command.DeviceFlags) (bench.Options, error) {
	device, err := flags.Open(a.App)
	if err != nil {
		return bench.Options{}, err
	}
	opts := bench.Options{Device: device, Name: "cuda", Graph: topology, Config: gnn.Default()}
	about := device.Describe()
	if host, ok := device.(*cpu.Device); ok {
		opts.Name = "cpu"
		layer := kernel.Layer{Message: kernel.DistMult, Aggregate: kernel.PNA, Width: opts.Config.Width}
		graph := host.NewGraph(topology)
		rates := host.Measure(layer, graph)
		opts.Floor = func(backward bool) time.Duration {
			layers := opts.Config.Layers
			if !backward {
				layers-- // the first passes over what an entity does not reach, nearly all
			}
			return rates.Floor(layer, graph, layers, host.Threads(), backward)
		}
		about = fmt.Sprintf("%s on %s; inner loops of one core: %.2f ns an edge, %.0f GFLOP/s", host.Name(), count.Of(host.Threads(), "thread"), rates.EdgeNanoseconds, rates.Gigaflops)
	}
	if !a.JSON {
		a.Screen.Printf("%s, %s; %s\n\n", count.Of(topology.Nodes, "entity"), count.Of(topology.Edges(), "edge"), about)
	}
	return opts, nil
}

func (a *app) showBench(rows []bench.Row) {
	s := a.Screen
	s.Printf("%s\n", s.Bold(fmt.Sprintf("%-17s %5s %14s %9s %9s %9s %9s", "work", "batch", "ms per sample", "floor", "of floor", "ns/edge", "GFLOP/s")))
	for _, r := range rows {
		floor, share := "-", "-"
		if r.FloorMS > 0 {
			floor, share = fmt.Sprintf("%.2f", r.FloorMS), fmt.Sprintf("%.0f%%", 100*r.FloorMS/r.MSPerSample)
		}
		s.Printf("%-17s %5d %14.2f %9s %9s %9.2f %9.1f\n", r.Work, r.Batch, r.MSPerSample, floor, share, r.NSPerEdge, r.GFLOPS)
	}
}
