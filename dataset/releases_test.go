package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

func openSet(tb testing.TB, dir string, opts Options) *Set {
	tb.Helper()
	s, err := Open(tb.Context(), dir, opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close() })
	return s
}

func verify(tb testing.TB, s *Set, opts VerifyOptions) Report {
	tb.Helper()
	report, err := Verify(tb.Context(), s, opts)
	if err != nil {
		tb.Fatal(err)
	}
	return report
}

var (
	demorgan    = []string{"n(i(n(1p),n(1p)))", "p(n(i(n(1p),n(1p))))"}
	trainShapes = []string{"1p", "2p", "3p", "2i", "3i", "2in", "3in", "inp", "pin", "pni"}
)

// TestReleasesAgree reads every type of each release and finds the answers that the
// generator's own evaluator found.
func TestReleasesAgree(t *testing.T) {
	all := slices.Concat(query.Shapes, demorgan)
	for _, c := range []struct {
		dir    string
		format Format
		shapes map[Split][]string
	}{
		{toyBetaE, BetaE, map[Split][]string{Train: trainShapes, Valid: all, Test: all}},
		{oldBetaE, BetaE, map[Split][]string{Train: trainShapes, Valid: all, Test: all}},
		{toyQuery2Box, Query2Box, map[Split][]string{Train: query.Shapes[:5], Valid: query.Shapes[:9], Test: query.Shapes[:9]}},
	} {
		s := openSet(t, c.dir, Options{})
		if s.Format != c.format || !slices.Equal(s.Splits(), AllSplits()) {
			t.Errorf("%s: recognised as %s with %v", c.dir, s.Format, s.Splits())
		}
		report := verify(t, s, VerifyOptions{})
		found := map[Split][]string{}
		for _, g := range report.Groups {
			found[g.Split] = append(found[g.Split], g.Shape)
			if g.Queries != 3 || g.Agreeing != 3 {
				t.Errorf("%s: expected 3 agreeing queries, found %+v", c.dir, g)
			}
		}
		for split, want := range c.shapes {
			slices.Sort(found[split])
			if !slices.Equal(found[split], slices.Sorted(slices.Values(want))) {
				t.Errorf("%s, %s: expected %v, found %v", c.dir, split, want, found[split])
			}
		}
	}
}

// TestReleasesAreTheSame compares the three ways to write the same queries.
func TestReleasesAreTheSame(t *testing.T) {
	betae := openSet(t, toyBetaE, Options{})
	for _, other := range []string{oldBetaE, toyQuery2Box} {
		s := openSet(t, other, Options{})
		for _, split := range AllSplits() {
			for _, shape := range query.Shapes {
				got := byKey(t, s, split, shape)
				if len(got) == 0 && other == toyQuery2Box {
					continue // it knows fewer shapes
				}
				want := byKey(t, betae, split, shape)
				if len(got) != len(want) {
					t.Fatalf("%s, %s %s: expected %d queries, found %d", other, split, shape, len(want), len(got))
				}
				for key, q := range got {
					if !sameAnswers(q, want[key]) {
						t.Errorf("%s, %s %s: expected %v, found %v", other, split, shape, want[key], q)
					}
				}
			}
		}
	}
}

func byKey(tb testing.TB, s *Set, split Split, shapes ...string) map[string]Query {
	queries := map[string]Query{}
	for _, q := range collect(tb, s.Queries(tb.Context(), split, shapes...)) {
		queries[query.Key(q.Expr)] = q
	}
	return queries
}

func sameAnswers(a, b Query) bool {
	return slices.Equal(a.Easy, b.Easy) && slices.Equal(a.Hard, b.Hard) && a.Absent == b.Absent
}

func TestQuery2BoxFindsItsGraph(t *testing.T) {
	s := openSet(t, toyQuery2Box, Options{})
	if !strings.Contains(s.Note, "toy-betae") && !strings.Contains(s.Note, "old-betae") {
		t.Errorf("the note does not name the folder: %q", s.Note)
	}
	for q, err := range s.stored(t.Context(), Test, "ip") {
		if err != nil || q.Absent != EasyAnswers || len(q.Easy) > 0 || len(q.Hard) == 0 {
			t.Errorf("expected hard answers alone, found %+v, %v", q, err)
		}
	}
	alone := filepath.Join(t.TempDir(), "q2b")
	if err := os.CopyFS(alone, os.DirFS(toyQuery2Box)); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), alone, Options{})
	if kg.KindOf(err) != kg.NotFound || !strings.Contains(err.Error(), "name the graph") {
		t.Errorf("without a graph: %v", err)
	}
	if s := openSet(t, alone, Options{Graph: toyBetaE}); verify(t, s, VerifyOptions{}).Disagreeing > 0 || s.Note != "" {
		t.Error("the graph that was named does not fit, or was found otherwise")
	}
}

