package dataset

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/internal/pickle"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// betaeFolder reads the query files of a BetaE release. A file of queries is a
// dict of structures such as (('e',('r',)),('e',('r','n'))), or of the names of
// older files, each with its queries as nested tuples; answers are dicts of
// queries and sets.
type betaeFolder struct {
	dir     string
	numbers numbering
}

func (f betaeFolder) splits() []Split {
	return slices.DeleteFunc(AllSplits(), func(s Split) bool { return f.file(s, "queries") == "" })
}

func (f betaeFolder) close() error { return nil }

// file gives the path of a split's file, "" if there is none. Parts of a release carry "partial" in their names.
func (f betaeFolder) file(split Split, what string) string {
	for _, suffix := range []string{".pkl", ".partial.pkl"} {
		if path := filepath.Join(f.dir, split.String()+"-"+what+suffix); exists(path) {
			return path
		}
	}
	return ""
}

func (f betaeFolder) stored(ctx context.Context, split Split, shapes []string) iter.Seq2[Query, error] {
	return func(yield func(Query, error) bool) {
		reader := betaeSplit{folder: f, split: split, path: f.file(split, "queries"), shapes: shapes}
		if err := reader.run(ctx, yield); err != nil {
			yield(Query{}, err)
		}
	}
}

// betaeSplit streams one split.
type betaeSplit struct {
	folder     betaeFolder
	split      Split
	path       string
	shapes     []string // those wanted; none means all
	easy, hard answerFile
	templates  query.Templates
	key        []byte // scratch
}

func (s *betaeSplit) run(ctx context.Context, yield func(Query, error) bool) error {
	if s.path == "" {
		return nil
	}
	groups, err := readDict(s.path)
	if err != nil {
		return err
	}
	if err := s.readAnswers(); err != nil {
		return err
	}
	for i, structure := range groups.Keys {
		more, err := s.group(ctx, structure, groups.Values[i], yield)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func (s *betaeSplit) readAnswers() (err error) {
	easy := "easy-answers"
	if s.split == Train {
		easy = "answers"
	}
	if s.easy, err = readAnswers(s.folder.file(s.split, easy)); err != nil || s.split == Train {
		return err
	}
	s.hard, err = readAnswers(s.folder.file(s.split, "hard-answers"))
	return err
}

// group streams the queries of one structure.
func (s *betaeSplit) group(ctx context.Context, structure, queries any, yield func(Query, error) bool) (more bool, err error) {
	tuples, err := tuplesOf(queries)
	if err != nil {
		return false, kg.Errorf(kg.Invalid, s.path, "%v", err)
	}
	filed, err := newFiling(structure)
	if err != nil && len(tuples) > 0 {
		return false, kg.Errorf(kg.Invalid, s.path, "%v", err)
	}
	for i, tuple := range tuples {
		if i%1024 == 0 {
			if err := kg.Stopped(ctx); err != nil {
				return false, err
			}
		}
		q, err := s.query(filed, tuple)
		if err != nil {
			return false, kg.Errorf(kg.Invalid, s.path, "query %d of a structure: %v", i, err)
		}
		if i == 0 && len(s.shapes) > 0 && !slices.Contains(s.shapes, s.templates.ShapeOf(q.Expr)) {
			return true, nil // queries of one structure are all of one shape
		}
		if !yield(q, nil) {
			return false, nil
		}
	}
	return true, nil
}

func tuplesOf(queries any) ([]any, error) {
	switch queries := queries.(type) {
	case *pickle.Set:
		if len(queries.Ints) == 0 {
			return queries.Others, nil
		}
	case *pickle.List:
		return queries.Items, nil
	}
	return nil, kg.Errorf(kg.Invalid, "", "expected a set of queries, found %s", describe(queries))
}

func (s *betaeSplit) query(under filing, tuple any) (q Query, err error) {
	q.Expr, err = query.TupleExpr(pickledTuples{&s.folder.numbers}, tuple)
	if err != nil {
		return q, err
	}
	if template, _ := s.templates.Split(q.Expr); !under.has(template) {
		return q, kg.Errorf(kg.Invalid, "", "expected the %s it is filed under, found %s", under, template)
	}
	if s.key, err = appendTupleKey(s.key[:0], tuple); err != nil {
		return q, err
	}
	var ok bool
	if q.Easy, ok, err = s.easy.of(s.key, s.folder.numbers); err != nil {
		return q, err
	} else if !ok {
		q.Absent |= EasyAnswers
	}
	if s.split == Train {
		return q, nil
	}
	if q.Hard, ok, err = s.hard.of(s.key, s.folder.numbers); err == nil && !ok {
		q.Absent |= HardAnswers
	}
	return q, err
}

// filing is what queries of a file are filed under: a structure or, in older files, a name.
type filing struct {
	name     string
	template *query.Template // nil of a name
}

func newFiling(structure any) (filing, error) {
	switch structure := structure.(type) {
	case string:
		return filing{name: structure}, nil
	case pickle.Tuple:
		template, err := query.ParseShape(structureText(structure))
		return filing{template: template}, err
	}
	return filing{}, fmt.Errorf("expected a structure of queries or its name, found %s", describe(structure))
}

// has tells whether queries of a template belong there.
func (f filing) has(t *query.Template) bool {
	if f.template == nil {
		return shapeOfName(f.name) == t.String()
	}
	return f.template.Code() == t.Code()
}

func (f filing) String() string {
	if f.template == nil {
		return fmt.Sprintf("shape %.40q", f.name)
	}
	return "structure"
}

// shapeOfName maps the names that the releases and their code use to those of
// package query, and leaves all others as they are.
func shapeOfName(name string) string {
	for _, t := range query2boxTypes {
		if name == t.file || name == t.tag {
			return t.shape
		}
	}
	switch name {
	case "2u-DM": // a union written with complements, by De Morgan's law
		return "n(i(n(1p),n(1p)))"
	case "up-DM":
		return "p(n(i(n(1p),n(1p))))"
	}
	return strings.TrimSuffix(name, "-DNF")
}
