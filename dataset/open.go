package dataset

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// Format names what a folder of queries is written in.
type Format string

// The formats that Open knows.
const (
	Own       Format = "lacuna"    // graph.lacuna and {split}.queries
	BetaE     Format = "betae"     // {split}-queries.pkl and the like
	Query2Box Format = "query2box" // {split}_triples_{type}.pkl and the like
	AnyCQ     Format = "anycq"     // one file of JSON, tuples alone
	FIT       Format = "fit"       // the same, *qaa.json
)

// GraphFile is the snapshot of the graph in a folder of the own format.
const GraphFile = "graph.lacuna"

// Options says how to open a set; the zero value finds everything itself.
type Options struct {
	// Graph is where the facts are read from, by Read's rules. Empty: the folder
	// itself or, for a Query2Box folder without triples, one beside it that
	// numbers the very same entities and relations.
	Graph string
	// Read says how to read the graph.
	Read read.Options
	// Recompute takes only the questions from the files and finds all answers by
	// traversal, for files that lack some.
	Recompute bool
}

// Set is a folder of queries with the graph they are asked about.
type Set struct {
	Dir    string
	Format Format
	Graph  *kg.Splits
	Note   string // says which graph was used where none was named and the folder has none

	source    source
	tuples    tupleSource
	facts     *facts
	recompute bool
}

// source streams the queries of a folder as its files give them, by split.
type source interface {
	splits() []Split
	// stored streams the queries of the given shapes, of all if there are none, in the order of the files.
	stored(ctx context.Context, split Split, shapes []string) iter.Seq2[Query, error]
	close() error
}

// Open recognises the format of a folder of queries and reads the graph. The queries
// are read when they are streamed.
func Open(ctx context.Context, dir string, opts Options) (*Set, error) {
	format, err := recognise(dir)
	if err != nil {
		return nil, err
	}
	s := &Set{Dir: dir, Format: format, recompute: opts.Recompute}
	graph := opts.Graph
	if graph == "" {
		if graph, s.Note, err = findGraph(ctx, dir, format); err != nil {
			return nil, err
		}
	}
	if s.Graph, err = read.Graph(ctx, graph, opts.Read); err != nil {
		return nil, err
	}
	s.facts = &facts{splits: s.Graph}
	if err = s.openSources(graph); err != nil {
		s.Graph.Close()
		return nil, err
	}
	return s, nil
}

// openSources finds the queries of both kinds: those whose answers are entities, and those whose answers are tuples.
func (s *Set) openSources(graph string) (err error) {
	v := s.Graph.Train.Vocabulary
	if s.tuples, err = openTuples(s.Dir, s.Format, graph, v); err != nil {
		return err
	}
	if s.tuples != nil && !hasEntityQueries(s.Dir, s.Format) {
		s.source = ownFolder{}
		return nil
	}
	s.source, err = openSource(s.Dir, s.Format, v)
	return err
}

// recognise tells the format of a folder by the names of its files.
func recognise(dir string) (Format, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", kg.Errorf(kg.NotFound, dir, "there is no such folder")
	case err != nil:
		return "", err
	case !info.IsDir() && strings.HasSuffix(dir, fitSuffix):
		return FIT, nil
	case !info.IsDir() && filepath.Ext(dir) == ".json":
		return AnyCQ, nil
	case !info.IsDir():
		return "", kg.Errorf(kg.Invalid, dir, "expected a folder of queries, found a file")
	}
	for _, format := range []struct {
		pattern string
		name    Format
	}{
		{"*" + FileSuffix, Own},
		{"*" + TupleSuffix, Own},
		{"*-queries.pkl", BetaE},
		{"*-queries.partial.pkl", BetaE},
		{"*_triples_*.pkl", Query2Box},
	} {
		entries, err := fs.Glob(os.DirFS(dir), format.pattern)
		if err == nil && len(entries) > 0 {
			return format.name, nil
		}
	}
	return "", kg.Errorf(kg.Invalid, dir, "found no queries: expected files such as test%s (lacuna-lab sample), test-queries.pkl (BetaE) or test_triples_1c.pkl (Query2Box)", FileSuffix)
}

// isFile tells whether the queries are in one file, of any split.
func (f Format) isFile() bool { return f == AnyCQ || f == FIT }

func openSource(dir string, format Format, v *kg.Vocabulary) (source, error) {
	switch format {
	case BetaE:
		numbers, err := readNumbering(dir, betaeNames, v)
		return betaeFolder{dir, numbers}, err
	case Query2Box:
		numbers, err := readNumbering(dir, query2boxNames, v)
		return query2boxFolder{dir, numbers}, err
	}
	return openOwn(dir, v)
}

