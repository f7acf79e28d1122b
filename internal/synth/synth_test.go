package synth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
)

var small = Config{Seed: 1, Entities: 5000, Relations: 50, Triples: 20000}

func TestGenerateIsDeterministic(t *testing.T) {
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := small.WriteTSV(t.Context(), out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same configuration gave two graphs")
	}
	// The bytes are pinned: benchmark figures of different days must speak of the same graph.
	// Where the compiler fuses multiplication and addition, a draw in millions may differ.
	const want = "668fbdc59335983b"
	if got := fmt.Sprintf("%x", sha256.Sum256(first.Bytes()))[:16]; runtime.GOARCH == "amd64" && got != want {
		t.Errorf("hash of the lines %s, want %s", got, want)
	}
	other := small
	other.Seed++
	if a, b := slices.Collect(small.Draw()), slices.Collect(other.Draw()); slices.Equal(a, b) {
		t.Error("another seed gave the same triples")
	}
}

func TestWriteTSVAgreesWithGenerate(t *testing.T) {
	g, err := Generate(small)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := small.WriteTSV(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != small.Triples {
		t.Fatalf("%d lines, want %d", len(lines), small.Triples)
	}
	distinct := map[string]bool{}
	for _, line := range lines {
		distinct[line] = true
		field := strings.Split(line, "\t")
		head, _ := g.Entities.Names.Find(field[0])
		relation, _ := g.Relations.Names.Find(field[1])
		tail, _ := g.Entities.Names.Find(field[2])
		if !g.Has(kg.Triple{Head: kg.Entity(head), Relation: kg.Forward(relation), Tail: kg.Entity(tail)}) {
			t.Fatalf("the graph lacks %s", line)
		}
	}
	if g.NumTriples() != len(distinct) || g.Duplicates() != small.Triples-len(distinct) {
		t.Errorf("%d triples and %d duplicates, want %d distinct", g.NumTriples(), g.Duplicates(), len(distinct))
	}
}

func TestShapeOfDegrees(t *testing.T) {
	g, err := Generate(small)
	if err != nil {
		t.Fatal(err)
	}
	var degrees []int
	for e := range kg.Entity(g.NumEntities()) {
		relations, _ := g.Edges(e)
		degrees = append(degrees, len(relations))
	}
	slices.Sort(degrees)
	n := len(degrees)
	if degrees[0] < 1 || degrees[n/2] > 8 || degrees[n-1] < 50*degrees[n/2] {
		t.Errorf("degrees from %d by %d to %d are no power law", degrees[0], degrees[n/2], degrees[n-1])
	}
	if g.NumTriples() < small.Triples*95/100 {
		t.Errorf("%d of %d triples are distinct", g.NumTriples(), small.Triples)
	}
}

func TestRelationsFollowZipf(t *testing.T) {
	counts := make([]int, small.Relations)
	for triple := range small.Draw() {
		counts[triple.Relation.Base()]++
	}
	if counts[0] < 2*counts[3] || counts[0] > 6*counts[3] || slices.Min(counts) == 0 {
		t.Errorf("counts of relations %v, expected about 1/k", counts)
	}
}

func TestTinyGraphs(t *testing.T) {
	for entities := 1; entities < 6; entities++ {
		c := Config{Seed: 3, Entities: entities, Relations: 1, Triples: 10}
		g, err := Generate(c)
		if err != nil {
			t.Fatal(err)
		}
		if g.NumEntities() != entities || g.NumTriples()+g.Duplicates() != 10 {
			t.Errorf("%d entities, %d triples, %d duplicates", g.NumEntities(), g.NumTriples(), g.Duplicates())
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []Config{{Relations: 1}, {Entities: 1}, {Entities: 1, Relations: 1, Triples: -1}} {
		if _, err := Generate(c); err == nil {
			t.Errorf("%+v was accepted", c)
		}
		if err := c.WriteTSV(t.Context(), io.Discard); err == nil {
			t.Errorf("%+v was written", c)
		}
	}
}

func TestWriteTSVStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	large := Config{Entities: 1000, Relations: 5, Triples: 1 << 30}
	if err := large.WriteTSV(ctx, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}

func BenchmarkWriteTSV(b *testing.B) {
	for b.Loop() {
		counted := &countWriter{}
		if err := small.WriteTSV(b.Context(), counted); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(counted.bytes)
	}
	b.ReportMetric(float64(small.Triples)*float64(b.N)/b.Elapsed().Seconds(), "triples/s")
}

type countWriter struct{ bytes int64 }

func (w *countWriter) Write(data []byte) (int, error) {
	w.bytes += int64(len(data))
	return len(data), nil
}
