package predict_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/predict"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

func parse(t *testing.T, text string) *syntax.Query {
	t.Helper()
	q, err := syntax.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// run predicts by traversal.
func run(t *testing.T, g *kg.Graph, text string, limits predict.Limits) (*results.Results, error) {
	t.Helper()
	return sparql.RunQuery(t.Context(), parse(t, text), sparql.Dataset{Graph: g, Predictor: sparqltest.Traversal{Graph: g}},
		sparql.Options{Mode: sparql.Predict, Limits: sparql.Limits{Solutions: limits.Solutions, Memory: limits.Memory, Pool: limits.Pool, Assignments: limits.Assignments}})
}

func TestLimits(t *testing.T) {
	g := sparqltest.Grid(t, 30)
	for _, c := range []struct {
		query string
		limit predict.Limits
		want  string
	}{
		{"SELECT ?a ?b { ?a <x:p> ?b }", predict.Limits{Solutions: 10}, "limit of 10 solutions"},
		{"SELECT ?a { ?a <x:p> ?b }", predict.Limits{Solutions: 10}, "limit of 10 solutions"},
	} {
		_, err := run(t, g, c.query, c.limit)
		if kg.KindOf(err) != kg.TooLarge || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.query, err, c.want)
		}
	}
}

// With LIMIT the best combinations are enough, and within the limits nothing is refused.
func TestBest(t *testing.T) {
	g := sparqltest.Grid(t, 30)
	r, err := run(t, g, "SELECT ?a ?b { ?a <x:p> ?b } LIMIT 7", predict.Limits{Assignments: 10})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(sparqltest.Lines(t, r)); got != 7 {
		t.Errorf("%d solutions, want 7", got)
	}
}