// Splits lists the splits that the folder has queries of whose answers are entities.
func (s *Set) Splits() []Split { return s.source.splits() }

// stored streams the queries of a split, of the given shapes (as query.ShapeOf names
// them) or of all, exactly as the files give them: parts that these lack are marked absent.
func (s *Set) stored(ctx context.Context, split Split, shapes ...string) iter.Seq2[Query, error] {
	return s.source.stored(ctx, split, shapes)
}

// Queries streams the queries of a split, of the given shapes or of all. Answers
// that the files lack, and all if the set was opened so, are found by traversal on
// all cores. The stream ends with its first error.
func (s *Set) Queries(ctx context.Context, split Split, shapes ...string) iter.Seq2[Query, error] {
	stored := s.stored(ctx, split, shapes...)
	if own, ok := s.source.(ownFolder); ok && own.complete(split) && !s.recompute {
		return stored
	}
	return func(yield func(Query, error) bool) {
		newOracle, err := s.facts.oracles(ctx, split)
		if err != nil {
			yield(Query{}, err)
			return
		}
		inParallel(ctx, runtime.GOMAXPROCS(0), stored, func() func(Query) Query {
			o := newOracle()
			return func(q Query) Query {
				if s.recompute {
					q.Absent = EasyAnswers | HardAnswers
				}
				return o.complete(q)
			}
		})(yield)
	}
}

// Load reads all queries of a split into memory.
func (s *Set) Load(ctx context.Context, split Split, shapes ...string) ([]Query, error) {
	var all []Query
	for q, err := range s.Queries(ctx, split, shapes...) {
		if err != nil {
			return nil, err
		}
		all = append(all, q)
	}
	return all, nil
}

// HasTuples tells whether the folder has queries whose answers are tuples.
func (s *Set) HasTuples() bool { return s.tuples != nil }

// Tuples are the queries of a split whose answers are tuples, none where the folder has no such.
func (s *Set) Tuples(split Split) ([]TupleQuery, error) {
	if s.tuples == nil {
		return nil, nil
	}
	return s.tuples(split)
}

// Close ends the use of the set and of its graph.
func (s *Set) Close() error { return errors.Join(s.source.close(), s.Graph.Close()) }

// ownFolder reads the files that Writer made.
type ownFolder struct{ readers map[Split]*Reader }

// openOwn opens the file of each split and makes sure that it belongs to the graph.
func openOwn(dir string, v *kg.Vocabulary) (source, error) {
	f := ownFolder{map[Split]*Reader{}}
	for _, split := range AllSplits() {
		path := filepath.Join(dir, split.String()+FileSuffix)
		if !exists(path) {
			continue
		}
		r, err := OpenReader(path)
		if err == nil {
			f.readers[split] = r
			err = belongs(r.Header(), split, v, path)
		}
		if err != nil {
			return nil, errors.Join(err, f.close())
		}
	}
	if len(f.readers) == 0 {
		return nil, kg.Errorf(kg.Invalid, dir, "expected train%[1]s, valid%[1]s or test%[1]s, found none of them", FileSuffix)
	}
	return f, nil
}

func belongs(h Header, split Split, v *kg.Vocabulary, path string) error {
	if h.Split != split {
		return kg.Errorf(kg.Invalid, path, "expected %s queries, found %s queries: the file was renamed", split, h.Split)
	}
	if h.Vocabulary != vocabularyHash(v) {
		return kg.Errorf(kg.Invalid, path, "the queries belong to another graph: theirs has %d entities and %d relations, this one %d and %d or other names",
			h.Entities, h.Relations, v.Entities.Names.Len(), v.NumRelations())
	}
	return nil
}

func (f ownFolder) splits() []Split {
	var splits []Split
	for _, split := range AllSplits() {
		if f.readers[split] != nil {
			splits = append(splits, split)
		}
	}
	return splits
}

func (f ownFolder) stored(ctx context.Context, split Split, shapes []string) iter.Seq2[Query, error] {
	if r := f.readers[split]; r != nil {
		return r.Queries(ctx, shapes...)
	}
	return func(func(Query, error) bool) {}
}

// complete tells whether no query of the split lacks answers.
func (f ownFolder) complete(split Split) bool {
	if r := f.readers[split]; r != nil {
		for _, block := range r.index.Blocks {
			if block.Absent != 0 {
				return false
			}
		}
	}
	return true
}

func (f ownFolder) close() error {
	var err error
	for _, r := range f.readers {
		err = errors.Join(err, r.Close())
	}
	return err
}
