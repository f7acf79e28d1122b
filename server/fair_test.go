package server

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lacuna-kg/lacuna/internal/pace"
)

func as(t *testing.T, client string) context.Context { return withClient(t.Context(), client) }

// taken takes one request after the other and gives their names.
func taken(q *queue[string, int], most int) (names []string) {
	for range most {
		one := false
		for _, turn := range q.take(func(*turn[string, int]) bool { first := !one; one = true; return first }) {
			names = append(names, turn.request)
		}
	}
	return names
}

// TestQueueGoesByClients puts requests of three clients in: each client in its turn, of each the lightest first.
func TestQueueGoesByClients(t *testing.T) {
	q := newQueue[string, int](100, func(int) error { return errFull })
	put := func(client, name string, weight float64) {
		t.Helper()
		if _, err := q.put(as(t, client), client+name, weight); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 4 {
		put("greedy", fmt.Sprint(i), 1)
	}
	put("a", "heavy", 3)
	put("a", "light", 1)
	put("b", "only", 1)
	// Of clients that were given alike the lighter request goes first.
	want := []string{"alight", "bonly", "greedy0", "greedy1", "aheavy", "greedy2", "greedy3"}
	if got := taken(q, 10); !slices.Equal(got, want) {
		t.Errorf("taken %v, want %v", got, want)
	}
}

// TestNobodySavesUp lets one client work alone for long: another that comes goes first, but not for as long.
func TestNobodySavesUp(t *testing.T) {
	q := newQueue[string, int](100, func(int) error { return errFull })
	for range 50 {
		q.put(as(t, "early"), "e", 1)
	}
	taken(q, 40)
	for range 5 {
		q.put(as(t, "late"), "l", 1)
	}
	got := taken(q, 10)
	if count := func(name string) (n int) {
		for _, g := range got[:6] {
			if g == name {
				n++
			}
		}
		return n
	}; got[0] != "l" || count("l") < 3 || count("l") > 4 {
		t.Errorf("taken %v, want both in turn, the late one first", got)
	}
}

// TestChargedClientsWait charges a client for what it took: it waits until others had as much.
func TestChargedClientsWait(t *testing.T) {
	q := newQueue[string, int](100, func(int) error { return errFull })
	for range 3 {
		q.put(as(t, "dear"), "d", 1)
		q.put(as(t, "cheap"), "c", 1)
	}
	first := taken(q, 2)
	q.charge("dear", 1.5)
	if got := append(first, taken(q, 4)...); !slices.Equal(got, []string{"c", "d", "c", "c", "d", "d"}) {
		t.Errorf("taken %v", got)
	}
}

// TestFullQueueIsShared fills a queue by one client: another still gets in, and the last of the first is told to come again.
func TestFullQueueIsShared(t *testing.T) {
	q := newQueue[string, int](4, func(int) error { return errFull })
	var last *turn[string, int]
	for i := range 4 {
		last, _ = q.put(as(t, "greedy"), fmt.Sprint("g", i), 1)
	}
	if _, err := q.put(as(t, "greedy"), "one too many", 1); !errors.Is(err, errFull) {
		t.Errorf("the greedy one gets %v", err)
	}
	for i := range 2 {
		if _, err := q.put(as(t, "modest"), fmt.Sprint("m", i), 1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := q.put(as(t, "modest"), "one too many", 1); !errors.Is(err, errFull) {
		t.Errorf("the modest one gets %v though it has its half", err)
	}
	select {
	case out := <-last.done:
		if !errors.Is(out.err, errFull) {
			t.Errorf("the last was told %v", out.err)
		}
	default:
		t.Error("nobody gave way")
	}
	if got := taken(q, 10); !slices.Equal(got, []string{"g0", "m0", "g1", "m1"}) {
		t.Errorf("taken %v", got)
	}
}

// TestSharesAreEven draws clients, weights and times at random: as long as all have requests waiting, no client was
// given more than another beyond the weight of one request.
func TestSharesAreEven(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		q := newQueue[string, int](10000, func(int) error { return errFull })
		given := make([]float64, 2+random.IntN(5))
		for range 200 {
			for client := range given {
				q.put(as(t, fmt.Sprint(client)), fmt.Sprint(client), float64(1+random.IntN(9)))
			}
		}
		for range 100 {
			one := false
			for _, turn := range q.take(func(*turn[string, int]) bool { first := !one; one = true; return first }) {
				var client int
				fmt.Sscan(turn.request, &client)
				given[client] += turn.weight
			}
			if slices.Max(given)-slices.Min(given) > 9 {
				t.Fatalf("seed %d: given %v", seed, given)
			}
		}
	}
}

// compute is work of some time that rests every millisecond.
func compute(ctx context.Context, for_ time.Duration) error {
	for range for_ / time.Millisecond {
		time.Sleep(time.Millisecond)
		pace.Rest(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// TestCheapPassExpensive computes on two cores while twenty requests compute for half a minute each: cheap ones wait for a slice at
// most, of the same client the first for a long one. The clock is that of the test.
func TestCheapPassExpensive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCores(2, 128)
		ctx, stop := context.WithTimeout(as(t, "greedy"), 30*time.Second)
		defer stop()
		for range 20 {
			go c.run(ctx, func(ctx context.Context) error { return compute(ctx, time.Hour) })
		}
		synctest.Wait()
		for _, client := range []string{"other", "greedy"} {
			if client == "greedy" {
				time.Sleep(time.Second) // by then its own are no longer quick
			}
			var longest time.Duration
			for range 50 {
				start := time.Now()
				if err := c.run(as(t, client), func(ctx context.Context) error { return compute(ctx, 2*time.Millisecond) }); err != nil {
					t.Fatal(err)
				}
				longest = max(longest, time.Since(start))
				time.Sleep(10 * time.Millisecond)
			}
			if most := map[string]time.Duration{"other": slice, "greedy": longSlice}[client]; longest > 2*time.Millisecond+most {
				t.Errorf("a question of 2 ms took %s %v", client, longest)
			}
		}
		stop()
		time.Sleep(time.Second) // all have seen the end
	})
}

// TestLongOnesShare lets one client compute ten things for long and another one: both get half of the long place.
func TestLongOnesShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCores(2, 128)
		done := map[string]time.Duration{}
		results := make(chan string, 1000)
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
		defer stop()
		hog := func(client string) {
			c.run(withClient(ctx, client), func(ctx context.Context) error {
				for compute(ctx, longSlice) == nil {
					results <- client
				}
				return nil
			})
		}
		for range 10 {
			go hog("many")
		}
		go hog("one")
		for ctx.Err() == nil {
			select {
			case client := <-results:
				done[client] += longSlice
			case <-ctx.Done():
			}
		}
		time.Sleep(time.Second) // all have seen the end
		if one, many := done["one"].Seconds(), done["many"].Seconds(); one < 0.8*many || many < 0.8*one || one+many < 18 {
			t.Errorf("one computed for %.1f s, ten of another client for %.1f s, of 20 s together", one, many)
		}
	})
}