// Names that the graph lacks are an error with a suggestion, as nothing could be predicted of them.
func TestRefuses(t *testing.T) {
	g := sparqltest.ReadTable(t, "Ada\tWin\tPrize\nAda\tField\tLogic\n")
	for query, want := range map[string]string{
		"SELECT ?x { ?x :Winn :Prize }": "sparql:1:16: no relation <urn:lacuna:Winn> in the graph (did you mean <urn:lacuna:Win>?)",
		"SELECT ?x { ?x :Win :Price }":  "sparql:1:21: no entity <urn:lacuna:Price> in the graph (did you mean <urn:lacuna:Prize>?)",
		"SELECT ?x { ?x ?p :Prize }":    "the variable ?p as a predicate cannot be predicted",
		"SELECT ?x { ?x :Win ?y MINUS { ?z :Field ?w } FILTER NOT EXISTS { ?x :Field ?v FILTER(?v = ?u) } }":             "?u is not bound by every solution of the group around the filter",
		"SELECT ?x { { ?x :Win ?y } UNION { ?z :Win ?y } ?x :Field ?f MINUS { { ?x :Win ?z } UNION { ?x :Field ?f } } }": "?f is not bound by every solution on both sides of MINUS",
		"SELECT ?x { ?x :Win ?y FILTER(?y != 1) }":                               "the filter is true of <urn:lacuna:Prize>, which is no literal",
		"SELECT ?x { ?x :Win ?y { ?x :Win ?y FILTER(?z = :Ada) } }":              "?z is not bound by every solution of the group around the filter",
		"SELECT ?probability { ?probability :Win ?y }":                           "adds ?probability to the results",
		"SELECT ?x { ?x :Win ?y } ORDER BY ?y":                                   "ORDER BY ?y, which is not selected",
		"SELECT ?x { ?x :Win ?p MINUS { { ?x :Win ?p } UNION { ?x :Win ?q } } }": "?p is not bound by every solution on both sides of MINUS",
	} {
		_, err := run(t, g, query, predict.Limits{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", query, err, want)
		}
	}
	if _, err := predict.Run(t.Context(), parse(t, "ASK {}"), g, nil, predict.Options{}); kg.KindOf(err) != kg.Invalid {
		t.Errorf("without a predictor: %v", err)
	}
}

// Filters look at the values of literals that the graph states, whatever they are compared by.
func TestValues(t *testing.T) {
	const xsd = "http://www.w3.org/2001/XMLSchema#"
	g := sparqltest.Read(t, `@prefix xsd: <`+xsd+`> . @prefix : <http://films/> .
		:Ran :year 1985 ; :director :Kurosawa ; :shown "1985-06-01"^^xsd:date ; :title "Ran" ; :score 8.2 ; :note 7, :Roma .
		:Roma :year 1972 ; :director :Fellini ; :shown "1972-03-16"^^xsd:date ; :title "Roma"@it ; :score 7 ; :note "7" .
		:Ikiru :year 1952 ; :director :Kurosawa ; :shown "1952-10-09"^^xsd:date ; :title "Ikiru" ; :score "unknown" .`, read.Turtle)
	for text, want := range map[string]string{
		"SELECT ?f { ?f :year ?y FILTER(?y > 1970) }":                                          "Ran|Roma",
		"SELECT ?f ?y { ?f :year ?y FILTER(?y >= 1972 && ?y < 1985) }":                         "Roma 1972",
		"SELECT ?y ?f { ?f :year ?y FILTER(1972 < ?y) }":                                       "1985 Ran",
		"SELECT ?d { ?f :director ?d ; :year ?y FILTER(?y < 1960) }":                           "Kurosawa",
		"SELECT ?f { ?f :year ?y FILTER(?y = 1985.0) }":                                        "Ran",
		"SELECT ?f { ?f :year ?y FILTER(?y != 1985) }":                                         "Ikiru|Roma",
		"SELECT ?f { ?f :year ?y FILTER(?y IN (1972, 1952)) }":                                 "Ikiru|Roma",
		"SELECT ?f { ?f :year ?y FILTER(?y NOT IN (1972, 1952)) }":                             "Ran",
		"SELECT ?f { ?f :shown ?s FILTER(?s > \"1970-01-01\"^^<" + xsd + "date>) }":            "Ran|Roma",
		"SELECT ?f { ?f :shown ?s FILTER(month(?s) = 6 || day(?s) = 9) }":                      "Ikiru|Ran",
		"SELECT ?f { ?f :title ?t FILTER(strstarts(?t, \"R\")) }":                              "Ran|Roma",
		"SELECT ?f { ?f :title ?t FILTER(regex(str(?t), \"^r\", \"i\") && lang(?t) = \"\") }":  "Ran",
		"SELECT ?f { ?f :score ?s FILTER(!(?s > 8)) }":                                         "Roma", // a text is neither
		"SELECT ?f { ?f :score ?s ; :year ?y FILTER(!(?s > 8 || ?y > 1980)) }":                 "Roma",
		"SELECT ?f { ?f :year ?y FILTER(?y > 1980 || EXISTS { ?f :director :Fellini }) }":      "Ran|Roma",
		"SELECT ?f { ?f :director ?d FILTER NOT EXISTS { ?f :year ?y FILTER(?y > 1970) } }":    "Ikiru",
		"SELECT ?f { ?f :year ?y FILTER EXISTS { ?f :director :Kurosawa FILTER(?y > 1970) } }": "Ran",
		"SELECT ?d { ?d ^:director/:year ?y FILTER(?y * 2 > 3950) }":                           "Kurosawa",
		"SELECT ?f { ?f :year ?y FILTER(?y > 3000) }":                                          "",
		"SELECT ?y { VALUES ?y { 1972 1985 } :Ran :year ?y FILTER(?y > 1980) }":                "1985",
		"SELECT (SUM(?y) AS ?n) { ?f :year ?y FILTER(?y > 1980) }":                             "1985",
	} {
		r, err := run(t, g, "PREFIX : <http://films/>\n"+text, predict.Limits{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		added := 2
		if strings.Contains(text, "SUM") {
			added = 1
		}
		if got := strings.ReplaceAll(rowsBut(t, r, added), "http://films/", ""); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"SELECT ?f { ?f :director ?d FILTER(?d > 3) }":                          "sparql:2:39: nothing that ?d is stated to be is a literal",
		"SELECT ?f { ?f :note ?n FILTER(?n != 1) }":                             "the filter is true of <http://films/Roma>",
		"SELECT ?f { ?f :year ?y ; :score ?s FILTER(?y > ?s) }":                 "compares the values of one variable",
		"SELECT ?f { ?f :year ?y FILTER(rand() > ?y) }":                         "the function RAND cannot be predicted",
		"SELECT ?f { ?f :director ?d OPTIONAL { ?f :year ?y } FILTER(?y > 3) }": "may be left unbound by OPTIONAL",
	} {
		if _, err := run(t, g, "PREFIX : <http://films/>\n"+text, predict.Limits{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestForms(t *testing.T) {
	g := sparqltest.ReadTable(t, "Ada\tWin\tPrize\nBo\tWin\tPrize\nAda\tField\tLogic\n")
	for query, want := range map[string]string{
		"ASK { :Ada :Win :Prize }":                                      "true",
		"ASK { :Ada :Field :Logic ; :Win :Prize }":                      "true",
		"ASK { :Bo :Field :Logic }":                                     "false",
		"ASK { :Bo :Win/^:Win/:Field ?x }":                              "true",
		"SELECT (COUNT(?x) AS ?n) { ?x :Win :Prize }":                   `expected="2"^^<http://www.w3.org/2001/XMLSchema#double> n="2"^^<http://www.w3.org/2001/XMLSchema#integer>`,
		"SELECT ?known ?x { ?x :Win :Prize } ORDER BY DESC(?x) LIMIT 1": `known="true"^^<http://www.w3.org/2001/XMLSchema#boolean> probability="1"^^<http://www.w3.org/2001/XMLSchema#double> x=<urn:lacuna:Bo>`,
		"SELECT ?x ?y { ?x :Win ?p ; :Field ?y }":                       `known="true"^^<http://www.w3.org/2001/XMLSchema#boolean> probability="1"^^<http://www.w3.org/2001/XMLSchema#double> x=<urn:lacuna:Ada> y=<urn:lacuna:Logic>`,

		// patterns that are no tree
		"ASK { ?x :Win ?y ; :Field ?y }":                                                               "false",
		"ASK { ?x :Win ?y . ?z :Win ?y FILTER(?x != ?z) }":                                             "true",
		"SELECT (COUNT(*) AS ?n) { ?x :Win ?y . ?z :Win ?y }":                                          `expected="4"^^<http://www.w3.org/2001/XMLSchema#double> n="4"^^<http://www.w3.org/2001/XMLSchema#integer>`,
		"SELECT (COUNT(?x) AS ?n) { ?x :Win ?y . ?z :Win ?y . ?z :Field ?f . ?x :Field ?f }":           `expected="1"^^<http://www.w3.org/2001/XMLSchema#double> n="1"^^<http://www.w3.org/2001/XMLSchema#integer>`,
		"SELECT ?x { ?x :Win ?y . ?z :Field ?w FILTER(?x = ?z) }":                                      `known="true"^^<http://www.w3.org/2001/XMLSchema#boolean> probability="1"^^<http://www.w3.org/2001/XMLSchema#double> x=<urn:lacuna:Ada>`,
		"SELECT ?x ?z { ?x :Win ?y . ?z :Win ?y FILTER(?x != ?z) FILTER NOT EXISTS { ?x :Field ?f } }": `known="true"^^<http://www.w3.org/2001/XMLSchema#boolean> probability="1"^^<http://www.w3.org/2001/XMLSchema#double> x=<urn:lacuna:Bo> z=<urn:lacuna:Ada>`,
	} {
		r, err := run(t, g, query, predict.Limits{})
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		if got := strings.Join(sparqltest.Lines(t, r), ";"); got != want {
			t.Errorf("%s\n got %s\nwant %s", query, got, want)
		}
	}
}

// OPTIONAL adds what it finds and leaves unbound what it does not, and so does a UNION whose sides bind different variables, as by exact evaluation where nothing is predicted.
func TestOptional(t *testing.T) {
	g := sparqltest.ReadTable(t, "Ada\tWin\tPrize\nAda\tField\tLogic\nAda\tBorn\tLondon\nBob\tWin\tPrize\nBob\tField\tSets\nCyd\tField\tLogic\nLondon\tIn\tEngland\n")
	for text, want := range map[string]string{
		"SELECT ?p ?f ?c { ?p <urn:lacuna:Win> <urn:lacuna:Prize> OPTIONAL { ?p <urn:lacuna:Field> ?f } OPTIONAL { ?p <urn:lacuna:Born> ?c } }":                                                   "Ada Logic London|Bob Sets -",
		"SELECT ?p ?e { ?p <urn:lacuna:Field> ?f OPTIONAL { ?p <urn:lacuna:Born>/<urn:lacuna:In> ?e } }":                                                                                          "Ada England|Bob -|Cyd -",
		"SELECT ?p { ?p <urn:lacuna:Win> <urn:lacuna:Prize> OPTIONAL { ?p <urn:lacuna:Born> ?c } }":                                                                                               "Ada|Bob",
		"SELECT ?p ?c ?e { ?p <urn:lacuna:Field> ?f OPTIONAL { ?p <urn:lacuna:Born> ?c OPTIONAL { ?c <urn:lacuna:In> ?e } } }":                                                                    "Ada London England|Bob - -|Cyd - -",
		"SELECT ?p ?w { ?p <urn:lacuna:Field> ?f OPTIONAL { ?p <urn:lacuna:Born> ?c OPTIONAL { ?p <urn:lacuna:Win> ?w } } }":                                                                      "Ada Prize|Bob -|Cyd -",
		"SELECT ?p ?c ?w { { ?p <urn:lacuna:Born> ?c } UNION { ?p <urn:lacuna:Field> ?f } OPTIONAL { ?p <urn:lacuna:Win> ?w } }":                                                                  "Ada - Prize|Ada London Prize|Bob - Prize|Cyd - -",
		"SELECT ?c ?f { { ?p <urn:lacuna:Born> ?c } UNION { ?p <urn:lacuna:Field> ?f } }":                                                                                                         "- Logic|- Sets|London -",
		"SELECT ?c { { ?p <urn:lacuna:Born> ?c } UNION { ?p <urn:lacuna:Field> ?f } }":                                                                                                            "-|London",
		"SELECT ?p ?c ?e { ?p <urn:lacuna:Win> ?w { ?p <urn:lacuna:Born> ?c } UNION { ?p <urn:lacuna:Field> ?f } { ?w ^<urn:lacuna:Win> ?p } UNION { ?p <urn:lacuna:Born>/<urn:lacuna:In> ?e } }": "Ada - -|Ada - England|Ada London -|Ada London England|Bob - -",
		"SELECT ?p ?q { ?p <urn:lacuna:Win> ?w . ?q <urn:lacuna:Win> ?w FILTER sameTerm(?p, ?q) }":                                                                                                "Ada Ada|Bob Bob",
		"SELECT ?c { <urn:lacuna:Bob> <urn:lacuna:Win> <urn:lacuna:Prize> OPTIONAL { <urn:lacuna:Bob> <urn:lacuna:Born> ?c } }":                                                                   "-",
	} {
		for _, together := range []int{0, 1} { // one by one, and many together
			r, err := run(t, g, text, predict.Limits{Assignments: together})
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			if got := optionalRows(t, r); got != want {
				t.Errorf("%s: %s, want %s", text, got, want)
			}
		}
	}
	for text, want := range map[string]string{
		"SELECT ?p ?f { ?p <urn:lacuna:Win> ?w OPTIONAL { ?p <urn:lacuna:Field> ?f } ?x <urn:lacuna:Field> ?f }":                                "?f may be left unbound by OPTIONAL",
		"SELECT ?p ?f { ?p <urn:lacuna:Win> ?w OPTIONAL { ?p <urn:lacuna:Field> ?f } FILTER(?f != <urn:lacuna:Logic>) }":                        "?f may be left unbound by OPTIONAL",
		"SELECT ?p ?f { { ?p <urn:lacuna:Win> ?w OPTIONAL { ?p <urn:lacuna:Field> ?f } } ?p <urn:lacuna:Born> ?b }":                             "OPTIONAL within another part",
		"SELECT ?p ?e { ?p <urn:lacuna:Win> ?w OPTIONAL { ?p <urn:lacuna:Born> ?b OPTIONAL { ?b <urn:lacuna:In> ?e } } ?e <urn:lacuna:In> ?p }": "?e may be left unbound by OPTIONAL",
		"SELECT (COUNT(?f) AS ?n) { ?p <urn:lacuna:Win> ?w OPTIONAL { ?p <urn:lacuna:Field> ?f } }":                                             "?f is not bound by every solution",
	} {
		if _, err := run(t, g, text, predict.Limits{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// optionalRows lists the selected values of a result, rows sorted.
func optionalRows(t *testing.T, r *results.Results) string { return rowsBut(t, r, 2) }

// rowsBut leaves out so many columns at the end.
func rowsBut(t *testing.T, r *results.Results, added int) string {
	var rows []string
	for row, err := range r.Rows {
		if err != nil {
			t.Fatal(err)
		}
		var cells []string
		for i := range len(r.Vars) - added {
			name := strings.TrimPrefix(row[i].Value, "urn:lacuna:")
			if name == "" {
				name = "-"
			}
			cells = append(cells, name)
		}
		rows = append(rows, strings.Join(cells, " "))
	}
	slices.Sort(rows)
	return strings.Join(rows, "|")
}
