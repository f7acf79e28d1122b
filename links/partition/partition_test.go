package partition

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/ranks"
)

// byNumber is a model whose probabilities are those of the numbers of head, relation and tail.
type byNumber struct{ entities int }

// Tails implements links.Source.
func (m byNumber) Tails(ctx context.Context, heads []kg.Entity, relations []kg.Relation, part func(int, kernel.Device, kernel.Buffer, []kg.Entity) error) error {
	var values []float32
	for i, h := range heads {
		for t := range m.entities {
			values = append(values, float32((int(h)*7+int(relations[i])*5+t*3)%19+1)/40)
		}
	}
	device := plain.New()
	buffer := device.NewBuffer(len(values))
	device.Upload(buffer, values)
	return part(0, device, buffer, nil)
}

func writing(g *kg.Graph, number, top int) Writing {
	rows := links.New(g, byNumber{g.NumEntities()}, links.Options{Least: 0.01})
	return Writing{
		Rows: rows, Pairs: links.StatedPairs(g, nil), Number: number, Round: 4,
		Origin: links.Origin{Graph: links.GraphHash(g), Model: "by number", Least: 0.01, Top: top, Map: rows.Map()},
	}
}

func randomGraph() *kg.Graph { return synth.Random(rand.New(rand.NewPCG(3, 4)), 20, 3, 60) }

// files are those of a folder, by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(data)
	}
	return all
}

// Partitions together have the links of all rows, those of a head in one of them.
func TestPartitionsHaveTheRows(t *testing.T) {
	g, dir := randomGraph(), filepath.Join(t.TempDir(), "a", "b")
	w := writing(g, 3, 4)
	made, err := Write(t.Context(), dir, w)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	partitionOf := map[string]string{}
	for name := range files(t, dir) {
		lines, err := parquet.ReadFile[line](filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			got = append(got, fmt.Sprint(l))
			if in, known := partitionOf[l.Head]; known && in != name {
				t.Errorf("links from %s are in %s and %s", l.Head, in, name)
			}
			partitionOf[l.Head] = name
		}
	}
	rows, err := w.Rows.Get(t.Context(), w.Pairs)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range w.Pairs {
		for _, tail := range rows[i].Stated {
			want = append(want, fmt.Sprint(line{g.Entity(p.Head), g.Relation(p.Relation), g.Entity(tail), 1, true}))
		}
		best := rows[i].Likeliest(4)
		for k, tail := range best.Tails {
			want = append(want, fmt.Sprint(line{g.Entity(p.Head), g.Relation(p.Relation), g.Entity(tail), best.Probabilities[k], false}))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || made.Partitions != 3 || made.Kept != 0 || made.Links != int64(len(want)) {
		t.Errorf("%d links of %d; %+v", len(got), len(want), made)
	}
}

// What is there is kept, what is lacking is made as before, and what is of something else is refused.
func TestPartitionsGoOn(t *testing.T) {
	g, dir := randomGraph(), t.TempDir()
	if _, err := Write(t.Context(), dir, writing(g, 4, 0)); err != nil {
		t.Fatal(err)
	}
	want := files(t, dir)
	lost := filepath.Join(dir, fileName(2, 4))
	os.Remove(lost)
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Write(stopped, dir, writing(g, 4, 0)); err == nil || len(files(t, dir)) != 3 {
		t.Errorf("stopped: %v, %d files", err, len(files(t, dir)))
	}
	made, err := Write(t.Context(), dir, writing(g, 4, 0))
	if err != nil || made.Kept != 3 || made.Partitions != 4 || !reflect.DeepEqual(files(t, dir), want) {
		t.Errorf("%v, %+v: or other files than before", err, made)
	}
	for _, w := range []Writing{writing(g, 4, 2), writing(g, 3, 0), writing(synth.Random(rand.New(rand.NewPCG(5, 6)), 20, 3, 60), 4, 0)} {
		if _, err := Write(t.Context(), dir, w); kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), "remove it, or name another folder") {
			t.Errorf("links of something else: %v", err)
		}
	}
	os.WriteFile(lost, []byte(want[fileName(2, 4)])[:100], 0o666)
	if _, err := Write(t.Context(), dir, writing(g, 4, 0)); kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), "remove it to make it again") {
		t.Errorf("a file that is cut off: %v", err)
	}
}

// Ranks make the files of one process, also beside some that are there.
func TestPartitionsTogether(t *testing.T) {
	g, alone := randomGraph(), t.TempDir()
	count, err := Write(t.Context(), alone, writing(g, 5, 0))
	if err != nil {
		t.Fatal(err)
	}
	want := files(t, alone)
	for _, size := range []int{2, 3, 7} {
		dir := t.TempDir()
		os.WriteFile(filepath.Join(dir, fileName(1, 5)), []byte(want[fileName(1, 5)]), 0o666)
		network := ranks.Local(size)
		var all sync.WaitGroup
		for rank := range size {
			all.Go(func() {
				team, err := ranks.Start(func() (ranks.Link, error) { return network[rank], nil }, ranks.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				w := writing(g, 5, 0)
				w.Team = team
				made, err := Write(t.Context(), dir, w)
				team.Leave(ranks.LastWord(err))
				if err != nil || rank == 0 && (made.Partitions != 5 || made.Kept != 1 || made.Links != count.Links || made.Bytes != count.Bytes) {
					t.Errorf("rank %d of %d: %v, %+v", rank, size, err, made)
				}
			})
		}
		all.Wait()
		if !reflect.DeepEqual(files(t, dir), want) {
			t.Errorf("%d ranks wrote other files than one process", size)
		}
	}
}

// Labels may be shared, so that ids stand beside them.
func TestPartitionsOfLabels(t *testing.T) {
	dir := t.TempDir()
	facts, labels := filepath.Join(dir, "facts.tsv"), filepath.Join(dir, "labels.tsv")
	os.WriteFile(facts, []byte("Q1\tknows\tQ2\nQ2\tknows\tQ3\n"), 0o666)
	os.WriteFile(labels, []byte("Q1\tAnn\nQ2\tAnn\n"), 0o666)
	splits, err := read.Graph(t.Context(), facts, read.Options{EntityLabels: labels})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	if _, err := Write(t.Context(), out, writing(splits.Train, 1, 1)); err != nil {
		t.Fatal(err)
	}
	lines, err := parquet.ReadFile[labelledLine](filepath.Join(out, fileName(0, 1)))
	if err != nil {
		t.Fatal(err)
	}
	first := lines[0]
	if first.HeadID != "Q1" || first.TailID != "Q2" || first.RelationID != "knows" || !first.Stated || !strings.HasPrefix(first.Head, "Ann") {
		t.Errorf("first line %+v", first)
	}
	last := lines[len(lines)-1]
	if last.HeadID != "Q3" || last.RelationID != "knows"+kg.InverseMark || last.Head != "Q3" {
		t.Errorf("last line %+v", last)
	}
}
