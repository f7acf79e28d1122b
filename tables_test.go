package lacuna_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/gaps"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/links"
)

// tables are what people bring, as published, faults included.
var tables = []struct {
	name  string
	files []string
	read.Options
}{
	{name: "nobel", files: []string{"nobel.csv"}},
	{name: "movies", files: []string{"movies.json"}},
	{name: "northwind", files: []string{"*.csv"}, Options: read.Options{SkipBad: true, BadRow: func(*kg.Error, []byte) error { return nil }}},
	{name: "openflights", files: []string{"airports.dat"}, Options: read.Options{Columns: "airports=id,name,city,country,iata,-,-,-,-,-,dst,zone,type,source"}},
}

// Bounds on what tables promise: of each column with enough hidden cells, of all together, and to heads that have their value already.
const (
	enoughCells  = 30   // of a column to be judged by itself
	cellsOfEach  = 80   // asked for at most
	fullHeads    = 200  // of a single-valued column
	mostSeconds  = 0.5  // second values promised to these together
	leastSecond  = 1e-3 // of these that count
	likeliestOut = 100  // of the whole graph, in which no value may come that its column never has
)

// A tenth of the cells of a table is hidden. For each hidden cell a value is promised, which is right as often as its probability says, column by
// column; an entity that has the value of a single-valued column is promised next to no other; and none of the likeliest facts has a value that its column never has.
func TestTablesPromiseWhatTheyHold(t *testing.T) {
	if os.Getenv("LACUNA_TABLES") == "" {
		t.Skip("ten minutes of a core: LACUNA_TABLES=1 go test -run TestTables -v .")
	}
	for _, table := range tables {
		t.Run(table.name, func(t *testing.T) {
			var sources []string
			for _, pattern := range table.files {
				found, _ := filepath.Glob(filepath.Join("..", "shared", "data", "tables", table.name, pattern))
				sources = append(sources, found...)
			}
			if len(sources) == 0 {
				t.Skip("the table is not in ../shared/data/tables (docs/data.md)")
			}
			splits, err := read.Graphs(t.Context(), sources, table.Options)
			if err != nil {
				t.Fatal(err)
			}
			newHiddenCells(t, splits.Train, 1).check()
		})
	}
}

// hiddenCells is a table that lacks a tenth of its cells.
type hiddenCells struct {
	*testing.T
	full   *kg.Graph
	hidden map[kg.Relation][]kg.Triple
	engine *lacuna.Engine
	finder *gaps.Finder
	random *rand.Rand
}

func newHiddenCells(t *testing.T, full *kg.Graph, seed uint64) *hiddenCells {
	h := &hiddenCells{T: t, full: full, hidden: map[kg.Relation][]kg.Triple{}, random: rand.New(rand.NewPCG(seed, 0x7ab1e))}
	var all []kg.Triple
	for fact := range full.Triples() {
		if !links.IsValue(full.Vocabulary, fact.Tail) && h.random.IntN(10) == 0 {
			all = append(all, fact)
			h.hidden[fact.Relation] = append(h.hidden[fact.Relation], fact)
		}
	}
	rest, err := full.Without(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	options := []lacuna.Option{lacuna.Device("cpu"), lacuna.Calibrating(lacuna.CalibrationOptions{Time: -1})}
	if h.engine, err = lacuna.New(t.Context(), rest, options...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.engine.Close() })
	if h.finder, err = h.engine.Gaps(t.Context()); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *hiddenCells) check() {
	promised, found := 0.0, 0.0
	for base := range uint32(h.full.Relations.Names.Len()) {
		r := kg.Forward(base)
		if len(h.hidden[r]) < enoughCells {
			continue
		}
		p, f, cells := h.cells(r)
		promised, found = promised+p, found+f
		seconds := h.seconds(r)
		h.Logf("%-24s %3d asked: %5.1f promised, %3.0f found first; %6.3f second values", h.full.Relation(r), cells, p, f, seconds)
		if f > 0 && (p/f < 0.6 || p/f > 1.6) {
			h.Errorf("%s: %.1f promised, %.0f found, expected 0.6 to 1.6 times as many", h.full.Relation(r), p, f)
		}
		if seconds > mostSeconds {
			h.Errorf("%s: %.2f second values promised to %d heads, expected %v at most", h.full.Relation(r), seconds, fullHeads, mostSeconds)
		}
	}
	h.Logf("together: %.1f promised, %.0f found", promised, found)
	if promised < 0.8*found || promised > 1.25*found {
		h.Errorf("together %.1f promised, %.0f found, expected 0.8 to 1.25 times as many", promised, found)
	}
	h.checkRanges()
}

// cells asks for hidden cells of a column: what the likeliest value of each is promised to be, and how many of these are right.
func (h *hiddenCells) cells(r kg.Relation) (promised, found float64, asked int) {
	cells := slices.Clone(h.hidden[r])
	h.random.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
	cells = cells[:min(cellsOfEach, len(cells))]
	var heads []kg.Entity
	for _, cell := range cells {
		heads = append(heads, cell.Head)
	}
	slices.Sort(heads)
	h.predict(gaps.Prediction{Column: gaps.Column{Relation: r, Heads: slices.Compact(heads)}, Top: 1}, func(f gaps.Fact) {
		promised += float64(f.Probability)
		if h.full.Has(f.Triple()) {
			found++
		}
	})
	return promised, found, len(cells)
}

// seconds is how many further values heads are promised that have theirs in a single-valued column.
func (h *hiddenCells) seconds(r kg.Relation) (promised float64) {
	byRelation := h.full.ByRelation()
	if heads := byRelation.Heads(r); byRelation.Edges(r) != len(heads) {
		return 0
	}
	full := slices.DeleteFunc(slices.Clone(byRelation.Heads(r)), func(e kg.Entity) bool { return len(h.engine.Graph.Tails(e, r)) == 0 })
	h.random.Shuffle(len(full), func(i, j int) { full[i], full[j] = full[j], full[i] })
	full = full[:min(fullHeads, len(full))]
	slices.Sort(full)
	h.predict(gaps.Prediction{Column: gaps.Column{Relation: r, Heads: full}, Least: leastSecond}, func(f gaps.Fact) { promised += float64(f.Probability) })
	return promised
}

func (h *hiddenCells) predict(p gaps.Prediction, each func(gaps.Fact)) {
	h.Helper()
	err := h.finder.Predict(h.Context(), p, gaps.Options{}, func(facts []gaps.Fact) error {
		for _, f := range facts {
			each(f)
		}
		return nil
	})
	if err != nil {
		h.Fatal(err)
	}
}

// checkRanges looks for values among the likeliest facts that their column never has.
func (h *hiddenCells) checkRanges() {
	found, err := h.finder.Missing(h.Context(), gaps.Missing{Most: likeliestOut}, gaps.Options{})
	if err != nil {
		h.Fatal(err)
	}
	missing := found.Facts
	right := 0
	for _, f := range missing {
		if h.full.Has(f.Triple()) {
			right++
		}
		if len(h.full.Tails(f.Tail, f.Relation.Inverse())) == 0 {
			h.Errorf("%s(%s, %s) has %.2f, and no entity has that value", h.full.Relation(f.Relation), h.full.Entity(f.Head), h.full.Entity(f.Tail), f.Probability)
		}
	}
	h.Logf("%d of the %d likeliest facts are hidden cells", right, len(missing))
}
