package train

import (
	"context"
	"iter"
	"time"

	"github.com/lacuna-kg/lacuna/cut"
	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/ranks"
)

// batch is everything that one step needs besides the model.
type batch struct {
	step     int // counted from 1
	graph    int // that the step is on
	programs []*plan.Program
	answers  kernel.Lists
	known    kernel.Lists // of the answers those that the thinned graph gives away; no rows where that does not matter
	weights  []float32    // of the queries in the mean of the whole batch, which a team shares
	size     int          // queries of the whole batch
	masks    masks
	took     time.Duration // to prepare

	// On a graph that is too large to pass over, the queries are in pieces instead, each on a cut of the graph.
	pieces []*batch
	cut    *cut.Cut // of a piece, whose entities are the nodes of the cut
}

// feed prepares the batches of coming steps, several at a time, while the device works on
// the present one. Nothing in a batch depends on the parameters, and everything on the
// number of its step: the order of events changes no result.
type feed struct {
	mixture *mixture
	config  Config
	sources []Source   // by graph
	dropout []*dropout // by graph; nil of one that is cut
	cutting []*cutting // by graph; nil of one that is not
	size    int        // queries in a batch
	tells   bool       // which answers the thinned graph gives away
	team    *ranks.Team

	batches *parallel.Pipeline[prepared] // in the order of their steps
}

func newFeed(c Config, graphs []Graph, topologies []*kernel.Graph, team *ranks.Team) *feed {
	f := &feed{config: c, mixture: newMixture(graphs, c), size: c.Batch, tells: c.KnownWeight != 1, team: team}
	for i, g := range graphs {
		f.sources = append(f.sources, g.Queries)
		var d *dropout
		if topologies[i] != nil {
			d = newDropout(topologies[i], c.on(g))
			d.unstated = g.Unstated
		}
		f.dropout = append(f.dropout, d)
		f.cutting = append(f.cutting, newCutting(c.on(g), g.Facts))
	}
	return f
}

type prepared struct {
	*batch
	err error
}

// job is a batch to prepare: turn counts the steps that the graph has had before.
type job struct {
	step, graph int
	turn        uint64
}

// start prepares the batches of the steps from first on, until close.
func (f *feed) start(ctx context.Context, first, workers int) {
	prepare := func(ctx context.Context, j job) prepared {
		b, err := f.prepare(ctx, j)
		return prepared{b, err}
	}
	f.batches = parallel.Start(ctx, workers, workers+1, f.jobs(first), func(int) func(context.Context, job) prepared { return prepare })
}

// jobs are those of the steps from first on: what comes before was done before a resume, and still counts.
func (f *feed) jobs(first int) iter.Seq[job] {
	return func(yield func(job) bool) {
		for step := 1; ; step++ {
			graph, turn := f.mixture.next(step)
			if step >= first && !yield(job{step, graph, turn}) {
				return
			}
		}
	}
}

// next gives the batch of the coming step.
func (f *feed) next(ctx context.Context) (*batch, error) {
	p, ok := f.batches.Next()
	if !ok { // it ended with the context
		return nil, ctx.Err()
	}
	return p.batch, p.err
}

// close ends the preparation and waits for it: the sources may be closed then.
func (f *feed) close() { f.batches.Close() }

// prepare makes the batch of a step: its queries are the next of the graph's source, in order. Of a team's a rank keeps its share.
func (f *feed) prepare(ctx context.Context, j job) (*batch, error) {
	began := time.Now()
	b := &batch{step: j.step, graph: j.graph, size: f.size}
	queries := make([]dataset.Query, f.size)
	for i := range queries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		if _, queries[i], err = f.sources[j.graph].Draw(j.turn*uint64(f.size) + uint64(i)); err != nil {
			return nil, err
		}
	}
	var err error
	if f.isCut(j.graph) {
		err = f.prepareCut(ctx, b, queries)
	} else {
		err = f.prepareWhole(ctx, b, queries)
	}
	b.took = time.Since(began)
	return b, err
}

// prepareWhole prepares queries that run on all of the graph.
func (f *feed) prepareWhole(ctx context.Context, b *batch, queries []dataset.Query) error {
	rows := make([][]int32, len(queries))
	for i, q := range queries {
		b.programs = append(b.programs, plan.Compile(q.Expr, plan.Options{}))
		rows[i] = make([]int32, len(q.Easy))
		for k, e := range q.Easy {
			rows[i][k] = int32(e)
		}
	}
	b.answers = kernel.NewLists(rows)
	err := f.hide(ctx, b, f.dropout[b.graph])
	b.weights = queryWeights(b, f.config)
	b.share(f.team.Rank(), f.team.Size())
	return err
}

// hide draws the edges that programs do without.
func (f *feed) hide(ctx context.Context, b *batch, d *dropout) (err error) {
	var found []crisp
	b.masks, found, err = d.Record(ctx, b.step, b.programs)
	if f.tells {
		b.known = knownAnswers(b.answers, found)
	}
	return err
}
