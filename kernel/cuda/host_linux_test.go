//go:build linux && amd64 && !nocuda

package cuda

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/lacuna-kg/lacuna/kernel/conformance"
)

// The kernels, compiled for the CPU (testdata/host), compute what they should: the whole conformance suite runs
// without a GPU. What it cannot show is speed, and races between warps.

// host is a driver whose memory is the process's own and whose kernels are compiled for its CPU.
type host struct {
	*dry
	kernels []uintptr           // launchers, by function handle − 1
	names   []string            // of them
	blocks  map[string][][3]int // kernels of which only some blocks run
	mapped  map[address][]byte  // address space alone until it is written
}

// libraries are the files of kernels that were compiled for the CPU, each when it was first asked for.
var libraries struct {
	sync.Mutex
	of map[string]uintptr
}

func libraryOf(file string) (uintptr, error) {
	libraries.Lock()
	defer libraries.Unlock()
	if handle, there := libraries.of[file]; there {
		return handle, nil
	}
	dir, err := os.MkdirTemp("", "kernels")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir) // what is opened stays
	if err := copyKernels(dir); err != nil {
		return 0, err
	}
	var source strings.Builder
	fmt.Fprintf(&source, "#include \"%s.cu\"\n", file)
	for _, name := range kernelsOf()[file] {
		fmt.Fprintf(&source, "extern \"C\" int run_%s(const char *p, const int *grid, int threads, const int *only) { return host::launch<&%s>(p, grid, threads, only); }\n", name, name)
	}
	handle, err := compileOne(dir, file, source.String())
	if libraries.of == nil {
		libraries.of = map[string]uintptr{}
	}
	libraries.of[file] = handle
	return handle, err
}

