package dataset

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// testVocabulary names entities e0, e1, … and base relations r0, r1, ….
func testVocabulary(entities, bases int) *kg.Vocabulary {
	var names, relations kg.Interner
	for i := range entities {
		names.Intern([]byte("e" + strconv.Itoa(i)))
	}
	for i := range bases {
		relations.Intern([]byte("r" + strconv.Itoa(i)))
	}
	return &kg.Vocabulary{
		Entities:  kg.Dictionary{Names: names.Names()},
		Relations: kg.Dictionary{Names: relations.Names()},
	}
}

type random struct {
	*rand.Rand
	entities, relations int
}

func newRandom(seed uint64, v *kg.Vocabulary) random {
	return random{rand.New(rand.NewPCG(seed, 1)), v.Entities.Names.Len(), v.NumRelations()}
}

// expr makes any tree of at most the given depth.
func (r random) expr(depth int) query.Expr {
	if depth == 0 {
		if r.IntN(8) == 0 {
			return query.Universe{}
		}
		return query.Anchor{Entity: kg.Entity(r.IntN(r.entities))}
	}
	switch r.IntN(6) {
	case 0:
		return query.Intersection{Of: r.several(depth)}
	case 1:
		return query.Union{Of: r.several(depth)}
	case 2:
		return query.Complement{Of: r.expr(depth - 1)}
	case 3:
		return r.expr(0)
	}
	return query.Projection{Relation: kg.Relation(r.IntN(r.relations)), Of: r.expr(depth - 1)}
}

func (r random) several(depth int) []query.Expr {
	operands := make([]query.Expr, 2+r.IntN(3))
	for i := range operands {
		operands[i] = r.expr(r.IntN(depth))
	}
	return operands
}

// fill gives a shape random numbers.
func (r random) fill(t *query.Template) query.Expr {
	ids := make([]uint32, t.Slots)
	for i, isRelation := range t.Relations() {
		if ids[i] = uint32(r.IntN(r.entities)); isRelation {
			ids[i] = uint32(r.IntN(r.relations))
		}
	}
	return t.Fill(ids)
}

// answers is a sorted list, often empty and sometimes of all entities.
func (r random) answers() []kg.Entity {
	share := []int{0, 1, 2, 10, 100}[r.IntN(5)]
	list := []kg.Entity{}
	for e := range r.entities {
		if r.IntN(100) < share {
			list = append(list, kg.Entity(e))
		}
	}
	return list
}

// queries are of random trees and of all public shapes, with parts absent here and there.
func (r random) queries(n int, tb testing.TB) []Query {
	queries := make([]Query, n)
	for i := range queries {
		q := Query{Expr: r.expr(r.IntN(5)), Easy: r.answers(), Hard: r.answers()}
		if i%2 == 0 {
			shape, err := query.ParseShape(query.Shapes[r.IntN(len(query.Shapes))])
			if err != nil {
				tb.Fatal(err)
			}
			q.Expr = r.fill(shape)
		}
		if r.IntN(5) == 0 {
			q.Absent, q.Easy = EasyAnswers, nil
		}
		if r.IntN(5) == 0 {
			q.Absent, q.Hard = q.Absent|HardAnswers, nil
		}
		queries[i] = q
	}
	return queries
}

func sameQuery(a, b Query) bool {
	return query.Equal(a.Expr, b.Expr) && slices.Equal(a.Easy, b.Easy) && slices.Equal(a.Hard, b.Hard) && a.Absent == b.Absent
}

// writeFile makes a file of queries and gives its path.
func writeFile(tb testing.TB, header Header, queries []Query) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), header.Split.String()+FileSuffix)
	w, err := Create(path, header)
	if err != nil {
		tb.Fatal(err)
	}
	for _, q := range queries {
		if err := w.Write(q); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

// collect reads a stream to its end.
func collect(tb testing.TB, stream func(func(Query, error) bool)) []Query {
	tb.Helper()
	var all []Query
	for q, err := range stream {
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, q)
	}
	return all
}
