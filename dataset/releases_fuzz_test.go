package dataset

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/pickle"
	"github.com/lacuna-kg/lacuna/kg"
)

// toyNumbers is the numbering of the toy releases.
var toyNumbers = numbering{within: bounds{entities: 15, relations: 8}}

// The toy releases and their answers were made by testdata/make_releases.py.
const (
	toyBetaE     = "testdata/toy-betae"
	oldBetaE     = "testdata/old-betae"
	toyQuery2Box = "testdata/toy-q2b"
)

// readRelease reads the queries of a pickle as either release would.
func readRelease(t *testing.T, value any) (queries []Query, err error) {
	collected := func(q Query, _ error) bool {
		queries = append(queries, q)
		return true
	}
	answers := answerFile{lists: map[string]any{}}
	switch value := value.(type) {
	case *pickle.Dict:
		s := betaeSplit{folder: betaeFolder{numbers: toyNumbers}, split: Test, easy: answers, hard: answers}
		for i, structure := range value.Keys {
			if _, err := s.group(t.Context(), structure, value.Values[i], collected); err != nil {
				return nil, err
			}
		}
	case *pickle.List:
		for _, kind := range query2boxTypes {
			r := query2boxType{folder: query2boxFolder{numbers: toyNumbers}, split: Test, shape: kind.shape, all: answers, hard: answers}
			if _, err = r.list(t.Context(), value.Items, collected); err == nil {
				return queries, nil
			}
		}
	}
	return queries, err
}

// FuzzReadReleases feeds pickles to the readers of both releases: what they take must be sound.
func FuzzReadReleases(f *testing.F) {
	for _, pattern := range []string{toyBetaE + "/*-queries.pkl", oldBetaE + "/*-queries*.pkl", toyQuery2Box + "/test_triples_*.pkl"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no files for %s: %v", pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		value, err := pickle.Decode(bytes.NewReader(data), pickle.Hooks{})
		if err != nil {
			return
		}
		queries, err := readRelease(t, value)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("an error of several lines: %q", err)
			}
			return
		}
		for _, q := range queries {
			if err := checkQuery(q, toyNumbers.within); err != nil {
				t.Errorf("took a query that is none: %v", err)
			}
		}
	})
}

// TestMalformedReleases names what is wrong with values that Python may well have written.
func TestMalformedReleases(t *testing.T) {
	path := func(numbers ...any) pickle.Tuple { return numbers }
	betae := func(structure, tuple any) any {
		return &pickle.Dict{Keys: []any{structure}, Values: []any{&pickle.Set{Others: []any{tuple}}}}
	}
	box := func(items ...any) any { return &pickle.List{Items: []any{pickle.Tuple(items)}} }
	n := func(number int64) any { return number }
	e1 := pickle.Tuple{"e", pickle.Tuple{"r"}}
	for _, c := range []struct {
		value any
		want  string
	}{
		{betae(e1, path(n(1), path(n(2), n(3)))), "expected the structure it is filed under, found 2p"},
		{betae("2p", path(n(1), path(n(2)))), `expected the shape "2p" it is filed under, found 1p`},
		{betae(e1, path(n(15), path(n(2)))), "entity 15 is none of the graph's 15"},
		{betae(e1, path(n(-1), path(n(2)))), "entity -1 is none"},
		{betae(e1, path(n(1), path(n(8)))), "relation 8 is none of the graph's 8"},
		{betae(e1, path(n(1), path(n(-3)))), "relation -3 is none"},
		{betae(e1, n(4)), "expected a set of queries"},
		{betae(e1, path(n(4))), "expected a tuple of an entity and its relations, or of two or more tuples, found a tuple of 1"},
		{betae(e1, path(path(n(4), path(n(1))), path(n(-1)))), "expected two or more tuples to unite"},
		{betae(e1, path(n(4), n(5), path(n(1)))), "expected a single tuple or entity before the relations"},
		{betae(e1, path("x", path(n(1)))), `found the text "x"`},
		{betae(e1, path(n(1), path("x"))), `expected the number of a relation, found the text "x"`},
		{betae(pickle.Tuple{"e", pickle.Tuple{"x"}}, path(n(1), path(n(2)))), `shape:1:7: expected 'r', found "x"`},
		{betae(n(1), path(n(1), path(n(2)))), "expected a structure of queries or its name, found the number 1"},
		{&pickle.Dict{Keys: []any{e1}, Values: []any{n(1)}}, "expected a set of queries, found the number 1"},
		{box(n(1)), "expected a tuple that ends with its type"},
		{box(path(n(1), path(n(1))), "1-chain"), "expected (entity, (relations), 0) in a chain"},
		{box(path(n(1), path(n(1))), n(0), "2-inter"), "expected two or more branches, found 1"},
		{box(path(n(1), path(n(1))), path(n(1), path(n(1))), n(0), "2-either"), "expected a type such as 2-chain"},
		{box(path(n(1), path(n(1))), path(n(1), n(1)), n(0), "2-union"), "expected a branch (entity, (relations)), found a tuple of 2"},
		{box(path(n(1), path(n(1))), path(n(1), path(n(1))), "r", n(0), "inter-chain"), "expected the number of a relation"},
		{box(path(n(1), path(n(1))), path(path(n(1)), path(n(1))), n(0), "2-union"), "expected a branch (entity, (relations)), found a tuple of 2"},
		{box(path(n(1), path(n(1), n(1), n(1), n(1)), n(0)), "3-chain"), "found 4p"},
	} {
		if set, ok := c.value.(*pickle.Dict); ok && c.want == "expected a set of queries" {
			set.Values[0] = &pickle.Set{Ints: []int64{4}}
		}
		_, err := readRelease(t, c.value)
		if kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("expected %q, found %v", c.want, err)
		}
	}
}
