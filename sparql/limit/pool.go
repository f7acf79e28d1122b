package limit

import (
	"context"
	"sync"
)

// Pool is memory that queries share: each draws what it holds from it, and gives it back when it ends.
// A nil pool has no end.
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

func (p *Pool) draw(bytes int64) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.drawn+bytes > p.bytes {
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

// cover sees to it that some bytes are drawn; false means that others hold them.
func (s *share) cover(bytes int64) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if bytes <= s.drawn {
		return true
	}
	more := (bytes - s.drawn + draws - 1) / draws * draws
	if s.closed || !s.pool.draw(more) {
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
