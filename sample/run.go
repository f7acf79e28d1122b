package sample

import (
	"context"
	"sync"
	"time"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// Sink takes the queries drawn, one at a time: by split, then by shape in the
// order asked, then in the order of attempts.
type Sink func(split dataset.Split, shape string, q dataset.Query) error

// Run draws the queries that the options ask for and gives them to the sink. A
// shape of which there are fewer than asked is reported by its Outcome; one that
// the graph does not yield at all is an error, and so is a context that ends.
func Run(ctx context.Context, s *kg.Splits, o Options, sink Sink) ([]Outcome, error) {
	tasks, err := o.tasks(s)
	if err == nil {
		err = o.compare(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	var outcomes []Outcome
	var pool *pool
	for i, t := range tasks {
		if i == 0 || tasks[i-1].split != t.split {
			err := o.Team.TakeTime(ctx, func(ctx context.Context) error {
				world, err := newSplitWorld(ctx, t.split, s, o)
				if err == nil {
					pool = newPool(world, o.threads())
				}
				return err
			})
			if err != nil {
				return outcomes, err
			}
		}
		r := &run{task: t, options: o, sink: sink, seen: map[string]bool{}}
		if err := r.draw(ctx, pool); err != nil {
			return outcomes, err
		}
		outcomes = append(outcomes, r.outcome)
	}
	return outcomes, nil
}

// newSplitWorld builds the graphs that queries of a split are answered on.
func newSplitWorld(ctx context.Context, split dataset.Split, s *kg.Splits, o Options) (*world, error) {
	if split == dataset.Train {
		return newWorld(s.Train, nil, o.maxAnswers()), nil
	}
	upToValid, err := s.UpToValid(ctx)
	if err != nil {
		return nil, err
	}
	if split == dataset.Valid {
		return newWorld(upToValid, s.Train, o.maxAnswers()).lacking(s.Train, o.Missing), nil
	}
	upToTest, err := s.UpToTest(ctx)
	if err != nil {
		return nil, err
	}
	return newWorld(upToTest, upToValid, o.maxAnswers()).lacking(s.Train, o.Missing), nil
}

// run draws one shape of one split. Attempts are examined by a pool, in any order
// and in parallel, and taken in the order of their numbers.
type run struct {
	task
	options   Options
	sink      Sink
	seen      map[string]bool
	outcome   Outcome
	fruitless int // attempts since the last new query
	reported  time.Time
}

func (r *run) draw(ctx context.Context, p *pool) error {
	r.outcome = Outcome{Split: r.split, Shape: r.shape, Wanted: r.wanted}
	every := 0
	if isLink(r.template) {
		every = p.world.countAsked()
	}
	var err error
	team := r.options.Team
	switch {
	case r.wanted == All || every > 0 && r.wanted >= every:
		err = team.TakeTime(ctx, func(ctx context.Context) error { return r.list(ctx, p.world) })
	case team.Size() > 1:
		err = p.attemptsTogether(ctx, team, r.template, r.stream, r.takeBlock)
	default:
		err = p.attempts(ctx, r.template, r.stream, r.takeBlock)
	}
	if err != nil || !team.Leads() {
		return err
	}
	r.report()
	if r.options.SkipEmpty {
		return nil
	}
	return r.outcome.check()
}

// takeBlock adds the attempts of a block; more tells whether to go on.
func (r *run) takeBlock(b *block) (more bool, err error) {
	for _, a := range b.attempts {
		r.outcome.Attempts++
		if a.verdict == accepted && r.seen[a.key] {
			a.verdict = repeated
		}
		r.outcome.verdicts[a.verdict]++
		if a.verdict != accepted {
			r.fruitless++
		} else if err := r.take(a.key, a.query); err != nil {
			return false, err
		}
		if r.outcome.Found == r.wanted || r.fruitless >= r.options.patience() {
			return false, nil
		}
	}
	if time.Since(r.reported) > time.Second/10 {
		r.report()
	}
	return true, nil
}

func (r *run) take(key string, q dataset.Query) error {
	r.seen[key] = true
	r.fruitless = 0
	r.outcome.Found++
	return r.sink(r.split, r.shape, q)
}

func (r *run) report() {
	r.reported = time.Now()
	if r.options.Progress != nil {
		r.options.Progress(Progress{r.split, r.shape, r.outcome.Found, r.wanted, r.outcome.Attempts})
	}
}

// blockSize is the number of attempts that a goroutine takes on at a time: enough
// to make handing them over cheap, few enough to waste little at the end of a shape.
const blockSize = 256

// block is a stretch of consecutive attempts.
type block struct{ attempts []attempt }

type attempt struct {
	verdict verdict
	query   dataset.Query // of an accepted attempt
	key     string
}

// pool makes attempts in one world with an examiner a goroutine.
type pool struct {
	world     *world
	examiners []*examiner
}

func newPool(w *world, threads int) *pool {
	p := &pool{world: w}
	for range threads {
		p.examiners = append(p.examiners, newExaminer(w))
	}
	return p
}

// attempts examines attempts 0, 1, 2 … and gives them to take in that order until it has had enough.
func (p *pool) attempts(ctx context.Context, t *query.Template, stream uint64, take func(*block) (bool, error)) error {
	unused := sync.Pool{New: func() any { return new(block) }}
	work := func(examiner int) func(context.Context, uint64) *block {
		return func(ctx context.Context, number uint64) *block {
			b := unused.Get().(*block)
			p.examiners[examiner].fill(ctx, b, t, stream, number*blockSize)
			return b
		}
	}
	blocks := parallel.Start(ctx, len(p.examiners), 4*len(p.examiners), numbers, work)
	defer blocks.Close()
	for {
		b, ok := blocks.Next()
		if !ok {
			return kg.Stopped(ctx)
		}
		if more, err := take(b); !more || err != nil {
			return err
		}
		unused.Put(b)
	}
}

// numbers counts from 0 without end.
func numbers(yield func(uint64) bool) {
	for number := uint64(0); yield(number); number++ {
	}
}

// fill examines the attempts of a block from the first on, until the context ends.
func (x *examiner) fill(ctx context.Context, b *block, t *query.Template, stream, first uint64) {
	b.attempts = b.attempts[:0]
	for i := range uint64(blockSize) {
		if ctx.Err() != nil {
			return
		}
		q, verdict := x.try(t, stream, first+i)
		a := attempt{verdict: verdict, query: q}
		if verdict == accepted {
			a.key = query.Key(q.Expr)
		}
		b.attempts = append(b.attempts, a)
	}
}
