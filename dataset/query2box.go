package dataset

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/pickle"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// query2boxTypes are the types of a Query2Box release: the one in the names of its
// files, the tag in its queries, and the shape both mean.
var query2boxTypes = []struct{ file, tag, shape string }{
	{"1c", "1-chain", "1p"},
	{"2c", "2-chain", "2p"},
	{"3c", "3-chain", "3p"},
	{"2i", "2-inter", "2i"},
	{"3i", "3-inter", "3i"},
	{"ci", "chain-inter", "pi"},
	{"ic", "inter-chain", "ip"},
	{"2u", "2-union", "2u"},
	{"uc", "union-chain", "up"},
}

// query2boxFolder reads a Query2Box release: {split}_triples_{type}.pkl lists the
// queries, {split}_ans_{type}.pkl gives all answers of each, the hard ones
// included, and {split}_ans_{type}_hard.pkl the hard ones. That _ans_ means all
// answers is nowhere written; it is so for every query of the public files but
// those that Verify finds faulty.
type query2boxFolder struct {
	dir     string
	numbers numbering
}

func (f query2boxFolder) file(split Split, format, kind string) string {
	return filepath.Join(f.dir, split.String()+fmt.Sprintf(format, kind))
}

func (f query2boxFolder) splits() []Split {
	return slices.DeleteFunc(AllSplits(), func(s Split) bool {
		for _, t := range query2boxTypes {
			if exists(f.file(s, "_triples_%s.pkl", t.file)) {
				return false
			}
		}
		return true
	})
}

func (f query2boxFolder) close() error { return nil }

func (f query2boxFolder) stored(ctx context.Context, split Split, shapes []string) iter.Seq2[Query, error] {
	return func(yield func(Query, error) bool) {
		for _, t := range query2boxTypes {
			if len(shapes) > 0 && !slices.Contains(shapes, t.shape) {
				continue
			}
			reader := query2boxType{folder: f, split: split, path: f.file(split, "_triples_%s.pkl", t.file), shape: t.shape}
			more, err := reader.run(ctx, t.file, yield)
			if err != nil {
				yield(Query{}, err)
			}
			if err != nil || !more {
				return
			}
		}
	}
}

// query2boxType streams the queries of one type and split.
type query2boxType struct {
	folder    query2boxFolder
	split     Split
	path      string
	shape     string
	all, hard answerFile
	shapes    query.Templates
	key       []byte // scratch
}

func (r *query2boxType) run(ctx context.Context, kind string, yield func(Query, error) bool) (more bool, err error) {
	if !exists(r.path) {
		return true, nil
	}
	value, err := readPickle(r.path)
	if err != nil {
		return false, err
	}
	list, ok := value.(*pickle.List)
	if !ok {
		return false, kg.Errorf(kg.Invalid, r.path, "expected a list of queries, found %s", describe(value))
	}
	if r.all, err = readAnswers(r.folder.file(r.split, "_ans_%s.pkl", kind)); err != nil {
		return false, err
	}
	if r.hard, err = readAnswers(r.folder.file(r.split, "_ans_%s_hard.pkl", kind)); err != nil {
		return false, err
	}
	return r.list(ctx, list.Items, yield)
}

func (r *query2boxType) list(ctx context.Context, items []any, yield func(Query, error) bool) (more bool, err error) {
	for i, item := range items {
		if i%1024 == 0 {
			if err := kg.Stopped(ctx); err != nil {
				return false, err
			}
		}
		q, err := r.query(item)
		if err != nil {
			return false, kg.Errorf(kg.Invalid, r.path, "query %d: %v", i, err)
		}
		if !yield(q, nil) {
			return false, nil
		}
	}
	return true, nil
}

