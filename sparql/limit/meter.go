// Package limit holds a query to its limits: the steps that it takes, the memory that it holds, its time. All
// operators and functions of an evaluation count on one Meter, before they do or allocate anything that may be large.
package limit

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/lacuna-kg/lacuna/internal/pace"
	"github.com/lacuna-kg/lacuna/kg"
)

const (
	// DefaultMemory is the most that a query holds where nobody says otherwise.
	DefaultMemory = 256 << 20
	// Text is the most bytes of a text that a query makes.
	Text = 1 << 24
	// BytesOfStep is how much text is looked at in the time of a step.
	BytesOfStep = 256
)

// Meter counts what one evaluation takes. Its methods return false where the evaluation has to end, and Err says why.
// A nil Meter counts nothing.
type Meter struct {
	Err error

	ctx     context.Context
	steps   int // at most
	memory  int // at most, in bytes
	work    int
	held    int // bytes
	passing int // those of them that texts on their way take, see Text
	share   *share
}

// New is a meter of an evaluation that ends with its context: of so many steps, 0 for any number, and so many
// bytes, 0 for the default and less for any number; they are drawn from a pool, by default that of the context, if any.
func New(ctx context.Context, steps, memory int, pool *Pool) *Meter {
	if pool == nil {
		pool = poolOf(ctx)
	}
	m := &Meter{ctx: ctx, steps: cmp.Or(steps, math.MaxInt), memory: memory}
	switch {
	case memory < 0:
		m.memory = math.MaxInt
	case memory == 0 && pool != nil:
		m.memory = int(min(DefaultMemory, pool.bytes/2)) // no query takes all
	case memory == 0:
		m.memory = DefaultMemory
	}
	if pool != nil {
		m.share = &share{pool: pool}
		context.AfterFunc(ctx, m.share.close) // also of one that nobody reads to its end
	}
	return m
}

// Close gives back what was drawn from the pool.
func (m *Meter) Close() {
	if m.share != nil {
		m.share.close()
	}
}

// Refuse ends the evaluation. The first reason counts.
func (m *Meter) Refuse(err error) {
	if m != nil && m.Err == nil {
		m.Err = err
	}
}

// Spend counts steps. The context is looked at now and then.
func (m *Meter) Spend(steps int) bool {
	if m == nil {
		return true
	}
	const period = 1 << 12
	before := m.work / period
	m.work += steps
	switch {
	case m.Err != nil:
	case m.work > m.steps:
		m.Err = kg.Errorf(kg.TooLarge, "sparql", "the query takes more than the limit of %d steps: make it more selective", m.steps)
	case m.work/period != before:
		pace.Rest(m.ctx)
		m.Err = kg.Stopped(m.ctx)
	}
	return m.Err == nil
}

// SpendOn counts the steps of looking at a text, none for a short one.
func (m *Meter) SpendOn(bytes int) bool {
	return bytes < BytesOfStep || m.Spend(bytes/BytesOfStep)
}

// Work is how many steps were counted.
func (m *Meter) Work() int { return m.work }

// Keep counts bytes that are about to be allocated and stay.
func (m *Meter) Keep(bytes int) bool {
	if m == nil {
		return true
	}
	m.held += bytes
	switch {
	case m.Err != nil:
	case m.held > m.memory:
		m.Err = kg.Errorf(kg.TooLarge, "sparql", "the query needs more than the limit of %s of memory: make it more selective", size(m.memory))
	case m.share != nil && !m.share.cover(int64(m.held)):
		m.Err = kg.Stopped(m.ctx)
		m.Refuse(kg.Errorf(kg.Cancelled, "sparql", "stopped: queries that run now take all memory that the server has for them; try again later"))
	}
	return m.Err == nil
}

// Release is the end of bytes that were kept.
func (m *Meter) Release(bytes int) {
	if m != nil {
		m.held -= bytes
	}
}

// Spare tells whether bytes are there for what saves time and can be done without: half of the memory stays for the rest.
func (m *Meter) Spare(bytes int) bool { return m.held+bytes <= m.memory/2 }

// Text counts a text that is about to be made. It is passing, until Settle says how much of it stays.
func (m *Meter) Text(bytes int) bool {
	if m == nil {
		return true
	}
	if bytes > Text {
		m.Refuse(kg.Errorf(kg.TooLarge, "sparql", "the query makes a text of more than the limit of %d bytes", Text))
		return false
	}
	m.passing += bytes
	return m.Keep(bytes)
}

// Passing is how much of what is held are texts on their way, for Settle.
func (m *Meter) Passing() int {
	if m == nil {
		return 0
	}
	return m.passing
}

// Settle drops passing texts until so many bytes of them are left.
func (m *Meter) Settle(passing int) {
	if m != nil && m.passing > passing {
		m.held -= m.passing - passing
		m.passing = passing
	}
}

// size is a number of bytes as people read it.
func size(bytes int) string {
	if bytes >= 1<<20 && bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// Hold is what one part of an evaluation keeps, which ends together.
type Hold struct {
	meter *Meter
	bytes int
}

// Hold begins one.
func (m *Meter) Hold() *Hold { return &Hold{meter: m} }

// Keep counts bytes that stay until the part ends.
func (h *Hold) Keep(bytes int) bool {
	h.bytes += bytes
	return h.meter.Keep(bytes)
}

// Release is the end of the part.
func (h *Hold) Release() {
	h.meter.Release(h.bytes)
	h.bytes = 0
}
