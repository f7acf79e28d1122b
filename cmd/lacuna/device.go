package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
	"github.com/lacuna-kg/lacuna/kg"
)

// deviceFlags chooses where a model runs.
type deviceFlags struct {
	name    string
	threads int
}

func (f *deviceFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.name, "device", "auto", "where the model runs: auto or cpu (LACUNA_CPU=avx512, avx2 or plain forces the instructions)")
	cmd.Flags().IntVar(&f.threads, "threads", 0, "threads of the CPU (default: one a core)")
	completeFlag(cmd, "device", "auto", "cpu")
}

// open opens the device; without a GPU that is the CPU.
func (f *deviceFlags) open() (kernel.Device, error) {
	if f.name != "auto" && f.name != "cpu" {
		return nil, kg.Errorf(kg.Invalid, "", "--device %s: expected auto or cpu", f.name)
	}
	return f.openCPU()
}

func (f *deviceFlags) openCPU() (*cpu.Device, error) {
	device, err := cpu.New(cpu.Options{Threads: f.threads, Instructions: os.Getenv("LACUNA_CPU")})
	if err != nil {
		return nil, kg.Errorf(kg.Invalid, "", "%v", err)
	}
	return device, nil
}
