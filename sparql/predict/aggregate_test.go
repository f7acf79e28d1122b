package predict_test

import (
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/sparql/predict"
	"github.com/lacuna-kg/lacuna/sparql/sparqltest"
)

// Groups have their numbers and sums, with the values to be expected, the largest first.
func TestAggregates(t *testing.T) {
	g := sparqltest.ReadNTriples(t, `<x:a> <x:in> <x:s> .
<x:b> <x:in> <x:s> .
<x:c> <x:in> <x:t> .
<x:a> <x:price> "3"^^<http://www.w3.org/2001/XMLSchema#integer> .
<x:b> <x:price> "3"^^<http://www.w3.org/2001/XMLSchema#integer> .
<x:c> <x:price> "1.5"^^<http://www.w3.org/2001/XMLSchema#decimal> .
<x:c> <x:name> "c" .
`)
	short := strings.NewReplacer("^^<http://www.w3.org/2001/XMLSchema#integer>", "", "^^<http://www.w3.org/2001/XMLSchema#double>", "", "^^<http://www.w3.org/2001/XMLSchema#decimal>", "")
	for query, want := range map[string]string{
		"SELECT ?s (COUNT(?x) AS ?n) { ?x <x:in> ?s } GROUP BY ?s":                                                                `expected="2" n="2" s=<x:s>;expected="1" n="1" s=<x:t>`,
		"SELECT ?s (COUNT(*) AS ?n) { ?x <x:in> ?s ; <x:price> ?p } GROUP BY ?s ORDER BY ?n":                                      `expected="1" n="1" s=<x:t>;expected="2" n="2" s=<x:s>`,
		"SELECT (SUM(?p) AS ?all) { ?x <x:price> ?p }":                                                                            `all="7.5" expected="7.5"`,
		"SELECT (SUM(DISTINCT ?p) AS ?all) { ?x <x:price> ?p }":                                                                   `all="4.5" expected="4.5"`,
		"SELECT ?s (SUM(?p) AS ?all) { ?x <x:in> ?s ; <x:price> ?p } GROUP BY ?s LIMIT 1":                                         `all="6" expected="6" s=<x:s>`,
		"SELECT (SUM(?p) AS ?all) { ?x <x:in> <x:s> ; <x:name> ?n ; <x:price> ?p }":                                               `all="0" expected="0"`,
		"SELECT ?s (COUNT(?x) AS ?n) { ?x <x:in>/^<x:in> ?y ; <x:in> ?s } GROUP BY ?s OFFSET 1":                                   `expected="1" n="1" s=<x:t>`,
		"SELECT ?s (COUNT(?x) AS ?n) { ?x <x:in> ?s } GROUP BY ?s HAVING(COUNT(?x) > 1)":                                          `expected="2" n="2" s=<x:s>`,
		"SELECT ?s (COUNT(?x) AS ?n) { ?x <x:in> ?s } GROUP BY ?s HAVING(?expected < 1.5 && ?n = 1)":                              `expected="1" n="1" s=<x:t>`,
		"SELECT ?s (COUNT(?x) AS ?n) { ?x <x:in> ?s } GROUP BY ?s ORDER BY DESC(STR(?s)) LIMIT 1":                                 `expected="1" n="1" s=<x:t>`,
		"SELECT ?k (SUM(?d) AS ?n) { ?x <x:price> ?p BIND(?p * 2 AS ?d) BIND(?d > 3 AS ?k) } GROUP BY ?k ORDER BY DESC(-SUM(?d))": `expected="3" k="false"^^<http://www.w3.org/2001/XMLSchema#boolean> n="3";expected="12" k="true"^^<http://www.w3.org/2001/XMLSchema#boolean> n="12"`,
		"SELECT (COUNT(?x) AS ?n) { ?x <x:in> ?s FILTER(!?known) }":                                                               `expected="0" n="0"`,
		"SELECT (COUNT(?x) AS ?n) { ?x <x:in> ?s ; <x:price> ?p }":                                                                `expected="3" n="3"`,
		"SELECT ?s (COUNT(?x) AS ?n) { ?x <x:in> ?s . ?y <x:in> ?s FILTER(?x != ?y) } GROUP BY ?s":                                `expected="2" n="2" s=<x:s>`,
	} {
		r, err := run(t, g, query, predict.Limits{})
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		if got := short.Replace(strings.Join(sparqltest.Lines(t, r), ";")); got != want {
			t.Errorf("%s\n got %s\nwant %s", query, got, want)
		}
	}
	for query, want := range map[string]string{
		"SELECT (SUM(?n) AS ?all) { ?x <x:name> ?n }":                               `SUM(?n): "c" is no number`,
		"SELECT (AVG(?p) AS ?m) { ?x <x:price> ?p }":                                "an aggregate other than COUNT and SUM of a variable",
		"SELECT (SUM(?p * 2) AS ?m) { ?x <x:price> ?p }":                            "an aggregate other than COUNT and SUM of a variable",
		"SELECT (SUM(?p) AS ?a) (COUNT(?p) AS ?b) { ?x <x:price> ?p }":              "more than one aggregate",
		"SELECT ?s (COUNT(*) AS ?n) { ?x <x:in> ?s } GROUP BY ?s HAVING(?x > 1)":    "HAVING looks at ?x, which groups do not have: expected one of ?s ?n ?expected",
		"SELECT ?s (COUNT(*) AS ?n) { ?x <x:in> ?s } GROUP BY ?s HAVING(AVG(?s)>1)": "an aggregate in HAVING that is not selected cannot be predicted",
		"SELECT (COUNT(*) AS ?n) { ?x <x:in> ?s } GROUP BY (STR(?s) AS ?k)":         "GROUP BY anything but a variable",
		"SELECT ?s { ?x <x:in> ?s } GROUP BY ?s":                                    "GROUP BY without COUNT or SUM",
		"SELECT ?s (COUNT(*) AS ?n) { ?x <x:in> ?s } GROUP BY ?s ORDER BY ?x":       "ORDER BY ?x, which is not selected",
		"SELECT ?x (COUNT(*) AS ?n) { ?x <x:in> ?s } GROUP BY ?x ?s ORDER BY ?n ?s": "ORDER BY ?s, which is not selected",
	} {
		if _, err := run(t, g, query, predict.Limits{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", query, err, want)
		}
	}
}