// TestSlowReadersComputeNothing lets more requests wait for their clients than there are places of any kind.
func TestSlowReadersComputeNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCores(2, 4)
		stop := make(chan struct{})
		for i := range 2 * mostBegun {
			shift, err := c.begin(as(t, fmt.Sprint("slow", i%3)), false)
			if err != nil {
				t.Fatal(err)
			}
			go func() { defer shift.end(); shift.aside(func() { <-stop }) }()
			synctest.Wait()
		}
		if err := c.run(as(t, "slow1"), func(context.Context) error { return nil }); err != nil {
			t.Error(err)
		}
		close(stop)
		synctest.Wait()
		if c.begun.free != mostBegun || c.quick.free != 3 || c.long.free != 1 || len(c.begun.inside)+len(c.quick.inside)+len(c.long.inside) > 0 {
			t.Errorf("places were lost: %d begun, %d quick, %d long are free", c.begun.free, c.quick.free, c.long.free)
		}
	})
}

// TestLaneServesOthersBeside fills a lane by one client: the question of another does not wait for its batch.
func TestLaneServesOthersBeside(t *testing.T) {
	s := newSlowLane(t, Limits{})
	free := s.occupy(t)
	own := s.put(t.Context(), s.asking(1))
	s.waits(t, 1)
	other := s.put(as(t, "other"), s.asking(2))
	if batch := <-s.began; len(batch) != 1 || batch[0].Asking.Limit != 2 {
		t.Errorf("%d questions began beside the batch, want the other client's", len(batch))
	}
	free() // either of the two
	free()
	<-s.began
	free()
	for _, done := range []<-chan error{own, other} {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestKnownForLongOnes begins request after request that takes long: the client gets no more quick places, until one is done quickly.
func TestKnownForLongOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCores(2, 128)
		begins := func(computing time.Duration) (long bool) {
			s, err := c.begin(as(t, "dear"), false)
			if err != nil {
				t.Fatal(err)
			}
			defer s.end()
			long = s.long
			if err := compute(pace.With(as(t, "dear"), s.rest), computing); err != nil {
				t.Fatal(err)
			}
			return long
		}
		for i := range longInARow + 3 {
			if got, want := begins(2*slice), i >= longInARow; got != want {
				t.Errorf("request %d begins in a long place: %v, want %v", i, got, want)
			}
		}
		if !begins(time.Millisecond) || begins(time.Millisecond) || begins(2*slice) {
			t.Error("a quick one changed nothing")
		}
		if s, err := c.begin(as(t, "other"), false); err != nil || s.long {
			t.Errorf("others pay for it: %v", err)
		} else {
			s.end()
		}
	})
}
