package read

import (
	"context"
	"io"
	"os"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// Graphs reads several files as one graph over one vocabulary. Tables among them may
// refer to each other by their keys.
func Graphs(ctx context.Context, sources []string, opts Options) (*kg.Splits, error) {
	if len(sources) == 1 {
		return Graph(ctx, sources[0], opts)
	}
	f := &folder{sizes: map[string]int64{}, open: func(name string) (io.ReadCloser, error) {
		file, err := os.Open(name)
		if err != nil {
			return nil, kg.ReadError(name, err)
		}
		return file, nil
	}}
	for _, source := range sources {
		if source == "-" {
			return nil, kg.Errorf(kg.Invalid, "", "standard input cannot be one of several sources, expected files")
		}
		info, err := os.Stat(source)
		if err != nil {
			return nil, kg.ReadError(source, err)
		}
		if info.IsDir() {
			return nil, kg.Errorf(kg.Invalid, source, "a folder, expected files where there are several sources")
		}
		f.sizes[source] = info.Size()
	}
	return readWith(ctx, opts, func(l *loader) error { return l.readTogether(f, slices.Clone(sources)) })
}

// readTogether reads files that make one graph. What a column refers to depends on
// the other tables, so that all are looked at before any is read.
func (l *loader) readTogether(f *folder, names []string) error {
	l.together = true
	if err := l.checkReferences(names); err != nil {
		return err
	}
	for _, name := range names {
		l.meter.total += f.sizes[name]
		if err := l.lookAt(f, name); err != nil {
			return err
		}
	}
	l.report = Report{}
	for _, name := range names {
		if err := l.readSplit(f, name, trainSplit); err != nil {
			return err
		}
	}
	return l.needTriples(f.name)
}

// lookAt takes notice of a table's keys.
func (l *loader) lookAt(f *folder, name string) error {
	look := &loader{ctx: l.ctx, opts: l.opts, together: true}
	err := look.within(f, name, func(in *input) error {
		sample, err := in.sample()
		if err != nil {
			return err
		}
		format, err := look.formatOf(in, sample)
		switch {
		case err != nil:
		case format == TSV || format == CSV:
			_, err = look.newTable(in, sample, format, trainSplit)
		case format == Records:
			_, err = look.newRecordTable(in, trainSplit)
		}
		return err
	})
	for table := range look.idTables {
		l.keyed(table)
	}
	return err
}
