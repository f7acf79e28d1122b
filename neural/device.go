package neural

import (
	"cmp"
	"slices"

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
	Turn         int    // among the processes that share this machine's GPUs, each of which takes another
	Processes    int    // that share them; 0 is this one alone
	GPUMemory    int64  // bytes to take of a GPU that others use too; 0 is all
	Instructions string // of the CPU: avx512, avx2 or plain; "" for the best that it has
	// Required makes it an error if a GPU that was asked for by name cannot be had. Otherwise
	// the CPU is taken, and Missing, if given, is told why.
	Required bool
	Missing  func(reason error)
}

// CheckDevice refuses a name that OpenDevice does not know.
func CheckDevice(name string) error {
	if slices.Contains(Devices, name) {
		return nil
	}
	return kg.Errorf(kg.Invalid, "", "no device %q: expected auto, cpu or cuda", name)
}

// OpenDevice opens a device. The CPU is taken where a GPU cannot be had.
func OpenDevice(o DeviceOptions) (kernel.Device, error) {
	name := cmp.Or(o.Name, "auto")
	if err := CheckDevice(name); err != nil {
		return nil, err
	}
	if name == "cpu" {
		return o.openCPU()
	}
	gpu, err := cuda.Open(cuda.Options{Turn: o.Turn, Processes: o.Processes, Memory: o.GPUMemory})
	switch {
	case err == nil:
		return gpu, nil
	case name == "cuda" && o.Required:
		return nil, kg.Errorf(kg.NotFound, "", "%v", err)
	case name == "cuda" && o.Missing != nil:
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
