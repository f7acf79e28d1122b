package server

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lacuna-kg/lacuna/internal/pace"
)

// cores shares the processors among requests of which nobody can tell beforehand how long they compute: queries,
// joins, the patterns of updates. Its law:
//
//   - a request begins in a quick place. What is done within a slice of time waits for nobody who takes longer;
//   - who has computed for a slice goes on in a long place, as soon as it comes to a point where it may rest. Those are
//     fewer than the cores, so that a core is left for quick ones, and change hands after a longer slice where others wait;
//   - a client of whose requests many in a row took long begins in a long place, until one of them did not;
//   - a client never has all quick places, and only so many requests that were begun, as these hold memory;
//   - who waits for its client to read, or for anything else, has no place meanwhile;
//   - runs of the model compute on all processors at once. Those that take long rest between their portions, as long as these took,
//     while other clients are about.
type cores struct {
	begun, quick, long *gate
	others             others

	mutex sync.Mutex
	row   map[string]int // of clients: how many requests took long since one was quick
}

const (
	slice     = 10 * time.Millisecond // in a quick place; the time that Go gives a goroutine, too
	longSlice = 25 * time.Millisecond // in a long place, where others wait for it

	longInARow = 8 // requests of a client, after which it begins in a long place

	mostBegun      = 64 // requests that compute or rest
	mostBegunByOne = 32 // of one client
)

// newCores shares n processors, for which so many requests may wait.
func newCores(n, waiting int) *cores {
	long := max(1, n-1)
	c := &cores{begun: newGate(mostBegun, mostBegunByOne, waiting), quick: newGate(n+1, n, waiting), long: newGate(long, long, waiting), row: map[string]int{}}
	c.long.usual = longSlice.Seconds()
	return c
}

// run does work in a place, in a context by which it rests (package pace).
func (c *cores) run(ctx context.Context, work func(context.Context) error) error {
	s, err := c.begin(ctx, false)
	if err != nil {
		return err
	}
	defer s.end()
	return work(pace.With(ctx, s.rest))
}

// runModel does work that is many runs of the model.
func (c *cores) runModel(ctx context.Context, work func(context.Context) error) error {
	return c.run(ctx, func(ctx context.Context) error { return work(c.resting(ctx)) })
}

// resting is the context of runs of the model in a place: between them it also rests for others.
func (c *cores) resting(ctx context.Context) context.Context {
	begun := time.Now()
	var since atomic.Int64 // after it began; who computes may do so side by side
	return pace.With(ctx, func() {
		now := time.Since(begun)
		pace.Rest(ctx)
		if now > slice {
			c.others.rest(ctx, clientOf(ctx), now-time.Duration(since.Load()))
		}
		since.Store(int64(time.Since(begun)))
	})
}

// runLong does work that takes long and never rests, in a long place from the beginning.
func (c *cores) runLong(ctx context.Context, work func(context.Context) error) error {
	s, err := c.begin(ctx, true)
	if err != nil {
		return err
	}
	defer s.end()
	return work(ctx)
}

// shift is a request that computes.
type shift struct {
	cores *cores
	ctx   context.Context
	done  func() // it was begun

	mutex sync.Mutex // a handler may write and compute side by side
	leave func()     // its place; nil while it has none
	since time.Time  // it has the place
	spent time.Duration
	long  bool // it began so, or has used its slice
}

// took notes that a request of a client took long, or that it was done within its slice.
func (c *cores) took(client string, long bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	const many = 1000 // clients that are remembered
	switch {
	case !long:
		delete(c.row, client)
	case len(c.row) < many || c.row[client] > 0:
		c.row[client]++
	}
}

func (c *cores) inARow(client string) int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.row[client]
}

// begin waits for a place, a quick one unless it is to be long or its client is known for such.
func (c *cores) begin(ctx context.Context, long bool) (*shift, error) {
	done, err := c.begun.enter(ctx)
	if err != nil {
		return nil, err
	}
	s := &shift{cores: c, ctx: ctx, done: done, long: long || c.inARow(clientOf(ctx)) >= longInARow}
	if s.resume(); s.leave == nil {
		done()
		return nil, ended(ctx)
	}
	return s, nil
}

func (s *shift) end() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pause()
	s.done()
	if s.spent < slice && s.ctx.Err() == nil {
		s.cores.took(clientOf(s.ctx), false)
	}
}

// rest steps aside where it is others' turn. It returns when the request has a place, or its context has ended.
func (s *shift) rest() {
	runtime.Gosched() // goroutines of others that wait for a processor would wait for 10 ms, each time
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.leave == nil {
		return
	}
	had := time.Since(s.since)
	switch {
	case !s.long && had < slice, s.long && had < longSlice:
		return
	case s.long:
		if waiting, _ := s.cores.long.queue.state(); waiting == 0 {
			return
		}
	}
	s.pause()
	s.resume()
}

// aside does something that takes no processor, such as sending to a client, without a place.
func (s *shift) aside(work func()) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pause()
	s.done()
	work()
	s.done = s.cores.begun.enterAtOnce(clientOf(s.ctx)) // it was begun: others wait for its memory, not it for theirs
	s.resume()
}

func (s *shift) pause() {
	if s.leave != nil {
		before := s.spent
		s.spent += time.Since(s.since)
		if before < slice && s.spent >= slice {
			s.long = true
			s.cores.took(clientOf(s.ctx), true)
		}
		s.leave()
		s.leave = nil
	}
}

// resume waits for a place, a quick one for who has not yet used its slice. Where the context has ended it has none.
func (s *shift) resume() {
	gate := s.cores.quick
	if s.long {
		gate = s.cores.long
	}
	leave, err := gate.enterAgain(s.ctx, s.spent)
	if err == nil {
		s.leave, s.since = leave, time.Now()
	}
}
