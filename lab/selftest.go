package lab

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/conformance"
	"github.com/lacuna-kg/lacuna/lab/golden"
	"github.com/lacuna-kg/lacuna/lab/selftest"
)

// selftestFlags says what to prove and measure.
type selftestFlags struct {
	device      command.DeviceFlags
	graph       command.GraphFlags
	golden      string
	measureOnly bool
	samples     int
	layers      int
	large       int
	ceiling     float64
}

func (a *app) selftestCommand() *cobra.Command {
	var flags selftestFlags
	cmd := &cobra.Command{
		Use:   "selftest",
		Short: "Prove that a device computes what the plain kernels do, and time it",
		Long: `Run every operation of a device against the plain kernels, whole models forward and
backward against the plain device, and the golden files where a folder of them is
named, that of the paper's models (gnnqe), of the foundation models (ultraquery) or the
one that holds both; then measure a batch of the paper's model and of the two foundation
models on a graph, kernel by kernel on a GPU. Differences are relative norms. Exits
with 1 where anything differs by more than rounding allows.`,
		Example: `  lacuna-lab selftest --device cuda
  lacuna-lab selftest --device cuda --golden golden -g FB15k-237-betae --samples 192
  lacuna-lab selftest --device cuda --large 60000000 --samples 2`,
		Args: command.Arguments(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.selftest(cmd, &flags) },
	}
	flags.device.Register(cmd)
	flags.graph.Register(cmd)
	cmd.Flags().StringVar(&flags.golden, "golden", "", "folder of golden files")
	cmd.Flags().BoolVar(&flags.measureOnly, "measure", false, "measure only, prove nothing")
	cmd.Flags().IntVar(&flags.samples, "samples", 16, "samples of the batch to measure")
	cmd.Flags().IntVar(&flags.layers, "layers", 0, "layers of the networks to measure (0: as many as they have by default)")
	cmd.Flags().IntVar(&flags.large, "large", 0, "draw a graph of so many entities with four facts each, check rows on it, and nothing else")
	cmd.Flags().Float64Var(&flags.ceiling, "ceiling", 4.3, "memory bandwidth in TB/s that kernels are held against")
	return cmd
}

func (a *app) selftest(cmd *cobra.Command, flags *selftestFlags) error {
	device, err := flags.device.Open(a.App)
	if err != nil {
		return err
	}
	if flags.large > 0 {
		return flags.proveLarge(cmd, a, device)
	}
	var rows []selftest.Row
	if !flags.measureOnly {
		if rows, err = flags.prove(cmd, device); err != nil {
			return errors.Join(err, selftest.WriteRows(a.Stderr, rows)) // the last row says where it ended
		}
	}
	speeds, err := flags.measure(cmd, a, device)
	if err != nil {
		return err
	}
	if a.JSON {
		err = a.PrintJSON(map[string]any{"device": device.Describe(), "checks": rows, "speed": speeds, "failed": len(selftest.Errors(rows))})
	} else {
		a.Screen.Printf("%s\n\n", device.Describe())
		err = selftest.WriteRows(a.Out, rows)
		for i := 0; i < len(speeds) && err == nil; i++ {
			a.Screen.Printf("\n")
			err = selftest.WriteSpeed(a.Out, speeds[i], flags.ceiling*1e12)
		}
	}
	if failed := len(selftest.Errors(rows)); err == nil && failed > 0 {
		return fmt.Errorf("%s failed", count.Of(failed, "comparison"))
	}
	return err
}

// proveLarge checks a device on a graph of many entities.
func (f *selftestFlags) proveLarge(cmd *cobra.Command, a *app, device kernel.Device) error {
	tell := func(done string, took time.Duration) { a.Remark("%s (%.1f s)", done, took.Seconds()) }
	report, err := selftest.Large(cmd.Context(), device, f.large, f.samples, tell)
	if err != nil {
		return err
	}
	failed := len(selftest.Errors(report.Rows))
	if a.JSON {
		err = a.PrintJSON(map[string]any{"device": device.Describe(), "large": report, "failed": failed})
	} else {
		a.Screen.Printf("%s\n\n%s, %s with their inverses, %d pairs of an entity and a relation\n", device.Describe(), count.Of(report.Entities, "entity"), count.Of(report.Edges, "edge"), report.Pairs)
		a.Screen.Printf("drawn in %.1f s, on the device in %.1f s; a row of %d together takes %.4g s\n\n",
			report.Drawn.Seconds(), report.Opened.Seconds(), report.Samples, report.Row.Seconds())
		err = selftest.WriteRows(a.Out, report.Rows)
	}
	if err == nil && failed > 0 {
		return fmt.Errorf("%s failed", count.Of(failed, "comparison"))
	}
	return err
}

// prove compares the device with the plain one.
func (f *selftestFlags) prove(cmd *cobra.Command, device kernel.Device) ([]selftest.Row, error) {
	limits := gnn.DefaultLimits()
	rows, err := selftest.Conformance(cmd.Context(), device, conformance.Float32())
	if err != nil {
		return rows, err
	}
	models, err := selftest.Models(cmd.Context(), device, limits)
	if rows = append(rows, models...); err != nil || f.golden == "" {
		return rows, err
	}
	dirs, err := goldenFolders(f.golden)
	for _, dir := range dirs {
		if err != nil {
			break
		}
		var files []selftest.Row
		if filepath.Base(dir) == foundationGolden {
			files, err = selftest.Foundation(cmd.Context(), device, dir, exec.Topology, limits)
		} else {
			files, err = selftest.Golden(cmd.Context(), device, dir, limits)
		}
		rows = append(rows, files...)
	}
	return rows, err
}

// The folders of the golden files of the paper's models, and of the foundation models.
const paperGolden, foundationGolden = "gnnqe", "ultraquery"

// goldenFolders gives those of the two that a folder holds, or itself.
func goldenFolders(dir string) (dirs []string, err error) {
	for _, name := range []string{paperGolden, foundationGolden} {
		if within, missing := golden.Dir(dir, name); missing == nil {
			dirs = append(dirs, within)
		}
	}
	if dirs != nil {
		return dirs, nil
	}
	dir, err = golden.Dir(dir, "")
	return []string{dir}, err
}

// measure times the paper's network and those of foundation models on the graph.
func (f *selftestFlags) measure(cmd *cobra.Command, a *app, device kernel.Device) (speeds []selftest.Speed, err error) {
	splits, err := f.graph.Open(cmd.Context(), a.App)
	if err != nil {
		return nil, err
	}
	defer splits.Close()
	topology, err := exec.Topology(splits.Train)
	if err != nil {
		return nil, err
	}
	for _, c := range []gnn.Config{gnn.Default(), gnn.DefaultUltra(), gnn.DefaultAlternating()} {
		if f.layers > 0 {
			c.Layers = f.layers
		}
		speed, err := selftest.Measure(cmd.Context(), device, topology, c, gnn.LimitsOf(device), f.samples, 5)
		if err != nil {
			return nil, err
		}
		speeds = append(speeds, speed)
	}
	return speeds, nil
}
