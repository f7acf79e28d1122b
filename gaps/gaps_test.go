package gaps

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/neural"
)

// films is a small graph with numbers: who directed what, where it was made and when.
const films = `name,director,country,year
Amarcord,Fellini,Italy,1973
Roma,Fellini,Italy,1972
La Strada,Fellini,Italy,1954
Teorema,Pasolini,Italy,1968
Accattone,Pasolini,Italy,1961
Stromboli,Rossellini,Italy,1950
Paisan,Rossellini,,1946
Breathless,Godard,France,1960
Alphaville,Godard,France,1965
Playtime,Tati,France,1967
Trafic,Tati,,1971
`

func newFinder(t *testing.T) *Finder {
	t.Helper()
	splits, err := read.Stream(t.Context(), strings.NewReader(films), "films.csv", read.Options{Format: read.CSV})
	if err != nil {
		t.Fatal(err)
	}
	m, err := neural.OpenModel(neural.Foundation, plain.New())
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.On(t.Context(), splits.Train, "films")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close(); m.Close() })
	return New(links.New(splits.Train, p, links.Options{}), p)
}

func (f *Finder) relation(t *testing.T, name string) kg.Relation {
	t.Helper()
	ids := f.graph.Relations.Find(name)
	if len(ids) != 1 {
		t.Fatalf("no relation %s", name)
	}
	return kg.Forward(ids[0])
}

func (f *Finder) entity(t *testing.T, name string) kg.Entity {
	t.Helper()
	ids := f.graph.Entities.Find(name)
	if len(ids) != 1 {
		t.Fatalf("no entity %s", name)
	}
	return kg.Entity(ids[0])
}

