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
// answers on their way out. They take no place among the requests at work, and there are only so many, of so
// many bytes: one more ends the oldest of the client that has the most, as one that takes its part is done long before.
type transfers struct {
	limit int
	bytes int64                                // that all may hold; 0: they hold none
	stop  func(*http.ResponseController) error // ends one

	mutex sync.Mutex
	open  *list.List // of *transfer, the oldest first
	held  int64
}

// transfer is one of them.
type transfer struct {
	client  string
	conn    *http.ResponseController
	place   *list.Element
	held    int64
	stopped atomic.Bool
}

// receivedBytes is the memory for bodies on their way in.
const receivedBytes = 64 << 20

// newReceptions are transfers of bodies, newDeliveries of answers.
func newReceptions(limit int) *transfers {
	return &transfers{limit: limit, bytes: receivedBytes, open: list.New(), stop: func(c *http.ResponseController) error { return c.SetReadDeadline(time.Now()) }}
}

func newDeliveries(limit int) *transfers {
	return &transfers{limit: limit, open: list.New(), stop: func(c *http.ResponseController) error { return c.SetWriteDeadline(time.Now()) }}
}

func (ts *transfers) begin(client string, w http.ResponseWriter) (t *transfer, end func()) {
	t = &transfer{client: client, conn: http.NewResponseController(w)}
	ts.mutex.Lock()
	defer ts.mutex.Unlock()
	if ts.open.Len() >= ts.limit {
		ts.endOne(func(*transfer) int64 { return 1 })
	}
	t.place = ts.open.PushBack(t)
	return t, func() {
		ts.mutex.Lock()
		defer ts.mutex.Unlock()
		ts.remove(t)
	}
}

// hold counts bytes that a transfer keeps in memory.
func (ts *transfers) hold(t *transfer, bytes int) {
	ts.mutex.Lock()
	defer ts.mutex.Unlock()
	if t.stopped.Load() {
		return
	}
	t.held += int64(bytes)
	ts.held += int64(bytes)
	for ts.held > ts.bytes {
		ts.endOne(func(t *transfer) int64 { return t.held })
	}
}

// endOne ends the oldest transfer of the client that has the most of what is counted.
func (ts *transfers) endOne(counted func(*transfer) int64) {
	sums, most := map[string]int64{}, int64(0)
	for e := ts.open.Front(); e != nil; e = e.Next() {
		t := e.Value.(*transfer)
		sums[t.client] += counted(t)
		most = max(most, sums[t.client])
	}
	for e := ts.open.Front(); e != nil; e = e.Next() {
		if t := e.Value.(*transfer); sums[t.client] == most && counted(t) > 0 {
			t.stopped.Store(true)
			ts.remove(t)
			_ = ts.stop(t.conn) // which fails for a connection that is gone
			return
		}
	}
}

// remove takes a transfer out, once.
func (ts *transfers) remove(t *transfer) {
	if t.place != nil {
		ts.open.Remove(t.place)
		ts.held -= t.held
		t.place, t.held = nil, 0
	}
}

// receive takes in the body of a request up to its limit and a byte more, so that who
// handles the request waits for no client. What goes wrong the handler meets when it reads.
func (s *Service) receive(w http.ResponseWriter, r *http.Request) error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	t, end := s.receptions.begin(clientOf(r.Context()), w)
	counted := kept{r.Body, func(n int) {
		s.receptions.hold(t, n)
		s.bodies.wait(r.Context(), t.client, n)
	}}
	data, err := io.ReadAll(io.LimitReader(counted, s.limits.Body+1))
	end()
	if t.stopped.Load() {
		return busy(1, "the body of the request came slowly, and many others wait")
	}
	rest := io.Reader(r.Body)
	if r.ContentLength = int64(len(data)); err != nil {
		rest = failing{err}
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(data), rest), r.Body}
	return nil
}

// kept is a reader whose bytes are kept in memory.
type kept struct {
	io.Reader
	hold func(n int)
}

func (h kept) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	h.hold(n)
	return n, err
}

// failing is a reader that ends with an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// sender is the writer of an answer: while it waits for its client the request is not at work.
type sender struct {
	http.ResponseWriter
	service *Service
	client  string
}

func (w *sender) Write(p []byte) (int, error) {
	_, end := w.service.deliveries.begin(w.client, w.ResponseWriter)
	defer end()
	w.service.working.Add(-1)
	defer w.service.working.Add(1)
	return w.ResponseWriter.Write(p)
}

// Flush and Unwrap keep what the writer could do before.
func (w *sender) Flush()                      { _ = http.NewResponseController(w.ResponseWriter).Flush() }
func (w *sender) Unwrap() http.ResponseWriter { return w.ResponseWriter }
