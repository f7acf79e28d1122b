package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/internal/golden"
	"github.com/lacuna-kg/lacuna/internal/selftest"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/conformance"
)

// selftestFlags says what to prove and measure.
type selftestFlags struct {
	device  deviceFlags
	graph   graphFlags
	golden  string
	samples int
	ceiling float64
}

func (a *app) selftestCommand() *cobra.Command {
	var flags selftestFlags
	cmd := &cobra.Command{
		Use:   "selftest",
		Short: "Prove that a device computes what the plain kernels do, and time it",
		Long: `Run every operation of a device against the plain kernels, whole models forward and
backward against the plain device, and the golden files where a folder of them is
named; then measure a batch on a graph, kernel by kernel on a GPU. Differences are
relative norms. Exits with 1 where anything differs by more than rounding allows.`,
		Example: `  lacuna selftest --device cuda
  lacuna selftest --device cuda --golden golden/gnnqe -g FB15k-237-betae --samples 192`,
		Args: arguments(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.selftest(cmd, &flags) },
	}
	flags.device.register(cmd)
	flags.graph.register(cmd)
	cmd.Flags().StringVar(&flags.golden, "golden", "", "folder of golden files")
	cmd.Flags().IntVar(&flags.samples, "samples", 16, "samples of the batch to measure")
	cmd.Flags().Float64Var(&flags.ceiling, "ceiling", 4.3, "memory bandwidth in TB/s that kernels are held against")
	return cmd
}

func (a *app) selftest(cmd *cobra.Command, flags *selftestFlags) error {
	device, err := flags.device.open(a)
	if err != nil {
		return err
	}
	rows, err := flags.prove(cmd, device)
	if err != nil {
		return err
	}
	speed, err := flags.measure(cmd, a, device)
	if err != nil {
		return err
	}
	if a.json {
		err = a.printJSON(map[string]any{"device": describeDevice(device), "checks": rows, "speed": speed, "failed": len(selftest.Errors(rows))})
	} else {
		a.screen.printf("%s\n\n", describeDevice(device))
		if err = selftest.WriteRows(a.out, rows); err == nil {
			a.screen.printf("\n")
			err = selftest.WriteSpeed(a.out, speed, flags.ceiling*1e12)
		}
	}
	if failed := len(selftest.Errors(rows)); err == nil && failed > 0 {
		return fmt.Errorf("%d comparisons failed", failed)
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
	dir, err := golden.Dir(f.golden, "")
	if err != nil {
		return rows, err
	}
	files, err := selftest.Golden(cmd.Context(), device, dir, limits)
	return append(rows, files...), err
}

// measure times the paper's network on the graph.
func (f *selftestFlags) measure(cmd *cobra.Command, a *app, device kernel.Device) (selftest.Speed, error) {
	splits, err := f.graph.open(cmd.Context(), a)
	if err != nil {
		return selftest.Speed{}, err
	}
	defer splits.Close()
	topology, err := exec.Topology(splits.Train)
	if err != nil {
		return selftest.Speed{}, err
	}
	return selftest.Measure(cmd.Context(), device, topology, gnn.Default(), gnn.LimitsOf(device), f.samples, 5)
}

// describeDevice names the device with what it says of itself.
func describeDevice(device kernel.Device) string {
	if d, ok := device.(interface{ Describe() string }); ok {
		return d.Describe()
	}
	return device.Name()
}
