package limit

import (
	"context"
	"sync"
)

// Pool is memory that queries share: each draws what it holds from it, and gives it back when it ends.
// An eighth of it is for those that hold little, so that they run whatever the others take. A nil pool has no end.
type Pool struct {
	mutex sync.Mutex
	bytes int64
	drawn int64
}

// NewPool is a pool of a number of bytes.
func NewPool(bytes int64) *Pool { return &Pool{bytes: bytes} }

type poolKey struct{}

// WithPool is a context whose queries draw from a pool, where their limits name no other.
func WithPool(ctx context.Context, pool *Pool) context.Context {
	return context.WithValue(ctx, poolKey{}, pool)
}

func poolOf(ctx context.Context) *Pool {
	pool, _ := ctx.Value(poolKey{}).(*Pool)
	return pool
}

// Drawn is how much of it queries hold now.
func (p *Pool) Drawn() int64 {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.drawn
}

// draw takes bytes for a query that holds little with them, or much.
func (p *Pool) draw(bytes int64, little bool) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	most := p.bytes
	if !little {
		most -= p.bytes / 8
	}
	if p.drawn+bytes > most {
		return false
	}
	p.drawn += bytes
	return true
}

func (p *Pool) giveBack(bytes int64) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.drawn -= bytes
}

// share is what one query has drawn. Its context may end while it still runs, so that two give it back.
type share struct {
	mutex  sync.Mutex
	pool   *Pool
	drawn  int64
	closed bool
}

// draws are rounded up to this, so that the pool is not asked for every row.
const draws = 1 << 18

// little is what a query may hold of the part that the others leave.
const little = draws

// cover sees to it that some bytes are drawn; false means that others hold them.
func (s *share) cover(bytes int64) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if bytes <= s.drawn {
		return true
	}
	more := (bytes - s.drawn + draws - 1) / draws * draws
	if s.closed || !s.pool.draw(more, bytes <= little) {
		return false
	}
	s.drawn += more
	return true
}

// close gives everything back, for good.
func (s *share) close() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pool.giveBack(s.drawn)
	s.drawn, s.closed = 0, true
}
