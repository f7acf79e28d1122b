package ranks

import (
	"context"
	"slices"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
)

// LastWord is what a rank has to say that ends with an error, or in order.
func LastWord(err error) Word {
	switch {
	case err == nil:
		return Word{Verdict: Finished}
	case kg.KindOf(err) == kg.Cancelled:
		return Word{Verdict: Stopped, Text: err.Error()}
	}
	return Word{Verdict: Failed, Text: err.Error()}
}

// closing is how long the end of a link may take: after a failure messages may be left that nobody takes.
const closing = 5 * time.Second

// heardOut is the time that a launcher has to pass on what a rank wrote before it kills all.
const heardOut = 200 * time.Millisecond

// stopping is how long a rank that was stopped waits for ranks that say nothing: whoever stopped it stopped all, or stopped it because
// one had died. Slurm gives a job half a minute from there (KillWait), less than a rank may be silent otherwise. Rank 0 has longer: it saves.
const stopping = 3 * time.Second

// Leave ends the work of this rank with its last word, which ends that of the others too unless they
// have finished as well. Where all have left the job ends in order; where one is missing it is
// aborted. It gives the last words of the others as far as they came, by rank.
func (t *Team) Leave(last Word) (words []*Word) {
	if t == nil {
		return []*Word{nil}
	}
	complete := false
	t.do(func() { complete, words = t.sayGoodbye(last), t.left })
	done := make(chan struct{})
	t.jobs <- func() {
		defer close(done)
		switch {
		case complete:
			t.link.Close()
		case t.Rank() == 0 || t.lost[0]: // one is enough
			time.Sleep(heardOut)
			t.link.Abort()
		}
	}
	close(t.jobs)
	select {
	case <-done:
	case <-time.After(closing):
	}
	return words
}

// sayGoodbye tells whether all ranks have left. It waits for those that have not, as rank 0 may still
// measure and write, but not for one that is lost.
func (t *Team) sayGoodbye(last Word) bool {
	t.parting = true
	t.stopped = last.Verdict == Stopped
	message := t.room("last word", wordBytes)
	last.encode(message)
	var flights flightPlan
	for peer := range t.others {
		if t.lost[peer] {
			continue
		}
		flights.add(t.send(peer, leaveTag, message))
	}
	for peer := range t.others {
		if t.left[peer] == nil && !t.lost[peer] {
			flights.add(flight{peer, leaving{t, peer}}, nil)
		}
	}
	err := t.fly(context.Background(), arrivalSpin, flights)
	return err == nil && !slices.Contains(t.lost, true)
}

// leaving is done when a rank has left.
type leaving struct {
	*Team
	peer int
}

func (l leaving) Done() (bool, error) {
	if l.left[l.peer] == nil {
		if err := l.listen(l.peer); err != nil {
			return false, err
		}
	}
	return l.left[l.peer] != nil, nil
}
