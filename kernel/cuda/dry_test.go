package cuda

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/conformance"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// dry is a driver without a GPU: it hands out addresses, checks that copies stay within them, and
// counts launches. Every operation's launches are so held to the parameters that the PTX declares.
type dry struct {
	t        *testing.T
	names    []string
	sizes    map[address]int
	next     address
	launches map[string]int
	kernels  []string
	fail     string // an entry point that gives status 2
	free     uint64 // of the memory
	held     [][]byte
}

func newDry(t *testing.T) (*dry, *driver) {
	d := &dry{t: t, sizes: map[address]int{}, next: 1 << 20, launches: map[string]int{}, free: 1 << 37}
	symbols := map[string]uintptr{}
	for _, name := range entryPoints() {
		d.names = append(d.names, name)
		symbols[name] = uintptr(len(d.names))
	}
	return d, &driver{symbols: symbols, call: d.call}
}

func openDry(t *testing.T, o Options) (*dry, *device) {
	t.Helper()
	fake, driver := newDry(t)
	d, err := open(driver, o)
	if err != nil {
		t.Fatal(err)
	}
	return fake, d
}

// to is where an argument points.
func to[T any](word *uintptr) *T { return *(**T)(unsafe.Pointer(word)) }

func (d *dry) call(symbol uintptr, w ...uintptr) uintptr {
	name := d.names[symbol-1]
	if name == d.fail {
		return 2
	}
	switch name {
	case "cuDeviceGetCount", "cuDeviceGet":
		*to[int32](&w[0]) = 1
	case "cuDeviceGetName":
		copy(unsafe.Slice(to[byte](&w[0]), w[1]), "Dry\x00")
	case "cuDeviceGetAttribute":
		*to[int32](&w[0]) = map[uintptr]int32{16: 132, 75: 9, 76: 0, 97: 232448}[w[1]]
	case "cuDevicePrimaryCtxRetain", "cuModuleLoadData", "cuEventCreate":
		*to[uintptr](&w[0]) = 7
	case "cuMemGetInfo_v2":
		*to[uint64](&w[0]), *to[uint64](&w[1]) = d.free, 1<<37
	case "cuMemAlloc_v2":
		*to[address](&w[0]) = d.next
		d.sizes[d.next] = int(w[1])
		d.next += address(align(int(w[1]), 256) + 1<<20)
	case "cuMemFree_v2":
		delete(d.sizes, address(w[0]))
	case "cuMemHostAlloc":
		d.held = append(d.held, make([]byte, w[1]))
		*to[unsafe.Pointer](&w[0]) = unsafe.Pointer(&d.held[0][0])
	case "cuMemcpyHtoD_v2", "cuMemcpyHtoDAsync_v2":
		d.within(name, w[0], w[2])
	case "cuMemcpyDtoH_v2":
		d.within(name, w[1], w[2])
	case "cuMemcpyDtoDAsync_v2":
		d.within(name, w[0], w[2])
		d.within(name, w[1], w[2])
	case "cuMemsetD32Async":
		d.within(name, w[0], 4*w[2])
	case "cuMemsetD8Async":
		d.within(name, w[0], w[2])
	case "cuModuleGetFunction":
		d.kernels = append(d.kernels, cString(to[byte](&w[2])))
		*to[uintptr](&w[0]) = uintptr(len(d.kernels))
	case "cuLaunchKernel":
		d.launch(w)
	}
	return 0
}

func cString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// within checks that a range lies in one allocation.
func (d *dry) within(name string, at, bytes uintptr) {
	for start, size := range d.sizes {
		if address(at) >= start && address(at)+address(bytes) <= start+address(size) {
			return
		}
	}
	d.t.Errorf("%s: %d bytes at %#x lie in no allocation", name, bytes, at)
}

