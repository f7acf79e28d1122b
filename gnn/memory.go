package gnn

import (
	"math/bits"

	"github.com/lacuna-kg/lacuna/kernel"
)

// memory lends buffers and takes them back, so that a run of many batches allocates
// only in its first: device memory is dear to allocate, and on the CPU to clear.
type memory struct {
	device kernel.Device
	free   map[int][]kernel.Buffer // by whole length
}

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

func (m *memory) take(n int) block {
	size := sizeClass(n)
	if list := m.free[size]; len(list) > 0 {
		whole := list[len(list)-1]
		m.free[size] = list[:len(list)-1]
		return block{whole.Slice(0, n), whole}
	}
	whole := m.device.NewBuffer(size)
	return block{whole.Slice(0, n), whole}
}

func (m *memory) zeros(n int) block {
	b := m.take(n)
	m.device.Fill(b.Buffer, 0)
	return b
}

// give takes a block back; one that was never taken is passed over.
func (m *memory) give(blocks ...block) {
	for _, b := range blocks {
		if b.whole == nil {
			continue
		}
		if m.free == nil {
			m.free = map[int][]kernel.Buffer{}
		}
		m.free[b.whole.Len()] = append(m.free[b.whole.Len()], b.whole)
	}
}

// close frees what is not lent.
func (m *memory) close() {
	for _, list := range m.free {
		for _, b := range list {
			m.device.Free(b)
		}
	}
	m.free = nil
}