// A film without a country is in the domain of country; a director and a year are not.
func TestDomain(t *testing.T) {
	f := newFinder(t)
	domain := Domain(f.graph, f.relation(t, "country"))
	for name, want := range map[string]bool{"Amarcord": true, "Paisan": true, "Fellini": false, "Italy": false, "1973": false} {
		if got := slices.Contains(domain, f.entity(t, name)); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if !slices.IsSorted(domain) || len(domain) != 11 {
		t.Errorf("domain %v", domain)
	}
}

// What a column lacks is predicted, with probabilities of the rows themselves, and reasons.
func TestPredictFillsAColumn(t *testing.T) {
	f := newFinder(t)
	country := f.relation(t, "country")
	var facts []Fact
	err := f.Predict(t.Context(), Prediction{Column: Column{Relation: country, Lacking: true}, Top: 1}, Options{Why: true},
		func(some []Fact) error { facts = append(facts, some...); return nil })
	if err != nil || len(facts) != 2 {
		t.Fatalf("%v, %v", facts, err)
	}
	for i, want := range []struct{ film, country string }{{"Paisan", "Italy"}, {"Trafic", "France"}} {
		if facts[i].Head != f.entity(t, want.film) || facts[i].Tail != f.entity(t, want.country) {
			t.Errorf("%v, expected %v", facts[i], want)
		}
		if !strings.Contains(WhyText(facts[i].Why), want.film) {
			t.Errorf("%v has the reasons %q", want, WhyText(facts[i].Why))
		}
		scored, err := f.rows.Probabilities(t.Context(), []kg.Triple{facts[i].Triple()})
		if err != nil || math.Abs(float64(scored[0]-facts[i].Probability)) > 1e-5 {
			t.Errorf("scored %v, predicted %v; %v", scored, facts[i].Probability, err)
		}
	}
}

// Numbers are predicted where they are asked for, and nowhere else.
func TestLiteralsAreNotPredicted(t *testing.T) {
	f := newFinder(t)
	year := f.relation(t, "year")
	none := func([]Fact) error { return nil }
	if err := f.Predict(t.Context(), Prediction{Column: Column{Relation: year}}, Options{}, none); kg.KindOf(err) != kg.Invalid {
		t.Errorf("years are predicted: %v", err)
	}
	if err := f.Predict(t.Context(), Prediction{Column: Column{Relation: year}, Top: 1}, Options{Literals: true}, none); err != nil {
		t.Error(err)
	}
	found, err := f.Missing(t.Context(), Missing{Most: 50}, Options{})
	if err != nil || len(found.Facts) == 0 {
		t.Fatal(found, err)
	}
	for _, fact := range found.Facts {
		if links.IsValue(f.graph.Vocabulary, fact.Tail) || f.graph.Has(fact.Triple()) {
			t.Errorf("missing is %v", fact)
		}
	}
	back := Prediction{Column: Column{Relation: year.Inverse()}}
	if err := f.Predict(t.Context(), back, Options{}, none); kg.KindOf(err) != kg.Invalid {
		t.Errorf("films of a year are predicted: %v", err)
	}
}

func TestScoreKnowsWhatIsStated(t *testing.T) {
	f := newFinder(t)
	country := f.relation(t, "country")
	wanted := []kg.Triple{
		{Head: f.entity(t, "Roma"), Relation: country, Tail: f.entity(t, "Italy")},
		{Head: f.entity(t, "Paisan"), Relation: country, Tail: f.entity(t, "Italy")},
		{Head: f.entity(t, "Paisan"), Relation: country, Tail: f.entity(t, "Tati")},
	}
	var facts []Fact
	if err := f.Score(t.Context(), wanted, Options{}, func(some []Fact) error { facts = append(facts, some...); return nil }); err != nil {
		t.Fatal(err)
	}
	if !facts[0].Stated || facts[0].Probability != 1 || facts[1].Stated || facts[1].Probability <= facts[2].Probability || facts[2].Probability <= 0 {
		t.Errorf("%v", facts)
	}
}

// However many triples are scored, each row is made once, and what comes out is what each has by itself.
func TestScoreMakesEachRowOnce(t *testing.T) {
	f := newFinder(t)
	director := f.relation(t, "director")
	var wanted []kg.Triple
	for _, h := range Domain(f.graph, director) {
		for _, d := range Domain(f.graph, director.Inverse()) {
			wanted = append(wanted, kg.Triple{Head: h, Relation: director, Tail: d})
		}
	}
	var facts []Fact
	if err := f.Score(t.Context(), wanted, Options{}, func(some []Fact) error { facts = append(facts, some...); return nil }); err != nil {
		t.Fatal(err)
	}
	if made := f.rows.Stats().Made; len(wanted) != 11*5 || made != 11+5 {
		t.Errorf("%d rows for %d triples", made, len(wanted))
	}
	for i, fact := range facts {
		alone, err := f.rows.Probabilities(t.Context(), wanted[i:i+1])
		if err != nil || fact.Triple() != wanted[i] || math.Abs(float64(fact.Probability-alone[0])) > 1e-6 {
			t.Errorf("%v, alone %v %v", fact, alone, err)
		}
	}
}

// An audit leaves the fact out that it looks at: its probability is that on a graph built without it.
func TestAuditLeavesTheFactOut(t *testing.T) {
	f := newFinder(t)
	fact := kg.Triple{Head: f.entity(t, "Roma"), Relation: f.relation(t, "country"), Tail: f.entity(t, "Italy")}
	doubts, err := f.doubts(t.Context(), []kg.Triple{fact}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	rest, err := f.model.Model.OnRest(t.Context(), f.graph, []kg.Triple{fact})
	if err != nil {
		t.Fatal(err)
	}
	defer rest.Close()
	want, err := links.New(rest.Graph, rest, links.Options{}).Probabilities(t.Context(), []kg.Triple{fact})
	if err != nil {
		t.Fatal(err)
	}
	got := doubts[0]
	if got.Probability != want[0] {
		t.Errorf("%v, expected %v", got.Probability, want)
	}
	if got.Instead.Tail == fact.Tail || f.graph.Has(got.Instead.Triple().Stated()) {
		t.Errorf("instead is %v", got.Instead)
	}
}

// Facts of a small graph are left out one by one: were all of a relation left out together, nothing would tell what it is about.
func TestAuditLeavesFewFactsOutTogether(t *testing.T) {
	f := newFinder(t)
	of := Audit{Relations: []kg.Relation{f.relation(t, "country")}}
	of.List = 9
	found, err := f.Audit(t.Context(), of, Options{})
	if err != nil || found.Facts != 9 || len(found.List) == 0 {
		t.Fatalf("%+v were looked at: %v", found, err)
	}
	for _, d := range found.List {
		alone, err := f.doubts(t.Context(), []kg.Triple{d.Triple()}, Options{})
		if err != nil || alone[0].Probability != d.Probability || alone[0].Against != d.Against {
			t.Errorf("%+v, left out alone %+v, %v", d, alone, err)
		}
	}
	for facts, want := range map[int]int{0: 1, 47: 1, 300: 6, 5000: 100, 1 << 20: 256} {
		if got := together(facts); got != want {
			t.Errorf("%d of %d facts are left out together, expected %d", got, facts, want)
		}
	}
}

// An audit finds facts that were planted, and says how well.
func TestAuditTriesItselfOut(t *testing.T) {
	f := newFinder(t)
	found, err := f.Audit(t.Context(), Audit{List: 5}, Options{})
	if err != nil || found.Facts != 20 { // years are none of its business
		t.Fatalf("%+v: %v", found, err)
	}
	if trial := found.Trial; trial.Planted != 1 || trial.Told < 0 || trial.Told > 1 {
		t.Errorf("%+v", trial)
	}
	own := []Doubt{{Against: 1}, {Against: 3}, {Against: 2}}
	for skipped, want := range map[int]float64{0: 2.5 / 6, 1: 4.5 / 8} {
		if got := told([]Doubt{{Against: 2.5}, {Against: 1}}, own, skipped); got != want {
			t.Errorf("told in %v of cases, %d skipped", got, skipped)
		}
	}
}

// What is ended in the middle and begun again gives what it gives at once, and makes no part twice.
func TestPartsGoOn(t *testing.T) {
	keep := filepath.Join(t.TempDir(), "out.partial")
	made, stop := 0, 3
	newWork := func(got *[]int, task string) work[[]int] {
		return work[[]int]{
			task: task, parts: 5,
			make: func(_ context.Context, part int) ([]int, error) {
				if part == stop {
					return nil, context.Canceled
				}
				made++
				return []int{part, 10 * part}, nil
			},
			use: func(_ int, part []int) error { *got = append(*got, part...); return nil },
		}
	}
	var first, second []int
	if err := newWork(&first, "a").run(t.Context(), keep); err != context.Canceled {
		t.Fatal(err)
	}
	file, err := os.OpenFile(keep, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	file.WriteString("[3,3") // a part that was not written whole
	file.Close()
	if err := newWork(&second, "b").run(t.Context(), keep); kg.KindOf(err) != kg.Invalid {
		t.Errorf("another task goes on: %v", err)
	}
	stop = -1
	if err := newWork(&second, "a").run(t.Context(), keep); err != nil {
		t.Fatal(err)
	}
	if want := []int{0, 0, 1, 10, 2, 20, 3, 30, 4, 40}; !slices.Equal(second, want) || made != 5 {
		t.Errorf("%v after %d parts", second, made)
	}
}

// Every format has what the lines have.
func TestTables(t *testing.T) {
	lines := []Line{
		{Head: "a, b", Relation: "R", Tail: "c\td", Probability: 0.25, Why: "R(x, y)"},
		{Head: "é", Relation: "R", Tail: "d", Probability: 1, Stated: true},
	}
	texts := map[Format]string{}
	for _, format := range Formats {
		var out bytes.Buffer
		table := NewTable(&out, format, Columns{Why: true})
		for _, l := range lines {
			if err := table.Write(l); err != nil {
				t.Fatal(err)
			}
		}
		if err := table.Close(); err != nil {
			t.Fatal(err)
		}
		texts[format] = out.String()
	}
	if want := "head,relation,tail,probability,stated,why\n\"a, b\",R,c\td,0.25,false,\"R(x, y)\"\né,R,d,1,true,\n"; texts[CSV] != want {
		t.Errorf("%q", texts[CSV])
	}
	if want := "head\trelation\ttail\tprobability\tstated\twhy\na, b\tR\t\"c\td\"\t0.25\tfalse\tR(x, y)\né\tR\td\t1\ttrue\t\n"; texts[TSV] != want {
		t.Errorf("%q", texts[TSV])
	}
	if !strings.HasPrefix(texts[JSONL], `{"head":"a, b","relation":"R","tail":"c\td","probability":0.25,"stated":false,"why":"R(x, y)"}`+"\n") {
		t.Errorf("%q", texts[JSONL])
	}
	got, err := parquet.Read[Line](strings.NewReader(texts[Parquet]), int64(len(texts[Parquet])))
	if err != nil || !reflect.DeepEqual(got, lines) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := FormatOf("x.xlsx"); kg.KindOf(err) != kg.Invalid {
		t.Error(err)
	}
}
