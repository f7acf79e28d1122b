package fit

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/links"
)

// Cells are the only values of their heads, one of a head at most, of every relation, the same each time; and no more than copies may lack.
func TestCellsAreSingleValues(t *testing.T) {
	model := foundationModel(t)
	g, _ := laureates(t)
	o := Options{Graph: g, Model: model, Rows: 600, Share: DefaultShare}
	cells, again := o.cells(), o.cells()
	heads, of := map[kg.Entity]bool{}, map[kg.Relation]bool{}
	for i, c := range cells {
		if len(g.Tails(c.Head, c.Relation)) != 1 || !g.Has(c) || heads[c.Head] || again[i] != c {
			t.Errorf("cell %v is no single value, or not the only one of its head", c)
		}
		heads[c.Head], of[c.Relation] = true, true
	}
	if most := int(turns*lacksCells*float64(g.NumTriples())) + g.Relations.Names.Len(); len(cells) == 0 || len(cells) > most || len(of) < 10 {
		t.Errorf("%d cells of %d relations, expected some, at most %d", len(cells), len(of), most)
	}
	if (o.Rows-len(cells))%(turns*rowsOfGroup) != 0 {
		t.Errorf("%d rows are left for turns, expected whole groups", o.Rows-len(cells))
	}
}

// Each cell that was asked for gives three links to its part, of which those that are facts say so, and their tails were read.
func TestAskedCellsAreReadFromBothEnds(t *testing.T) {
	model := foundationModel(t)
	g, _ := laureates(t)
	o, err := Options{Graph: g, Model: model, Rows: 200}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	cells, parts := o.cells(), make([]observations, 2)
	if err := o.ask(context.Background(), cells, parts); err != nil {
		t.Fatal(err)
	}
	both := parts[0].and(parts[1])
	if both.rows != len(cells) || len(both.asked) > turnedOf*len(cells) || len(both.asked) < len(cells) {
		t.Fatalf("%d rows and %d links of %d cells", both.rows, len(both.asked), len(cells))
	}
	for _, twice := range both.asked {
		l := twice.ahead
		if len(twice.back) == 0 || l.evidence.Stated != 0 || l.held != g.Has(l.fact) {
			t.Errorf("%v: held %v, stated by the graph %v, %d stated of its head", l.fact, l.held, g.Has(l.fact), l.evidence.Stated)
		}
	}
}

// Patterns find what follows from other facts, and not what is drawn at random.
func TestPatternsTellWhatCanBeTold(t *testing.T) {
	var rows strings.Builder
	for i := range 300 {
		fmt.Fprintf(&rows, "p%d\tcity\tc%d\np%d\tland\tl%d\np%d\tmood\tm%d\np%d\tid\ti%d\n", i, i%7, i, i%7/2, i, i*i%11, i, i)
	}
	splits, err := read.Stream(t.Context(), strings.NewReader(rows.String()), "people.tsv", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := splits.Train
	shares := Options{Graph: g, Model: foundationModel(t)}.patterns()
	of := func(name string) float64 {
		r, _ := g.Relations.Names.Find(name)
		return shares[kg.Forward(r)]
	}
	if !(of("land") > 2 && of("land") > of("mood")+2 && of("id") < -2) {
		t.Errorf("land %.1f, mood %.1f, id %.1f in log-odds, expected land far above, and nothing of id", of("land"), of("mood"), of("id"))
	}
	if got := (Options{Graph: g, Model: foundationModel(t), Held: []kg.Triple{{}}}).patterns(); got != nil {
		t.Errorf("a graph with facts held out counts patterns %v, expected none", got)
	}
}

// Where readings tell nothing beyond the relation, relations are told apart all the same.
func TestFirstBlendTellsRelationsApart(t *testing.T) {
	var o observations
	for i := range 400 {
		q := kg.Forward(uint32(i % 2))
		held := i%20 == 0
		if q == kg.Forward(1) {
			held = i%10 != 1
		}
		o.links = append(o.links, link{logit: float64(i%3) - 1, evidence: links.Evidence{Relation: q, Total: 0.5}, row: i, weight: 1, held: held})
	}
	blend := o.firstBlend(1, nil)
	if blend == nil || blend.Relations[kg.Forward(1)]-blend.Relations[kg.Forward(0)] < 3 {
		t.Errorf("%+v, expected the second relation far above the first", blend)
	}
}
