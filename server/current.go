package server

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// minVersion is the parameter by which a client says what it has seen: the version of its last change, or of an answer. With a
// log of facts that servers share, it reads its own writes by it from any of them.
const minVersion = "min_version"

// current lets requests through that read the graph, when it is as new as they ask for.
func (s *Service) current(next http.Handler) http.Handler {
	if s.shared == nil { // there is one server, which has what it answered; after a start without kept facts it counts from 1 again
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.awaitVersion(r.Context(), r.URL.Query().Get(minVersion)); err != nil {
			writeError(w, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// awaitVersion waits for a version within a bound.
func (s *Service) awaitVersion(ctx context.Context, wanted string) error {
	if s.follower.lost.Load() {
		return s.follower.unfit()
	}
	if wanted == "" {
		return nil
	}
	version, err := strconv.ParseUint(wanted, 10, 64)
	if err != nil {
		return invalid("%s %q, expected the version of a graph", minVersion, wanted)
	}
	ctx, cancel := context.WithTimeout(ctx, s.limits.Wait)
	defer cancel()
	has, reached := s.snapshots.await(ctx, version)
	if reached {
		return nil
	}
	if head := s.journal.Head(); head.Err == nil && head.Version+1 < version {
		return &Error{Kind: "not_found", Message: "there is no version " + wanted + " of the graph, the last is " + strconv.FormatUint(head.Version+1, 10) +
			": the log of facts was put back to an earlier state, or the version is of another graph", status: http.StatusPreconditionFailed}
	}
	return unreachable("this server has version " + strconv.FormatUint(has, 10) + " of the graph, not yet " + wanted)
}

// await waits until the current snapshot has a version, or the context ends, and gives the version that it has.
func (s *snapshots) await(ctx context.Context, version uint64) (has uint64, reached bool) {
	for {
		s.mutex.Lock()
		has, changed := s.current.version, s.changed
		s.mutex.Unlock()
		if has >= version {
			return has, true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return has, false
		}
	}
}

// defaultWait is how long a read waits for the version it asks for.
const defaultWait = 5 * time.Second
