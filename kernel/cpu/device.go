// Package cpu is the kernel.Device of an ordinary machine: all operations on all cores,
// with AVX-512, with AVX2 and FMA, or in plain Go, whichever the CPU has.
//
// Its place in the flow: cmd and the Go API open a device here and hand it to gnn, exec
// and train. The inner loops are in kernels.go (what they are), plain_*.go (in Go) and
// kernels_amd64.s (made by gen); the files layer_*.go, linear.go, head.go and sets.go
// split the work over cores and tiles.
//
// The same bits come out for any number of threads: work is cut into tasks by graph
// and batch alone, every sum that crosses tasks is taken in their order.
package cpu

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// Options choose how a device runs; the zero value is the best this machine has.
type Options struct {
	Threads      int    // 0: as many as GOMAXPROCS
	Instructions string // "avx512", "avx2", "plain"; "": the best this CPU has
}

// definition is the plain device, by a name that keeps it inside the package.
type definition = plain.Device[float32]

// Device is a kernel.Device. What it does not define here is the plain device's, whose
// buffers it shares.
type Device struct {
	*definition
	use     *instructions
	workers []*worker
	scratch scratch
	cuts
}

// cuts are where work is divided: constants of the package, small in tests. Results
// depend on them in the last bits, so they do not depend on the machine.
type cuts struct {
	hub     int // rows with more edges are cut into segments of so many: some hundred µs of work
	window  int // rows whose coefficients backward holds at a time, when workers share a sample
	samples int // with so many samples or more, backward gives every worker whole ones
	rare    int // a degree of so many nodes at most gets no matrix of its own (layer_mixed.go)
}

var defaultCuts = cuts{hub: 1 << 14, window: 1 << 15, samples: 8, rare: 8}

var _ kernel.Device = (*Device)(nil)

// New opens a device. It fails where the instructions asked for are not to be had.
func New(o Options) (*Device, error) {
	use, err := choose(o.Instructions)
	if err != nil {
		return nil, err
	}
	if o.Threads < 0 {
		return nil, fmt.Errorf("cpu: %d threads, expected 1 or more, or 0 for all", o.Threads)
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	d := &Device{definition: plain.New(), use: use, cuts: defaultCuts}
	for range o.Threads {
		d.workers = append(d.workers, &worker{plain: plain.New()})
	}
	return d, nil
}

func choose(name string) (*instructions, error) {
	var names []string
	for _, i := range available() {
		if name == "" || name == i.name {
			return i, nil
		}
		names = append(names, i.name)
	}
	return nil, fmt.Errorf("cpu: no %q instructions here; this CPU has %s", name, strings.Join(names, ", "))
}

// Name is the instruction set in use.
func (d *Device) Name() string { return d.use.name }

// Describe is the same: the instructions are what differs between CPUs.
func (d *Device) Describe() string { return d.Name() }

// Threads is the number of cores in use.
func (d *Device) Threads() int { return len(d.workers) }

// floats opens buffers.
func (d *Device) floats(b kernel.Buffer) []float32 { return d.definition.Values(b) }

// want holds a call to its shapes.
func want(ok bool, what string, got, expected any) {
	if !ok {
		panic(fmt.Sprintf("cpu: %s: shape %v does not fit %v", what, got, expected))
	}
}
