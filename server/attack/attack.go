// Package attack holds the server to what docs/operations.md promises: it plays hostile and greedy clients on a server
// of its own machine, each case for a while, and measures what another client meets meanwhile.
//
// The cases (cases.go) know nothing of the graph but what the server tells. Tests run them in a small form; the command in
// server/attack/run does for as long as one likes, against a server whose memory is capped.
package attack

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Case is an attack.
type Case struct {
	Name    string
	About   string // what the clients do
	Clients int    // at a time, in the large form
	// Act is what each of them does over and over, until the context ends.
	Act func(ctx context.Context, a *Attacker)
	// Asks is what the bystander asks; nil: the cheap questions of every kind.
	Asks []Ask
}

// Form is how large a case is run.
type Form struct {
	Idle, During time.Duration
	Share        int           // of the clients of a case: one in so many, at least one
	Between      time.Duration // two questions of the bystander
	// Attack plays the attackers until the context ends; nil: as Attack does, in this process.
	Attack func(ctx context.Context, target Target, c Case) (answered map[int]int, err error)
}

// Small is for tests, Large for the command.
var (
	Small = Form{Idle: 200 * time.Millisecond, During: 600 * time.Millisecond, Share: 8, Between: 5 * time.Millisecond}
	Large = Form{Idle: 10 * time.Second, During: 40 * time.Second, Share: 1, Between: 20 * time.Millisecond}
)

// Outcome is what the bystander met.
type Outcome struct {
	Case         string
	Idle, During Times
	Attackers    map[int]int // answers to the attackers, by status; 0: none
}

// Run plays a case against a server.
func Run(ctx context.Context, target Target, c Case, form Form) (Outcome, error) {
	graph, err := target.look(ctx)
	if err != nil {
		return Outcome{}, err
	}
	asks := c.Asks
	if asks == nil {
		asks = Cheap
	}
	bystander := newBystander(target, graph, asks, form.Between)
	out := Outcome{Case: c.Name}
	out.Idle = bystander.ask(ctx, form.Idle)
	out.During, out.Attackers, err = bystander.askDuring(ctx, form, c)
	return out, cmp.Or(err, ctx.Err())
}

// askDuring asks while attackers are at work.
func (b *bystander) askDuring(ctx context.Context, form Form, c Case) (times Times, answered map[int]int, err error) {
	attack := form.Attack
	if attack == nil {
		attack = func(ctx context.Context, target Target, c Case) (map[int]int, error) {
			return Attack(ctx, target, c, form.Share)
		}
	}
	attacking, stop := context.WithCancel(ctx)
	defer stop()
	var clients sync.WaitGroup
	clients.Go(func() { answered, err = attack(attacking, b.target, c) })
	times = b.ask(ctx, form.During)
	stop()
	clients.Wait()
	return times, answered, err
}

// Attack plays the clients of a case, one in share of them, until the context ends, and says how often they were answered with which status.
func Attack(ctx context.Context, target Target, c Case, share int) (map[int]int, error) {
	graph, err := target.look(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	attacker := newAttacker(target, graph)
	var clients sync.WaitGroup
	for range max(1, c.Clients/share) {
		clients.Go(func() {
			for ctx.Err() == nil {
				c.Act(ctx, attacker)
			}
		})
	}
	clients.Wait()
	return attacker.statuses(), nil
}

// Failed are what the bystander was told beside answers.
func (o Outcome) Failed() (list []string) {
	for _, t := range []Times{o.Idle, o.During} {
		for status, n := range t.Failed {
			list = append(list, fmt.Sprintf("%d times %s", n, status))
		}
	}
	slices.Sort(list)
	return list
}

// Slower is how many times its idle p99 a question took at the 99th percentile while the attack went on.
func (o Outcome) Slower() float64 { return o.During.P99.Seconds() / o.Idle.P99.Seconds() }

func (o Outcome) String() string {
	var answers []string
	for _, status := range slices.Sorted(maps.Keys(o.Attackers)) {
		answers = append(answers, fmt.Sprintf("%d×%d", o.Attackers[status], status))
	}
	line := fmt.Sprintf("%-16s p99 %7.1f ms idle, %7.1f ms during (%4.1f times; median %.1f, %.1f; %d, %d questions, the slowest %s); attackers got %s",
		o.Case, milliseconds(o.Idle.P99), milliseconds(o.During.P99), o.Slower(), milliseconds(o.Idle.Median), milliseconds(o.During.Median), o.Idle.Asked, o.During.Asked, o.During.Slowest, strings.Join(answers, " "))
	if failed := o.Failed(); len(failed) > 0 {
		line += "; the bystander got " + strings.Join(failed, ", ")
	}
	return line
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }
