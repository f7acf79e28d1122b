package server

import (
	"context"
	"net/http"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/pace"
	"github.com/lacuna-kg/lacuna/sparql/limit"
)

// Limited puts the service's bounds around a handler of another package: its share of the processors (cores) and the
// time of each request. A request gives its place back while it waits for its client to read.
func (s *Service) Limited(next http.Handler) http.Handler {
	return s.Timed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shift, err := s.cores.begin(r.Context(), r.ContentLength > largeBody) // to read which takes long, and cannot rest
		if err != nil {
			s.reply(w, nil, err)
			return
		}
		defer shift.end()
		next.ServeHTTP(&pacedWriter{w, shift}, r.WithContext(pace.With(r.Context(), shift.rest)))
	}))
}

// OneLarge lets a client have one request with a large body at a time answered by a handler of another package.
func (s *Service) OneLarge(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > largeBody {
			leave, err := s.large.enter(r.Context())
			if err != nil {
				s.reply(w, nil, err)
				return
			}
			defer leave()
		}
		next.ServeHTTP(w, r)
	})
}

// Compute runs work on the engine as it is now within the same bounds, for faces that are no handlers of HTTP.
func (s *Service) Compute(ctx context.Context, work func(context.Context, *lacuna.Engine) error) error {
	ctx, cancel := s.Within(ctx)
	defer cancel()
	engine, _, done := s.Use()
	defer done()
	err := s.cores.run(ctx, func(ctx context.Context) error { return work(ctx, engine) })
	if err != nil && ctx.Err() != nil {
		return ended(ctx)
	}
	return err
}

// Within is a context that ends with the time limit of a request, and whose queries in SPARQL share the memory for all of them.
func (s *Service) Within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(limit.WithPool(ctx, s.queries), s.limits.Time, errTimeout)
}

// pacedWriter gives the place of its request back for as long as a write takes.
type pacedWriter struct {
	http.ResponseWriter
	shift *shift
}

func (w *pacedWriter) Write(p []byte) (n int, err error) {
	w.shift.aside(func() { n, err = w.ResponseWriter.Write(p) })
	return n, err
}

// Unwrap keeps what the writer could do before.
func (w *pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
