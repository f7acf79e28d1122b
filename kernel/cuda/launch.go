package cuda

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"unsafe"
)

// frame is one operation under way: the thread speaks to the device, and what memory the
// operation borrows goes back at its end. A nil frame is that of a device that failed.
type frame struct {
	device  *device
	lent    []lent
	lasting []lent // what release leaves
	moved   int64  // bytes that the next launch moves, for the profile
}

type lent struct {
	at   address
	size int
}

// frame begins an operation. The driver keeps the current context by thread.
func (d *device) frame() *frame {
	if d.err != nil {
		return nil
	}
	runtime.LockOSThread()
	f := &frame{device: d}
	f.do("cuCtxSetCurrent", d.context)
	return f
}

func (f *frame) close() {
	for _, l := range append(f.lent, f.lasting...) {
		f.device.pool.give(l.at, l.size)
	}
	runtime.UnlockOSThread()
}

// do calls the driver unless something failed before.
func (f *frame) do(name string, words ...uintptr) {
	if f.device.err == nil {
		f.device.err = f.device.driver.do(name, words...)
	}
}

// allocate gives memory of at least so many bytes, or none, of the size that was asked for, after a failure.
func (f *frame) allocate(bytes int) lent {
	l := lent{size: sizeClass(bytes)}
	if f.device.err == nil {
		l, f.device.err = f.device.pool.take(l.size)
	}
	return l
}

// bytes borrows memory until the frame closes.
func (f *frame) bytes(n int) address {
	l := f.allocate(n)
	if l.at != 0 {
		f.lent = append(f.lent, l)
	}
	return l.at
}

func (f *frame) floats(n int) address { return f.bytes(4 * n) }

// mark says how much was borrowed; release gives back what was borrowed after.
func (f *frame) mark() int { return len(f.lent) }

func (f *frame) release(mark int) {
	for _, l := range f.lent[mark:] {
		f.device.pool.give(l.at, l.size)
	}
	f.lent = f.lent[:mark]
}

// send puts a list on the GPU until the frame closes; an empty one lies nowhere.
func send[T any](f *frame, list []T) address {
	if len(list) == 0 {
		return 0
	}
	n := len(list) * int(unsafe.Sizeof(list[0]))
	at := f.bytes(n)
	f.upload(at, unsafe.Pointer(unsafe.SliceData(list)), n)
	return at
}

// grid is the number of blocks in each direction, and of threads in a block.
type grid struct{ x, y, z, threads int }

// over is a grid with a thread for each of n.
func over(n int) grid { return grid{x: blocks(n, 256), threads: 256} }

// blocks is n/per, rounded up.
func blocks(n, per int) int { return (n + per - 1) / per }

func (g grid) by(y int) grid { g.y = y; return g }

func (g grid) tiles(z int) grid { g.z = z; return g }

// persistent is a grid of blocks that stay and take rows in turn.
func (f *frame) persistent() grid {
	return grid{x: 2 * f.device.capacity.multiprocessors, threads: 256}
}

// maxRows is the largest y and z of a grid.
const maxRows = 65535

// record is the arguments of a C structure.
type record []any

// launch runs a kernel. Arguments are address, int32, int64, float32 and record, exactly as its
// parameters are; a mismatch with the PTX is the programmer's error.
func (f *frame) launch(name string, g grid, shared int, arguments ...any) {
	moved := f.moved
	f.moved = 0
	if f.device.err != nil || g.x == 0 {
		return
	}
	want(g.y <= maxRows && g.z <= maxRows, name, g, maxRows)
	k, err := f.device.modules.kernel(f.device.driver, name, shared)
	if err != nil {
		f.device.err = err
		return
	}
	p := &f.device.arguments
	p.lay(name, k.parameters, arguments)
	stop := f.device.profile.start(f, name, moved)
	f.do("cuLaunchKernel", k.function, uintptr(g.x), uintptr(max(g.y, 1)), uintptr(max(g.z, 1)), uintptr(g.threads), 1, 1,
		uintptr(shared), 0, 0, word(&p.extra[0]))
	stop()
}

// packed is a parameter block with the list by which the driver finds it. The driver copies it, so that a device needs one.
type packed struct {
	bytes [4096]byte
	size  uintptr
	extra [5]uintptr
}

// lay lays arguments out as the PTX declares its parameters.
func (p *packed) lay(name string, parameters []parameter, arguments []any) {
	if len(parameters) != len(arguments) {
		panic(fmt.Sprintf("cuda: %s: %d arguments do not fit %d parameters", name, len(arguments), len(parameters)))
	}
	p.size = 0
	for i, a := range arguments {
		where := parameters[i]
		end := p.put(name, where.offset, a)
		if end-where.offset != where.size {
			panic(fmt.Sprintf("cuda: %s: parameter %d: %d bytes do not fit %d", name, i, end-where.offset, where.size))
		}
		p.size = uintptr(end)
	}
	p.extra = [5]uintptr{1, word(&p.bytes[0]), 2, word(&p.size), 0} // CU_LAUNCH_PARAM_BUFFER_POINTER, _SIZE, _END
}

// put writes one argument and gives where it ends.
func (p *packed) put(name string, offset int, argument any) int {
	switch x := argument.(type) {
	case address:
		offset = align(offset, 8)
		binary.LittleEndian.PutUint64(p.bytes[offset:], uint64(x))
		return offset + 8
	case int64:
		return p.put(name, offset, address(x))
	case int32:
		binary.LittleEndian.PutUint32(p.bytes[align(offset, 4):], uint32(x))
		return align(offset, 4) + 4
	case float32:
		return p.put(name, offset, int32(math.Float32bits(x)))
	case record:
		for _, field := range x {
			offset = p.put(name, offset, field)
		}
		return align(offset, 8)
	}
	panic(fmt.Sprintf("cuda: %s: argument of type %T", name, argument))
}

func align(offset, to int) int { return (offset + to - 1) / to * to }
