package server

import (
	"context"
	"sync"
	"time"
)

// rates bound how fast the bodies of a client's requests are taken in, all of them together. To take in a gigabyte a second
// is work, too, whatever is refused of it afterwards. Who sends faster waits; a second's worth may come at once.
type rates struct {
	perSecond float64 // bytes

	mutex sync.Mutex
	until map[string]time.Time // what a client sent so far would have come at the rate
}

const (
	bodyRate  = 16 << 20 // bytes a second
	bodyBurst = time.Second
)

func newRates(perSecond float64) *rates {
	return &rates{perSecond: perSecond, until: map[string]time.Time{}}
}

// take counts bytes of a client, and says how long it has to wait.
func (r *rates) take(client string, bytes int, now time.Time) time.Duration {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	const many = 1000 // clients that are remembered, if they did not send much of late
	if len(r.until) > many {
		for c, until := range r.until {
			if until.Before(now.Add(-bodyBurst)) {
				delete(r.until, c)
			}
		}
	}
	until := r.until[client]
	if earliest := now.Add(-bodyBurst); until.Before(earliest) {
		until = earliest
	}
	until = until.Add(time.Duration(float64(bytes) / r.perSecond * float64(time.Second)))
	r.until[client] = until
	return until.Sub(now)
}

// wait counts bytes of a client and waits.
func (r *rates) wait(ctx context.Context, client string, bytes int) {
	if d := r.take(client, bytes, time.Now()); d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
}