// copyKernels puts the sources beside the instructions of the CPU.
func copyKernels(dir string) error {
	files, err := filepath.Glob("kernels/*.cu*")
	if err != nil {
		return err
	}
	for _, file := range append(files, "testdata/host/instructions.cuh") { // the last replaces the GPU's
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func compileOne(dir, file, source string) (uintptr, error) {
	to := filepath.Join(dir, file+".so")
	c := exec.Command("clang-19", "-x", "c++", "-", "-std=c++20", "-ffp-contract=off", "-O2", "-mfma", "-w", "-fno-exceptions", "-fPIC", "-shared", "-I", dir, "-lm", "-o", to)
	c.Stdin = strings.NewReader(source)
	if out, err := c.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s.cu for the CPU: %w\n%s", file, err, out)
	}
	return purego.Dlopen(to, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func openHost(t *testing.T, o Options) (*host, *device) {
	t.Helper()
	if _, err := exec.LookPath("clang-19"); err != nil {
		t.Skipf("cannot compile the kernels for the CPU (Debian: apt install clang-19): %v", err)
	}
	h := &host{blocks: map[string][][3]int{}, mapped: map[address][]byte{}}
	var driver *driver
	h.dry, driver = newDry(t)
	driver.call = func(symbol uintptr, w ...uintptr) uintptr { return h.call(symbol, w...) }
	d, err := open(driver, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.unmap)
	return h, d
}

// call does what the dry driver only checks.
func (h *host) call(symbol uintptr, w ...uintptr) uintptr {
	switch name := h.dry.names[symbol-1]; name {
	case "cuDeviceGetAttribute":
		status := h.dry.call(symbol, w...)
		if multiprocessors := uintptr(16); w[1] == multiprocessors {
			*to[int32](&w[0]) = 1 // that small work fills, as large work fills a GPU
		}
		return status
	case "cuMemAlloc_v2":
		return h.allocate(to[address](&w[0]), int(w[1]))
	case "cuModuleGetFunction":
		return h.find(to[uintptr](&w[0]), cString(to[byte](&w[2])))
	case "cuLaunchKernel":
		return h.launch(w)
	case "cuMemcpyHtoD_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoH_v2", "cuMemcpyDtoDAsync_v2":
		if status := h.dry.call(symbol, w...); status != 0 {
			return status
		}
		copy(bytesAt(&w[0], w[2]), bytesAt(&w[1], w[2]))
		return 0
	case "cuMemsetD32Async", "cuMemsetD8Async":
		return h.set(symbol, w)
	}
	return h.dry.call(symbol, w...)
}

func bytesAt(word *uintptr, n uintptr) []byte { return unsafe.Slice(to[byte](word), n) }

// set clears memory; much of it is given back to the system, which gives zeros when it is read again.
func (h *host) set(symbol uintptr, w []uintptr) uintptr {
	if status := h.dry.call(symbol, w...); status != 0 {
		return status
	}
	n := w[2]
	if h.dry.names[symbol-1] == "cuMemsetD32Async" {
		n *= 4
	}
	memory := bytesAt(&w[0], n)
	if whole, there := h.mapped[address(w[0])]; there && n > 1<<24 {
		pages := int(n) &^ (os.Getpagesize() - 1)
		if err := syscall.Madvise(whole[:pages], syscall.MADV_DONTNEED); err != nil {
			h.t.Error(err)
		}
		memory = memory[pages:]
	}
	clear(memory)
	return 0
}

func (h *host) allocate(at *address, bytes int) uintptr {
	memory, err := syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		h.t.Errorf("%d bytes: %v", bytes, err)
		return 2
	}
	*at = address(uintptr(unsafe.Pointer(&memory[0])))
	h.mapped[*at], h.sizes[*at] = memory, bytes
	return 0
}

func (h *host) unmap() {
	for _, memory := range h.mapped {
		_ = syscall.Munmap(memory)
	}
}

// find compiles the file of a kernel where that was not done yet.
func (h *host) find(handle *uintptr, name string) uintptr {
	library, err := libraryOf(newModules(capacity{major: 9}).fileOf[name])
	var at uintptr
	if err == nil {
		at, err = purego.Dlsym(library, "run_"+name)
	}
	if err != nil {
		h.t.Error(err)
		return 2
	}
	h.kernels, h.names = append(h.kernels, at), append(h.names, name)
	*handle = uintptr(len(h.kernels))
	return 0
}

// launch runs a kernel, or only some of its blocks.
func (h *host) launch(w []uintptr) uintptr {
	name := h.names[w[0]-1]
	h.launches[name]++
	size := &[3]int32{int32(w[1]), int32(w[2]), int32(w[3])}
	parameters := *to[uintptr](ptr(w[10] + 8)) // of {pointer, the buffer, …}
	if h.blocks[name] == nil {
		return h.run(w[0], parameters, size, w[4], nil)
	}
	for _, b := range h.blocks[name] {
		if status := h.run(w[0], parameters, size, w[4], &[3]int32{int32(b[0]), int32(b[1]), int32(b[2])}); status != 0 {
			return status
		}
	}
	return 0
}

func ptr(x uintptr) *uintptr { return &x }

func (h *host) run(function, parameters uintptr, size *[3]int32, threads uintptr, only *[3]int32) uintptr {
	one := uintptr(0)
	if only != nil {
		one = word(only)
	}
	status, _, _ := purego.SyscallN(h.kernels[function-1], parameters, word(size), threads, one)
	if status != 0 {
		h.t.Errorf("%s: threads wait for others that do not come", h.names[function-1])
	}
	return status
}

// isRepeated tells of cases that add little here, where they take seconds: layers and heads at widths that only the general kernels
// have, of which width 8 is enough.
var isRepeated = regexp.MustCompile(`^(layer|head)/.*width=(1|6|7|15|16|17|31|33|34)(/|$)|^layer/(rotate|sub|corr|distmult/(max|mean|directed|bases)|transe/(sum|mean|max))/.*width=(32|64)/|head/.*many nodes`)

// Every kernel meets its definition, as it would on a GPU.
func TestKernelsOnTheCPU(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: takes half a minute, as the kernels are compiled for the CPU first")
	}
	_, d := openHost(t, Options{})
	for _, c := range conformance.Cases() {
		if isRepeated.MatchString(c.Name) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			if _, err := c.Run(d, conformance.Float32()); err != nil {
				t.Error(err)
			}
		})
	}
}
