package kg

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Format names a way in which triples are written.
type Format string

// The formats that Read knows. All may be compressed by gzip or zstd.
const (
	FormatAuto     Format = ""         // told by name and content
	FormatTSV      Format = "tsv"      // a triple a line, tabs between
	FormatCSV      Format = "csv"      // a triple a line, commas between, quotes as in RFC 4180
	FormatNTriples Format = "nt"       // W3C N-Triples
	FormatTurtle   Format = "ttl"      // W3C Turtle
	FormatOpenKE   Format = "openke"   // a folder with entity2id, relation2id, train2id
	FormatBetaE    Format = "betae"    // a folder with train.txt of numbers, id2ent.pkl, id2rel.pkl
	FormatFolder   Format = "folder"   // a folder with train, valid and test files of any of the first four
	FormatSnapshot Format = "snapshot" // a graph that lacuna import wrote
)

const formatNames = "tsv, csv, nt, ttl, openke, betae, folder, snapshot"

// Choice overrides what is otherwise detected.
type Choice uint8

const (
	Auto Choice = iota
	Yes
	No
)

// ReadOptions says how to read; the zero value detects everything.
type ReadOptions struct {
	Format Format
	// Columns gives the meaning of the columns of a table: h, r and t once each, in
	// their order, and - for every column to skip. Empty: by the header where it
	// has one of the usual, else "hrt".
	Columns string
	// Delimiter of a table: 0 to detect tab, comma, semicolon, bar or space.
	Delimiter byte
	// Header tells whether the first line of a table names its columns.
	Header Choice
	// EntityLabels and RelationLabels are files of readable names: id TAB name.
	EntityLabels, RelationLabels string
	// Stdin is what the source "-" means.
	Stdin io.Reader
	// Progress is called now and then with the bytes read so far, as stored, and their total, 0 if unknown.
	Progress func(read, total int64)
	// Report is called once after all was read.
	Report func(ReadReport)
}

// ReadReport tells what a reader decided and left out.
type ReadReport struct {
	Format            Format
	Header            bool // a table's first line was taken as names of columns
	LabelTriples      int  // rdfs:label statements, taken as labels and not as facts
	UnknownLabels     int  // labels of names that the graph lacks
	HeldOutDuplicates int  // validation and test triples given more than once and dropped
}

// Read reads the graph at source: a file, a folder, or "-" for standard input. A
// tar archive counts as the folder it was made of, so that folders may come from
// standard input too. All files of a folder share one vocabulary.
//
// Names are kept as they are written, IRIs without their angle brackets, literals
// in the form of N-Triples with their quotes. Text must be UTF-8 without NUL: a
// name that is not would be damaged on its way to a terminal, to JSON or to the
// query language, so the line is refused.
func Read(ctx context.Context, source string, opts ReadOptions) (*Splits, error) {
	if source == "-" {
		if opts.Stdin == nil {
			return nil, Errorf(Invalid, "stdin", "standard input is not at hand")
		}
		return ReadFrom(ctx, opts.Stdin, "stdin", opts)
	}
	info, err := os.Stat(source)
	if err != nil {
		return nil, fileError(source, err)
	}
	if info.IsDir() {
		return readWith(ctx, opts, func(l *loader) error { return l.readDir(source) })
	}
	if isSnapshotFile(source, info) {
		return readSnapshot(ctx, source, opts)
	}
	file, err := os.Open(source)
	if err != nil {
		return nil, fileError(source, err)
	}
	defer file.Close()
	return readWith(ctx, opts, func(l *loader) error {
		l.meter.total = info.Size()
		return l.readStream(file, source)
	})
}

// ReadFrom reads a graph from a stream; name stands in errors, and its extension tells the format where the content does not.
func ReadFrom(ctx context.Context, r io.Reader, name string, opts ReadOptions) (*Splits, error) {
	return readWith(ctx, opts, func(l *loader) error { return l.readStream(r, name) })
}

// loader is the state of one Read: what was found so far, over one vocabulary.
type loader struct {
	ctx       context.Context
	opts      ReadOptions
	meter     meter
	entities  Interner
	relations Interner
	facts     [splitCount][]Triple
	labels    statedLabels
	nodes     blankNodes
	report    ReadReport
}

