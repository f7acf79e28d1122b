package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// byTemplate groups queries as a file does, keeping their order.
func byTemplate(queries []Query) []Query {
	var templates query.Templates
	var order []pendingKey
	groups := map[pendingKey][]Query{}
	for _, q := range queries {
		template, _ := templates.Split(q.Expr)
		key := pendingKey{template, q.Absent}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], q)
	}
	var grouped []Query
	for _, key := range order {
		grouped = append(grouped, groups[key]...)
	}
	return grouped
}

func TestFileRoundTrip(t *testing.T) {
	v := testVocabulary(300, 7)
	header := NewHeader(Test, v, Provenance{Source: "toy", Method: "sampled", Seed: 7, Parameters: map[string]string{"max-answers": "100"}})
	queries := newRandom(1, v).queries(2000, t)
	path := writeFile(t, header, queries)
	r, err := OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := r.Header(); got.Split != Test || got.Vocabulary != header.Vocabulary || got.Entities != 300 || got.Relations != 14 ||
		got.Provenance.Seed != 7 || got.Provenance.Parameters["max-answers"] != "100" {
		t.Errorf("header came back as %+v", got)
	}
	want := byTemplate(queries)
	if got := collect(t, r.Queries(t.Context())); !slices.EqualFunc(got, want, sameQuery) {
		t.Errorf("%d queries written, %d others read", len(want), len(got))
	}
	for _, count := range r.Shapes() {
		checkShape(t, r, queries, count)
	}
}

// checkShape compares one shape of a file, read alone, with what was written.
func checkShape(t *testing.T, r *Reader, written []Query, count ShapeCount) {
	var want []Query
	var easy, hard int
	for _, q := range written {
		if query.ShapeOf(q.Expr) == count.Shape {
			want = append(want, q)
			easy, hard = easy+len(q.Easy), hard+len(q.Hard)
		}
	}
	if count.Queries != len(want) || count.Easy != easy || count.Hard != hard {
		t.Errorf("%+v, expected %d queries, %d easy and %d hard answers", count, len(want), easy, hard)
	}
	if got := collect(t, r.Queries(t.Context(), count.Shape)); !slices.EqualFunc(got, byTemplate(want), sameQuery) {
		t.Errorf("%s: %d queries written, others read", count.Shape, len(want))
	}
}

func TestFileIsDeterministic(t *testing.T) {
	v := testVocabulary(300, 7)
	header := NewHeader(Train, v, Provenance{Parameters: map[string]string{"b": "2", "a": "1", "c": "3"}})
	var first []byte
	for range 3 {
		data, err := os.ReadFile(writeFile(t, header, newRandom(2, v).queries(500, t)))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = data
		}
		if !bytes.Equal(first, data) {
			t.Fatal("the same queries gave different bytes")
		}
	}
}

// TestManyBlocks makes several blocks of one shape, and lists that exceed a block.
func TestManyBlocks(t *testing.T) {
	v := testVocabulary(100_000, 1)
	all := make([]kg.Entity, 100_000)
	for i := range all {
		all[i] = kg.Entity(i)
	}
	var queries []Query
	for i := range 40 {
		e := query.Projection{Of: query.Anchor{Entity: kg.Entity(i)}}
		queries = append(queries, Query{Expr: e, Easy: all, Hard: all[i:]})
	}
	for range maxBlockQueries + 5 { // these take no byte at all
		queries = append(queries, Query{Expr: query.Universe{}, Absent: EasyAnswers | HardAnswers})
	}
	r, err := OpenReader(writeFile(t, NewHeader(Valid, v, Provenance{}), queries))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if len(r.index.Blocks) < 8 {
		t.Errorf("%d blocks, expected more", len(r.index.Blocks))
	}
	// A block that is full goes to the file at once, so that shapes interleave.
	if got := byTemplate(collect(t, r.Queries(t.Context()))); !slices.EqualFunc(got, queries, sameQuery) {
		t.Error("the queries came back changed")
	}
}

