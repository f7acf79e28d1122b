package attack

import (
	"context"
	"fmt"
	"net/url"
	"strings"
)

// byQuery are queries and updates that would take memory or time without end, each in another part of SPARQL.
var byQuery = []Case{
	{Name: "grown by steps", Clients: 4, About: "texts that grow by BIND after BIND, casts and types, and by what tells them apart", Act: func(ctx context.Context, a *Attacker) {
		a.query(ctx, "/sparql", "query", doubled(30, `STRDT(STR(?a), <urn:t>)`))
		a.query(ctx, "/sparql", "query", doubled(22, `ENCODE_FOR_URI(REPLACE(?a, "a", "%"))`))
		a.query(ctx, "/sparql", "query", doubled(20, `SHA512(UCASE(CONCAT(?a, ?a, ?a)))`))
		a.query(ctx, "/sparql", "query", "SELECT (GROUP_CONCAT(DISTINCT CONCAT(STR(?a), STR(?c), STR(?e)); separator='"+strings.Repeat("-", 1000)+"') AS ?n) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f }")
	}},
	{Name: "paths", Clients: 4, About: "closures of every relation in both directions, from everywhere to everywhere", Act: func(ctx context.Context, a *Attacker) {
		p := iri(a.graph.relation(0))
		a.query(ctx, "/sparql", "query", "SELECT (COUNT(*) AS ?n) { ?a ("+p+"|!"+p+"|^"+p+"|^!"+p+")* ?b . ?b (!"+p+"/^!"+p+")+ ?c . ?c ("+p+"?/!"+p+"?)* ?d }")
	}},
	{Name: "many values", Clients: 4, About: "as many rows of values as a body holds, multiplied", Act: func(ctx context.Context, a *Attacker) {
		values := strings.Repeat("1 ", 200_000)
		a.query(ctx, "/sparql", "query", "SELECT (COUNT(*) AS ?n) { VALUES ?a { "+values+"} VALUES ?b { "+values+"} ?x ?p ?y }")
	}},
	{Name: "long keys", Clients: 4, About: "an order, groups and distinct rows by long texts", Act: func(ctx context.Context, a *Attacker) {
		grown := strings.TrimSuffix(strings.TrimPrefix(doubled(14, "?a"), "SELECT (STRLEN(?y) AS ?n) { "), " }")
		a.query(ctx, "/sparql", "query", "SELECT DISTINCT ?k { "+grown+" ?s ?p ?o . ?t ?q ?u BIND(CONCAT(STR(?s), ?y, STR(?t)) AS ?k) } ORDER BY DESC(?k)")
		a.query(ctx, "/sparql", "query", "SELECT ?k (COUNT(*) AS ?n) { "+grown+" ?s ?p ?o . ?t ?q ?u BIND(CONCAT(STR(?s), ?y, STR(?t)) AS ?k) } GROUP BY ?k")
	}},
	{Name: "templates", Clients: 4, About: "templates that make a hundred facts of each row of a product, and descriptions of everything", Asks: Writes, Act: func(ctx context.Context, a *Attacker) {
		var template strings.Builder
		for i := range 100 {
			fmt.Fprintf(&template, "?a <urn:t%d> ?d . _:b%d ?p ?c . ", i, i)
		}
		a.query(ctx, "/sparql", "query", "CONSTRUCT { "+template.String()+"} WHERE { ?a ?p ?b . ?c ?q ?d }")
		a.query(ctx, "/sparql", "query", "DESCRIBE * { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f }")
		a.query(ctx, "/update", "update", "INSERT { "+template.String()+"} WHERE { ?a ?p ?b . ?c ?q ?d }")
	}},
	{Name: "nested", Clients: 4, About: "selections within selections, patterns within filters, totals of totals", Act: func(ctx context.Context, a *Attacker) {
		inner, exists := "{ ?a ?p ?b . ?c ?q ?d }", "?y ?z ?w"
		for i := range 12 {
			inner = fmt.Sprintf("{ SELECT ?a ?c (COUNT(*) AS ?n%d) %s GROUP BY ?a ?c }", i, inner)
			exists = fmt.Sprintf("?v%d ?r%d ?w%d FILTER NOT EXISTS { %s }", i, i, i, exists)
		}
		a.query(ctx, "/sparql", "query", "SELECT (SUM(?n11) AS ?n) { "+inner+" }")
		a.query(ctx, "/sparql", "query", "SELECT (COUNT(*) AS ?n) { "+exists+" }")
		a.query(ctx, "/sparql", "query", "SELECT * { "+strings.Repeat("{ ", 20_000)+"?a ?b ?c"+strings.Repeat(" }", 20_000)+" }")
		a.query(ctx, "/sparql", "query", "SELECT ("+strings.Repeat("(", 50_000)+"1"+strings.Repeat(")", 50_000)+" AS ?n) {}")
	}},
	{Name: "largest arguments", Clients: 4, About: "explanations, predictions and lists of facts as large as they may be", Act: func(ctx context.Context, a *Attacker) {
		a.send(ctx, "/api/explain", asJSON, strings.NewReader(fmt.Sprintf(`{"question": %q, "limit": -1, "top": 100, "threshold": 0, "why": true, "marginal": true}`, a.graph.chain(60))))
		a.send(ctx, "/api/predict", asJSON, strings.NewReader(`{"missing": 10000, "why": true, "literals": true}`))
		a.send(ctx, "/api/ask", asJSON, strings.NewReader(fmt.Sprintf(`{"question": %q, "limit": -1, "top": 100, "threshold": 0, "by": "sets"}`, a.graph.chain(60))))
		a.send(ctx, "/api/entity?likely=100&name="+url.QueryEscape(a.graph.entity), asJSON, nil)
	}},
}
