package ranks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

// together runs work on n ranks of this process and gives what each returned.
func together(t testing.TB, n int, o Options, work func(team *Team) error) []error {
	t.Helper()
	links, errs := Local(n), make([]error, n)
	var ranks sync.WaitGroup
	for rank := range n {
		ranks.Go(func() {
			team, err := Start(func() (Link, error) { return links[rank], nil }, o)
			if err == nil {
				err = work(team)
			}
			errs[rank] = err
		})
	}
	ranks.Wait()
	return errs
}

func noErrors(t testing.TB, errs []error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestSumInRankOrder(t *testing.T) {
	for _, size := range []int{1, 2, 3, 4, 7} {
		for _, n := range []int{0, 1, 5, 1000} {
			parts, want := make([][]float32, size), make([]float32, n)
			random := rand.New(rand.NewPCG(uint64(size), uint64(n)))
			for rank := range parts {
				parts[rank] = make([]float32, n)
				for i := range parts[rank] {
					parts[rank][i] = float32(random.NormFloat64() * math.Pow(10, float64(random.IntN(8))))
					if rank == 0 {
						want[i] = parts[rank][i]
					} else {
						want[i] += parts[rank][i]
					}
				}
			}
			noErrors(t, together(t, size, Options{}, func(team *Team) error {
				values := parts[team.Rank()]
				for range 2 { // the second time memory is used again
					values = append([]float32(nil), parts[team.Rank()]...)
					if err := team.Sum(t.Context(), values); err != nil {
						return err
					}
				}
				for i, x := range values {
					if x != want[i] {
						return fmt.Errorf("%d ranks, %d values: rank %d has %v at %d, want %v", size, n, team.Rank(), x, i, want[i])
					}
				}
				return nil
			}))
		}
	}
}

func TestBroadcastAndGather(t *testing.T) {
	noErrors(t, together(t, 3, Options{}, func(team *Team) error {
		got, err := team.Broadcast(t.Context(), []byte(strings.Repeat("x", 1000*(1-team.Rank()/2))))
		if err != nil || len(got) != 1000 {
			return fmt.Errorf("a broadcast of %d bytes, want 1000: %v", len(got), err)
		}
		all, err := team.Gather(t.Context(), []byte(strings.Repeat("y", team.Rank())))
		if err != nil {
			return err
		}
		if want := 3 * (1 - min(1, team.Rank())); len(all) != want {
			return fmt.Errorf("rank %d gathers of %d ranks, want %d", team.Rank(), len(all), want)
		}
		for rank, data := range all {
			if len(data) != rank {
				return fmt.Errorf("rank %d brought %d bytes", rank, len(data))
			}
		}
		return nil
	}))
}

// A rank that fails ends the others, who name it.
func TestFailureIsTold(t *testing.T) {
	errs := together(t, 3, Options{Stall: time.Minute}, func(team *Team) error {
		mine := Word{Number: 7}
		if team.Rank() == 1 {
			mine = Word{Verdict: Failed, Text: "out of memory"}
		}
		_, err := team.Exchange(t.Context(), mine)
		team.Leave(Word{Verdict: Failed})
		return err
	})
	for _, rank := range []int{0, 2} {
		var peer *PeerError
		if !errors.As(errs[rank], &peer) || peer.Rank != 1 || !strings.Contains(errs[rank].Error(), "out of memory") {
			t.Errorf("rank %d ends by %v, want it to name rank 1", rank, errs[rank])
		}
	}
}

// A rank that leaves in the middle of a sum is not waited for.
func TestLeavingInTheMiddle(t *testing.T) {
	began := time.Now()
	errs := together(t, 3, Options{}, func(team *Team) error {
		if team.Rank() == 2 {
			team.Leave(Word{Verdict: Stopped, Text: "interrupted"})
			return nil
		}
		err := team.Sum(t.Context(), make([]float32, 10))
		team.Leave(Word{Verdict: Failed})
		return err
	})
	for _, err := range errs[:2] {
		if err == nil || !strings.Contains(err.Error(), "rank 2") || !strings.Contains(err.Error(), "interrupted") {
			t.Errorf("the sum ends by %v, want rank 2's last word", err)
		}
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("the others ended after %v", took)
	}
}

// A rank that does not come is named; one that takes its time is waited for.
func TestStall(t *testing.T) {
	const stall = 80 * time.Millisecond
	errs := together(t, 3, Options{Stall: stall}, func(team *Team) error {
		if team.Rank() == 1 {
			if err := team.TakeTime(t.Context(), func(context.Context) error { time.Sleep(6 * stall); return nil }); err != nil {
				return err
			}
		}
		if _, err := team.Exchange(t.Context(), Word{Number: 1}); err != nil {
			return fmt.Errorf("the first exchange: %w", err)
		}
		if team.Rank() == 2 {
			return nil // hangs
		}
		_, err := team.Exchange(t.Context(), Word{Number: 2})
		return err
	})
	for _, err := range errs[:2] {
		var peer *PeerError
		if !errors.As(err, &peer) || peer.Rank != 2 || peer.Silent == 0 {
			t.Errorf("the others end by %v, want silence of rank 2", err)
		}
	}
}

// An exchange ends with its context, and what differs between ranks is noticed.
// A rank that was killed does not keep rank 0 from ending after it was stopped, however long ranks may be silent while they work.
func TestStoppedWithOneDead(t *testing.T) {
	errs := together(t, 3, Options{Stall: time.Hour}, func(team *Team) error {
		if team.Rank() == 1 {
			return nil // it is dead: no last word
		}
		if team.Rank() == 2 {
			go team.Leave(Word{Verdict: Stopped})
			return nil
		}
		began := time.Now()
		words := team.Leave(Word{Verdict: Stopped})
		if took := time.Since(began); took > stopping+4*time.Second || words[1] != nil || words[2] == nil {
			return fmt.Errorf("left after %v with %v", took, words)
		}
		return nil
	})
	noErrors(t, errs)
}

func TestExchangeEnds(t *testing.T) {
	errs := together(t, 2, Options{}, func(team *Team) error {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if team.Rank() == 0 {
			_, err := team.Exchange(ctx, Word{})
			return err
		}
		return nil
	})
	if !errors.Is(errs[0], context.DeadlineExceeded) {
		t.Errorf("the exchange ended by %v", errs[0])
	}
	errs = together(t, 2, Options{}, func(team *Team) error {
		_, err := team.Exchange(t.Context(), Word{Number: uint64(team.Rank())})
		return err
	})
	if errs[0] == nil || errs[1] == nil {
		t.Errorf("ranks at different steps went on: %v", errs)
	}
}

// Who takes its time hears of a rank that fails meanwhile.
func TestTakenTimeEnds(t *testing.T) {
	errs := together(t, 2, Options{Stall: 80 * time.Millisecond}, func(team *Team) error {
		if team.Rank() == 1 {
			team.Leave(Word{Verdict: Failed, Text: "no memory"})
			return nil
		}
		err := team.TakeTime(t.Context(), func(ctx context.Context) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(10 * time.Second):
				return errors.New("the work went on")
			}
		})
		team.Leave(LastWord(err))
		return err
	})
	if errs[0] == nil || !strings.Contains(errs[0].Error(), "no memory") {
		t.Errorf("rank 0 ends by %v, want rank 1's last word", errs[0])
	}
}

func TestWords(t *testing.T) {
	for _, w := range []Word{{}, {Failed, 1 << 40, -2.5, "zu groß"}, {Verdict: Stopped, Text: strings.Repeat("ß", 400)}} {
		message := make([]byte, wordBytes)
		w.encode(message)
		got := decodeWord(message)
		w.Text = strings.ToValidUTF8(w.Text[:min(len(w.Text), maxText)], "")
		if got != w {
			t.Errorf("%+v came as %+v", w, got)
		}
	}
}

// Ranks that may use the same cores share them.
func TestThreads(t *testing.T) {
	noErrors(t, together(t, 2, Options{}, func(team *Team) error {
		if rank, size := team.Local(); rank != team.Rank() || size != 2 {
			return fmt.Errorf("rank %d is %d of %d on its host", team.Rank(), rank, size)
		}
		if n := team.Threads(8); n != 4 {
			return fmt.Errorf("%d of 8 threads for each of two ranks", n)
		}
		team.Members[1].Cores = "other"
		if n := team.Threads(8); n != 8 {
			return fmt.Errorf("%d of 8 threads on cores of its own", n)
		}
		return nil
	}))
}
