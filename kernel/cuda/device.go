// Package cuda is the kernel.Device of an NVIDIA GPU, without cgo and without a CUDA toolkit:
// the kernels are PTX, compiled from kernels/*.cu by gen, compressed and embedded, and the driver library
// is opened at run time.
//
// Its place in the flow: cmd and the Go API open a device here and hand it to gnn, exec and
// train. driver*.go speak to the driver, memory.go and launch.go to one device; graph.go
// cuts a graph into segments; layer_*.go, linear.go, head.go, sets.go, evidence.go and training.go are the
// operations. Nothing waits for the GPU but Download, Ranks, Cardinality, Observe, Above and Sync.
package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/lacuna-kg/lacuna/kernel"
)

// Options choose a GPU; the zero value is the first.
type Options struct {
	Ordinal int
	// Turn is for several processes that share the GPUs: it is added to the ordinal, and after the last GPU comes the first.
	Turn int
	// Processes is how many share the GPUs in turns: those that meet on one GPU share its memory. 0 is this one alone.
	Processes int
	// Memory is what of the GPU's, in bytes, is taken for its whole, where other programs use it too; 0 is all.
	Memory int64
	// Scratch bounds the memory, in bytes, of what backward computes for the samples that run
	// together; 0 is a sixteenth of the memory. Other values give other sums, alike up to rounding.
	Scratch int64
}

// leastScratch holds about twenty samples of FB15k-237: enough to fill a GPU. More than mostScratch gains nothing and is missed by other programs.
const (
	leastScratch = 1 << 30
	mostScratch  = 4 << 30
)

// device is the kernel.Device. All its work is in order, on the default stream.
type device struct {
	driver    *driver
	ordinal   uintptr
	context   uintptr
	name      string
	capacity  capacity
	modules   modules
	pool      pool
	staging   staging
	arguments packed // of the launch under way
	scratch   int64
	profile   *profile
	err       error // the first failure; later calls do nothing
}

// capacity is what the GPU has.
type capacity struct {
	major, minor    int
	multiprocessors int
	sharedPerBlock  int   // bytes, when asked for
	memory          int64 // of the GPU, or what of it is to be taken
}

var _ kernel.Device = (*device)(nil)

// Open opens a GPU. Without a driver or a GPU it says so, in one line.
func Open(o Options) (kernel.Device, error) {
	driver, err := openDriver()
	if err != nil {
		return nil, err
	}
	d, err := open(driver, o)
	if err != nil {
		return nil, err
	}
	return d, nil
}

func open(driver *driver, o Options) (*device, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d := &device{driver: driver, scratch: o.Scratch}
	count := new(int32)
	if err := errors.Join(driver.do("cuInit", 0), driver.do("cuDeviceGetCount", word(count))); err != nil {
		return nil, fmt.Errorf("no usable NVIDIA GPU: %w", err)
	}
	if o.Ordinal < 0 || o.Ordinal >= int(*count) {
		return nil, fmt.Errorf("no NVIDIA GPU %d: there are %d", o.Ordinal, *count)
	}
	if o.Turn > 0 {
		o.Ordinal = (o.Ordinal + o.Turn) % int(*count)
	}
	if err := d.read(o.Ordinal); err != nil {
		return nil, err
	}
	d.capacity.memory = o.share(d.capacity.memory, int(*count))
	if d.scratch <= 0 {
		d.scratch = min(max(leastScratch, d.capacity.memory/16), mostScratch)
	}
	if d.capacity.major < 8 {
		return nil, fmt.Errorf("%s has compute capability %d.%d; 8.0 or later is needed", d.name, d.capacity.major, d.capacity.minor)
	}
	return d, d.start()
}

// share is the memory that this process may take of a GPU, one of several.
func (o Options) share(whole int64, gpus int) int64 {
	if o.Memory > 0 {
		whole = min(whole, o.Memory)
	}
	return whole / int64(max(1, (o.Processes+gpus-1)/gpus))
}

// read asks for name and capacity.
func (d *device) read(ordinal int) error {
	handle, name, memory := new(int32), make([]byte, 256), new([2]uint64)
	if err := d.driver.do("cuDeviceGet", word(handle), uintptr(ordinal)); err != nil {
		return err
	}
	d.ordinal = uintptr(*handle)
	if err := d.driver.do("cuDeviceGetName", word(&name[0]), uintptr(len(name)), d.ordinal); err != nil {
		return err
	}
	d.name, _, _ = strings.Cut(string(name), "\x00")
	const multiprocessors, major, minor, shared = 16, 75, 76, 97 // CUdevice_attribute
	for attribute, to := range map[int]*int{multiprocessors: &d.capacity.multiprocessors, major: &d.capacity.major, minor: &d.capacity.minor, shared: &d.capacity.sharedPerBlock} {
		value := new(int32)
		if err := d.driver.do("cuDeviceGetAttribute", word(value), uintptr(attribute), d.ordinal); err != nil {
			return err
		}
		*to = int(*value)
	}
	context := new(uintptr)
	if err := d.driver.do("cuDevicePrimaryCtxRetain", word(context), d.ordinal); err != nil {
		return err
	}
	d.context = *context
	if err := d.driver.do("cuCtxSetCurrent", d.context); err != nil {
		return err
	}
	err := d.driver.do("cuMemGetInfo_v2", word(&memory[0]), word(&memory[1]))
	d.capacity.memory = usable(memory[0], memory[1])
	return err
}

// usable is what counts for all of a GPU's memory: all of it, or what is free where other programs hold more than a tenth.
func usable(free, total uint64) int64 {
	if free < total-total/10 {
		return int64(free)
	}
	return int64(total)
}

// start makes what every operation needs.
func (d *device) start() error {
	d.modules = newModules(d.capacity)
	d.pool = newPool(d.driver, d.capacity.memory)
	return d.staging.open(d.driver)
}

// Close gives the GPU back. Buffers and graphs of the device are gone with it.
func (d *device) Close() error {
	if d.context == 0 {
		return nil
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := errors.Join(d.driver.do("cuCtxSetCurrent", d.context), d.driver.do("cuStreamSynchronize", 0))
	err = errors.Join(err, d.modules.close(d.driver), d.pool.close(), d.staging.close(d.driver), d.driver.do("cuDevicePrimaryCtxRelease_v2", d.ordinal))
	d.context = 0
	d.err = errors.New("cuda: the device is closed")
	return err
}

// Name is "cuda".
func (d *device) Name() string { return "cuda" }

// Describe is the GPU in a line: "NVIDIA H200, compute capability 9.0, 132 multiprocessors, 140 GiB".
func (d *device) Describe() string {
	c := d.capacity
	return fmt.Sprintf("%s, compute capability %d.%d, %d multiprocessors, %d GiB", d.name, c.major, c.minor, c.multiprocessors, c.memory>>30)
}

// Memory is what there is of the GPU's memory in bytes, of which batches and what is kept get shares.
func (d *device) Memory() int64 { return d.capacity.memory }

// Sync waits for all work and returns the first failure since the device was opened.
func (d *device) Sync() error {
	if f := d.frame(); f != nil {
		f.do("cuStreamSynchronize", 0)
		f.close()
	}
	return d.err
}

// want holds a call to its shapes.
func want(ok bool, what string, got, expected any) {
	if !ok {
		panic(fmt.Sprintf("cuda: %s: shape %v does not fit %v", what, got, expected))
	}
}
