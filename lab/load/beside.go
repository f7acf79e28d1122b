package load

import (
	"context"
	"sync"
	"time"
)

// beside is what goes on beside the questions: changes of facts, and looks at the server's memory.
type beside struct {
	start   time.Time
	stop    context.CancelFunc
	wait    sync.WaitGroup
	changes []sample
	memory  []footprint
	err     error // of the changes' bodies
}

// footprint is the server's memory at a time.
type footprint struct {
	at       time.Time
	resident int64
}

// beside begins both; end ends them.
func (r *runner) beside(ctx context.Context) *beside {
	ctx, stop := context.WithCancel(ctx)
	b := &beside{start: time.Now(), stop: stop}
	if r.Change != nil {
		b.wait.Go(func() { b.err = b.change(ctx, r) })
	}
	if r.Parts > 0 {
		b.wait.Go(func() { b.look(ctx, r) })
	}
	return b
}

// end gives what was seen.
func (b *beside) end() ([]sample, []footprint, error) {
	b.stop()
	b.wait.Wait()
	return b.changes, b.memory, b.err
}

// change makes changes of facts. One that is under way at the end is finished, as the server would make it anyway.
func (b *beside) change(ctx context.Context, r *runner) error {
	for i := uint64(0); pause(ctx, r.Every); i++ {
		body, err := r.Change(i)
		if err != nil {
			return err
		}
		b.changes = append(b.changes, r.send(context.WithoutCancel(ctx), "/api/facts", body))
	}
	return nil
}

// looks are how often a part of the time is looked at: memory rises and falls between collections of garbage.
const looks = 20

func (b *beside) look(ctx context.Context, r *runner) {
	for pause(ctx, r.Time/time.Duration(r.Parts*looks)) {
		if values, err := r.scrape(ctx); err == nil {
			b.memory = append(b.memory, footprint{time.Now(), int64(values["process_resident_memory_bytes"])})
		}
	}
}

// pause tells whether there is time left after a while.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// Changes are what became of the changes of facts.
type Changes struct {
	Made   int            `json:"made"`
	Errors map[string]int `json:"errors"`
	Times
}

func changed(samples []sample) *Changes {
	if samples == nil {
		return nil
	}
	times, errors := outcomes(samples)
	return &Changes{Made: len(times), Errors: errors, Times: timesOf(times)}
}

// Part is a stretch of the time that counts, by when requests were sent.
type Part struct {
	From     float64 `json:"from_seconds"`
	Requests int     `json:"requests"`
	Errors   int     `json:"errors"`
	Times
	Memory int64 `json:"memory_most_bytes"` // resident, the most that was seen
}

func parts(o Options, start time.Time, samples []sample, memory []footprint) []Part {
	if o.Parts == 0 {
		return nil
	}
	list := make([]Part, o.Parts)
	inPart := make([][]sample, o.Parts)
	part := func(at time.Time) int {
		return min(o.Parts-1, int(at.Sub(start)*time.Duration(o.Parts)/o.Time))
	}
	for _, s := range samples {
		p := part(s.sent)
		inPart[p] = append(inPart[p], s)
	}
	for p := range list {
		times, errors := outcomes(inPart[p])
		list[p] = Part{From: o.Time.Seconds() * float64(p) / float64(o.Parts), Requests: len(inPart[p]), Times: timesOf(times)}
		for _, n := range errors {
			list[p].Errors += n
		}
	}
	for _, m := range memory {
		p := part(m.at)
		list[p].Memory = max(list[p].Memory, m.resident)
	}
	return list
}

// growth compares the most memory of the later half of the parts with that of the earlier half; 0 where there are no two halves.
func growth(parts []Part) float64 {
	most := [2]int64{}
	for p := range parts {
		half := min(1, 2*p/len(parts))
		most[half] = max(most[half], parts[p].Memory)
	}
	if most[0] == 0 {
		return 0
	}
	return float64(most[1]) / float64(most[0])
}
