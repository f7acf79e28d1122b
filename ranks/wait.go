package ranks

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// PeerError says that another rank ended the work.
type PeerError struct {
	Rank   int
	Member Member
	Word   Word          // its last, if it had any
	Silent time.Duration // if it had none: how long it was not heard of
}

func (e *PeerError) Error() string {
	name := fmt.Sprintf("rank %d (%s, process %d)", e.Rank, e.Member.Host, e.Member.Process)
	switch {
	case e.Silent > 0:
		return fmt.Sprintf("%s was not heard of for %v: it hangs, or its machine is gone", name, e.Silent.Round(time.Second/10))
	case e.Word.Text != "":
		return name + ": " + e.Word.Text
	default:
		return name + " has ended"
	}
}

// flight is a message on its way from or to a rank.
type flight struct {
	peer int
	Request
}

// Waits are of two kinds: for a rank to come, which may take long, so that polling must leave the
// core to others; and for data of ranks that are there, which only come while they are polled for.
const (
	arrivalSpin = 50 * time.Microsecond
	dataSpin    = 20 * time.Millisecond
	shortestNap = 50 * time.Microsecond
	longestNap  = time.Millisecond
	lookEvery   = time.Millisecond       // for last words and beats, which cost a call a rank
	lastWords   = 300 * time.Millisecond // how long what a rank sent before it left may still take
)

// await waits until all messages have arrived, a rank is missing or the context ends.
func (t *Team) await(ctx context.Context, spin time.Duration, flights []flight) error {
	began := time.Now()
	looked := began
	for {
		var err error
		if flights, err = pending(flights); err != nil || len(flights) == 0 {
			return err
		}
		now := time.Now()
		if now.Sub(looked) >= lookEvery {
			looked = now
			if err := t.look(ctx, began, flights); err != nil {
				return err
			}
		}
		if waited := now.Sub(began); waited > spin {
			time.Sleep(min(max(waited/64, shortestNap), longestNap)) // a wait is longer by a hundredth or two
		} else {
			runtime.Gosched()
		}
	}
}

// pending are the messages that are still on their way.
func pending(flights []flight) (still []flight, err error) {
	still = flights[:0]
	for _, f := range flights {
		done, err := f.Done()
		if err != nil {
			return nil, err
		}
		if !done {
			still = append(still, f)
		}
	}
	return still, nil
}

// look sees to what else happens while this rank waits.
func (t *Team) look(ctx context.Context, began time.Time, flights []flight) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, f := range flights {
		if err := t.listen(f.peer); err != nil {
			return err
		}
		if word := t.left[f.peer]; word != nil && !t.parting && time.Since(t.heard[f.peer]) > lastWords {
			return t.peerError(f.peer, *word, 0)
		}
		heard := began
		if t.heard[f.peer].After(heard) {
			heard = t.heard[f.peer]
		}
		if silent := time.Since(heard); t.Stall > 0 && silent > t.patience(f.peer) {
			t.lost[f.peer] = true
			return t.peerError(f.peer, Word{}, silent)
		}
	}
	return nil
}

// patience is how long a rank may be silent. Rank 0 speaks first, so that one line says what happened.
func (t *Team) patience(peer int) time.Duration {
	limit := t.Stall
	if t.stopped && peer != 0 {
		limit = min(limit, stopping)
	}
	limit = max(limit, 4*t.slowest)
	if t.Rank() != 0 {
		limit += min(limit, 2*time.Second)
	}
	return limit
}

func (t *Team) peerError(rank int, word Word, silent time.Duration) *PeerError {
	e := &PeerError{Rank: rank, Word: word, Silent: silent}
	if rank < len(t.Members) {
		e.Member = t.Members[rank]
	}
	return e
}

// listen takes the beats of a rank and its last word.
func (t *Team) listen(peer int) error {
	for {
		waits, err := t.link.Waits(peer, beatTag)
		if err != nil {
			return err
		}
		if !waits {
			break
		}
		if err := t.take(peer, beatTag, t.room("beat heard", 1)); err != nil {
			return err
		}
		t.heard[peer] = time.Now()
	}
	waits, err := t.link.Waits(peer, leaveTag)
	if err != nil || !waits || t.left[peer] != nil {
		return err
	}
	message := t.room("word heard", wordBytes)
	if err := t.take(peer, leaveTag, message); err != nil {
		return err
	}
	word := decodeWord(message)
	t.left[peer], t.heard[peer] = &word, time.Now()
	return nil
}

// take receives a message that is there.
func (t *Team) take(peer, tag int, into []byte) error {
	r, err := t.link.Receive(peer, tag, into)
	for done := false; err == nil && !done; {
		done, err = r.Done()
	}
	return err
}
