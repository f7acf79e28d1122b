package cuda

import (
	"fmt"
	"math/bits"
	"runtime"
	"unsafe"

	"github.com/lacuna-kg/lacuna/kernel"
)

// buffer is float32 on the GPU. size is that of the allocation, 0 for a slice of another buffer.
type buffer struct {
	at   address
	n    int
	size int
}

func (b buffer) Len() int { return b.n }

func (b buffer) Slice(from, to int) kernel.Buffer {
	want(0 <= from && from <= to && to <= b.n, "slice", []int{from, to}, b.n)
	return buffer{at: b.at.plus(4 * from), n: to - from}
}

// at is where a buffer lies; nil lies nowhere.
func at(b kernel.Buffer) address {
	if b == nil {
		return 0
	}
	return b.(buffer).at
}

// pool keeps memory that was freed, by size: allocating waits for the GPU, taking from here does not.
// All work is on one stream, so memory freed may be handed out again at once.
type pool struct {
	driver *driver
	free   map[int][]address
	idle   int64 // bytes in it
	held   int64 // bytes that the driver gave, idle ones included
	share  int64 // what of the GPU this process may take; more only where nothing is idle
}

func newPool(d *driver, share int64) pool {
	return pool{driver: d, free: map[int][]address{}, share: share}
}

// sizeClass rounds up to eight sizes per power of two, 512 bytes at least.
func sizeClass(bytes int) int {
	bytes = max(bytes, 512)
	step := 1 << (bits.Len(uint(bytes-1)) - 4)
	return (bytes + step - 1) / step * step
}

// take gives memory of at least a size: unused memory of that size class, else of one up to half as
// large again, else new. Where its share or the GPU is full, it returns all that is unused first.
//
// Training on many graphs asks for the sizes of each in turn. Were every class served by itself, the
// pool would come to hold the sum over the graphs instead of what the largest needs.
func (p *pool) take(size int) (lent, error) {
	for class := size; class <= size+size/2; class = sizeClass(class + 1) {
		if list := p.free[class]; len(list) > 0 {
			p.free[class] = list[:len(list)-1]
			p.idle -= int64(class)
			return lent{at: list[len(list)-1], size: class}, nil
		}
	}
	if p.idle > 0 && (p.held+int64(size) > p.share || p.crowded(size)) {
		if err := p.close(); err != nil {
			return lent{size: size}, err
		}
	}
	at := new(address)
	if err := p.driver.do("cuMemAlloc_v2", word(at), uintptr(size)); err != nil {
		return lent{size: size}, p.full(size, err)
	}
	p.held += int64(size)
	return lent{at: *at, size: size}, nil
}

// others is the part of a GPU that is left to other programs as long as there is idle memory to return.
const others = 16

// crowded tells whether so many bytes more would leave hardly any to other programs.
func (p *pool) crowded(size int) bool {
	free, total := p.left()
	return free < uint64(size)+total/others
}

// left asks the driver what is free of how much; nothing where it does not say.
func (p *pool) left() (free, total uint64) {
	memory := new([2]uint64)
	if p.driver.do("cuMemGetInfo_v2", word(&memory[0]), word(&memory[1])) != nil {
		return 0, 0
	}
	return memory[0], memory[1]
}

// full says what to do where there is no memory left.
func (p *pool) full(size int, err error) error {
	free, total := p.left()
	gib := func(bytes uint64) float64 { return float64(bytes) / (1 << 30) }
	return fmt.Errorf("%w: %.1f GiB were asked for beside %.1f that this program holds, and %.1f of the GPU's %.1f are free: "+
		"expected a smaller --batch, fewer programs on this GPU with LACUNA_GPU_MEMORY set to a share of its GiB for each, or --device cpu",
		err, gib(uint64(size)), gib(uint64(p.held)), gib(free), gib(total))
}

func (p *pool) give(at address, size int) {
	p.free[size] = append(p.free[size], at)
	p.idle += int64(size)
}

// close returns the unused memory to the driver.
func (p *pool) close() error {
	for size, list := range p.free {
		for _, at := range list {
			if err := p.driver.do("cuMemFree_v2", uintptr(at)); err != nil {
				return err
			}
			p.held, p.idle = p.held-int64(size), p.idle-int64(size)
		}
		delete(p.free, size)
	}
	return nil
}

