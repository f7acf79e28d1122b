package protocol

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/predict"
	"github.com/lacuna-kg/lacuna/sparql/results"
)

// source serves one graph and counts who uses it.
type source struct {
	graph *kg.Graph
	users int
}

func (s *source) Dataset() (sparql.Dataset, func()) {
	s.users++
	return sparql.Dataset{Graph: s.graph, Name: "people.tsv", Predictor: half{}}, func() { s.users-- }
}

// half predicts entity 0 with probability ½, whatever the question.
type half struct{}

// Predict gives up at once where the variables form no tree.
func (half) Predict(_ context.Context, q *query.Query, w predict.Wanted) ([]predict.Tuple, *results.Cut, error) {
	if len(q.Answers) != 1 {
		return nil, &results.Cut{LeftOut: 12, Stopped: "time", Likeliest: 0.2501}, nil
	}
	if w.Least > 0.5 {
		return nil, nil, nil
	}
	return []predict.Tuple{{Entities: []kg.Entity{0}, Probability: 0.5}}, nil, nil
}

func newSource(t *testing.T) *source {
	splits, err := read.Stream(t.Context(), strings.NewReader("Ada\tknows\tBo\nAda\tknows\tCy\n"), "t.tsv", read.Options{Format: read.TSV})
	if err != nil {
		t.Fatal(err)
	}
	return &source{graph: splits.Train}
}

const ada = "SELECT ?x { :Ada :knows ?x } ORDER BY ?x"

func get(values ...string) *http.Request {
	params := url.Values{}
	for i := 0; i < len(values); i += 2 {
		params.Add(values[i], values[i+1])
	}
	return httptest.NewRequest(http.MethodGet, "/sparql?"+params.Encode(), nil)
}

func post(contentType, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/sparql", strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	return r
}

func with(r *http.Request, accept string) *http.Request {
	r.Header.Set("Accept", accept)
	return r
}

