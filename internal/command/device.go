package command

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/neural"
)

// deviceFlags chooses where a model runs.
type DeviceFlags struct {
	name      string
	Threads   int
	cut       int
	turn      int           // among the ranks on this machine
	processes int           // ranks on this machine
	Opened    kernel.Device // by open, nil before
}

func (f *DeviceFlags) Register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.name, "device", "auto", "`device` to run on: cpu or cuda (default: cuda if there is a GPU)")
	cmd.Flags().Lookup("device").DefValue = ""
	cmd.Flags().IntVar(&f.Threads, "threads", 0, "CPU threads (default: one per core)")
	CompleteFlag(cmd, "device", neural.Devices...)
}

// registerCut adds the flag of how much of a graph the model looks at.
func (f *DeviceFlags) RegisterCut(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.cut, "cut", 0, fmt.Sprintf("predict each link on the N entities around its head, -1 for the whole graph (default: %s if the graph has more than %s, else the whole graph)",
		count.Number(neural.DefaultCut), count.Number(neural.CutAbove)))
}

// open opens the device, once. Where a GPU was asked for and cannot be had, it says so and takes the CPU.
func (f *DeviceFlags) Open(a *App) (device kernel.Device, err error) {
	if f.Opened != nil {
		return f.Opened, nil
	}
	if !slices.Contains(neural.Devices, f.name) {
		return nil, kg.Errorf(kg.Invalid, "", "--device %s: expected auto, cpu or cuda", f.name)
	}
	memory, err := gpuMemory()
	if err != nil {
		return nil, err
	}
	f.Opened, err = neural.OpenDevice(neural.DeviceOptions{
		Name: f.name, Threads: f.Threads, Turn: f.turn, Processes: f.processes, GPUMemory: memory, Instructions: os.Getenv("LACUNA_CPU"),
		Missing: func(reason error) { fmt.Fprintf(a.Stderr, "%s: %v; the CPU is used instead\n", a.name, reason) },
	})
	return f.Opened, err
}

// gpuMemory is what LACUNA_GPU_MEMORY says, in GiB, of a GPU that other programs use too.
func gpuMemory() (int64, error) {
	text := os.Getenv("LACUNA_GPU_MEMORY")
	if text == "" {
		return 0, nil
	}
	gib, err := strconv.ParseFloat(text, 64)
	if err != nil || !(gib >= 1 && gib < 1<<20) {
		return 0, kg.Errorf(kg.Invalid, "", "LACUNA_GPU_MEMORY=%s: expected GiB of the GPU's memory, 1 or more", text)
	}
	return int64(gib * (1 << 30)), nil
}

// collectOften collects garbage when it is a quarter of what is in use, unless the user
// chose by GOGC. Sets and buffers are large and hold no pointers: collecting them costs
// next to nothing, and as much memory again as is in use would be wasted.
func CollectOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(25)
	}
}
