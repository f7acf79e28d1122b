package server

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lacuna-kg/lacuna/journal"
)

// follower keeps the graph level with a log that others append to as well.
type follower struct {
	service *Service
	context context.Context
	end     context.CancelFunc
	work    sync.WaitGroup

	level      atomic.Int64 // when the graph was level with the log last, in nanoseconds
	lost       atomic.Bool  // the graph has facts that the log has not
	rebuilds   atomic.Uint64
	compacting atomic.Bool

	mutex   sync.Mutex
	failure error // of the last look at the log
	since   time.Time
}

// follow begins to, where the log is shared.
func (s *Service) follow() *follower {
	if s.shared == nil {
		return nil
	}
	f := &follower{service: s}
	f.context, f.end = context.WithCancel(context.Background())
	f.level.Store(time.Now().UnixNano())
	f.work.Go(func() {
		for f.context.Err() == nil {
			s.shared.Wait(f.context)
			for more := true; more && f.context.Err() == nil; {
				if err := s.safely("following the log of facts", func() error { more = f.catchUp(); return nil }); err != nil {
					f.note(err)
					more = false
				}
			}
		}
	})
	return f
}

func (f *follower) close() {
	if f != nil {
		f.end()
		f.work.Wait()
	}
}

// catchUp makes what stands in the log beyond the graph, and tells whether there may be more.
func (f *follower) catchUp() (more bool) {
	s := f.service
	at, done := s.snapshots.use()
	defer done()
	entries, err := s.shared.Read(f.context, at.at)
	if f.context.Err() != nil {
		return false
	}
	if errors.Is(err, journal.ErrLost) || errors.Is(err, journal.ErrFolded) {
		err = f.rebuild(at, err)
	} else if err == nil && len(entries) > 0 {
		err = f.make(at, entries)
	}
	f.note(err)
	if err == nil && len(entries) == 0 {
		f.level.Store(time.Now().UnixNano())
	}
	return err == nil && len(entries) > 0
}

// make applies entries, unless the writer was quicker.
func (f *follower) make(at *snapshot, entries []journal.Entry) error {
	s := f.service
	s.writing.Lock()
	defer s.writing.Unlock()
	if now, done := s.snapshots.use(); now != at {
		done()
		return nil
	} else {
		defer done()
	}
	draft := newDraft(s, at)
	defer draft.discard()
	if err := draft.follow(f.context, entries); err != nil {
		return fmt.Errorf("entry %d of the log or one soon after cannot be served: %w", entries[0].At.Version, err)
	}
	return draft.show()
}

// rebuild makes the graph anew from the whole log. Facts that the log lost are not served meanwhile: nobody else has them.
func (f *follower) rebuild(at *snapshot, why error) error {
	s := f.service
	if errors.Is(why, journal.ErrLost) && !f.lost.Swap(true) {
		s.log.Error("the graph is rebuilt from the log of facts", "reason", why, "version", at.version)
	}
	graph, position, err := s.shared.Rebuild(f.context)
	if err != nil {
		return err
	}
	engine, err := at.engine.On(f.context, graph)
	if err != nil {
		graph.Close()
		return err
	}
	next, err := s.snapshots.derive(f.context, engine, position, nil)
	if err == nil && s.options.Truth != nil {
		truth, failed := s.options.Truth(f.context, graph)
		next.engine, err = engine.WithTruth(truth), failed
	}
	if err != nil {
		engine.Close()
		return err
	}
	next.prepared = at.prepared
	s.writing.Lock()
	defer s.writing.Unlock()
	if now, done := s.snapshots.use(); now != at { // the log leads on after all
		done()
		engine.Close()
		return nil
	} else {
		done()
	}
	next.engine = s.remembering(next.engine)
	s.snapshots.replace(next)
	f.rebuilds.Add(1)
	f.lost.Store(false)
	s.log.Info("the graph was rebuilt from the log of facts", "reason", why, "version", next.version)
	return nil
}

// note says once that the log cannot be followed, and once that it can again.
func (f *follower) note(err error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	switch {
	case err != nil && (f.failure == nil || f.failure.Error() != err.Error()):
		f.service.log.Error("the log of facts is not followed", "error", err)
	case err == nil && f.failure != nil:
		f.service.log.Info("the log of facts is followed again")
	}
	if err == nil || f.failure == nil {
		f.since = time.Now()
	}
	f.failure = err
}

// lag is how far the graph is behind the log as it was seen last, in entries and in time.
func (f *follower) lag() (entries int64, lasting time.Duration) {
	at, done := f.service.snapshots.use()
	defer done()
	if entries = int64(f.service.journal.Head().Version) - int64(at.at.Version); entries <= 0 {
		return 0, 0
	}
	return entries, time.Since(time.Unix(0, f.level.Load()))
}

// unfit is why no requests should come here but to other servers, if there is a reason. A database that cannot be reached
// is none at first: it may be down for all, and questions are answered without it.
func (f *follower) unfit() error {
	if f == nil {
		return nil
	}
	if f.lost.Load() {
		return unreachable("the graph is being rebuilt: the log of facts was put back to an earlier state")
	}
	limits := f.service.limits
	if entries, lasting := f.lag(); lasting > limits.Lag {
		return unreachable(fmt.Sprintf("the graph has been behind the log of facts for %.0f s, now by %d entries", lasting.Seconds(), entries))
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	switch {
	case f.failure != nil && !unavailable(f.failure):
		return unreachable("the log of facts cannot be followed; the server's log says why")
	case f.failure != nil && limits.CutOff > 0 && time.Since(f.since) > limits.CutOff:
		return unreachable(fmt.Sprintf("the log of facts was not reached for %.0f s", time.Since(f.since).Seconds()))
	}
	return nil
}

// compact folds old entries beside all else, one at a time. Another server may be at it: then nothing is done.
func (f *follower) compact() {
	if f.compacting.Swap(true) {
		return
	}
	f.work.Go(func() {
		defer f.compacting.Store(false)
		compact := func() error { return f.service.journal.Compact(f.context, nil) }
		if err := f.service.safely("compaction", compact); err != nil && f.context.Err() == nil {
			f.service.log.Error("the log of facts was not compacted", "error", err)
		}
	})
}
