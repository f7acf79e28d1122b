//go:build linux && (amd64 || arm64) && !nocuda

package mpi

import (
	"fmt"
	"path/filepath"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/ranks"
)

// Built tells that this program can use MPI.
const Built = true

// Open finds the library and begins. All ranks of the job must call it, each in the thread that will use
// the link.
func Open(l Launch) (ranks.Link, error) {
	lib, err := openLibrary(l)
	if err != nil {
		return nil, err
	}
	c := &link{library: lib}
	if err := c.begin(); err != nil {
		return nil, kg.Errorf(kg.Failure, "", "%v", err)
	}
	if l.Size != 0 && c.size != l.Size {
		c.do("MPI_Finalize")
		return nil, kg.Errorf(kg.Invalid, "", "%s started %d ranks, but %s sees %d: it is not the MPI of this launcher; name the library that belongs to it by LACUNA_MPI=/path/to/libmpi.so%s",
			l.By, l.Size, lib, c.size, hint(l))
	}
	return c, nil
}

func hint(l Launch) string {
	if l.By == "srun" {
		return ", or its way to start ranks by srun --mpi (srun --mpi=list)"
	}
	return ""
}

// library is an MPI library: its entry points by name, and its handles.
type library struct {
	file       string
	convention string
	version    string
	symbols    map[string]uintptr

	world, byteType, errorsReturn, funneled uintptr
}

func (l *library) String() string {
	if l.version == "" {
		return l.file
	}
	return fmt.Sprintf("%s (%s)", l.file, l.version)
}

var entryPoints = []string{
	"MPI_Get_library_version", "MPI_Init_thread", "MPI_Initialized", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Comm_set_errhandler", "MPI_Error_string",
	"MPI_Isend", "MPI_Irecv", "MPI_Test", "MPI_Iprobe", "MPI_Finalize", "MPI_Abort",
}

func openLibrary(l Launch) (*library, error) {
	var tried []string
	for _, name := range l.libraries() {
		// Open MPI's plugins look for its symbols among those of the whole process.
		opened, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err != nil {
			tried = append(tried, name)
			if l.Library != "" {
				return nil, kg.Errorf(kg.NotFound, "", "LACUNA_MPI=%s: the library cannot be opened: %v", name, err)
			}
			continue
		}
		return newLibrary(opened, name)
	}
	return nil, kg.Errorf(kg.NotFound, "", "%s started %d ranks, but there is no MPI library: looked for %s; name it by LACUNA_MPI=/path/to/libmpi.so, or LACUNA_MPI=off lets each run by itself",
		l.By, l.Size, strings.Join(tried, ", "))
}

