package train

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/ranks"
)

// ended is how a rank ended.
type ended struct {
	Result
	err error
}

// runTeam trains on several ranks of this process. change, if given, makes the options or the context of a rank other than the rest.
func runTeam(t testing.TB, size int, o Options, change func(rank int, ctx context.Context, o *Options) context.Context) []ended {
	t.Helper()
	links, ends := ranks.Local(size), make([]ended, size)
	var all sync.WaitGroup
	for rank := range size {
		all.Go(func() {
			own, ctx := o, context.Background()
			own.Device = plain.New()
			if rank != 0 {
				own.Dir, own.Progress = filepath.Join(t.TempDir(), "unused"), nil
			}
			own.Team, ends[rank].err = ranks.Start(func() (ranks.Link, error) { return links[rank], nil }, ranks.Options{Stall: time.Minute})
			if ends[rank].err != nil {
				return
			}
			if change != nil {
				ctx = change(rank, ctx, &own)
			}
			ends[rank].Result, ends[rank].err = Run(ctx, own)
			own.Team.Leave(ranks.LastWord(ends[rank].err))
		})
	}
	all.Wait()
	return ends
}

func mustRunTeam(t testing.TB, size int, o Options) Result {
	t.Helper()
	ends := runTeam(t, size, o, nil)
	for rank, end := range ends {
		if end.err != nil {
			t.Fatalf("rank %d of %d: %v", rank, size, end.err)
		}
	}
	return ends[0].Result
}

func lastParameters(t testing.TB, dir string) []float32 {
	t.Helper()
	m, _ := loadModel(t, filepath.Join(dir, checkpoint.LastFile))
	values := make([]float32, m.Parameters.Len)
	m.Device().Download(values, m.Parameters.Values)
	return values
}

// settings are runs that differ in what a batch's queries have in common: weights, dropout, average, groups.
func settings(t testing.TB) map[string]func() Options {
	with := func(change func(c *Config)) func() Options {
		return func() Options {
			o := mixed(t)
			o.Config.Batch = 8
			change(&o.Config)
			return o
		}
	}
	return map[string]func() Options{
		"default": with(func(*Config) {}),
		"weights": with(func(c *Config) { c.SampleWeight, c.KnownWeight, c.Average = true, 0.25, 0.9 }),
		"groups":  with(func(c *Config) { c.SampleWeight, c.SampleWeightGroup, c.HideFacts, c.HideOne = true, 2, true, true }),
		"uneven":  with(func(c *Config) { c.Batch, c.KnownWeight = 7, 0 }),
		"cuts":    with(func(c *Config) { c.Cut, c.KnownWeight, c.HideFacts, c.HideOne = 12, 0, true, true }),
	}
}

// N ranks with a batch of B/N each learn what one learns with a batch of B, up to rounding; and the same bits each time.
func TestTeamEqualsOneRank(t *testing.T) {
	for name, options := range settings(t) {
		alone := options()
		want := mustRun(t, alone)
		parameters := lastParameters(t, alone.Dir)
		exact := make([]float64, len(parameters))
		for i, x := range parameters {
			exact[i] = float64(x)
		}
		for _, size := range []int{1, 2, 4} {
			o := options()
			got := mustRunTeam(t, size, o)
			if got.Reason != Finished || got.Step != want.Step || got.Stats.Queries != want.Stats.Queries {
				t.Errorf("%s, %d ranks: %+v, want %+v", name, size, got, want)
			}
			if math.Abs(got.Loss-want.Loss) > 1e-5*want.Loss {
				t.Errorf("%s, %d ranks: loss %v, of one rank %v", name, size, got.Loss, want.Loss)
			}
			if off := relative(lastParameters(t, o.Dir), exact); off > 2e-4 {
				t.Errorf("%s, %d ranks: parameters are off by %.1e", name, size, off)
			}
			again := options()
			mustRunTeam(t, size, again)
			compareOutcomes(t, name+" again", outcome(t, again.Dir), outcome(t, o.Dir))
			if size == 1 {
				compareOutcomes(t, name+" in a team of one", outcome(t, o.Dir), outcome(t, alone.Dir))
			}
		}
	}
}

// Ranks on different devices, which may round differently, keep the parameters of rank 0.
func TestTeamOfDifferentDevices(t *testing.T) {
	alone, o := mixed(t), mixed(t)
	mustRun(t, alone)
	var exact []float64
	for _, x := range lastParameters(t, alone.Dir) {
		exact = append(exact, float64(x))
	}
	ends := runTeam(t, 2, o, func(rank int, ctx context.Context, own *Options) context.Context {
		if rank == 1 {
			device, err := cpu.New(cpu.Options{Threads: 1})
			if err != nil {
				t.Error(err)
			}
			own.Device = device
		}
		return ctx
	})
	for rank, end := range ends {
		if end.err != nil {
			t.Fatalf("rank %d: %v", rank, end.err)
		}
	}
	if off := relative(lastParameters(t, o.Dir), exact); off > 2e-4 {
		t.Errorf("parameters are off by %.1e", off)
	}
}

