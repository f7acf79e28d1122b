package kg

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

func TestBuildIgnoresOrderAndReading(t *testing.T) {
	w := randomGraph(11, 60, 4, 700)
	random := rand.New(rand.NewPCG(7, 7))
	for range 5 {
		triples := slices.Clone(w.triples)
		random.Shuffle(len(triples), func(i, j int) { triples[i], triples[j] = triples[j], triples[i] })
		for i := range triples {
			if random.IntN(2) == 0 {
				triples[i] = triples[i].Inverse()
			}
		}
		sameGraph(t, Build(w.graph.Vocabulary, triples), w.graph)
	}
}

func TestBuildIgnoresTheNumberOfCores(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	one := randomGraph(12, 500, 3, 3000)
	for _, cores := range []int{2, 3, 16} {
		runtime.GOMAXPROCS(cores)
		sameGraph(t, Build(one.graph.Vocabulary, one.triples), one.graph)
	}
}

func TestBuildLeavesTriplesAlone(t *testing.T) {
	w := randomGraph(13, 20, 2, 100)
	given := slices.Clone(w.triples)
	Build(w.graph.Vocabulary, w.triples)
	if !slices.Equal(given, w.triples) {
		t.Error("Build changed the triples it was given")
	}
}

func TestBuildContextStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := randomGraph(14, 20, 2, 100)
	g, err := BuildContext(ctx, w.graph.Vocabulary, w.triples)
	if g != nil || KindOf(err) != Cancelled {
		t.Errorf("%v, %v; want an error of kind Cancelled", g, err)
	}
}

func TestSplits(t *testing.T) {
	v := numbered(4, 1)
	s := &Splits{Build(v, []Triple{{0, 0, 1}}), []Triple{{1, 0, 2}, {0, 0, 1}}, []Triple{{3, 1, 2}}}
	tests := []struct {
		name  string
		build func(context.Context) (*Graph, error)
		want  []Triple
	}{
		{"up to valid", s.UpToValid, []Triple{{0, 0, 1}, {1, 0, 2}}},
		{"up to test", s.UpToTest, []Triple{{0, 0, 1}, {1, 0, 2}, {2, 0, 3}}},
		{"train alone", (&Splits{Train: s.Train}).UpToTest, []Triple{{0, 0, 1}}},
	}
	for _, test := range tests {
		graph, err := test.build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Collect(graph.Triples()); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
		if graph.Vocabulary != v {
			t.Errorf("%s: another vocabulary", test.name)
		}
	}
	if len(s.Valid) != 2 || s.Valid[0] != (Triple{1, 0, 2}) {
		t.Errorf("the held-out triples changed: %v", s.Valid)
	}
}

func TestRelationReadings(t *testing.T) {
	for base := range uint32(5) {
		r := Forward(base)
		if r.IsInverse() || !r.Inverse().IsInverse() || r.Inverse().Inverse() != r || r.Base() != base || r.Inverse().Base() != base {
			t.Errorf("the readings of base relation %d are %d and %d", base, r, r.Inverse())
		}
		triple := Triple{7, r, 9}
		if triple.Stated() != triple || triple.Inverse().Stated() != triple || triple.Inverse() != (Triple{9, r.Inverse(), 7}) {
			t.Errorf("the inverse of %v is %v", triple, triple.Inverse())
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	w := randomGraph(1, 15_000, 237, 272_000) // about the size of FB15k-237
	for b.Loop() {
		Build(w.graph.Vocabulary, w.triples)
	}
	b.ReportMetric(float64(len(w.triples)*b.N)/b.Elapsed().Seconds(), "triples/s")
}
