package eval

import (
	"context"
	"path/filepath"
	"time"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/symbolic"
)

// Run evaluates a method on the queries of a split.
func Run(ctx context.Context, opts Options) (report *Report, err error) {
	if !opts.Team.Leads() {
		return &Report{}, Assist(ctx, opts.Team, opts.Method)
	}
	err = opts.Team.TakeTime(ctx, func(ctx context.Context) (err error) {
		report, err = run(ctx, opts)
		return err
	})
	return report, err
}

func run(ctx context.Context, opts Options) (*Report, error) {
	start := time.Now()
	o, err := opts.checked()
	if err == nil {
		err = o.checkMethod()
	}
	if err != nil {
		return nil, err
	}
	full, err := o.Split.FullGraph(ctx, o.Set.Graph)
	if err != nil {
		return nil, err
	}
	stream, total, err := questions(ctx, o)
	if err != nil {
		return nil, err
	}
	o, end := o.shared()
	e := evaluation{Options: o, tally: newTally(), progress: Progress{Total: total}}
	if !o.NoMissingLinks {
		e.links = symbolic.NewMissingLinks(o.Set.Graph.Train, full)
	}
	for batch, err := range batches(ctx, o, stream) {
		if err != nil {
			return nil, err
		}
		if err := e.batch(ctx, batch); err != nil {
			return nil, err
		}
	}
	if err := end(ctx); err != nil {
		return nil, err
	}
	if e.progress.Done == 0 {
		return nil, kg.Errorf(kg.NotFound, o.Set.Dir, "found no %s queries with answers to rank, of the types asked for", o.Split)
	}
	report := e.report(full)
	report.Seconds = time.Since(start).Seconds()
	return report, nil
}

// evaluation is a run on its way.
type evaluation struct {
	Options
	tally    *tally
	links    *symbolic.MissingLinks // nil where they are not wanted
	progress Progress
}

func (e *evaluation) batch(ctx context.Context, batch []Question) error {
	outcomes, err := e.Method.Answer(ctx, batch)
	if err != nil {
		return err
	}
	missing := make([][]int, len(batch))
	if e.links != nil {
		if missing, err = countMissing(ctx, e.links, batch); err != nil {
			return err
		}
	}
	for i, q := range batch {
		e.tally.add(q, outcomes[i], missing[i])
	}
	e.progress.Done += len(batch)
	e.progress.Shape = batch[len(batch)-1].shape
	e.progress.MRR = e.tally.mrr(e.progress.Shape)
	if e.Progress != nil {
		e.Progress(e.progress)
	}
	return nil
}

func (e *evaluation) report(full *kg.Graph) *Report {
	r := &Report{
		Dataset: folderName(e.Set.Dir), Split: e.Split, Model: e.Model, Method: e.Method.Describe(), Rules: rulesFor(e.Split),
		Graph:   sizeOf("training facts", e.Set.Graph.Train),
		Full:    sizeOf(fullNames[e.Split], full),
		Queries: Selection{Format: e.Set.Format, Shapes: e.Shapes, Limit: e.Limit, Seed: e.Seed},
	}
	withFile(e.Set, e.Split, func(f *dataset.Reader) { r.Queries.Provenance = f.Header().Provenance })
	e.tally.fill(r)
	if e.links != nil {
		e.tally.fillLinks(r)
	}
	return r
}

// fullNames say which facts the answers of a split are true on.
var fullNames = map[dataset.Split]string{
	dataset.Train: "training facts",
	dataset.Valid: "training and validation facts",
	dataset.Test:  "training, validation and test facts",
}

func sizeOf(name string, g *kg.Graph) GraphSize {
	return GraphSize{name, g.NumEntities(), g.NumTriples()}
}

// folderName is the last part of a path, of "." too.
func folderName(dir string) string {
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	return filepath.Base(dir)
}