func newLibrary(opened uintptr, file string) (*library, error) {
	has := func(symbol string) bool {
		_, err := purego.Dlsym(opened, symbol)
		return err == nil
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	c := conventionOf(filepath.Base(file), has)
	l := &library{file: file, convention: c.name, symbols: map[string]uintptr{}, funneled: c.funneled}
	for _, name := range entryPoints {
		var err error
		if l.symbols[name], err = purego.Dlsym(opened, name); err != nil {
			return nil, kg.Errorf(kg.Invalid, "", "%s is no MPI library: it has no %s", file, name)
		}
	}
	for _, h := range []struct {
		to *uintptr
		handle
	}{{&l.world, c.world}, {&l.byteType, c.byteType}, {&l.errorsReturn, c.errorsReturn}} {
		*h.to = h.value
		if h.symbol != "" {
			*h.to, _ = purego.Dlsym(opened, h.symbol) // of one library that has the first of them
		}
	}
	return l, nil
}

// do calls an entry point and turns its status into an error; this is the one place where that happens.
func (l *library) do(name string, words ...uintptr) error {
	status, _, _ := purego.SyscallN(l.symbols[name], words...)
	if status = uintptr(uint32(status)); status == 0 {
		return nil
	}
	text := newMemory(8192)
	length := newMemory(8)
	if code, _, _ := purego.SyscallN(l.symbols["MPI_Error_string"], status, at(text), at(length)); uint32(code) != 0 {
		return fmt.Errorf("%s: error %d of %s", name, status, l)
	}
	return fmt.Errorf("%s: %s", name, cString(text))
}

func cString(text []byte) string {
	before, _, _ := strings.Cut(string(text), "\x00")
	return before
}

// link is the ranks of the world.
type link struct {
	*library
	rank, size int
	slots      [][]byte // free; each for a request, a flag and a status
}

// A slot is memory that the library writes while a message is on its way: it lies outside of Go's heap.
const (
	slotBytes = 64
	flagAt    = 8
	statusAt  = 16 // of 20 to 32 bytes
)

func (c *link) begin() error {
	text, number := newMemory(16384), newMemory(8)
	if err := c.do("MPI_Get_library_version", at(text), at(number)); err == nil {
		c.version = firstLine(cString(text))
	}
	restore := keepSignals()
	err := c.do("MPI_Init_thread", 0, 0, c.funneled, at(number))
	restore()
	if err == nil {
		err = c.do("MPI_Comm_set_errhandler", c.world, c.errorsReturn)
	}
	if err == nil {
		err = c.do("MPI_Comm_rank", c.world, at(number))
		c.rank = int(int32At(number))
	}
	if err == nil {
		err = c.do("MPI_Comm_size", c.world, at(number))
		c.size = int(int32At(number))
	}
	return err
}

// firstLine of a version, such as "Open MPI v4.1.4, package: Debian OpenMPI, …".
func firstLine(version string) string {
	line, _, _ := strings.Cut(version, "\n")
	line, _, _ = strings.Cut(line, ",")
	return strings.Join(strings.Fields(line), " ")
}

func (c *link) Rank() int { return c.rank }
func (c *link) Size() int { return c.size }

// Describe is the library in a line.
func (c *link) Describe() string { return c.version }

// Memory lies outside of Go's heap and stays: network cards remember the pages that they may read, and
// Go gives pages back without the library's knowledge.
func (c *link) Memory(bytes int) []byte { return newMemory(bytes) }

func (c *link) Send(to, tag int, message []byte) (ranks.Request, error) {
	return c.start("MPI_Isend", to, tag, message)
}

func (c *link) Receive(from, tag int, message []byte) (ranks.Request, error) {
	return c.start("MPI_Irecv", from, tag, message)
}

func (c *link) start(call string, peer, tag int, message []byte) (ranks.Request, error) {
	slot := c.slot()
	err := c.do(call, at(message), uintptr(len(message)), c.byteType, uintptr(peer), uintptr(tag), c.world, at(slot))
	return &request{c, slot}, err
}

func (c *link) Waits(from, tag int) (bool, error) {
	slot := c.slot()
	defer c.release(slot)
	err := c.do("MPI_Iprobe", uintptr(from), uintptr(tag), c.world, at(slot[flagAt:]), at(slot[statusAt:]))
	return int32At(slot[flagAt:]) != 0, err
}

func (c *link) Close() error { return c.do("MPI_Finalize") }
func (c *link) Abort()       { c.do("MPI_Abort", c.world, 1) }

func (c *link) slot() []byte {
	if len(c.slots) == 0 {
		for page := newMemory(64 * slotBytes); len(page) > 0; page = page[slotBytes:] {
			c.slots = append(c.slots, page[:slotBytes:slotBytes])
		}
	}
	last := c.slots[len(c.slots)-1]
	c.slots = c.slots[:len(c.slots)-1]
	clear(last)
	return last
}

func (c *link) release(slot []byte) { c.slots = append(c.slots, slot) }

type request struct {
	*link
	slot []byte
}

func (r *request) Done() (bool, error) {
	err := r.do("MPI_Test", at(r.slot), at(r.slot[flagAt:]), at(r.slot[statusAt:]))
	done := err != nil || int32At(r.slot[flagAt:]) != 0
	if done {
		r.release(r.slot)
	}
	return done, err
}

func newMemory(bytes int) []byte {
	memory, err := unix.Mmap(-1, 0, max(1, bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		panic(fmt.Sprintf("mpi: no memory for a message of %d bytes: %v", bytes, err)) // as Go's own allocations do
	}
	return memory
}

// at is the address of memory that Go does not move or free.
func at(memory []byte) uintptr {
	if len(memory) == 0 {
		return 0
	}
	return uintptr(unsafe.Pointer(&memory[0]))
}

func int32At(memory []byte) int32 { return *(*int32)(unsafe.Pointer(&memory[0])) }