// staging is page-locked memory through which small uploads pass: from there the driver copies
// without waiting for the GPU, and the caller's slice is free at once.
type staging struct {
	memory unsafe.Pointer
	used   int
}

const stagingBytes = 32 << 20

func (s *staging) open(d *driver) error {
	return d.do("cuMemHostAlloc", word(&s.memory), stagingBytes, 0)
}

func (s *staging) close(d *driver) error { return d.do("cuMemFreeHost", uintptr(s.memory)) }

// upload copies to the GPU. Where the staging memory is used up, it waits until all copies out of it are done.
func (f *frame) upload(to address, from unsafe.Pointer, bytes int) {
	s := &f.device.staging
	if bytes == 0 {
		return
	}
	if bytes > stagingBytes/8 {
		f.do("cuMemcpyHtoD_v2", uintptr(to), pointer(from), uintptr(bytes))
		runtime.KeepAlive(from)
		return
	}
	if s.used+bytes > stagingBytes {
		f.do("cuStreamSynchronize", 0)
		s.used = 0
	}
	place := unsafe.Add(s.memory, s.used)
	copy(unsafe.Slice((*byte)(place), bytes), unsafe.Slice((*byte)(from), bytes))
	f.do("cuMemcpyHtoDAsync_v2", uintptr(to), uintptr(place), uintptr(bytes), 0)
	s.used += (bytes + 15) &^ 15
}

// NewBuffer gives zeros.
func (d *device) NewBuffer(n int) kernel.Buffer {
	b := buffer{n: n, size: sizeClass(4 * n)}
	f := d.frame()
	if f == nil {
		return b
	}
	defer f.close()
	l := f.allocate(4 * n)
	b.at, b.size = l.at, l.size
	f.do("cuMemsetD32Async", uintptr(b.at), 0, uintptr(max(n, 1)), 0)
	return b
}

// Free takes back a buffer that NewBuffer gave, not a slice of one.
func (d *device) Free(b kernel.Buffer) {
	whole := b.(buffer)
	want(whole.size > 0, "free", whole.n, "a whole buffer")
	if whole.at != 0 {
		d.pool.give(whole.at, whole.size)
	}
}

func (d *device) Upload(dst kernel.Buffer, src []float32) {
	want(dst.Len() == len(src), "upload", dst.Len(), len(src))
	if f := d.frame(); f != nil {
		f.upload(at(dst), unsafe.Pointer(unsafe.SliceData(src)), 4*len(src))
		f.close()
	}
}

func (d *device) Download(dst []float32, src kernel.Buffer) {
	want(len(dst) == src.Len(), "download", len(dst), src.Len())
	if f := d.frame(); f != nil {
		f.download(unsafe.Pointer(unsafe.SliceData(dst)), at(src), 4*len(dst))
		f.close()
	}
}

// download waits for all work before it.
func (f *frame) download(to unsafe.Pointer, from address, bytes int) {
	if bytes > 0 {
		f.do("cuMemcpyDtoH_v2", pointer(to), uintptr(from), uintptr(bytes))
	}
}

func (d *device) Copy(dst, src kernel.Buffer) {
	want(dst.Len() == src.Len(), "copy", dst.Len(), src.Len())
	if f := d.frame(); f != nil {
		f.copy(at(dst), at(src), dst.Len())
		f.close()
	}
}

func (f *frame) copy(dst, src address, n int) {
	if n > 0 {
		f.do("cuMemcpyDtoDAsync_v2", uintptr(dst), uintptr(src), uintptr(4*n), 0)
	}
}

// aligned is a buffer that vector loads may read: itself, or where it lies at an odd place a copy.
func (f *frame) aligned(b address, n int) address {
	if b%16 == 0 {
		return b
	}
	copied := f.floats(n)
	f.copy(copied, b, n)
	return copied
}

// putBack copies what was written to an aligned copy.
func (f *frame) putBack(b, aligned address, n int) {
	if b != aligned {
		f.copy(b, aligned, n)
	}
}
