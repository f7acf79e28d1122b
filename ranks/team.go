// Package ranks lets several processes work on one thing: a team of ranks, numbered from 0, each of
// which computes its share. They exchange words (where each stands, whether it goes on), sum
// vectors, broadcast and gather bytes; what carries the messages is a Link, MPI's (ranks/mpi) or memory.
//
// Sums are taken in the order of the ranks, so that a number of ranks gives the same bits in every
// run, and the same on every rank. A rank that ends tells the others why; one that does not answer
// is named and ends the job.
//
// In the flow: package train sums gradients by it, the command opens it where mpirun or srun started
// the program. A nil team is one rank alone, for which everything here is a no-op.
package ranks

import (
	"context"
	"encoding/json"
	"os"
	"runtime"
	"time"
)

// Team is this rank among the others. One goroutine uses it at a time.
type Team struct {
	Options
	Members []Member // by rank

	link Link
	jobs chan func()

	// What follows belongs to the goroutine of the link.
	rooms   map[string][]byte
	heard   []time.Time               // the last beat of each rank
	left    []*Word                   // the last word of each rank; nil while it is there
	parting bool                      // this rank leaves itself
	stopped bool                      // because somebody stopped it
	lost    []bool                    // ranks that did not answer
	taking  []context.CancelCauseFunc // of the calls of TakeTime that run
	beats   map[int]Request           // on their way
	since   time.Time                 // the end of the last exchange
	slowest time.Duration             // the longest time that this rank took between two
	taken   bool                      // some of that time was one that it may take
}

// Options of a team.
type Options struct {
	// Stall is how long the others wait for a rank before they give it up; 0 means forever. They
	// wait longer where their own work took longer.
	Stall time.Duration
}

// Member is a rank as the others know it.
type Member struct {
	Host    string `json:"host"`
	Process int    `json:"process"`
	Cores   string `json:"cores"` // those that it may use
}

// Start opens a link in a thread of its own and makes the ranks known to each other.
func Start(open func() (Link, error), o Options) (*Team, error) {
	t := &Team{Options: o, jobs: make(chan func()), rooms: map[string][]byte{}, beats: map[int]Request{}}
	opened := make(chan error)
	go t.serve(open, opened)
	if err := <-opened; err != nil {
		return nil, err
	}
	if err := t.introduce(); err != nil {
		t.do(t.link.Abort)
		return nil, err
	}
	return t, nil
}

// serve owns the link: MPI wants one thread. Between jobs it says that this rank lives, while that takes its time.
func (t *Team) serve(open func() (Link, error), opened chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	link, err := open()
	if err == nil {
		t.link, t.heard, t.left = link, make([]time.Time, link.Size()), make([]*Word, link.Size())
		t.lost = make([]bool, link.Size())
	}
	opened <- err
	if err != nil {
		return
	}
	beat := time.NewTicker(t.beatEvery())
	defer beat.Stop()
	for {
		select {
		case job, open := <-t.jobs:
			if !open {
				return
			}
			job()
		case <-beat.C:
			t.keepInTouch()
		}
	}
}

// do runs a job in the link's thread.
func (t *Team) do(job func()) {
	done := make(chan struct{})
	t.jobs <- func() {
		defer close(done)
		job()
	}
	<-done
}

func (t *Team) introduce() error {
	host, _ := os.Hostname() // a rank without a name is still a rank
	mine, err := json.Marshal(Member{host, os.Getpid(), cores()})
	if err != nil {
		return err
	}
	all, err := t.gatherAll(context.Background(), mine)
	if err != nil {
		return err
	}
	t.Members = make([]Member, len(all))
	for rank, text := range all {
		if err := json.Unmarshal(text, &t.Members[rank]); err != nil {
			return err
		}
	}
	return nil
}

// Rank is the number of this rank.
func (t *Team) Rank() int {
	if t == nil {
		return 0
	}
	return t.link.Rank()
}

// Size is the number of ranks.
func (t *Team) Size() int {
	if t == nil {
		return 1
	}
	return t.link.Size()
}

// Leads tells whether this is rank 0, which writes files and speaks with the user.
func (t *Team) Leads() bool { return t.Rank() == 0 }

// Share is the part of n things in a row that a rank has: from is its first, to the first of the next.
func Share(n, rank, size int) (from, to int) { return n * rank / size, n * (rank + 1) / size }

// Local is which of the ranks on its host this one is, and how many there are.
func (t *Team) Local() (rank, size int) {
	if t == nil {
		return 0, 1
	}
	for r, m := range t.Members {
		if m.Host == t.Members[t.Rank()].Host {
			size++
			if r < t.Rank() {
				rank++
			}
		}
	}
	return rank, size
}

// Threads is how many of n threads are this rank's where others on its host may use the same cores.
func (t *Team) Threads(n int) int {
	if t == nil {
		return n
	}
	sharing, me := 0, t.Members[t.Rank()]
	for _, m := range t.Members {
		if m.Host == me.Host && m.Cores == me.Cores {
			sharing++
		}
	}
	return max(1, n/sharing)
}
