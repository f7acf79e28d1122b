package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/kg"
)

// slowLane runs batches that take until released or cancelled, and tells what it got.
type slowLane struct {
	*lane
	began   chan []*lacuna.Question
	release chan error
	stopped chan error
}

func newSlowLane(t *testing.T, limits Limits) slowLane {
	s := slowLane{began: make(chan []*lacuna.Question, 100), release: make(chan error), stopped: make(chan error, 100)}
	s.lane = newLane(limits.withDefaults(), someLaneMetrics(), slog.New(slog.DiscardHandler), s.runSlowly)
	t.Cleanup(s.close)
	return s
}

func (s slowLane) runSlowly(ctx context.Context, _ *snapshot, questions []*lacuna.Question) ([]*lacuna.Result, error) {
	s.began <- questions
	select {
	case err := <-s.release:
		return slices.Repeat([]*lacuna.Result{{}}, len(questions)), err
	case <-ctx.Done():
		s.stopped <- context.Cause(ctx)
		return nil, kg.Errorf(kg.Cancelled, "", "stopped")
	}
}

// put asks without waiting.
func (s slowLane) put(ctx context.Context, asking lacuna.Asking) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := s.answer(ctx, job{question: &lacuna.Question{Asking: asking}, bytes: 1}, 1)
		done <- err
	}()
	return done
}

// occupy begins a batch, so that what is put next waits and runs together; free ends it.
func (s slowLane) occupy(t *testing.T) (free func()) {
	s.put(t.Context(), lacuna.Asking{})
	<-s.began
	return func() { s.release <- nil }
}

// waits blocks until n questions are in the queue.
func (s slowLane) waits(t *testing.T, n int) {
	t.Helper()
	waitFor(t, n, s.queue)
}

// TestWaitingQuestionsRunTogether fills the queue behind a batch: what can run together does.
func TestWaitingQuestionsRunTogether(t *testing.T) {
	s := newSlowLane(t, Limits{})
	free := s.occupy(t)
	var later []<-chan error
	for i := range 6 {
		later = append(later, s.put(t.Context(), lacuna.Asking{Limit: i, Execution: lacuna.Execution{DoubtKnown: i == 3}}))
	}
	s.waits(t, 6)
	free()
	sizes := map[int]bool{}
	for range 2 {
		sizes[len(<-s.began)] = true
		s.release <- nil
	}
	if !sizes[5] || !sizes[1] {
		t.Errorf("batches of %v, want 5 alike and the one that runs otherwise", sizes)
	}
	for _, done := range later {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestLastClientStopsTheBatch checks all three ways to leave: one of several, the last, and before the run.
func TestLastClientStopsTheBatch(t *testing.T) {
	s := newSlowLane(t, Limits{})
	free := s.occupy(t)
	one, leaveOne := context.WithCancel(t.Context())
	two, leaveTwo := context.WithCancel(t.Context())
	waitsOne, waitsTwo := s.put(one, lacuna.Asking{}), s.put(two, lacuna.Asking{})
	s.waits(t, 2)
	free()
	if batch := <-s.began; len(batch) != 2 {
		t.Fatalf("a batch of %d, want 2", len(batch))
	}
	three, leaveThree := context.WithCancel(t.Context())
	waitsThree := s.put(three, lacuna.Asking{})
	s.waits(t, 1)
	leaveThree()
	leaveOne()
	for _, done := range []<-chan error{waitsThree, waitsOne} {
		if err := <-done; kg.KindOf(err) != kg.Cancelled {
			t.Errorf("%v, want cancelled", err)
		}
	}
	select {
	case <-s.stopped:
		t.Fatal("the batch was stopped though a client still waits")
	case <-time.After(20 * time.Millisecond):
	}
	leaveTwo()
	if err := <-s.stopped; !errors.Is(err, context.Canceled) {
		t.Errorf("stopped by %v", err)
	}
	if err := <-waitsTwo; kg.KindOf(err) != kg.Cancelled {
		t.Errorf("%v, want cancelled", err)
	}
	s.close()
	if len(s.began) != 0 || s.queue.left() != 1 {
		t.Errorf("the question of a client that had left ran (%d dropped)", s.queue.left())
	}
}

// TestFailureStaysWithItsQuestion checks that a failed batch is run apart.
func TestFailureStaysWithItsQuestion(t *testing.T) {
	s := newSlowLane(t, Limits{})
	free := s.occupy(t)
	guilty, innocent := s.put(t.Context(), lacuna.Asking{Limit: 13}), s.put(t.Context(), lacuna.Asking{})
	s.waits(t, 2)
	free()
	if len(<-s.began) != 2 {
		t.Fatal("they did not run together")
	}
	broken := errors.New("broken")
	s.release <- broken
	for range 2 {
		if q := <-s.began; q[0].Asking.Limit == 13 {
			s.release <- broken
		} else {
			s.release <- nil
		}
	}
	if err := <-guilty; !errors.Is(err, broken) {
		t.Errorf("%v, want the failure", err)
	}
	if err := <-innocent; err != nil {
		t.Errorf("the other question got %v", err)
	}
}

// TestPanicIsAnError checks that a panic of the engine ends neither the lane nor the process.
func TestPanicIsAnError(t *testing.T) {
	s := newLane(Limits{}.withDefaults(), someLaneMetrics(), slog.New(slog.DiscardHandler), func(context.Context, *snapshot, []*lacuna.Question) ([]*lacuna.Result, error) {
		panic("a shape mismatch")
	})
	defer s.close()
	for range 2 {
		if _, err := s.answer(t.Context(), job{question: &lacuna.Question{}, bytes: 1}, 1); err == nil || errorOf(err).status != http.StatusInternalServerError {
			t.Errorf("%v, want a failure", err)
		}
	}
}

// TestFullQueueTellsWhenToReturn checks 429.
func TestFullQueueTellsWhenToReturn(t *testing.T) {
	s := newSlowLane(t, Limits{Queue: 2, Batch: 1})
	s.put(t.Context(), lacuna.Asking{})
	<-s.began
	s.put(t.Context(), lacuna.Asking{})
	s.put(t.Context(), lacuna.Asking{})
	s.waits(t, 2)
	_, err := s.answer(t.Context(), job{question: &lacuna.Question{}, bytes: 1}, 1)
	if e := errorOf(err); e.status != http.StatusTooManyRequests || e.retryAfter < 1 {
		t.Errorf("%+v, want 429 with a time to return", e)
	}
	for range 3 {
		s.release <- nil
		if len(s.began) > 0 {
			<-s.began
		}
	}
}

// TestMemoryBoundsABatch checks that sets beyond the limit wait for the next batch.
func TestMemoryBoundsABatch(t *testing.T) {
	s := newSlowLane(t, Limits{Memory: 2})
	free := s.occupy(t)
	for range 3 {
		s.put(t.Context(), lacuna.Asking{})
	}
	s.waits(t, 3)
	free()
	if n := len(<-s.began); n != 2 {
		t.Errorf("a batch of %d questions of one byte each, the limit is two bytes", n)
	}
	s.release <- nil
	<-s.began
	s.release <- nil
}

// asking tells a question from others.
func (s slowLane) asking(limit int) lacuna.Asking { return lacuna.Asking{Limit: limit} }
