package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// never is a step that takes until its time is over, and tells when it has begun.
func never(began chan<- struct{}) step {
	return func(ctx context.Context, _ *kg.Graph) (FactsRequest, error) {
		select {
		case began <- struct{}{}:
		default:
		}
		<-ctx.Done()
		return FactsRequest{}, kg.Stopped(ctx)
	}
}

// TestSlowPatternsHoldNoWriter changes facts while an update looks for what it is to change.
func TestSlowPatternsHoldNoWriter(t *testing.T) {
	s := small(t, Limits{})
	ctx, leave := context.WithCancel(t.Context())
	began, ended := make(chan struct{}), make(chan error)
	go func() {
		_, err := s.update(ctx, change{exactly: true, matches: true, steps: []step{never(began)}})
		ended <- err
	}()
	<-began
	if _, err := s.Change(t.Context(), FactsRequest{Add: []kg.Fact{{Head: "a", Relation: "in", Tail: "b"}}}); err != nil {
		t.Error(err)
	}
	leave()
	if err := <-ended; kg.KindOf(err) != kg.Cancelled {
		t.Errorf("who left is told %v", err)
	}
}

// TestUpdateLooksAgain changes the graph after an update has looked at it: the update is made on the graph as it is then.
func TestUpdateLooksAgain(t *testing.T) {
	s := small(t, Limits{})
	var seen []int
	c := change{exactly: true, matches: true}
	c.steps = []step{func(_ context.Context, g *kg.Graph) (FactsRequest, error) {
		seen = append(seen, g.NumTriples())
		if len(seen) == 1 { // between its look and its turn
			if _, err := s.Change(t.Context(), FactsRequest{Add: []kg.Fact{{Head: "x", Relation: "in", Tail: "y"}}}); err != nil {
				t.Error(err)
			}
		}
		return FactsRequest{Add: []kg.Fact{{Head: "a", Relation: "in", Tail: "b"}}}, nil
	}}
	if response, err := s.update(t.Context(), c); err != nil || response.Added != 1 {
		t.Fatalf("%+v, %v", response, err)
	}
	if len(seen) != 2 || seen[0] != 3 || seen[1] != 4 {
		t.Errorf("it looked at graphs of %v facts, want one of 3 and, in its turn, one of 4", seen)
	}
	seen = seen[:0]
	c.steps[0] = func(_ context.Context, g *kg.Graph) (FactsRequest, error) {
		seen = append(seen, g.NumTriples())
		return FactsRequest{Remove: []kg.Fact{{Head: "a", Relation: "in", Tail: "b"}}}, nil
	}
	if _, err := s.update(t.Context(), c); err != nil || len(seen) != 1 {
		t.Errorf("it looked %d times at a graph that stayed as it was (%v)", len(seen), err)
	}
}

// TestSlowLooksLeaveTheTurn looks again in the writer's turn at a graph that has changed, for longer than others should wait.
func TestSlowLooksLeaveTheTurn(t *testing.T) {
	_, err := change{found: &found{}, steps: []step{never(make(chan struct{}, 1))}}.inTurn(t.Context(), smallGraph(t), Limits{}.withDefaults())
	if !errors.Is(err, errOvertaken) {
		t.Errorf("%v, want that it was overtaken", err)
	}
}

// TestUpdateBeyondItsTime is told so, by the status that queries get, and the log has the reason.
func TestUpdateBeyondItsTime(t *testing.T) {
	var log bytes.Buffer
	s := small(t, Limits{Time: time.Nanosecond}, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	u, err := syntax.ParseUpdate("INSERT { ?a ?p ?c } WHERE { ?a ?p ?b . ?c ?q ?d }")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Update(t.Context(), u)
	var answer *Error
	if !errors.As(err, &answer) {
		t.Fatalf("%v", err)
	}
	if status, _ := answer.Answer(); status != http.StatusServiceUnavailable || !strings.Contains(log.String(), "took longer") {
		t.Errorf("%d, and the log has %s", status, &log)
	}
}

// TestWriterOutlivesPanics refuses the change that panics, and makes the one that came with it.
func TestWriterOutlivesPanics(t *testing.T) {
	s := small(t, Limits{})
	begun, release := make(chan struct{}), make(chan struct{}) // so that the others come together
	done := make(chan error, 3)
	go func() {
		_, err := s.writer.change(t.Context(), change{steps: []step{func(context.Context, *kg.Graph) (FactsRequest, error) {
			close(begun)
			<-release
			panic("a broken index")
		}}})
		done <- err
	}()
	<-begun
	for range 2 {
		go func() {
			_, err := s.writer.change(t.Context(), change{steps: []step{func(context.Context, *kg.Graph) (FactsRequest, error) { panic("another") }}})
			done <- err
		}()
	}
	made := make(chan error, 1)
	go func() {
		_, err := s.Change(t.Context(), FactsRequest{Add: []kg.Fact{{Head: "a", Relation: "in", Tail: "b"}}})
		made <- err
	}()
	waitFor(t, 3, s.writer.queue)
	close(release)
	for range 3 {
		if err := <-done; !errors.Is(err, errPanicked) || errorOf(err).status != http.StatusInternalServerError {
			t.Errorf("%v, want a refusal", err)
		}
	}
	if err := <-made; err != nil {
		t.Errorf("the change that came with them: %v", err)
	}
}
