package server

import (
	"context"
	"net/http"
	"runtime"
)

// Limited puts the service's bounds around a handler of another package: so many
// requests at a time, so many that wait, and the time of each. A request gives its place
// back while it waits for its client to read.
func (s *Service) Limited(next http.Handler) http.Handler {
	places := newGate(runtime.GOMAXPROCS(0), s.limits.Queue)
	return s.Timed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leave, err := places.enter(r.Context())
		if err != nil {
			writeError(w, err)
			return
		}
		paced := &pacedWriter{ResponseWriter: w, ctx: r.Context(), places: places, leave: leave}
		defer func() { paced.leave() }()
		next.ServeHTTP(paced, r)
	}))
}

// pacedWriter gives the place of its request back for as long as a write takes. Who has
// begun an answer is let in again however many wait, in its turn.
type pacedWriter struct {
	http.ResponseWriter
	ctx    context.Context
	places *gate
	leave  func()
}

func (w *pacedWriter) Write(p []byte) (int, error) {
	w.leave()
	w.leave = func() {}
	n, err := w.ResponseWriter.Write(p)
	if err != nil {
		return n, err
	}
	leave, err := w.places.enterAgain(w.ctx)
	if err != nil {
		return n, err
	}
	w.leave = leave
	return n, nil
}

// Unwrap keeps what the writer could do before.
func (w *pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
