package sample

import (
	"context"
	"path/filepath"
	"strconv"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
)

// WriteFolder draws the queries that the options ask for into a new folder: the
// graph as a snapshot, and a file of queries for each split. The folder appears
// under its name when all of it is written, or not at all. The same graph and
// options give the same bytes, whatever the number of threads and ranks; rank 0 writes.
func WriteFolder(ctx context.Context, s *kg.Splits, dir string, o Options) ([]Outcome, error) {
	if _, err := o.tasks(s); err != nil {
		return nil, err
	}
	if !o.Team.Leads() {
		return Run(ctx, s, o, nil)
	}
	var outcomes []Outcome
	err := dataset.WriteFolder(dir, func(passing string) (err error) {
		outcomes, err = fillFolder(ctx, s, passing, o)
		return err
	})
	return outcomes, err
}

func fillFolder(ctx context.Context, s *kg.Splits, dir string, o Options) ([]Outcome, error) {
	err := o.Team.TakeTime(ctx, func(ctx context.Context) error {
		return snapshot.Write(ctx, filepath.Join(dir, dataset.GraphFile), s)
	})
	if err != nil {
		return nil, err
	}
	files := &splitFiles{dir: dir, graph: s, options: o}
	defer files.abort()
	outcomes, err := Run(ctx, s, o, files.write)
	if err != nil {
		return outcomes, err
	}
	return outcomes, files.close()
}

// splitFiles writes each split to its file. As Run goes through the splits in order, one is open at a time.
type splitFiles struct {
	dir     string
	graph   *kg.Splits
	options Options
	split   dataset.Split
	open    *dataset.Writer // nil before the first query
}

func (f *splitFiles) write(split dataset.Split, _ string, q dataset.Query) error {
	if f.open != nil && f.split != split {
		if err := f.close(); err != nil {
			return err
		}
	}
	if f.open == nil {
		header := dataset.NewHeader(split, f.graph.Train.Vocabulary, f.options.provenance())
		w, err := dataset.Create(filepath.Join(f.dir, split.String()+dataset.FileSuffix), header)
		if err != nil {
			return err
		}
		f.open, f.split = w, split
	}
	return f.open.Write(q)
}

func (f *splitFiles) close() error {
	w := f.open
	f.open = nil
	if w == nil {
		return nil
	}
	return w.Close()
}

func (f *splitFiles) abort() {
	if f.open != nil {
		f.open.Abort()
	}
}

// provenance is what it takes to draw the same queries again; the counts are those of the file.
func (o Options) provenance() dataset.Provenance {
	return dataset.Provenance{
		Source: o.Source, Method: "sampled as BetaE does", Seed: o.Seed,
		Parameters: map[string]string{
			"max_answers": strconv.Itoa(o.maxAnswers()),
			"patience":    strconv.Itoa(o.patience()),
		},
	}
}
