package links

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// writing is a file of all stated pairs of a random graph.
func writing(seed uint64, top int) (Writing, table) {
	rng := rand.New(rand.NewPCG(seed, 1))
	g, model := randomGraph(rng), randomTable(rng)
	return Writing{
		Rows: New(g, model, Options{Least: 0.01, Map: Map{{Logit: 1.2, Total: -1, Stated: 0.9, None: -0.3}}}), Pairs: StatedPairs(g, nil),
		Origin: Origin{Graph: GraphHash(g), Model: "m", Name: "random", Top: top},
	}, model
}

func writtenFile(t *testing.T, w Writing) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.links")
	header, err := WriteFile(t.Context(), path, w)
	if err != nil {
		t.Fatal(err)
	}
	f, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(f.Header, header) {
		t.Errorf("header %+v, written %+v", f.Header, header)
	}
	if _, err := os.Stat(path + PartialSuffix); err == nil {
		t.Error("the partial file is still there")
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// sameRow tells whether a row of a file is the first links of a computed one, up to the steps of its probabilities.
func sameRow(got, want Row, most int) bool {
	n, want := min(most, len(want.Tails)), want.Likeliest(most)
	if !slices.Equal(got.Tails, want.Tails[:n]) || !slices.Equal(got.Stated, want.Stated) {
		return false
	}
	for i, p := range got.Probabilities {
		if math.Abs(math.Log(float64(p/want.Probabilities[i]))) > 0.51/stepsOfE {
			return false
		}
	}
	return true
}

// Rows come from a file as they were computed, and those that it lacks are computed.
func TestFileGivesRowsBack(t *testing.T) {
	for seed := range uint64(10) {
		most := []int{entities, 3}[seed%2]
		w, model := writing(seed, []int{0, 3}[seed%2])
		f, g := writtenFile(t, w), w.Rows.Graph()
		source := counting{model, map[Pair]int{}}
		got, err := New(g, source, Options{File: f}).Get(t.Context(), allPairs())
		if err != nil {
			t.Fatal(err)
		}
		want, err := w.Rows.Get(t.Context(), allPairs())
		if err != nil {
			t.Fatal(err)
		}
		links := 0
		for i, p := range allPairs() {
			isStated := len(g.Tails(p.Head, p.Relation)) > 0
			if (source.pairs[p] == 0) != isStated {
				t.Errorf("%v, stated %v, was computed %d times", p, isStated, source.pairs[p])
			}
			if !isStated { // computed
				most, got[i] = entities, got[i].Likeliest(entities)
			}
			if !sameRow(got[i], want[i], most) {
				t.Fatalf("%v: %+v, want %+v", p, got[i], want[i])
			}
			most = []int{entities, 3}[seed%2]
			if isStated {
				links += len(got[i].Tails)
			}
		}
		if f.LinksInRows != links {
			t.Errorf("the header counts %d links, there are %d", f.LinksInRows, links)
		}
	}
}

// By default no row is computed beside some of a file, and those of a set of which it has none are.
func TestFollowLackingSparingly(t *testing.T) {
	w, model := writing(6, 0)
	f, g := writtenFile(t, w), w.Rows.Graph()
	for _, pair := range allPairs() {
		isStated := len(g.Tails(pair.Head, pair.Relation)) > 0
		for _, alone := range []bool{true, false} {
			source := counting{model, map[Pair]int{}}
			p := NewExecutor(New(g, source, Options{File: f}), Follow{Most: -1}).NewPool(2, fuzzy.Product)
			p.Singletons([]exec.Singleton{{Slot: 0, Entity: pair.Head}})
			if !alone {
				p.Everything([]int{0})
			}
			if err := p.Project(t.Context(), []exec.Projection{{Out: 1, In: 0, Relation: pair.Relation}}); err != nil {
				t.Fatal(err)
			}
			hasSome := isStated || !alone && len(StatedPairs(g, func(p Pair) bool { return p.Relation == pair.Relation })) > 0
			if computed := len(source.pairs); (computed > 0) == hasSome {
				t.Errorf("%v, alone %v: %d rows were computed, the file has some: %v", pair, alone, computed, hasSome)
			}
		}
	}
}

// With a file few rows that it lacks are computed, and the cut says so.
func TestFollowLacking(t *testing.T) {
	w, model := writing(4, 0)
	f, g := writtenFile(t, w), w.Rows.Graph()
	for q := range kg.Relation(2 * relations) {
		for lacking := 1; lacking < 5; lacking++ {
			source := counting{model, map[Pair]int{}}
			p := NewExecutor(New(g, source, Options{File: f}), Follow{Most: -1, Lacking: lacking}).NewPool(2, fuzzy.Product)
			p.Everything([]int{0})
			if err := p.Project(t.Context(), []exec.Projection{{Out: 1, In: 0, Relation: q}}); err != nil {
				t.Fatal(err)
			}
			all := entities - len(StatedPairs(g, func(p Pair) bool { return p.Relation == q }))
			if len(source.pairs) != min(lacking, all) {
				t.Errorf("%d rows were computed, expected %d of %d", len(source.pairs), lacking, all)
			}
			want := exec.Cut{}
			if all > lacking {
				want = exec.Cut{LeftOut: all - lacking, Likeliest: 1, By: exec.ByLacking}
			}
			if p.Cut(1) != want {
				t.Errorf("cut %+v, expected %+v", p.Cut(1), want)
			}
		}
	}
}

func TestFileIsOfItsGraphAndModel(t *testing.T) {
	w, _ := writing(3, 0)
	f, g := writtenFile(t, w), w.Rows.Graph()
	if err := f.Fits(g, "m"); err != nil {
		t.Error(err)
	}
	if err := f.Fits(g, "another"); kg.KindOf(err) != kg.Invalid {
		t.Errorf("another model: %v", err)
	}
	var some []kg.Triple
	for fact := range g.Triples() {
		some = append(some, fact)
	}
	rest, err := g.Without(t.Context(), some[:1])
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Fits(rest, "m"); kg.KindOf(err) != kg.Invalid {
		t.Errorf("other facts: %v", err)
	}
}

// stopping ends a context after some rows.
type stopping struct {
	table
	left   *int
	cancel func()
}

func (s stopping) Tails(ctx context.Context, heads []kg.Entity, relations []kg.Relation, part func(int, kernel.Device, kernel.Buffer, []kg.Entity) error) error {
	return s.table.Tails(ctx, heads, relations, func(from int, device kernel.Device, probabilities kernel.Buffer, columns []kg.Entity) error {
		if *s.left--; *s.left == 0 {
			s.cancel()
		}
		return part(from, device, probabilities, columns)
	})
}

// A file that was interrupted, even within a part, goes on and comes out as one that was not.
func TestFileGoesOn(t *testing.T) {
	w, model := writing(5, 0)
	dir := t.TempDir()
	whole, resumed := filepath.Join(dir, "whole"), filepath.Join(dir, "resumed")
	if _, err := WriteFile(t.Context(), whole, w); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	left := 4
	interrupted := w
	interrupted.Rows = New(w.Rows.graph, stopping{model, &left, cancel}, w.Rows.options)
	if _, err := WriteFile(ctx, resumed, interrupted); kg.KindOf(err) != kg.Cancelled {
		t.Fatalf("error %v", err)
	}
	tear(t, resumed+PartialSuffix)
	source := counting{model, map[Pair]int{}}
	w.Rows = New(w.Rows.graph, source, w.Rows.options)
	first := 0
	w.Progress = func(done, _ int) {
		if first == 0 {
			first = done
		}
	}
	if _, err := WriteFile(t.Context(), resumed, w); err != nil {
		t.Fatal(err)
	}
	if first != 4*pairsAtOnce {
		t.Errorf("it went on after %d rows, expected the torn part alone to be lost", first-pairsAtOnce)
	}
	a, _ := os.ReadFile(whole)
	b, _ := os.ReadFile(resumed)
	if !slices.Equal(a, b) {
		t.Error("the resumed file differs")
	}
}

// tear cuts the last bytes off a file.
func tear(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, info.Size()-5)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestPartialFileOfOtherLinksIsRefused(t *testing.T) {
	w, model := writing(7, 0)
	path := filepath.Join(t.TempDir(), "rows.links")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := WriteFile(ctx, path, w); err == nil {
		t.Fatal("a file in spite of the context")
	}
	w.Rows = New(w.Rows.graph, model, Options{Least: 0.2})
	if _, err := WriteFile(t.Context(), path, w); kg.KindOf(err) != kg.Invalid {
		t.Errorf("error %v", err)
	}
}

// Bytes that were changed are found out, and nothing that is made up to deceive makes reading fail otherwise than by an error.
func FuzzFile(f *testing.F) {
	w, _ := writing(9, 0)
	path := filepath.Join(f.TempDir(), "rows.links")
	if _, err := WriteFile(context.Background(), path, w); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, uint32(0), byte(0))
	f.Add(data, uint32(len(data)-3), byte(0xff))
	f.Fuzz(func(t *testing.T, data []byte, at uint32, change byte) {
		if len(data) > 0 {
			data[int(at)%len(data)] ^= change
		}
		file, err := newFile(data)
		if err != nil {
			return
		}
		for _, p := range allPairs() {
			row, found, err := file.row(p)
			if found && (err != nil || !slices.IsSortedFunc(row.Probabilities, func(a, b float32) int { return int(b*1e6) - int(a*1e6) })) {
				t.Errorf("%v: %v, %v", p, row, err)
			}
		}
	})
}

// FuzzRow: any bytes are a row of the graph or refused, and a row's bytes give it back.
func FuzzRow(f *testing.F) {
	f.Add([]byte{2, 5, 1, 0, 9, 2, 0}, uint16(300))
	f.Add(binary.AppendUvarint(nil, math.MaxUint64), uint16(3))
	f.Fuzz(func(t *testing.T, data []byte, count uint16) {
		row, err := readRow(data, int(count))
		if err != nil {
			return
		}
		for _, tail := range row.Tails {
			if int(tail) >= int(count) {
				t.Fatalf("tail %d of %d entities", tail, count)
			}
		}
		again, err := readRow(appendRow(nil, row, len(row.Tails), tailBytes(int(count))), int(count))
		if err != nil || !slices.Equal(again.Tails, row.Tails) || !slices.Equal(again.Probabilities, row.Probabilities) {
			t.Errorf("%v became %v, %v", row, again, err)
		}
	})
}
