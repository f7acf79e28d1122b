package server

import (
	"bytes"
	"container/list"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// transfers are requests that wait for their client's network: bodies on their way in, or
// answers on their way out. They take no place among the requests at work, and there are
// only so many: one more ends the oldest, as a client that takes its part is done long before.
type transfers struct {
	limit int
	stop  func(*http.ResponseController) error // ends one

	mutex sync.Mutex
	open  *list.List // of *transfer, the oldest first
}

// transfer is one of them.
type transfer struct {
	client  *http.ResponseController
	stopped atomic.Bool
}

// newReceptions are transfers of bodies, newDeliveries of answers.
func newReceptions(limit int) *transfers {
	return &transfers{limit: limit, open: list.New(), stop: func(c *http.ResponseController) error { return c.SetReadDeadline(time.Now()) }}
}

func newDeliveries(limit int) *transfers {
	return &transfers{limit: limit, open: list.New(), stop: func(c *http.ResponseController) error { return c.SetWriteDeadline(time.Now()) }}
}

func (ts *transfers) begin(w http.ResponseWriter) (t *transfer, end func()) {
	t = &transfer{client: http.NewResponseController(w)}
	ts.mutex.Lock()
	defer ts.mutex.Unlock()
	if ts.open.Len() >= ts.limit {
		oldest := ts.open.Remove(ts.open.Front()).(*transfer)
		oldest.stopped.Store(true)
		_ = ts.stop(oldest.client) // which fails for a connection that is gone
	}
	place := ts.open.PushBack(t)
	return t, func() {
		ts.mutex.Lock()
		defer ts.mutex.Unlock()
		if !t.stopped.Load() {
			ts.open.Remove(place)
		}
	}
}

// receive takes in the body of a request up to its limit and a byte more, so that who
// handles the request waits for no client. What goes wrong the handler meets when it reads.
func (s *Service) receive(w http.ResponseWriter, r *http.Request) error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	t, end := s.receptions.begin(w)
	data, err := io.ReadAll(io.LimitReader(r.Body, s.limits.Body+1))
	end()
	if t.stopped.Load() {
		return busy(1, "the body of the request came slowly, and many others wait")
	}
	rest := io.Reader(r.Body)
	if err != nil {
		rest = failing{err}
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(data), rest), r.Body}
	return nil
}

// failing is a reader that ends with an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// sender is the writer of an answer: while it waits for its client the request is not at work.
type sender struct {
	http.ResponseWriter
	service *Service
}

func (w *sender) Write(p []byte) (int, error) {
	_, end := w.service.deliveries.begin(w.ResponseWriter)
	defer end()
	w.service.working.Add(-1)
	defer w.service.working.Add(1)
	return w.ResponseWriter.Write(p)
}

// Flush and Unwrap keep what the writer could do before.
func (w *sender) Flush()                      { _ = http.NewResponseController(w.ResponseWriter).Flush() }
func (w *sender) Unwrap() http.ResponseWriter { return w.ResponseWriter }