func (r *query2boxType) query(item any) (q Query, err error) {
	tuple, tag, err := query2boxTuple(item)
	if err != nil {
		return q, err
	}
	q.Expr, err = pickledTuples{&r.folder.numbers}.query2boxExpr(tuple, tag)
	if err != nil {
		return q, err
	}
	if shape := r.shapes.ShapeOf(q.Expr); shape != r.shape {
		return q, fmt.Errorf("expected the shape %s of the file, found %s", r.shape, shape)
	}
	if r.key, err = appendTupleKey(r.key[:0], tuple); err != nil {
		return q, err
	}
	return q, r.addAnswers(&q)
}

// addAnswers splits all answers into easy and hard. Without the hard ones the two
// cannot be told apart; a training query has none.
func (r *query2boxType) addAnswers(q *Query) (err error) {
	all, haveAll, err := r.all.of(r.key, r.folder.numbers)
	if err != nil {
		return err
	}
	haveHard := r.split == Train
	if !haveHard {
		if q.Hard, haveHard, err = r.hard.of(r.key, r.folder.numbers); err != nil {
			return err
		}
	}
	if !haveHard {
		q.Absent |= HardAnswers
	}
	if !haveAll || !haveHard {
		q.Absent |= EasyAnswers
		return nil
	}
	q.Easy = difference(all, q.Hard)
	return nil
}

// query2boxTuple takes a query apart: ((e, (r, r), 0), "2-chain") for chains,
// (branch, branch, 0, "2-inter") and (branch, branch, r, 0, "inter-chain") for the
// others, a branch being (e, (r, …)). The zero stands for the answer. What is left
// without it, with chains as a tuple of one branch, is the key of the answers.
func query2boxTuple(item any) (tuple pickle.Tuple, tag string, err error) {
	t, _ := item.(pickle.Tuple)
	if len(t) >= 2 {
		tag, _ = t[len(t)-1].(string)
	}
	if tag == "" {
		return nil, "", fmt.Errorf("expected a tuple that ends with its type, found %s", describe(item))
	}
	if len(t) > 2 {
		return t[:len(t)-2], tag, nil
	}
	chain, _ := t[0].(pickle.Tuple)
	if len(chain) != 3 {
		return nil, "", fmt.Errorf("expected (entity, (relations), 0) in a chain, found %s", describe(t[0]))
	}
	return pickle.Tuple{chain[:2]}, tag, nil
}

// query2boxExpr gives the tuple of a query its meaning. Its branches are as in BetaE's; its
// tag says how they are joined.
func (p pickledTuples) query2boxExpr(tuple pickle.Tuple, tag string) (query.Expr, error) {
	switch tag {
	case "1-chain", "2-chain", "3-chain":
		return p.branch(tuple[0])
	case "2-inter", "3-inter", "chain-inter":
		return p.branches(tuple, false)
	case "2-union":
		return p.branches(tuple, true)
	case "inter-chain", "union-chain":
		of, err := p.branches(tuple[:len(tuple)-1], tag == "union-chain")
		if err != nil {
			return nil, err
		}
		r, err := p.relation(tuple[len(tuple)-1])
		return query.Projection{Relation: r, Of: of}, err
	}
	return nil, fmt.Errorf("expected a type such as 2-chain or inter-chain, found %.40q", tag)
}

func (p pickledTuples) branches(of pickle.Tuple, union bool) (query.Expr, error) {
	if len(of) < 2 {
		return nil, fmt.Errorf("expected two or more branches, found %d", len(of))
	}
	operands := make([]query.Expr, len(of))
	for i, operand := range of {
		var err error
		if operands[i], err = p.branch(operand); err != nil {
			return nil, err
		}
	}
	if union {
		return query.Union{Of: operands}, nil
	}
	return query.Intersection{Of: operands}, nil
}

// branch is a chain of relations from an entity.
func (p pickledTuples) branch(value any) (query.Expr, error) {
	if t, _ := value.(pickle.Tuple); len(t) == 2 {
		_, entity := t[0].(int64)
		_, relations := t[1].(pickle.Tuple)
		if entity && relations {
			return query.TupleExpr(p, value)
		}
	}
	return nil, p.Wrong(value, "expected a branch (entity, (relations))")
}