func TestProtocol(t *testing.T) {
	const both = "http://example.org/"
	const form, direct = "application/x-www-form-urlencoded", "application/sparql-query"
	big := strings.Repeat(" ", 1000)
	for name, c := range map[string]struct {
		request *http.Request
		status  int
		media   string
		body    string
	}{
		"GET":                    {get("query", ada), 200, "application/sparql-results+json", `{"x":{"type":"uri","value":"urn:lacuna:Bo"}},`},
		"POST form":              {post(form, "query="+url.QueryEscape(ada)), 200, "application/sparql-results+json", "urn:lacuna:Cy"},
		"POST form, charset":     {post(form+"; charset=UTF-8", "query="+url.QueryEscape(ada)), 200, "application/sparql-results+json", "urn:lacuna:Cy"},
		"POST query":             {post(direct, ada), 200, "application/sparql-results+json", "urn:lacuna:Cy"},
		"ASK":                    {get("query", "ASK { ?x :knows ?y }"), 200, "application/sparql-results+json", `"boolean":true`},
		"XML":                    {with(get("query", ada), "application/sparql-results+xml"), 200, "application/sparql-results+xml", "<uri>urn:lacuna:Bo</uri>"},
		"CSV":                    {with(get("query", ada), "text/csv, */*;q=0.1"), 200, "text/csv; charset=utf-8", "x\r\nurn:lacuna:Bo\r\n"},
		"TSV":                    {with(get("query", ada), "text/tab-separated-values"), 200, "text/tab-separated-values; charset=utf-8", "?x\n<urn:lacuna:Bo>\n"},
		"no solution":            {get("query", "SELECT ?x { ?x :unknown ?y }"), 200, "application/sparql-results+json", `"bindings":[` + "\n]"},
		"predict":                {with(get("query", ada, "mode", "predict"), "text/csv"), 200, "text/csv; charset=utf-8", "x,probability,known\r\nurn:lacuna:Ada,0.5,false\r\n"},
		"threshold":              {with(get("query", ada, "mode", "predict", "threshold", "0.6"), "text/csv"), 200, "text/csv; charset=utf-8", "x,probability,known\r\n"},
		"predicted":              {with(get("query", ada, "mode", "predict", "predicted", "true"), "text/csv"), 200, "text/csv; charset=utf-8", "urn:lacuna:Ada,0.5,false\r\n"},
		"predicted, exact":       {get("query", ada, "predicted", "true"), 400, "text/plain; charset=utf-8", "predicted: only mode=predict has probabilities"},
		"predicted, no truth":    {get("query", ada, "mode", "predict", "predicted", "perhaps"), 400, "text/plain; charset=utf-8", "expected true or false"},
		"filter by probability":  {with(get("query", "SELECT ?x { :Ada :knows ?x FILTER(?probability < 0.4) }", "mode", "predict"), "text/csv"), 200, "text/csv; charset=utf-8", "x,probability,known\r\n"},
		"BIND of probability":    {with(get("query", "SELECT ?x ?p { :Ada :knows ?x BIND(ROUND(100 * ?probability) AS ?p) }", "mode", "predict"), "text/csv"), 200, "text/csv; charset=utf-8", "x,p,probability,known\r\nurn:lacuna:Ada,5.0E1,0.5,false\r\n"},
		"CONSTRUCT predicts":     {with(get("query", "CONSTRUCT { :Ada :perhaps ?x ; :p ?probability } { :Ada :knows ?x FILTER(!?known) }", "mode", "predict"), "application/n-triples"), 200, "application/n-triples", "<urn:lacuna:Ada> <urn:lacuna:perhaps> <urn:lacuna:Ada> .\n"},
		"GRAPH, predict":         {get("query", "SELECT ?x { GRAPH :g { :Ada :knows ?x } }", "mode", "predict"), 400, "text/plain; charset=utf-8", "sparql:1:13: GRAPH cannot be predicted: facts are predicted from all graphs together\n"},
		"unknown parameter":      {get("query", ada, "format", "x"), 200, "application/sparql-results+json", "urn:lacuna:Cy"},
		"no query":               {get("format", "x"), 400, "text/plain; charset=utf-8", "query: expected a query"},
		"no query, POST":         {post(form, ""), 400, "text/plain; charset=utf-8", "query: expected a query"},
		"description":            {get(), 200, "text/turtle; charset=utf-8", "<http://www.w3.org/ns/sparql-service-description#endpoint> <http://example.com/sparql>"},
		"description, N-Triples": {with(get(), "application/n-triples"), 200, "application/n-triples", `_:graph <http://rdfs.org/ns/void#triples> "2"^^`},
		"HEAD":                   {httptest.NewRequest(http.MethodHead, "/sparql?query="+url.QueryEscape(ada), nil), 200, "application/sparql-results+json", ""},
		"OPTIONS":                {httptest.NewRequest(http.MethodOptions, "/sparql", nil), 204, "", ""},
		"empty graph name":       {get("query", ada, "default-graph-uri", "", "named-graph-uri", ""), 200, "application/sparql-results+json", "urn:lacuna:Cy"},
		"construct, RDF/XML":     {with(get("query", "CONSTRUCT WHERE { ?x ?p :Bo }"), "application/rdf+xml"), 200, "application/rdf+xml", `<p:knows xmlns:p="urn:lacuna:" rdf:resource="urn:lacuna:Bo"/>`},
		"construct, JSON-LD":     {with(get("query", "CONSTRUCT WHERE { ?x ?p :Bo }"), "application/ld+json"), 200, "application/ld+json", `{"@id":"urn:lacuna:Ada","urn:lacuna:knows":[{"@id":"urn:lacuna:Bo"}]}`},
		"the reason comes first": {with(get("query", "CONSTRUCT { ?x :p }"), "text/csv"), 400, "text/plain; charset=utf-8", "sparql:1:19: expected"},
		"the graph's prefixes":   {get("query", "SELECT ?x { ?x rdfs:label ?l }"), 200, "application/sparql-results+json", `"bindings"`},
		"two queries":            {get("query", ada, "query", ada), 400, "text/plain; charset=utf-8", "expected once, found 2 times"},
		"query in URL and body":  {postTo("/sparql?query=ASK{}", direct, ada), 400, "text/plain; charset=utf-8", "expected once"},
		"syntax":                 {get("query", "SELECT ?x\n{ ?x OPTIONAL }"), 400, "text/plain; charset=utf-8", "sparql:2:6: expected a predicate"},
		"plan":                   {get("query", "SELECT * { ?x ?p ?y } LIMIT 1", "plan", "true"), 200, "application/json; charset=utf-8", `{"operator":"slice: 1 from 0 on","estimated":1,"rows":1,"runs":1`},
		"plan of a prediction":   {get("query", "ASK {}", "plan", "true", "mode", "predict"), 400, "text/plain; charset=utf-8", "only exact answers have a plan"},
		"plan of nonsense":       {get("query", "ASK {}", "plan", "maybe"), 400, "text/plain; charset=utf-8", "plan \"maybe\": expected true or false"},
		"outside":                {with(get("query", "ASK { SERVICE ?g {} }"), "application/json"), 400, "application/json; charset=utf-8", `"line":1,"column":7}}`},
		"construct":              {get("query", "CONSTRUCT { ?y :q ?x } { ?x ?p ?y }"), 200, "text/turtle; charset=utf-8", "<urn:lacuna:q>"},
		"construct, N-Triples":   {with(get("query", "CONSTRUCT WHERE { ?x ?p ?y }"), "application/n-triples, text/turtle;q=0.5"), 200, "application/n-triples", " .\n"},
		"construct, no table":    {with(get("query", "CONSTRUCT WHERE { ?x ?p ?y }"), "text/csv"), 406, "text/plain; charset=utf-8", "text/turtle, application/n-triples"},
		"unknown name, predict":  {get("query", "ASK { ?x :nose ?y }", "mode", "predict"), 400, "text/plain; charset=utf-8", "no relation <urn:lacuna:nose>"},
		"own graph's name":       {get("query", ada, "default-graph-uri", "people.tsv"), 200, "application/sparql-results+json", "urn:lacuna:Cy"},
		"FROM the graph":         {get("query", "SELECT ?x FROM <people.tsv> FROM <urn:x-arq:DefaultGraph> { ?x :knows :Bo }"), 200, "application/sparql-results+json", "urn:lacuna:Ada"},
		"FROM another":           {get("query", "SELECT ?x FROM <http://x/people.tsv> { ?x :knows :Bo }"), 200, "application/sparql-results+json", `"warnings":["sparql:1:11: FROM <http://x/people.tsv>: there is one graph here, called people.tsv; leave it out"]`},
		"FROM, predict":          {get("query", "SELECT ?x FROM <people.tsv> { ?x :knows :Bo }", "mode", "predict"), 200, "application/sparql-results+json", "urn:lacuna:Ada"},
		"default graph":          {get("query", ada, "default-graph-uri", both), 200, "application/sparql-results+json", "there is one graph here"},
		"named graph":            {get("query", ada, "named-graph-uri", both), 200, "application/sparql-results+json", "there is one graph here"},
		"unknown name":           {get("query", "ASK { :Ada :nows ?y }"), 200, "application/sparql-results+json", `"boolean":false,"warnings":["sparql:1:12: no relation <urn:lacuna:nows> in the graph (did you mean <urn:lacuna:knows>?)"]}`},
		"unknown name in XML":    {with(get("query", "SELECT * { :Ada--Bo ?p ?y }"), "text/xml"), 200, "application/sparql-results+xml", "<!-- warning: sparql:1:12: no entity &lt;urn:lacuna:Ada- -Bo&gt; in the graph"},
		"update":                 {get("update", "CLEAR ALL"), 400, "text/plain; charset=utf-8", "for queries only"},
		"mode":                   {get("query", ada, "mode", "guess"), 400, "text/plain; charset=utf-8", "expected exact or predict"},
		"threshold, exact":       {get("query", ada, "threshold", "0.5"), 400, "text/plain; charset=utf-8", "only mode=predict has probabilities"},
		"threshold, no number":   {get("query", ada, "mode", "predict", "threshold", "NaN"), 400, "text/plain; charset=utf-8", "expected a probability"},
		"bad URL":                {httptest.NewRequest(http.MethodGet, "/sparql?query=%zz", nil), 400, "text/plain; charset=utf-8", "cannot be read"},
		"not acceptable":         {with(get("query", ada), "image/png"), 406, "text/plain; charset=utf-8", "expected one of application/sparql-results+json"},
		"refused by q=0":         {with(get("query", ada), "text/csv;q=0"), 406, "text/plain; charset=utf-8", "expected one of"},
		"media type":             {post("text/turtle", ada), 415, "text/plain; charset=utf-8", "expected application/sparql-query"},
		"no media type":          {post("", ada), 415, "text/plain; charset=utf-8", "expected application/sparql-query"},
		"charset":                {post(direct+"; charset=latin1", ada), 415, "text/plain; charset=utf-8", "expected UTF-8"},
		"DELETE":                 {httptest.NewRequest(http.MethodDelete, "/sparql", nil), 405, "text/plain; charset=utf-8", "expected GET or POST"},
		"body too large":         {post(direct, ada+big), 413, "text/plain; charset=utf-8", "a body of more than 500 bytes"},
		"result too large":       {get("query", "SELECT * { ?a :knows ?b . ?c :knows ?d . ?e :knows ?f }"), 413, "text/plain; charset=utf-8", "limit of 5 solutions"},
		"result too large, JSON": {with(get("query", "SELECT * { ?a :knows ?b . ?c :knows ?d . ?e :knows ?f }"), "application/sparql-results+json"), 413, "application/json; charset=utf-8", `"kind":"too_large"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSource(t)
			h := &Handler{Source: s, Body: 500, Limits: sparql.Limits{Solutions: 5}}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, c.request)
			if w.Code != c.status || w.Header().Get("Content-Type") != c.media || !strings.Contains(w.Body.String(), c.body) {
				t.Errorf("%d %s %q\nwant %d %s with %q", w.Code, w.Header().Get("Content-Type"), w.Body, c.status, c.media, c.body)
			}
			if s.users != 0 {
				t.Errorf("%d datasets are left open", s.users)
			}
		})
	}
}

func postTo(target, contentType, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, target, strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	return r
}

// What a join left out stands in the results and in the header, whatever their format; what left out nothing has neither.
func TestCutIsSaid(t *testing.T) {
	const triangle = "{ ?x :knows ?y . ?y :knows ?z . ?z :knows ?x }"
	for _, test := range []struct{ query, accept, want string }{
		{"SELECT ?x ?y " + triangle, "application/sparql-results+json", `"head":{"vars":["x","y","probability","known"],"cut":{"left_out":12,"stopped":"time","likeliest":0.2501}}`},
		{"ASK " + triangle, "application/sparql-results+json", `{"head":{"cut":{"left_out":12,"stopped":"time","likeliest":0.2501}},"boolean":false,"probability":0,"known":false}`},
		{"SELECT (COUNT(*) AS ?n) " + triangle, "application/sparql-results+json", `"cut":{"left_out":12,`},
		{"SELECT ?x ?y " + triangle, "application/sparql-results+xml", "<!-- cut: the search stopped early, at its limit of time; anything skipped is at most 0.25 likely -->\n<head>"},
		{"SELECT ?x ?y " + triangle, "text/csv", "x,y,probability,known\r\n"},
	} {
		r := get("query", test.query, "mode", "predict")
		r.Header.Set("Accept", test.accept)
		w := httptest.NewRecorder()
		(&Handler{Source: newSource(t)}).ServeHTTP(w, r)
		if got := w.Header().Get("Lacuna-Cut"); got != "left-out=12, stopped=time, likeliest=0.251" || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s as %s: %d, %s, %q", test.query, test.accept, w.Code, w.Body, got)
		}
	}
	w := httptest.NewRecorder()
	(&Handler{Source: newSource(t)}).ServeHTTP(w, get("query", ada, "mode", "predict"))
	if w.Header().Get("Lacuna-Cut") != "" || strings.Contains(w.Body.String(), "cut") {
		t.Errorf("nothing was left out: %v, %s", w.Header(), w.Body)
	}
}

func TestNegotiate(t *testing.T) {
	for accept, want := range map[string]results.Format{
		"":    results.JSON,
		"*/*": results.JSON,
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": results.XML,
		"application/json":                    results.JSON,
		"text/*":                              results.XML,
		"text/csv;q=0.5, application/*;q=0.4": results.CSV,
		"text/csv;q=0.5, text/tab-separated-values;q=0.6":                results.TSV,
		"*/*, application/sparql-results+json;q=0, application/json;q=0": results.XML,
		"text/turtle":      "",
		"text/csv;q=2":     "",
		"nonsense///, ,,;": results.JSON,
		"undefined":        results.JSON,
		"*, text/csv":      results.CSV,
	} {
		var headers []string
		if accept != "" {
			headers = []string{accept}
		}
		got, ok := negotiate(headers, results.Formats)
		if !ok {
			got = ""
		}
		if got != want {
			t.Errorf("%q gives %q, want %q", accept, got, want)
		}
	}
}

// crowd makes a source whose cross products go on for very long.
func crowd(t *testing.T) *source {
	var b strings.Builder
	for i := range 3000 {
		b.WriteString("Ada\tknows\tfriend" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/26) + "\n")
	}
	splits, err := read.Stream(t.Context(), strings.NewReader(b.String()), "t.tsv", read.Options{Format: read.TSV})
	if err != nil {
		t.Fatal(err)
	}
	return &source{graph: splits.Train}
}

func TestTimeLimit(t *testing.T) {
	h := &Handler{Source: crowd(t), Time: time.Millisecond, Limits: sparql.Limits{Work: math.MaxInt}}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, with(get("query", "SELECT (COUNT(*) AS ?n) { ?a :knows ?b . ?c :knows ?d . ?e :knows ?f }"), "application/json"))
	var reply body
	if err := json.Unmarshal(w.Body.Bytes(), &reply); err != nil {
		t.Fatal(err)
	}
	if w.Code != http.StatusServiceUnavailable || reply.Error.Kind != "cancelled" || !strings.Contains(reply.Error.Message, "limit on its time") {
		t.Errorf("%d %+v", w.Code, reply)
	}
}
