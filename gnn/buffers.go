package gnn

import (
	"math/bits"
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
)

// buffers lends memory and takes it back, so that a run of many batches soon
// allocates no more: device memory is dear to allocate, and on the CPU to clear.
type buffers struct {
	device kernel.Device
	idle   []idleBuffer
	clock  int // counts what was lent
}

// idleBuffer is a buffer that waits to be lent again.
type idleBuffer struct {
	kernel.Buffer
	since int // by the clock
}

// idleFor is how many loans a buffer may wait through before it is freed; a step takes about a hundred.
const idleFor = 1000

// block is a lent buffer, as long as asked for; its contents are whatever they were.
type block struct {
	kernel.Buffer
	whole kernel.Buffer
}

// sizeClass rounds up to eight sizes per power of two: batches of almost the same size share buffers.
func sizeClass(n int) int {
	step := 1 << max(0, bits.Len(uint(n))-4)
	return (n + step - 1) / step * step
}

// take lends the smallest idle buffer that fits, unless half of it would be wasted. As
// batches differ in size, buffers of every size ever met would pile up otherwise.
func (l *buffers) take(n int) block {
	l.clock++
	size, best := sizeClass(n), -1
	for i, b := range l.idle {
		if b.Len() >= n && b.Len() <= 2*size && (best < 0 || b.Len() < l.idle[best].Len()) {
			best = i
		}
	}
	if best >= 0 {
		whole := l.idle[best].Buffer
		l.idle = slices.Delete(l.idle, best, best+1)
		return block{whole.Slice(0, n), whole}
	}
	l.freeWhere(func(b idleBuffer) bool { return l.clock-b.since > idleFor })
	whole := l.device.NewBuffer(size)
	return block{whole.Slice(0, n), whole}
}

// freeWhere frees idle buffers.
func (l *buffers) freeWhere(unwanted func(idleBuffer) bool) {
	l.idle = slices.DeleteFunc(l.idle, func(b idleBuffer) bool {
		if !unwanted(b) {
			return false
		}
		l.device.Free(b.Buffer)
		return true
	})
}

func (l *buffers) zeros(n int) block {
	b := l.take(n)
	l.device.Fill(b.Buffer, 0)
	return b
}

// give takes a block back; one that was never taken is passed over.
func (l *buffers) give(blocks ...block) {
	for _, b := range blocks {
		if b.whole != nil {
			l.idle = append(l.idle, idleBuffer{b.whole, l.clock})
		}
	}
}

// close frees what is not lent.
func (l *buffers) close() { l.freeWhere(func(idleBuffer) bool { return true }) }
