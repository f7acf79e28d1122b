package browse

import (
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/query"
)

func graph(t *testing.T, text, name string) *kg.Graph {
	t.Helper()
	splits, err := read.Stream(t.Context(), strings.NewReader(text), name, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return splits.Train
}

const films = `name,director,country,year
Amarcord,Fellini,Italy,1973
Roma,Fellini,Italy,1972
La Strada,Fellini,Italy,1954
Teorema,Pasolini,Italy,1968
Accattone,Pasolini,Italy,1961
Breathless,Godard,France,1960
Alphaville,Godard,France,1965
Contempt,Godard,Italy,1963
`

func TestRelationsSayWhatTheyLeadFromAndTo(t *testing.T) {
	list := Relations(graph(t, films, "films.csv"))
	if len(list) != 3 {
		t.Fatalf("%+v", list)
	}
	for _, r := range list {
		want := map[string]Relation{
			"director": {Domain: "what has country", Range: "", Example: "director(Amarcord, Fellini)"},
			"country":  {Domain: "what has director", Range: "", Example: "country(Amarcord, Italy)"},
			"year":     {Domain: "what has director", Range: "a value", Example: "year(Amarcord, 1973)"},
		}[r.Name]
		if r.Domain != want.Domain || r.Range != want.Range || r.Example != want.Example || r.Facts != 8 {
			t.Errorf("%+v, expected %+v", r, want)
		}
	}
	typed := Relations(graph(t, "a\ttype\tperson\nb\ttype\tperson\nR\ttype\tcity\na\tborn\tR\nb\tborn\tR\n", "x.tsv"))
	if born := typed[1]; born.Domain != "person" || born.Range != "city" {
		t.Errorf("%+v", born)
	}
}

func TestHintTellsApart(t *testing.T) {
	g := graph(t, "q1\ttype\tcountry\nq2\ttype\tfilm\nq3\tmade\tq2\nq4\tmade\tq2\n", "x.tsv")
	for name, want := range map[string]string{"q1": "type country", "q2": "type film", "q3": "made(q3, q2)"} {
		e, err := query.FindEntity(name, g.Vocabulary)
		if err != nil || Hint(g, e) != want {
			t.Errorf("%s: %q, %v", name, Hint(g, e), err)
		}
	}
}

func TestSwappedEnds(t *testing.T) {
	g := graph(t, films, "films.csv")
	for text, want := range map[string]string{
		"?f : director(f, Fellini)":                      "",
		"?f : director(Fellini, f)":                      "no fact reads director(Fellini, …), but some read director(…, Fellini): did you mean that?",
		"?f : director(f, Amarcord) & country(f, Italy)": "no fact reads director(…, Amarcord), but some read director(Amarcord, …): did you mean that?",
		"?f : country(f, Fellini)":                       "", // neither way
	} {
		q, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := query.Bind(q, g.Vocabulary)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(Swapped(e, g), "|"); got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// Examples parse, have answers, and are the same each time.
func TestExamplesAreOfTheGraph(t *testing.T) {
	g := graph(t, films, "films.csv")
	examples := Examples(g)
	if len(examples) != 4 || !slices.Equal(examples, Examples(g)) {
		t.Fatalf("%+v", examples)
	}
	for _, e := range examples {
		q, err := query.Parse(e.Question)
		if err == nil {
			_, err = query.Bind(q, g.Vocabulary)
		}
		if err != nil || strings.Contains(e.Question, "19") {
			t.Errorf("%s: %s, %v", e.Title, e.Question, err)
		}
	}
	if none := Examples(graph(t, "a\tR\tb\n", "x.tsv")); len(none) != 1 {
		t.Errorf("of one fact %+v", none)
	}
}

func TestRelationsAreFoundByMeaning(t *testing.T) {
	g := graph(t, "a\t/people/person/place_of_birth\tb\na\tDeathPlace\tb\na\tspouse\tc\na\tAlmaMater\td\n", "x.tsv")
	for text, want := range map[string]string{
		"born": "/people/person/place_of_birth", "birth place": "/people/person/place_of_birth", "wife": "spouse",
		"died": "DeathPlace", "studied": "AlmaMater", "spou": "spouse", "zebra": "",
	} {
		got := ""
		if found := FindRelations(g, text, 1); len(found) > 0 {
			got = found[0].Name
		}
		if got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}