// TestOtherNumbering opens the releases with a graph that knows the same names by other numbers.
func TestOtherNumbering(t *testing.T) {
	original := openSet(t, toyBetaE, Options{}).Graph
	dir := t.TempDir()
	write := func(name string, triples []kg.Triple) {
		var text strings.Builder
		for _, triple := range slices.Backward(triples) {
			v := original.Train.Vocabulary
			text.WriteString(v.Entity(triple.Head) + "\t" + v.Relation(triple.Relation) + "\t" + v.Entity(triple.Tail) + "\n")
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("train.txt", slices.Collect(original.Train.Triples()))
	write("valid.txt", original.Valid)
	write("test.txt", original.Test)
	for _, release := range []string{toyBetaE, toyQuery2Box} {
		s := openSet(t, release, Options{Graph: dir})
		if e, _ := s.Graph.Train.Entities.Names.Find("entity00"); e == 0 {
			t.Fatal("the graph numbers entities as the release does: nothing is tested")
		}
		if report := verify(t, s, VerifyOptions{}); report.Disagreeing > 0 || report.Agreeing != report.Queries {
			t.Errorf("%s: %+v", release, report)
		}
	}
}

// TestNumbersAsNames opens a folder that states its facts in numbers and knows
// their names only by Query2Box's own files.
func TestNumbersAsNames(t *testing.T) {
	dir := t.TempDir()
	for _, from := range []string{toyQuery2Box, toyBetaE} {
		files, err := os.ReadDir(from)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if from == toyBetaE && !strings.HasSuffix(file.Name(), ".txt") {
				continue
			}
			data, err := os.ReadFile(filepath.Join(from, file.Name()))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, file.Name()), data, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	report := verify(t, openSet(t, dir, Options{}), VerifyOptions{})
	if report.Queries != 69 || report.Agreeing != 69 {
		t.Errorf("%+v", report)
	}
}

func TestShapesAreCounted(t *testing.T) {
	betae := openSet(t, toyBetaE, Options{})
	dir := filepath.Join(t.TempDir(), "converted")
	if err := Convert(t.Context(), betae, dir, ConvertOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, split := range AllSplits() {
		var streamed shapeCounts
		for q, err := range betae.stored(t.Context(), split) {
			if err != nil {
				t.Fatal(err)
			}
			streamed.add(query.ShapeOf(q.Expr), q)
		}
		r, err := OpenReader(filepath.Join(dir, split.String()+FileSuffix))
		if err != nil {
			t.Fatal(err)
		}
		if listed := r.Shapes(); !slices.Equal(streamed.list, listed) {
			t.Errorf("%s: counted %v, the index lists %v", split, streamed.list, listed)
		}
		r.Close()
		easy := 0
		for q := range betae.Queries(t.Context(), split, "2i") {
			easy += len(q.Easy)
		}
		at := slices.IndexFunc(streamed.list, func(c ShapeCount) bool { return c.Shape == "2i" })
		if at < 0 || streamed.list[at].Queries != 3 || streamed.list[at].Easy != easy {
			t.Errorf("%s: expected 3 queries of shape 2i with %d easy answers, found %v", split, easy, streamed.list)
		}
	}
}

func TestForeignGraphIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.tsv")
	if err := os.WriteFile(path, []byte("alice\tknows\tbob\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, release := range []string{toyBetaE, toyQuery2Box} {
		_, err := Open(t.Context(), release, Options{Graph: path})
		if kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), `entity 0 is "entity00", which the graph does not know`) {
			t.Errorf("%s: %v", release, err)
		}
	}
}

func TestOpenRefusals(t *testing.T) {
	empty := t.TempDir()
	file := filepath.Join(empty, "file")
	for _, c := range []struct {
		path string
		kind kg.Kind
		want string
	}{
		{filepath.Join(empty, "none"), kg.NotFound, "no such folder"},
		{empty, kg.Invalid, "found no queries: expected files such as test.queries"},
		{file, kg.Invalid, "expected a folder of queries, found a file"},
	} {
		if c.path == file {
			if err := os.WriteFile(file, nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Open(t.Context(), c.path, Options{})
		if kg.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.want) {
			t.Errorf("expected %q, found %v", c.want, err)
		}
	}
}

func TestMalformedFilesOfReleases(t *testing.T) {
	for file, want := range map[string]string{
		"test-queries.pkl":      "test-queries.pkl: pickle byte",
		"test-easy-answers.pkl": "test-easy-answers.pkl: pickle byte",
		"id2ent.pkl":            "id2ent.pkl: ",
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(toyBetaE)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, file)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data[:len(data)/2], 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), dir, Options{})
		if err == nil {
			_, err = Verify(t.Context(), s, VerifyOptions{})
		}
		if kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: expected %q, found %v", file, want, err)
		}
	}
}
