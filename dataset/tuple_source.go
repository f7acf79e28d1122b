package dataset

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// tupleSource gives the queries of a split whose answers are tuples.
type tupleSource func(Split) ([]TupleQuery, error)

// openTuples finds the files of such queries: those of lacuna-lab sample, or the one of AnyCQ or FIT, whose
// queries are those of any split. It gives nil where there are none.
func openTuples(path string, format Format, graph string, v *kg.Vocabulary) (tupleSource, error) {
	switch {
	case format.isFile():
		all, err := readReleased(path, format, graph, v)
		return func(Split) ([]TupleQuery, error) { return all, nil }, err
	case format != Own || !hasFiles(path, "*"+TupleSuffix):
		return nil, nil
	}
	return func(split Split) ([]TupleQuery, error) {
		file := filepath.Join(path, split.String()+TupleSuffix)
		if !exists(file) {
			return nil, nil
		}
		return readTupleFile(file, split, v)
	}, nil
}

// hasEntityQueries tells whether there are queries beside those of openTuples.
func hasEntityQueries(path string, format Format) bool {
	return !format.isFile() && (format != Own || hasFiles(path, "*"+FileSuffix))
}

func hasFiles(dir, pattern string) bool {
	found, err := fs.Glob(os.DirFS(dir), pattern)
	return err == nil && len(found) > 0
}

// readReleased reads a file and puts the graph's ids for the numbers of BetaE's release.
func readReleased(path string, format Format, graph string, v *kg.Vocabulary) ([]TupleQuery, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	read := ReadAnyCQ
	if format == FIT {
		read = ReadFIT
	}
	all, err := read(in, path)
	if err != nil {
		return nil, err
	}
	numbers, err := readNumbering(graph, betaeNames, v)
	if err != nil {
		return nil, err
	}
	kind := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	for i := range all {
		all[i].Type = cmp.Or(all[i].Type, kind)
		if err := numbers.renumber(&all[i]); err != nil {
			return nil, kg.Errorf(kg.Invalid, path, "query %d: %v", i+1, err)
		}
	}
	return all, nil
}

// renumber puts ids of the graph for the numbers of a release.
func (n numbering) renumber(q *TupleQuery) (err error) {
	entity := func(number uint32) kg.Entity {
		id, wrong := n.entity(int64(number))
		if err == nil {
			err = wrong
		}
		return id
	}
	term := func(t query.Term) query.Term {
		if c, ok := t.(query.Constant); ok {
			c.ID = uint32(entity(c.ID))
			return c
		}
		return t
	}
	q.Query.Body = query.Map(q.Query.Body, func(f query.Formula) query.Formula {
		switch f := f.(type) {
		case query.Atom:
			r, wrong := n.relation(int64(f.Relation.ID))
			if err == nil {
				err = wrong
			}
			f.Relation.ID, f.From, f.To = uint32(r), term(f.From), term(f.To)
			return f
		case query.Equals:
			return query.Equals{Left: term(f.Left), Right: term(f.Right)}
		}
		return f
	})
	for _, list := range [][][]kg.Entity{q.Easy, q.Hard, q.Right, q.Wrong} {
		for _, tuple := range list {
			for i, e := range tuple {
				tuple[i] = entity(uint32(e))
			}
		}
	}
	return err
}
