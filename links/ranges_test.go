package links

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// graphOfLiterals has a relation to each kind of name, and one to two of them.
func graphOfLiterals(t *testing.T) *kg.Graph {
	t.Helper()
	const integer = `^^<http://www.w3.org/2001/XMLSchema#integer>`
	var entities, relations kg.Interner
	var facts []kg.Triple
	for _, line := range []string{
		`Ran director Kurosawa`, `Ikiru director Kurosawa`, `Roma director Fellini`, `Ran year "1985"` + integer, `Ikiru year "1952"` + integer,
		`Ran title "乱"@ja`, `Roma title "Roma"`, `Ran subject King_Lear`, `Roma subject "1972"` + integer,
	} {
		f := strings.SplitN(line, " ", 3)
		facts = append(facts, kg.Triple{
			Head: kg.Entity(entities.Intern([]byte(f[0]))), Relation: kg.Forward(relations.Intern([]byte(f[1]))), Tail: kg.Entity(entities.Intern([]byte(f[2]))),
		})
	}
	return kg.Build(&kg.Vocabulary{Entities: kg.Dictionary{Names: entities.Names()}, Relations: kg.Dictionary{Names: relations.Names()}}, facts)
}

// even gives all entities the same chance; with columns, a cut of all of them.
type even struct {
	g    *kg.Graph
	cuts bool
}

func (s even) Tails(_ context.Context, heads []kg.Entity, _ []kg.Relation, part func(int, kernel.Device, kernel.Buffer, []kg.Entity) error) error {
	if len(heads) == 0 {
		return nil
	}
	values := slices.Repeat([]float32{0.5}, len(heads)*s.g.NumEntities())
	return onDevice(0, values, func(from int, d kernel.Device, b kernel.Buffer, columns []kg.Entity) error {
		if s.cuts {
			for e := range kg.Entity(s.g.NumEntities()) {
				columns = append(columns, e)
			}
		}
		return part(from, d, b, columns)
	})
}

// predictedOf are the names of the tails of a row, in order.
func predictedOf(g *kg.Graph, row Row) string {
	var names []string
	for _, t := range row.Tails {
		names = append(names, g.Entity(t))
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// A relation leads to the kinds of names that it is stated to lead to, and to numbers where they are asked for.
func TestRangesOfRelations(t *testing.T) {
	g := graphOfLiterals(t)
	const all = "Fellini Ikiru King_Lear Kurosawa Ran Roma"
	const numbers = `"1952"^^<http://www.w3.org/2001/XMLSchema#integer> "1972"^^<http://www.w3.org/2001/XMLSchema#integer> "1985"^^<http://www.w3.org/2001/XMLSchema#integer>`
	for _, c := range []struct{ head, relation, usual, literal string }{
		{"Ikiru", "director", strings.Replace(all, "Kurosawa ", "", 1), ""},
		{"Roma", "year", "", numbers},
		{"Ikiru", "title", `"Roma" "乱"@ja`, ""},
		{"Ikiru", "subject", all, numbers + " " + all},
		{`"1985"^^<http://www.w3.org/2001/XMLSchema#integer>`, "year^-1", "", strings.Replace(all, "Ran ", "", 1)},
		{"Kurosawa", "director^-1", "Fellini King_Lear Kurosawa Roma", ""},
	} {
		if c.literal == "" {
			c.literal = c.usual
		}
		for _, cuts := range []bool{false, true} {
			rows := New(g, even{g, cuts}, Options{})
			pair := pairOf(t, g, c.head, c.relation)
			for want, of := range map[string]*Rows{c.usual: rows, c.literal: rows.WithLiterals()} {
				got, err := of.Get(t.Context(), []Pair{pair})
				if err != nil || predictedOf(g, got[0]) != want {
					t.Errorf("%s of %s, on cuts %v: predicted are %s, expected %s; %v", c.relation, c.head, cuts, predictedOf(g, got[0]), want, err)
				}
			}
			if rows.Ranges().Closed(pair) != (c.usual == "") || rows.Computes(pair) != (c.usual != "") {
				t.Errorf("%s of %s is closed: %v", c.relation, c.head, rows.Ranges().Closed(pair))
			}
		}
	}
}

func pairOf(t *testing.T, g *kg.Graph, head, relation string) Pair {
	t.Helper()
	base, isInverse := strings.CutSuffix(relation, kg.InverseMark)
	h, known := g.Entities.Names.Find(head)
	r, found := g.Relations.Names.Find(base)
	if !known || !found {
		t.Fatalf("no %s of %s", relation, head)
	}
	if isInverse {
		return Pair{kg.Entity(h), kg.Forward(r).Inverse()}
	}
	return Pair{kg.Entity(h), kg.Forward(r)}
}

// A file of rows with numbers in it gives them to those who ask, and one without does not stand for rows that have them.
func TestFilesWithNumbers(t *testing.T) {
	g := graphOfLiterals(t)
	pair := pairOf(t, g, "Roma", "year")
	for _, literals := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "rows.links")
		options := Options{Literals: literals}
		writing := Writing{Rows: New(g, even{g, false}, options), Pairs: AllPairs(g, nil), Origin: Origin{Graph: GraphHash(g)}}
		if _, err := WriteFile(t.Context(), path, writing); err != nil {
			t.Fatal(err)
		}
		file, err := OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if file.Literals != literals || file.Rows != len(writing.Pairs) {
			t.Errorf("the header is %+v", file.Header)
		}
		rows := New(g, even{g, false}, Options{File: file})
		got, err := rows.Get(t.Context(), []Pair{pair})
		if err != nil || len(got[0].Tails) > 0 {
			t.Errorf("numbers %v: predicted %v, %v", literals, got, err)
		}
		got, err = rows.WithLiterals().Get(t.Context(), []Pair{pair})
		if err != nil || len(got[0].Tails) != 3 {
			t.Errorf("numbers %v: predicted on request %v, %v", literals, got, err)
		}
	}
}

// What is scored by name is asked for; where a relation never leads to such a thing, it is impossible.
func TestScoreOfNumbers(t *testing.T) {
	g := graphOfLiterals(t)
	year, director := pairOf(t, g, "Roma", "year"), pairOf(t, g, "Roma", "director")
	number := g.Tails(pairOf(t, g, "Ran", "year").Head, year.Relation)[0]
	wanted := []kg.Triple{{Head: year.Head, Relation: year.Relation, Tail: number}, {Head: director.Head, Relation: director.Relation, Tail: number}}
	rows := New(g, even{g, false}, Options{})
	usual, err := rows.Probabilities(t.Context(), wanted)
	if err != nil || usual[0] != 0 || usual[1] != 0 {
		t.Errorf("scored %v, %v", usual, err)
	}
	asked, err := rows.WithLiterals().Probabilities(t.Context(), wanted)
	if err != nil || asked[0] == 0 || asked[1] != 0 {
		t.Errorf("scored on request %v, %v", asked, err)
	}
}