// launch checks the geometry: the parameters were checked when they were packed.
func (d *dry) launch(w []uintptr) {
	kernel := d.kernels[w[0]-1]
	d.launches[kernel]++
	x, y, z, threads := w[1], w[2], w[3], w[4]
	if x < 1 || x > 1<<31-1 || y < 1 || y > maxRows || z < 1 || z > maxRows || threads < 32 || threads > 1024 || w[7] > 232448 {
		d.t.Errorf("%s: grid %d×%d×%d of %d threads, %d bytes of shared memory", kernel, x, y, z, threads, w[7])
	}
}

// Every operation of every case launches kernels that exist, with the parameters they declare.
func TestDryConformance(t *testing.T) {
	fake, d := openDry(t, Options{})
	for _, c := range conformance.Cases() {
		_, _ = c.Run(d, conformance.Float32()) // nothing is computed: only the launches count
	}
	if err := d.Sync(); err != nil {
		t.Fatal(err)
	}
	for file, names := range kernelsOf() {
		for _, name := range names {
			if fake.launches[name] == 0 {
				t.Errorf("%s.cu: no case runs %s", file, name)
			}
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// All memory that operations borrow comes back.
func TestMemoryComesBack(t *testing.T) {
	fake, d := openDry(t, Options{Scratch: 1 << 16})
	count := func() (free int) {
		for _, list := range d.pool.free {
			free += len(list)
		}
		return free
	}
	for i, c := range conformance.Cases() {
		if i%7 == 0 {
			_, _ = c.Run(d, conformance.Float32())
		}
	}
	if free := count(); free != len(fake.sizes) {
		t.Fatalf("%d of %d allocations came back", free, len(fake.sizes))
	}
}

// A failure stops all later work, and Sync tells the first.
func TestFailureIsKept(t *testing.T) {
	fake, d := openDry(t, Options{})
	fake.fail = "cuMemAlloc_v2"
	b := d.NewBuffer(10)
	if b.Len() != 10 {
		t.Errorf("a buffer of %d numbers, expected 10", b.Len())
	}
	fake.fail = ""
	d.Fill(b, 1)
	d.Free(b)
	values := make([]float32, 10)
	d.Download(values, b)
	if err := d.Sync(); err == nil || !strings.Contains(err.Error(), "cuMemAlloc_v2") {
		t.Errorf("error %v, expected that of cuMemAlloc_v2", err)
	}
	if n := fake.launches["fill"]; n != 0 {
		t.Errorf("%d launches after a failure", n)
	}
}

func TestOpenRefuses(t *testing.T) {
	fake, driver := newDry(t)
	if _, err := open(driver, Options{Ordinal: 3}); err == nil || !strings.Contains(err.Error(), "no NVIDIA GPU 3: there are 1") {
		t.Errorf("error %v", err)
	}
	fake.fail = "cuInit"
	if _, err := open(driver, Options{}); err == nil || !strings.Contains(err.Error(), "no usable NVIDIA GPU") {
		t.Errorf("error %v", err)
	}
}

// Processes that meet on a GPU get equal parts of its memory; other programs are left what Memory says.
func TestMemoryIsShared(t *testing.T) {
	const whole = 1 << 37 // of the one GPU of a dry driver
	for _, c := range []struct {
		Options
		expected int64
	}{
		{Options{}, whole},
		{Options{Processes: 1}, whole},
		{Options{Processes: 3, Turn: 2}, whole / 3},
		{Options{Memory: 1 << 34}, 1 << 34},
		{Options{Memory: 1 << 34, Processes: 2}, 1 << 33},
		{Options{Memory: 1 << 40}, whole},
	} {
		if _, d := openDry(t, c.Options); d.Memory() != c.expected {
			t.Errorf("%+v: %d bytes, expected %d", c.Options, d.Memory(), c.expected)
		}
	}
	if got := (Options{Processes: 6}).share(whole, 4); got != whole/2 {
		t.Errorf("six processes on four GPUs: %d bytes each, expected half of %d", got, whole)
	}
}

// A layer without tensor cores or with messages of any kind says so; those of the paper and of the foundation model do not.
func TestFallsBack(t *testing.T) {
	_, d := openDry(t, Options{})
	for _, c := range []struct {
		kernel.Layer
		falls bool
	}{
		{kernel.Layer{Aggregate: kernel.PNA, Width: 32}, false},
		{kernel.Layer{Message: kernel.TransE, Aggregate: kernel.PNA, Width: 32}, false},
		{kernel.Layer{Aggregate: kernel.Sum, Width: 64}, false},
		{kernel.Layer{Aggregate: kernel.PNA, Width: 64}, true},
		{kernel.Layer{Aggregate: kernel.Sum, Width: 32}, true},
		{kernel.Layer{Message: kernel.RotatE, Aggregate: kernel.PNA, Width: 32}, true},
		{kernel.Layer{Aggregate: kernel.Directed, Width: 32}, true},
		{kernel.Layer{Aggregate: kernel.Bases, Width: 32, Bases: 2}, true},
	} {
		if got := d.FallsBack(c.Layer); got != c.falls {
			t.Errorf("%v %v of width %d: falls back %v, expected %v", c.Message, c.Aggregate, c.Width, got, c.falls)
		}
	}
}

// The fast paths must be those that a model of the usual size takes.
func TestUsualModelTakesTheFastPath(t *testing.T) {
	fake, d := openDry(t, Options{})
	k := d.kindOf(kernel.Layer{Aggregate: kernel.PNA, Width: 32})
	if !k.isStraight() || !k.isTensor() {
		t.Error("PNA of width 32 is not computed by the tensor cores")
	}
	k = d.kindOf(kernel.Layer{Message: kernel.DistMult, Aggregate: kernel.Sum, Width: 64})
	if !k.isWide() || !k.isSummed() {
		t.Error("sums of width 64 are not computed by the tensor cores, and their gradients not in one pass")
	}
	for _, c := range []struct{ width, states int }{{32, 1}, {64, 1}, {32, 4}} {
		h := &headRun{d: c.width, in: kernel.HeadInput{Hidden: make([]kernel.Buffer, c.states)}, frame: &frame{device: d}}
		if !h.isNarrow() && !h.isWide() && !h.isStacked() {
			t.Errorf("the head of %d states of width %d is not computed by the tensor cores", c.states, c.width)
		}
	}
	if len(fake.sizes) != 0 {
		t.Error("opening a device allocates")
	}
}

func TestProfile(t *testing.T) {
	_, d := openDry(t, Options{})
	b := d.NewBuffer(10)
	timings, err := Profile(d, func() error {
		d.Fill(b, 1)
		d.Fill(b, 2)
		d.Threshold(b, 1)
		return d.Sync()
	})
	runs := map[string]int{}
	for _, t := range timings {
		runs[t.Kernel] = t.Runs
	}
	if err != nil || len(runs) != 2 || runs["fill"] != 2 || runs["threshold"] != 1 {
		t.Errorf("profile %v, error %v; expected two runs of fill and one of threshold", runs, err)
	}
	timings, err = Profile(plain.New(), func() error { t.Error("a device that is no GPU was profiled"); return nil })
	if timings != nil || err != nil {
		t.Errorf("profile of the plain device: %v, %v", timings, err)
	}
}

// Memory of one size serves another that is not much smaller, so that graphs of many sizes share it.
func TestPoolServesSizesAlike(t *testing.T) {
	fake, d := openDry(t, Options{})
	d.Free(d.NewBuffer(14 << 18))
	before := len(fake.sizes)
	d.Free(d.NewBuffer(10 << 18))
	if n := len(fake.sizes) - before; n != 0 {
		t.Errorf("%d allocations where 14 MiB for 10 lay unused", n)
	}
	d.Free(d.NewBuffer(8 << 18))
	if n := len(fake.sizes) - before; n != 1 {
		t.Errorf("%d allocations, expected that 8 MiB do not take 14", n)
	}
}