// split numbers the parts of a benchmark.
type split uint8

const (
	trainSplit split = iota
	validSplit
	testSplit
	splitCount
)

func readWith(ctx context.Context, opts ReadOptions, read func(*loader) error) (*Splits, error) {
	// Cancelling on return ends the goroutines that read ahead.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := &loader{ctx: ctx, opts: opts, meter: meter{notify: opts.Progress}}
	if err := opts.check(); err != nil {
		return nil, err
	}
	if err := read(l); err != nil {
		return nil, err
	}
	return l.splits()
}

func (o *ReadOptions) check() error {
	if _, err := parseColumns(o.Columns); err != nil {
		return err
	}
	switch o.Delimiter {
	case 0, '\t', ',', ';', '|', ' ':
		return nil
	}
	return Errorf(Invalid, "delimiter", "%q cannot part columns, expected a tab, comma, semicolon, bar or space", o.Delimiter)
}

// splits makes the graph of all that was found.
func (l *loader) splits() (*Splits, error) {
	vocabulary := &Vocabulary{
		Entities:  Dictionary{Names: l.entities.Names()},
		Relations: Dictionary{Names: l.relations.Names()},
	}
	if err := l.label(vocabulary); err != nil {
		return nil, err
	}
	train, err := l.build(vocabulary)
	if err != nil {
		return nil, err
	}
	s := &Splits{Train: train, Valid: l.distinct(validSplit), Test: l.distinct(testSplit)}
	if l.opts.Report != nil {
		l.opts.Report(l.report)
	}
	return s, nil
}

// build makes the graph, which takes seconds for one of millions of triples: a
// caller who wants it no more need not wait for it.
func (l *loader) build(v *Vocabulary) (*Graph, error) {
	if l.ctx.Err() != nil {
		return nil, stopped()
	}
	triples := l.facts[trainSplit]
	done := make(chan *Graph, 1)
	go func() { done <- Build(v, triples) }()
	select {
	case g := <-done:
		return g, nil
	case <-l.ctx.Done():
		return nil, stopped()
	}
}

func stopped() error { return Errorf(Cancelled, "", "reading was stopped") }

// distinct drops held-out triples that repeat an earlier one, as ranking them twice would weigh them double.
func (l *loader) distinct(part split) []Triple {
	given := l.facts[part]
	if len(given) == 0 {
		return nil
	}
	seen := make(map[Triple]bool, len(given))
	kept := given[:0]
	for _, t := range given {
		if !seen[t] {
			seen[t] = true
			kept = append(kept, t)
		}
	}
	l.report.HeldOutDuplicates += len(given) - len(kept)
	return kept
}

// fileError makes what the operating system says of a path one line with a kind.
func fileError(path string, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Errorf(NotFound, path, "no such file or folder")
	case errors.Is(err, fs.ErrPermission):
		return Errorf(Invalid, path, "permission denied")
	}
	return Errorf(Failure, path, "%v", err)
}

// isSnapshotFile looks at the first bytes without moving through the file, which a pipe would not forgive.
func isSnapshotFile(path string, info fs.FileInfo) bool {
	if !info.Mode().IsRegular() {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, len(snapshotMark))
	n, _ := io.ReadFull(file, head)
	return IsSnapshot(head[:n])
}

// readSnapshot opens a snapshot; labels given along replace its own.
func readSnapshot(ctx context.Context, path string, opts ReadOptions) (*Splits, error) {
	if opts.Format != FormatAuto && opts.Format != FormatSnapshot {
		return nil, Errorf(Invalid, path, "a snapshot, not %s as stated", opts.Format)
	}
	s, err := OpenSnapshot(path)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := &loader{ctx: ctx, opts: opts, report: ReadReport{Format: FormatSnapshot}}
	if err := l.label(s.Train.Vocabulary); err != nil {
		s.Train.Close()
		return nil, err
	}
	if opts.Report != nil {
		opts.Report(l.report)
	}
	return s, nil
}
