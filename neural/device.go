package neural

import (
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
	"github.com/lacuna-kg/lacuna/kernel/cuda"
	"github.com/lacuna-kg/lacuna/kg"
)

// Devices are the names that OpenDevice takes.
var Devices = []string{"auto", "cpu", "cuda"}

// DeviceOptions say where a model runs.
type DeviceOptions struct {
	Name         string // one of Devices; "" is auto
	Threads      int    // of the CPU; 0 for one a core
	Instructions string // of the CPU: avx512, avx2 or plain; "" for the best that it has
	// Missing, if given, is told why a GPU that was asked for by name cannot be had.
	Missing func(reason error)
}

// OpenDevice opens a device. The CPU is taken where a GPU cannot be had.
func OpenDevice(o DeviceOptions) (kernel.Device, error) {
	switch o.Name {
	case "cpu":
		return o.openCPU()
	case "", "auto", "cuda":
	default:
		return nil, kg.Errorf(kg.Invalid, "", "no device %q: expected auto, cpu or cuda", o.Name)
	}
	gpu, err := cuda.Open(cuda.Options{})
	if err == nil {
		return gpu, nil
	}
	if o.Name == "cuda" && o.Missing != nil {
		o.Missing(err)
	}
	return o.openCPU()
}

func (o DeviceOptions) openCPU() (kernel.Device, error) {
	device, err := cpu.New(cpu.Options{Threads: o.Threads, Instructions: o.Instructions})
	if err != nil {
		return nil, kg.Errorf(kg.Invalid, "", "%v", err)
	}
	return device, nil
}
