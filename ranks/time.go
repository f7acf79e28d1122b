package ranks

import (
	"context"
	"errors"
	"time"
)

// TakeTime does what only this rank does, such as measuring a model, or what takes ranks differently
// long, such as reading a graph: the others wait for it as long as the process lives. Where one of them ends
// early meanwhile, so does the context of the work, and the error is that rank's.
func (t *Team) TakeTime(ctx context.Context, work func(ctx context.Context) error) error {
	if t == nil {
		return work(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.do(func() { t.taking, t.taken = append(t.taking, cancel), true })
	defer t.do(func() { t.taking = t.taking[:len(t.taking)-1] })
	err := work(ctx)
	var peer *PeerError
	if err != nil && errors.As(context.Cause(ctx), &peer) {
		return peer
	}
	return err
}

// keepInTouch is for the time between jobs: it says that this rank lives, and hears who does not go on.
func (t *Team) keepInTouch() {
	if len(t.taking) == 0 {
		return
	}
	t.beat()
	for peer := range t.others {
		if err := t.listen(peer); err != nil {
			continue // whoever needs that rank meets the error
		}
		if word := t.left[peer]; word != nil && word.Verdict != Finished {
			for _, cancel := range t.taking {
				cancel(t.peerError(peer, *word, 0))
			}
		}
	}
}

// beatEvery is often enough that a rank which lives is not given up.
func (t *Team) beatEvery() time.Duration {
	if t.Stall == 0 {
		return time.Second
	}
	return max(10*time.Millisecond, min(time.Second, t.Stall/8))
}

// beat tells all ranks that this one lives; to one that has not taken the last beat there is none.
func (t *Team) beat() {
	for peer := range t.others {
		if t.left[peer] != nil {
			continue
		}
		if r := t.beats[peer]; r != nil {
			if done, err := r.Done(); err != nil || !done {
				continue
			}
			delete(t.beats, peer)
		}
		if r, err := t.link.Send(peer, beatTag, t.room("beat", 1)); err == nil { // whoever waits in vain says so
			t.beats[peer] = r
		}
	}
}
