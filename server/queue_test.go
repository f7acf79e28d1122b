package server

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
)

// waitFor blocks until n requests are in a queue.
func waitFor[Request, Response any](t *testing.T, n int, q *queue[Request, Response]) {
	t.Helper()
	for range 5000 {
		if waiting, _ := q.state(); waiting == n {
			return
		}
		time.Sleep(time.Millisecond)
	}
	waiting, _ := q.state()
	t.Fatalf("%d requests wait, want %d", waiting, n)
}

func everything(*turn[int, int]) bool { return true }

var errFull = errors.New("full")

func newTestQueue(limit int) *queue[int, int] {
	return newQueue[int, int](limit, func(int) error { return errFull })
}

// TestQueueKeepsOrder takes some of those that wait: what is taken and what is left keep their order.
func TestQueueKeepsOrder(t *testing.T) {
	q := newTestQueue(6)
	for i := range 6 {
		if _, err := q.put(t.Context(), i, 1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := q.put(t.Context(), 6, 1); !errors.Is(err, errFull) {
		t.Errorf("one too many gets %v", err)
	}
	var got []int
	for _, fits := range []func(*turn[int, int]) bool{func(t *turn[int, int]) bool { return t.request%2 == 1 }, everything, everything} {
		for _, turn := range q.take(fits) {
			got = append(got, turn.request)
		}
		got = append(got, -1)
	}
	want := []int{1, 3, 5, -1, 0, 2, 4, -1, -1}
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Fatalf("taken %v, want %v", got, want)
		}
	}
}

// TestQueueForgetsWhoLeft checks both ways to leave: seen by the client first, or by who takes.
func TestQueueForgetsWhoLeft(t *testing.T) {
	q := newTestQueue(1)
	ctx, leave := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() { _, err := q.ask(ctx, 1, 1); failed <- err }()
	waitFor(t, 1, q)
	leave()
	if err := <-failed; kg.KindOf(err) != kg.Cancelled {
		t.Errorf("who left is told %v", err)
	}
	waitFor(t, 0, q) // its place is free again at once
	if _, err := q.put(ctx, 2, 1); err != nil {
		t.Fatal(err)
	}
	if taken := q.take(everything); len(taken) != 0 || q.left() != 2 {
		t.Errorf("%d taken, %d dropped; want none and two", len(taken), q.left())
	}
}

// TestQueueServesEachOnce lets many ask, some of whom leave, while groups are taken, and
// closes in the midst of it: each request is served once, withdrawn or refused, and close waits for the served.
func TestQueueServesEachOnce(t *testing.T) {
	q := newTestQueue(50)
	var mutex sync.Mutex
	served := map[int]int{}
	go q.consume(func() {
		taken := q.take(func(t *turn[int, int]) bool { return t.request%3 != 0 || rand.IntN(2) == 0 })
		mutex.Lock()
		defer mutex.Unlock()
		for _, turn := range taken {
			served[turn.request]++
			turn.finish(-turn.request, nil)
		}
	})
	var clients sync.WaitGroup
	var answered atomic.Int64
	ask := func(request int) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(500))*time.Microsecond)
		defer cancel()
		response, err := q.ask(ctx, request, 1)
		switch {
		case err == nil && response == -request:
			answered.Add(1)
		case err == nil:
			t.Errorf("request %d got the answer %d", request, response)
		case !errors.Is(err, errFull) && kg.KindOf(err) != kg.Cancelled && errorOf(err).status != http.StatusTooManyRequests:
			t.Errorf("request %d got %v", request, err)
		}
	}
	for client := range 100 {
		clients.Go(func() {
			for i := range 50 {
				ask(50*client + i)
			}
		})
	}
	for range 1000 { // in the midst of it, unless the machine is busy with other things
		if answered.Load() >= 500 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	q.close()
	mutex.Lock()
	atClose := len(served)
	mutex.Unlock()
	clients.Wait()
	if len(served) != atClose {
		t.Errorf("%d were served after close", len(served)-atClose)
	}
	if waiting, _ := q.state(); waiting != 0 || int64(len(served)) < answered.Load() {
		t.Errorf("%d still wait; %d served, %d answered", waiting, len(served), answered.Load())
	}
	for request, times := range served {
		if times != 1 {
			t.Errorf("request %d was served %d times", request, times)
		}
	}
}

// TestGateLosesNoPlace sends many through a gate of three, some of whom leave while
// they wait: never more than three are inside, and in the end all three places are free.
func TestGateLosesNoPlace(t *testing.T) {
	g := newGate(3, 3, 1000)
	var inside, most atomic.Int64
	var wait sync.WaitGroup
	for range 1000 {
		wait.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(3000))*time.Microsecond)
			defer cancel()
			leave, err := g.enter(ctx)
			if err != nil {
				return
			}
			most.Store(max(most.Load(), inside.Add(1)))
			time.Sleep(time.Duration(rand.IntN(100)) * time.Microsecond)
			inside.Add(-1)
			leave()
		})
	}
	wait.Wait()
	if waiting, _ := g.queue.state(); most.Load() > 3 || most.Load() == 0 || g.free != 3 || waiting != 0 {
		t.Errorf("up to %d were inside of 3, %d places are free, %d wait", most.Load(), g.free, waiting)
	}
}

// TestGateRefusesOneTooMany counts as waiting only those for whom there is no place.
func TestGateRefusesOneTooMany(t *testing.T) {
	g := newGate(2, 2, 1)
	var leave func()
	for range 2 {
		var err error
		if leave, err = g.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	entered := make(chan error)
	go func() { _, err := g.enter(t.Context()); entered <- err }()
	waitFor(t, 1, g.queue)
	if _, err := g.enter(t.Context()); errorOf(err).status != http.StatusTooManyRequests {
		t.Errorf("one too many gets %v", err)
	}
	leave()
	if err := <-entered; err != nil {
		t.Error(err)
	}
}