func smallFile(tb testing.TB) []byte {
	v := testVocabulary(20, 3)
	data, err := os.ReadFile(writeFile(tb, NewHeader(Test, v, Provenance{}), newRandom(3, v).queries(12, tb)))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func refuse(t *testing.T, data []byte, what string) {
	t.Helper()
	_, err := newReader(bytes.NewReader(data), int64(len(data)), "toy.queries")
	if err == nil {
		t.Fatalf("%s: accepted", what)
	}
	if kg.KindOf(err) != kg.Invalid || !strings.HasPrefix(err.Error(), "toy.queries: ") || strings.Contains(err.Error(), "\n") {
		t.Fatalf("%s: expected one line that names the file, found %q of kind %d", what, err, kg.KindOf(err))
	}
}

func TestTruncatedFileIsRefused(t *testing.T) {
	data := smallFile(t)
	for length := range data {
		refuse(t, data[:length], fmt.Sprintf("cut to %d bytes", length))
	}
	refuse(t, append(slices.Clone(data), 0), "a byte too many")
}

func TestCorruptFileIsRefused(t *testing.T) {
	data := smallFile(t)
	for at := range data {
		for bit := range 8 {
			changed := slices.Clone(data)
			changed[at] ^= 1 << bit
			refuse(t, changed, fmt.Sprintf("bit %d of byte %d flipped", bit, at))
		}
	}
}

func TestRefusalsSayWhy(t *testing.T) {
	data := smallFile(t)
	newer := slices.Clone(data)
	binary.LittleEndian.PutUint32(newer[len(fileMark):], 2)
	flipped := slices.Clone(data)
	flipped[len(data)/2] ^= 4
	for _, c := range []struct {
		data []byte
		want string
	}{
		{[]byte("PK\x03\x04 some archive of another kind"), "expected a file of queries made by lacuna"},
		{nil, "truncated"},
		{newer, "format version 2, this lacuna reads version 1"},
		{data[:len(data)-1], "truncated"},
		{flipped, "checksum does not match"},
	} {
		_, err := newReader(bytes.NewReader(c.data), int64(len(c.data)), "toy.queries")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("expected %q, found %v", c.want, err)
		}
	}
	if _, err := OpenReader(filepath.Join(t.TempDir(), "none.queries")); kg.KindOf(err) != kg.NotFound {
		t.Errorf("a missing file gave %v", err)
	}
	if _, err := OpenReader(t.TempDir()); kg.KindOf(err) != kg.Invalid {
		t.Errorf("a folder gave %v", err)
	}
}

func TestWriterRefusesWhatIsNoQuery(t *testing.T) {
	v := testVocabulary(10, 2)
	deep := query.Expr(query.Anchor{})
	for range maxTemplateDepth + 1 {
		deep = query.Complement{Of: deep}
	}
	good := Query{Expr: query.Projection{Relation: 3, Of: query.Anchor{Entity: 9}}, Easy: []kg.Entity{0, 9}}
	path := filepath.Join(t.TempDir(), "toy.queries")
	w, err := Create(path, NewHeader(Test, v, Provenance{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		query Query
		want  string
	}{
		{Query{Expr: query.Anchor{Entity: 10}}, "entity 10 is beyond the 10"},
		{Query{Expr: query.Projection{Relation: 4, Of: query.Anchor{}}}, "relation 4 is beyond the 4"},
		{Query{Expr: query.Universe{}, Easy: []kg.Entity{2, 1}}, "easy answers are not sorted"},
		{Query{Expr: query.Universe{}, Hard: []kg.Entity{2, 2}}, "hard answers are not sorted"},
		{Query{Expr: query.Universe{}, Hard: []kg.Entity{10}}, "entity 10 is beyond"},
		{Query{Expr: query.Union{Of: []query.Expr{query.Universe{}}}}, "two or more operands"},
		{Query{Expr: nil}, "expected a query expression"},
		{Query{Expr: deep}, "nested over 1000 deep"},
	} {
		if err := w.Write(c.query); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("expected %q, found %v", c.want, err)
		}
	}
	if err := w.Write(good); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := collect(t, r.Queries(t.Context())); len(got) != 1 || !sameQuery(got[0], good) {
		t.Errorf("the refused queries left traces: %v", got)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	w, err := Create(filepath.Join(folder, "toy.queries"), NewHeader(Test, testVocabulary(3, 1), Provenance{}))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(Query{Expr: query.Universe{}}); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	w.Abort()
	if err := w.Write(Query{Expr: query.Universe{}}); err == nil {
		t.Error("an aborted writer took a query")
	}
	if err := w.Close(); err == nil {
		t.Error("an aborted writer could be closed")
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := Create(filepath.Join(folder, "none", "toy.queries"), Header{}); kg.KindOf(err) != kg.NotFound {
		t.Errorf("a missing folder gave %v", err)
	}
}

func TestStreamStopsWithItsContext(t *testing.T) {
	v := testVocabulary(20, 3)
	r, err := OpenReader(writeFile(t, NewHeader(Test, v, Provenance{}), newRandom(4, v).queries(50, t)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read := 0
	for _, err := range r.Queries(ctx) {
		if err != nil {
			if kg.KindOf(err) != kg.Cancelled {
				t.Errorf("expected a cancelled stream, found %v", err)
			}
			return
		}
		read++
		cancel()
	}
	t.Errorf("read all %d queries after the context ended", read)
}

// Files take smaller templates than package query does.
func TestLargestTemplates(t *testing.T) {
	deep := strings.Repeat("n", maxTemplateDepth) + "e"
	if _, err := parseTemplate(deep); err != nil {
		t.Errorf("the deepest template: %v", err)
	}
	if _, err := parseTemplate("n" + deep); err == nil {
		t.Error("a template beyond the depth limit was accepted")
	}
	if _, err := parseTemplate("i9999" + strings.Repeat("e", 9999)); err != nil {
		t.Errorf("the widest template: %v", err)
	}
	if _, err := parseTemplate("i10000" + strings.Repeat("e", 10000)); err == nil {
		t.Error("a template beyond the size limit was accepted")
	}
}
