package neural

import (
	"math"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/cut"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// onCuts is a predictor that looks at so many entities at a time, also where these are all.
func onCuts(p *Predictor, size int) *Predictor {
	on := &Predictor{Model: p.Model, Graph: p.Graph, cuts: &cuts{cutter: cut.New(p.Graph, size)}}
	on.close = on.free
	return on
}

// rowsOf are the rows of pairs, of every entity: 0 where it was not looked at.
func rowsOf(t *testing.T, p *Predictor, heads []kg.Entity, relations []kg.Relation) [][]float32 {
	t.Helper()
	rows := make([][]float32, len(heads))
	err := p.Tails(t.Context(), heads, relations, func(from int, device kernel.Device, probabilities kernel.Buffer, columns []kg.Entity) error {
		values, width := make([]float32, probabilities.Len()), p.Graph.NumEntities()
		device.Download(values, probabilities)
		if columns != nil {
			width = len(columns)
		}
		for row := range slices.Chunk(values, width) {
			rows[from] = row
			if columns != nil {
				rows[from] = make([]float32, p.Graph.NumEntities())
				for i, e := range columns {
					rows[from][e] = row[i]
				}
			}
			from++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func near(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Abs(float64(x-y)) <= 1e-6 })
}

// A cut of the whole graph gives the rows of the graph itself, whichever the model, and without some facts.
func TestCutOfTheWhole(t *testing.T) {
	heads, relations := []kg.Entity{3, 3, 0, 7, 3}, []kg.Relation{0, 5, 0, 1, 2}
	for _, name := range []string{Turing, Foundation, FoundationOfSets} {
		m, p := laureates(t, name)
		on := onCuts(p, p.Graph.NumEntities())
		want := rowsOf(t, p, heads, relations)
		for i, row := range rowsOf(t, on, heads, relations) {
			if !near(row, want[i]) {
				t.Errorf("%s, pair %d: another row on a cut of everything", name, i)
			}
		}
		m.Network.KeepRelationGraph = true // as cuts do, whatever facts they lack
		hidden := slices.Collect(p.Graph.Triples())[:7]
		thin, err := p.Without(t.Context(), hidden)
		if err != nil {
			t.Fatal(err)
		}
		rest, err := on.Without(t.Context(), hidden)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rowsOf(t, rest, heads, relations) {
			// PNA divides by a mean over all degrees, which a cut does not count anew for a few facts.
			other := rowsOf(t, thin, heads, relations)[i]
			if name == FoundationOfSets && !near(row, other) || slices.Equal(row, want[i]) {
				t.Errorf("%s, pair %d: another row on a cut without facts", name, i)
			}
		}
		rest.Close()
		thin.Close()
		on.Close()
		m.Close()
		p.Close()
	}
}

// On small cuts a row is of the entities around its head, and depends on nothing that was asked before or with it.
func TestRowsOnCuts(t *testing.T) {
	m, p := laureates(t, Turing)
	defer m.Close()
	defer p.Close()
	on := onCuts(p, 60)
	defer on.Close()
	heads, relations := []kg.Entity{3, 0, 7, 3, 3}, []kg.Relation{0, 0, 1, 2, 0}
	together := rowsOf(t, on, heads, relations)
	for i := range heads {
		fresh := onCuts(p, 60)
		alone := rowsOf(t, fresh, heads[i:i+1], relations[i:i+1])[0]
		fresh.Close()
		if !slices.Equal(together[i], alone) {
			t.Errorf("pair %d: another row together with others", i)
		}
		if looked := len(alone) - count(alone, 0); looked != 60 || alone[heads[i]] == 0 {
			t.Errorf("pair %d: %d entities were looked at, want 60 and its head among them", i, looked)
		}
	}
}

func count(list []float32, x float32) (n int) {
	for _, y := range list {
		if y == x {
			n++
		}
	}
	return n
}

// What a link rests on is told by entities of the graph, and is what it rests on in the whole graph where the cut is that.
func TestAttributionOnCuts(t *testing.T) {
	m, p := laureates(t, Turing)
	defer m.Close()
	defer p.Close()
	link := kg.Triple{Head: 3, Relation: 0, Tail: 9}
	whole, err := p.AttributionOf(t.Context(), link)
	if err != nil {
		t.Fatal(err)
	}
	want := whole.Paths(3)
	for _, size := range []int{p.Graph.NumEntities(), 100} {
		on := onCuts(p, size)
		a, err := on.AttributionOf(t.Context(), link)
		if err != nil {
			t.Fatal(err)
		}
		paths := a.Paths(3)
		if size == p.Graph.NumEntities() && (len(paths) != len(want) || paths[0].Steps[0].Edge != want[0].Steps[0].Edge) {
			t.Errorf("%v, want %v", paths, want)
		}
		for _, path := range paths {
			for _, s := range path.Steps {
				if e := s.Edge; !p.Graph.Has(kg.Triple{Head: kg.Entity(e.Head), Relation: kg.Relation(e.Relation), Tail: kg.Entity(e.Tail)}.Stated()) {
					t.Errorf("cut to %d: %v is no fact", size, e)
				}
			}
		}
		on.Close()
	}
}

func TestWhichGraphsAreCut(t *testing.T) {
	m, p := laureates(t, Turing)
	defer m.Close()
	defer p.Close()
	for cut, want := range map[int]int{0: 0, -1: 0, 50: 50, p.Graph.NumEntities(): 0} {
		m.Cut = cut
		on, err := m.On(t.Context(), p.Graph, "laureates")
		if err != nil {
			t.Fatal(err)
		}
		if on.Cut() != want {
			t.Errorf("a cut of %d became %d, want %d", cut, on.Cut(), want)
		}
		on.Close()
	}
}
