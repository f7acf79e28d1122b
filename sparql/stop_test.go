package sparql

import (
	"context"
	"math"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// countdown is a context that ends when it was looked at some times, and counts how often it is looked at then.
type countdown struct {
	context.Context
	left, after int
}

func (c *countdown) Err() error {
	if c.left > 0 {
		c.left--
		return nil
	}
	c.after++
	return context.Canceled
}

// longQueries would each take hours: in one function, one operator, or between them.
func longQueries() map[string]string {
	const three = "?a <x:p> ?b . ?c <x:p> ?d . ?e <x:p> ?f . "
	big := doubled(23)
	return map[string]string{
		"regex":          "{ " + big + `FILTER(REGEX(?a, "(a?){900}b")) }`,
		"regexes":        "{ " + doubled(10) + three + `FILTER(REGEX(CONCAT(?a, STR(?b), STR(?d), STR(?f)), "(a?){300}b")) }`,
		"replace":        "{ " + big + `BIND(REPLACE(?a, "(a*b)|a", "") AS ?r) }`,
		"compare":        "{ " + big + three + "BIND(CONCAT(?a, '') AS ?z) " + `FILTER(?z < CONCAT(?a, STR(?b)) && ?z = "") }`,
		"cartesian":      "{ " + three + three + "?g <x:p> ?h . ?i <x:p> ?j }",
		"unions":         "{ " + repeat(60, func(int) string { return "{ {} UNION {} } " }) + "}",
		"values":         "{ " + repeat(12, func(i int) string { return numbers(string(rune('a'+i)), 100) }) + "}",
		"paths":          "{ ?a <x:p>* ?b . ?c <x:p>+ ?d . ?e (<x:p>|^<x:p>)* ?f . ?g <x:p>? ?h }",
		"ways to stay":   "{ <x:none> " + repeat(40, func(i int) string { return "(<x:p>?|<x:q>?|<x:r>?)/" }) + "<x:p>? <x:none> }",
		"alternatives":   "{ <x:0> " + repeat(30, func(i int) string { return "(<x:p>|<x:p>|<x:p>)/" }) + "<x:p> ?b }",
		"not exists":     "{ ?a <x:p> ?b FILTER NOT EXISTS { " + three + "?g <x:p> ?h . ?i <x:p> ?j } }",
		"optional":       "{ ?a <x:p> ?b OPTIONAL { ?c <x:p> ?d . ?e <x:p> ?f . ?g <x:p> ?h . ?i <x:p> ?j } }",
		"minus":          "{ " + three + three + "?g <x:p> ?h MINUS { ?a <x:p> ?z } }",
		"count":          "{ SELECT (COUNT(*) AS ?n) { " + three + "?g <x:p> ?h . ?i <x:p> ?j } }",
		"group":          "{ SELECT ?a (MAX(?f) AS ?n) { " + three + "?g <x:p> ?h . ?i <x:p> ?j } GROUP BY ?a }",
		"sort the first": "{ SELECT ?a { " + three + "?g <x:p> ?h . ?i <x:p> ?j } ORDER BY STR(?f) LIMIT 1 }",
		"distinct":       "{ SELECT DISTINCT ?a { " + three + "?g <x:p> ?h . ?i <x:p> ?j } }",
		"encode":         "{ " + big + three + `BIND(STRLEN(ENCODE_FOR_URI(?a)) + STRLEN(UCASE(?a)) + STRLEN(SHA512(?a)) + STRLEN(SUBSTR(?a, 2)) AS ?n) FILTER(?n < 0) }`,
	}
}

// Whatever a query does, it ends when its context has ended: the context is looked at, and nothing looks at it for long
// after.
func TestEverythingStops(t *testing.T) {
	data := grid(t, 60)
	unlimited := Limits{Work: math.MaxInt, Memory: -1, Solutions: math.MaxInt}
	for name, pattern := range longQueries() {
		for _, looks := range []int{0, 40} {
			ctx := &countdown{Context: t.Context(), left: looks}
			err := lastError(t, ctx, "SELECT * "+pattern, data, Options{Limits: unlimited})
			if kg.KindOf(err) != kg.Cancelled || ctx.after > 20 {
				t.Errorf("%s: %v, looked at %d times after its end", name, err, ctx.after)
			}
			ctx = &countdown{Context: t.Context(), left: looks}
			u, err := syntax.ParseUpdate("INSERT { <x:0> <x:q> ?a } WHERE " + pattern)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err = Changes(ctx, u.Operations[0], data, unlimited); kg.KindOf(err) != kg.Cancelled {
				t.Errorf("%s as an update: %v", name, err)
			}
		}
	}
}
