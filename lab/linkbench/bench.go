// Package linkbench measures answers by links: how long a row takes, a question of each shape
// by itself, and how many questions of all shapes a second are answered together; with no row
// kept (cold), and again with all of them (warm).
package linkbench

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sample"
)

// Options say what to measure.
type Options struct {
	Graph *kg.Graph
	// Cold gives an executor that has no row yet.
	Cold      func() links.Executor
	Rows      int // to compute; 0 leaves them out
	Questions int // of each shape
	Batch     int // questions that are answered together
	Seed      uint64
	// Progress, if given, is called with what is measured now.
	Progress func(what string)
}

// Report is what came out.
type Report struct {
	Followed int     `json:"followed"`
	Rows     *Rows   `json:"rows,omitempty"`
	Shapes   []Shape `json:"shapes"`
	// Medians over all questions, each asked by itself.
	ColdMS float64 `json:"cold_ms_median"`
	WarmMS float64 `json:"warm_ms_median"`
	Mix    Mix     `json:"mix"`
}

// Rows is the time of rows that are computed together.
type Rows struct {
	Rows  int     `json:"rows"`
	MS    float64 `json:"ms_each"`
	Links float64 `json:"links_each"` // predicted ones
}

// Shape is the time of questions of one shape, each asked by itself: medians.
type Shape struct {
	Shape     string  `json:"shape"`
	Questions int     `json:"questions"`
	ColdMS    float64 `json:"cold_ms"`
	WarmMS    float64 `json:"warm_ms"`
	Rows      float64 `json:"rows_each"` // computed or read, the mean
}

// Mix is the questions of all shapes in batches.
type Mix struct {
	Questions int     `json:"questions"`
	Batch     int     `json:"batch"`
	Cold      float64 `json:"cold_per_second"`
	Warm      float64 `json:"warm_per_second"`
	Rows      float64 `json:"rows_each"` // the mean of those that had to be made
	Kept      int     `json:"rows_kept"` // after all questions
	Megabytes float64 `json:"megabytes_kept"`
}

// question is one of a shape, compiled.
type question struct {
	shape   string
	program *plan.Program
}

// Run measures. Memory is allocated and code loaded by a question that does not count.
func Run(ctx context.Context, o Options) (*Report, error) {
	questions, err := o.draw()
	if err != nil {
		return nil, err
	}
	if _, err := answer(ctx, o.Cold(), questions[:min(len(questions), o.Batch)]); err != nil {
		return nil, err
	}
	r := &Report{Followed: o.Cold().Follow().Most}
	if o.Rows > 0 {
		if r.Rows, err = o.rows(ctx); err != nil {
			return nil, err
		}
	}
	if err := o.each(ctx, r, questions); err != nil {
		return nil, err
	}
	r.Mix, err = o.mix(ctx, questions)
	return r, err
}

func (o Options) progress(what string) {
	if o.Progress != nil {
		o.Progress(what)
	}
}

// draw gives equally many questions of every shape, in an order of no meaning.
func (o Options) draw() ([]question, error) {
	var shapes []sample.Count
	for _, shape := range query.Shapes {
		shapes = append(shapes, sample.Count{Shape: shape, Queries: 1})
	}
	drawer, err := sample.NewDrawer(o.Graph, shapes, o.Seed)
	if err != nil {
		return nil, err
	}
	var questions []question
	have := map[string]int{}
	for i := uint64(0); len(questions) < o.Questions*len(shapes); i++ {
		shape, q, err := drawer.Draw(i)
		if err != nil {
			return nil, err
		}
		if have[shape]++; have[shape] <= o.Questions {
			questions = append(questions, question{shape, plan.Compile(q.Expr, plan.Options{Rewrites: query.Passes})})
		}
	}
	return questions, nil
}

// rows computes rows of pairs that the graph states, drawn at random.
func (o Options) rows(ctx context.Context) (*Rows, error) {
	o.progress("rows")
	pairs := links.StatedPairs(o.Graph, nil)
	random := rand.New(rand.NewPCG(o.Seed, 1))
	random.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	pairs = pairs[:min(o.Rows, len(pairs))]
	from := o.Cold().Rows()
	start := time.Now()
	rows, err := from.Get(ctx, pairs)
	if err != nil {
		return nil, err
	}
	r := &Rows{Rows: len(pairs), MS: milliseconds(time.Since(start)) / float64(len(pairs))}
	for _, row := range rows {
		r.Links += float64(len(row.Tails)) / float64(len(rows))
	}
	return r, nil
}

// each asks the questions one by one, each of an executor of its own, and again.
func (o Options) each(ctx context.Context, r *Report, questions []question) error {
	var allCold, allWarm []float64
	for _, shape := range query.Shapes {
		o.progress(shape)
		s := Shape{Shape: shape}
		var cold, warm []float64
		for _, q := range questions {
			if q.shape != shape {
				continue
			}
			x := o.Cold()
			for _, to := range []*[]float64{&cold, &warm} {
				took, err := answer(ctx, x, []question{q})
				if err != nil {
					return err
				}
				*to = append(*to, milliseconds(took))
			}
			s.Questions++
			s.Rows += float64(x.Rows().Stats().Made)
		}
		s.ColdMS, s.WarmMS, s.Rows = median(cold), median(warm), s.Rows/float64(max(1, s.Questions))
		r.Shapes = append(r.Shapes, s)
		allCold, allWarm = append(allCold, cold...), append(allWarm, warm...)
	}
	r.ColdMS, r.WarmMS = median(allCold), median(allWarm)
	return nil
}

// mix asks all questions in batches, and again.
func (o Options) mix(ctx context.Context, questions []question) (Mix, error) {
	m := Mix{Questions: len(questions), Batch: o.Batch}
	x := o.Cold()
	for _, to := range []*float64{&m.Cold, &m.Warm} {
		o.progress("all shapes together")
		total := time.Duration(0)
		for batch := range slices.Chunk(questions, o.Batch) {
			took, err := answer(ctx, x, batch)
			if err != nil {
				return m, err
			}
			total += took
		}
		*to = float64(len(questions)) / total.Seconds()
		if m.Rows == 0 {
			m.Rows = float64(x.Rows().Stats().Made) / float64(len(questions))
		}
	}
	stats := x.Rows().Stats()
	m.Kept, m.Megabytes = stats.Rows, float64(stats.Bytes)/1e6
	return m, nil
}

// answer says how long some questions take together, until the sets of their answers lie in Go memory.
func answer(ctx context.Context, x links.Executor, questions []question) (time.Duration, error) {
	programs := make([]*plan.Program, len(questions))
	for i, q := range questions {
		programs[i] = q.program
	}
	start := time.Now()
	machine := exec.Machine{Executor: x, AnswersOnly: true}
	run, err := machine.Run(ctx, programs)
	if err != nil {
		return 0, err
	}
	defer run.Release()
	parallel.Each(ctx, len(programs), func(i int) { _ = run.Answers(i) })
	return time.Since(start), nil
}

func milliseconds(d time.Duration) float64 { return 1e3 * d.Seconds() }

func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}
