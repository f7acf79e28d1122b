package main

import (
	"fmt"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
	"github.com/lacuna-kg/lacuna/kernel/cuda"
	"github.com/lacuna-kg/lacuna/kg"
)

// deviceFlags chooses where a model runs.
type deviceFlags struct {
	name    string
	threads int
}

func (f *deviceFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.name, "device", "auto", "where the model runs: cpu, cuda or auto (LACUNA_CPU=avx512, avx2 or plain forces the CPU's instructions)")
	cmd.Flags().IntVar(&f.threads, "threads", 0, "threads of the CPU (default: one a core)")
	completeFlag(cmd, "device", "auto", "cpu", "cuda")
}

// open opens the device. Where a GPU was asked for and cannot be had, it says so and takes the CPU.
func (f *deviceFlags) open(a *app) (kernel.Device, error) {
	switch f.name {
	case "cpu":
		return f.openCPU()
	case "auto", "cuda":
	default:
		return nil, kg.Errorf(kg.Invalid, "", "--device %s: expected auto, cpu or cuda", f.name)
	}
	gpu, err := cuda.Open(cuda.Options{})
	if err == nil {
		return gpu, nil
	}
	if f.name == "cuda" {
		fmt.Fprintf(a.stderr, "lacuna: %v; the CPU is used instead\n", err)
	}
	return f.openCPU()
}

// collectOften collects garbage when it is a quarter of what is in use, unless the user
// chose by GOGC. Sets and buffers are large and hold no pointers: collecting them costs
// next to nothing, and as much memory again as is in use would be wasted.
func collectOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(25)
	}
}

func (f *deviceFlags) openCPU() (*cpu.Device, error) {
	device, err := cpu.New(cpu.Options{Threads: f.threads, Instructions: os.Getenv("LACUNA_CPU")})
	if err != nil {
		return nil, kg.Errorf(kg.Invalid, "", "%v", err)
	}
	return device, nil
}
