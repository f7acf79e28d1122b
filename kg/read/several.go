package read

import (
	"context"
	"io"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/snapshot"
)

// Graphs reads several files as one graph over one vocabulary. Tables among them may
// refer to each other by their keys.
func Graphs(ctx context.Context, sources []string, opts Options) (*kg.Splits, error) {
	if len(sources) == 1 {
		return Graph(ctx, sources[0], opts)
	}
	return readWith(ctx, opts, func(l *loader) error { return l.readSources(sources) })
}

// readSources reads several files as one graph.
func (l *loader) readSources(sources []string) error {
	f := &folder{sizes: map[string]int64{}, open: func(name string) (io.ReadCloser, error) {
		file, err := os.Open(name)
		if err != nil {
			return nil, kg.ReadError(name, err)
		}
		return file, nil
	}}
	for _, source := range sources {
		if source == "-" {
			return kg.Errorf(kg.Invalid, "", "standard input cannot be one of several sources, expected files")
		}
		info, err := os.Stat(source)
		if err != nil {
			return kg.ReadError(source, err)
		}
		if snapshot.IsFile(source, info) {
			return kg.Errorf(kg.Invalid, source, "a snapshot is a whole graph, expected files to read: to add facts to it, ask with -g %s --with FILE, or import its own sources anew", source)
		}
		if info.IsDir() {
			return kg.Errorf(kg.Invalid, source, "a folder, expected files where there are several sources")
		}
		f.sizes[source] = info.Size()
	}
	return l.readTogether(f, slices.Clone(sources))
}

// readTogether reads files that make one graph. What a column refers to depends on
// the other tables, so that all are looked at before any is read.
func (l *loader) readTogether(f *folder, names []string) error {
	l.together = true
	f, names, err := l.expand(f, names)
	if err != nil {
		return err
	}
	var drafts []*draft
	for _, name := range names {
		l.meter.total += f.sizes[name]
		if l.plan.fileOf(f.path(name), l.opts.Plan != nil) != nil {
			continue
		}
		if l.opts.Plan != nil {
			continue // its reader refuses it, unless it is no table
		}
		found, err := l.lookAt(f, name)
		if err != nil {
			return err
		}
		drafts = append(drafts, found...)
		if len(found) == 0 && l.planning {
			l.plan.Tables = append(l.plan.Tables, &TablePlan{Table: tableOf(name), File: f.path(name), Rows: RowsFacts, Null: []string{}})
		}
	}
	if l.opts.Plan == nil {
		if err := relate(drafts, l.opts.References); err != nil {
			return err
		}
	}
	for _, d := range drafts {
		l.plan.Tables = append(l.plan.Tables, d.finished())
	}
	if l.planning {
		return nil
	}
	l.report.Format = detected // that of the first file
	for _, name := range names {
		if err := l.readSplit(f, name, trainSplit); err != nil {
			return err
		}
	}
	return l.needTriples(f.name)
}

// lookAt makes the plan of a table by itself; what is no table has none.
func (l *loader) lookAt(f *folder, name string) (drafts []*draft, err error) {
	look := &loader{ctx: l.ctx, opts: l.opts, together: true, plan: &Plan{}, encoding: l.encoding, declared: f.declared[name], planning: l.planning}
	err = look.within(f, name, func(in *input) error {
		sample, err := in.sample()
		if err != nil {
			return err
		}
		d, err := look.lookAtFile(in, sample)
		if d != nil {
			d.declared = f.declared[name]
			d.Undirected = f.undirected && d.Rows == RowsTriples
			drafts = append(drafts, d)
		}
		return err
	})
	return drafts, err
}

func (l *loader) lookAtFile(in *input, sample []byte) (*draft, error) {
	format, err := l.formatOf(in, sample)
	if err != nil {
		return nil, err
	}
	switch format {
	case TSV, CSV:
		return l.lookAtText(in, sample, format)
	case Records:
		t, err := l.newRecordTable(in)
		if err != nil {
			return nil, err
		}
		return t.look()
	case Parquet:
		var found *draft
		err := l.withParquet(in, func(t *parquetTable, file *parquet.File) (err error) {
			found, err = t.look(file)
			return err
		})
		return found, err
	}
	return nil, nil
}
