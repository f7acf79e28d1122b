package endpoint

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
)

// patience says when a server that failed is asked again: a few times, after longer and longer pauses, each of which is announced. A
// server that was never there, as there is no such host or nobody listens, is not waited for: the address is wrong, or the user has to start it.
type patience struct {
	ctx     context.Context
	wait    time.Duration                        // before the first retry, doubled at each
	waiting func(why error, pause time.Duration) // told of each pause; nil for nobody
	spoke   bool                                 // it has answered before, if only by an error
}

const (
	attempts = 5
	maxWait  = time.Minute
)

func newPatience(ctx context.Context, opts Options) *patience {
	p := &patience{ctx: ctx, wait: opts.Wait, waiting: opts.Waiting}
	if p.wait == 0 {
		p.wait = time.Second / 2
	}
	return p
}

// endures tells whether another attempt makes sense after a failure.
func (p *patience) endures(attempt int, failure error) bool {
	return attempt < attempts && (p.spoke || !isUnreachable(failure))
}

// pause waits before the next attempt, at least as long as the server asks for.
func (p *patience) pause(attempt int, atLeast time.Duration, why error) error {
	pause := min(max(p.wait<<(attempt-1), atLeast), maxWait)
	if p.waiting != nil {
		p.waiting(why, pause)
	}
	select {
	case <-time.After(pause):
		return nil
	case <-p.ctx.Done():
		return kg.Stopped(p.ctx)
	}
}

// heard notes what came of an attempt: whatever it was, unless nobody was there, somebody spoke.
func (p *patience) heard(failure error) { p.spoke = p.spoke || !isUnreachable(failure) }

// isUnreachable tells that no connection came about: no such host, nobody who listens, no way there.
func isUnreachable(err error) bool {
	var link *net.OpError
	return errors.As(err, &link) && link.Op == "dial"
}