// The gradient of a step is that of one rank: summed in float32, but nothing amplifies its rounding.
func TestTeamGradient(t *testing.T) {
	o := mixed(t)
	o.Config.Steps, o.Config.Batch, o.Config.Validations = 1, 8, 0
	first := func(o Options, size int) []float32 {
		mustRunTeam(t, size, o)
		s, err := checkpoint.LoadState(filepath.Join(o.Dir, checkpoint.StateFile), plain.New())
		if err != nil {
			t.Fatal(err)
		}
		values := make([]float32, s.First.Len)
		s.Model.Device().Download(values, s.First.Values) // after one step a multiple of the gradient
		return values
	}
	one := first(o, 1)
	want := make([]float64, len(one))
	for i, x := range one {
		want[i] = float64(x)
	}
	for _, size := range []int{2, 4} {
		o.Dir = filepath.Join(t.TempDir(), "run")
		if off := relative(first(o, size), want); off > 1e-6 {
			t.Errorf("%d ranks: the gradient is off by %.1e", size, off)
		}
	}
}

// A run is resumed by another number of ranks; by the same number it is as if there had been no stop.
func TestTeamResumes(t *testing.T) {
	whole := mixed(t)
	mustRunTeam(t, 2, whole)
	for _, who := range []int{0, 1} { // the rank that the signal reaches
		o := mixed(t)
		ends := runTeam(t, 2, o, func(rank int, ctx context.Context, own *Options) context.Context {
			if rank != who {
				return ctx
			}
			ctx, cancel := context.WithCancelCause(ctx)
			own.Progress = func(p Progress) {
				if p.Step == 5 {
					cancel(errors.New("interrupted"))
				}
			}
			return ctx
		})
		for rank, end := range ends {
			if kg.KindOf(end.err) != kg.Cancelled || end.Reason != Stopped || !strings.Contains(end.err.Error(), "interrupted") {
				t.Fatalf("rank %d, stopped by rank %d: %+v", rank, who, end)
			}
		}
		if step := ends[0].Step; step != 5 && step != 6 {
			t.Errorf("stopped at step %d, want 5 or, where rank 0 heard of it late, 6", step)
		}
		o.Resume = true
		if r := mustRunTeam(t, 2, o); r.Step != 12 {
			t.Errorf("resumed: %+v", r)
		}
		compareOutcomes(t, "resumed", outcome(t, o.Dir), outcome(t, whole.Dir))
		o.Config.Steps = 16
		if r := mustRunTeam(t, 3, o); r.Step != 16 {
			t.Errorf("resumed by three: %+v", r)
		}
		o.Config.Steps = 18
		if r := mustRun(t, o); r.Step != 18 {
			t.Errorf("resumed by one: %+v", r)
		}
	}
}

func TestTeamTimeUp(t *testing.T) {
	o := mixed(t)
	o.Config.Steps, o.MaxTime = 1_000_000, 300*time.Millisecond
	o.Config.Validations = 1000
	for rank, end := range runTeam(t, 3, o, nil) {
		if end.err != nil || end.Reason != TimeUp || end.Step == 0 {
			t.Errorf("rank %d: %+v", rank, end)
		}
	}
}

// A rank that cannot go on ends all others, who name it; rank 0 saves what there is.
func TestTeamFailure(t *testing.T) {
	o := mixed(t)
	ends := runTeam(t, 3, o, func(rank int, ctx context.Context, own *Options) context.Context {
		if rank == 2 {
			own.Graphs = []Graph{own.Graphs[0]}
			own.Graphs[0].Queries = failing{own.Graphs[0].Queries, 40}
		}
		return ctx
	})
	for rank, end := range ends {
		if end.err == nil || !strings.Contains(end.err.Error(), "no more queries") {
			t.Errorf("rank %d: %v", rank, end.err)
		}
		if rank != 2 && !strings.Contains(end.err.Error(), "rank 2") {
			t.Errorf("rank %d does not name rank 2: %v", rank, end.err)
		}
	}
	if r, err := savedRecord(o.Dir); err != nil || r.Step != ends[0].Step || r.Step == 0 {
		t.Errorf("saved at step %d, %v; it ended after %d", r.Step, err, ends[0].Step)
	}
}

// failing is a source that ends.
type failing struct {
	Source
	last uint64
}

func (f failing) Draw(i uint64) (string, dataset.Query, error) {
	if i >= f.last {
		return "", dataset.Query{}, errors.New("no more queries")
	}
	return f.Source.Draw(i)
}

func TestTeamRefusals(t *testing.T) {
	expect := func(what, want string, ends []ended) {
		t.Helper()
		for rank, end := range ends {
			if end.err == nil || !strings.Contains(end.err.Error(), want) {
				t.Errorf("%s: rank %d ends by %v, want %q", what, rank, end.err, want)
			}
		}
	}
	o := mixed(t)
	expect("another seed", "rank 1", runTeam(t, 2, o, func(rank int, ctx context.Context, own *Options) context.Context {
		own.Config.Seed += uint64(rank)
		return ctx
	}))
	o = mixed(t)
	o.Config.Batch = 1
	expect("too many ranks", "1 query for 2 ranks", runTeam(t, 2, o, nil))
	o = mixed(t)
	mustRun(t, o)
	expect("a folder that holds a run", "holds a run already", runTeam(t, 2, o, nil))
}
