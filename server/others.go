package server

import (
	"context"
	"sync"
	"time"
)

// others knows whether more than one client is about. Bulk work of a client, such as reading its file, then leaves half of the
// time to the rest: it is worth nothing to finish such work sooner that others wait for it.
type others struct {
	mutex        sync.Mutex
	last, before sighting // of two different clients, the latest first
}

type sighting struct {
	client string
	at     time.Time
}

const (
	about    = time.Second           // for how long a client is about after its last request
	mostRest = 50 * time.Millisecond // at a time
)

// saw notes a request of a client.
func (o *others) saw(client string, now time.Time) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.last.client != client {
		o.before = o.last
	}
	o.last = sighting{client, now}
}

// present tells whether another than a client is about.
func (o *others) present(client string, now time.Time) bool {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	at := o.last
	if at.client == client {
		at = o.before
	}
	return now.Sub(at.at) < about
}

// rest leaves others, if there are any, as long as a client's bulk work took.
func (o *others) rest(ctx context.Context, client string, worked time.Duration) {
	if !o.present(client, time.Now()) {
		return
	}
	timer := time.NewTimer(min(worked, mostRest))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
