package attack

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Ask is a question of the bystander.
type Ask struct {
	Name    string
	request func(t Target, g graph) (method, url, media, body string)
	needs   func(g graph) bool // nil: nothing
}

// Times is how long questions took.
type Times struct {
	Asked       int
	Median, P99 time.Duration
	Slowest     string         // which of them took longest
	Failed      map[string]int // what else than an answer came, and how often
}

const form, asJSON = "application/x-www-form-urlencoded", "application/json"

// Cheap are questions that take a moment, of every kind.
var Cheap = []Ask{
	{"a predicted answer", func(t Target, g graph) (string, string, string, string) {
		return "POST", t.URL + "/api/ask", asJSON, fmt.Sprintf(`{"question": %q}`, g.question)
	}, nil},
	{"an exact answer", func(t Target, g graph) (string, string, string, string) {
		return "POST", t.URL + "/api/ask", asJSON, fmt.Sprintf(`{"question": %q, "mode": "exact"}`, g.question)
	}, nil},
	{"a query", func(t Target, g graph) (string, string, string, string) {
		query := url.Values{"query": {"SELECT ?x ?y { ?x " + iri(g.relation(0)) + " ?y } LIMIT 5"}}
		return "POST", t.URL + "/sparql", form, query.Encode()
	}, nil},
	{"a name", func(t Target, g graph) (string, string, string, string) {
		return "GET", t.URL + "/api/complete?kind=entity&q=" + url.QueryEscape(g.entity[:min(3, len(g.entity))]), "", ""
	}, nil},
	{"an entity", func(t Target, g graph) (string, string, string, string) {
		return "GET", t.URL + "/api/entity?name=" + url.QueryEscape(g.entity), "", ""
	}, nil},
}

// Writes are changes of facts beside questions.
var Writes = []Ask{Cheap[0], Cheap[2],
	{"a change", func(t Target, g graph) (string, string, string, string) {
		return "POST", t.URL + "/api/facts", asJSON, fmt.Sprintf(`{"add": [{"head": "a bystander", "relation": %q, "tail": "entity %d"}]}`, g.relation(0), time.Now().UnixNano()%50)
	}, func(g graph) bool { return g.writes }},
}

// Likely are questions for missing facts of an entity, which take the model some runs.
var Likely = []Ask{Cheap[0], Cheap[4],
	{"missing facts", func(t Target, g graph) (string, string, string, string) {
		return "GET", t.URL + "/api/entity?likely=3&name=" + url.QueryEscape(g.entity), "", ""
	}, func(g graph) bool { return g.model }},
}

func iri(name string) string { return "<urn:lacuna:" + url.PathEscape(name) + ">" }

// bystander asks one thing after the other, with a pause between.
type bystander struct {
	target  Target
	graph   graph
	asks    []Ask
	between time.Duration
	client  *http.Client
}

func newBystander(t Target, g graph, asks []Ask, between time.Duration) *bystander {
	asks = slices.DeleteFunc(slices.Clone(asks), func(a Ask) bool { return a.needs != nil && !a.needs(g) })
	return &bystander{t, g, asks, between, client(bystanderAddress)}
}

// ask asks for some time, each of its questions at least once.
func (b *bystander) ask(ctx context.Context, lasting time.Duration) Times {
	times, failed := []time.Duration{}, map[string]int{}
	slowest, longest := "", time.Duration(0)
	for start, i := time.Now(), 0; (time.Since(start) < lasting || i < len(b.asks)) && ctx.Err() == nil; i++ {
		begun, ask := time.Now(), b.asks[i%len(b.asks)]
		if trouble := b.once(ctx, ask); trouble != "" && ctx.Err() == nil {
			failed[ask.Name+": "+trouble]++
		}
		took := time.Since(begun)
		if times = append(times, took); took > longest {
			slowest, longest = ask.Name, took
		}
		time.Sleep(b.between)
	}
	if len(times) == 0 {
		return Times{}
	}
	slices.Sort(times)
	return Times{Asked: len(times), Median: times[len(times)/2], P99: times[len(times)*99/100], Slowest: slowest, Failed: failed}
}

// once asks, and says what else than an answer came.
func (b *bystander) once(ctx context.Context, ask Ask) (trouble string) {
	method, to, media, body := ask.request(b.target, b.graph)
	request, err := http.NewRequestWithContext(ctx, method, to, strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	if media != "" {
		request.Header.Set("Content-Type", media)
	}
	response, err := b.client.Do(request)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return err.Error()
	case response.StatusCode != http.StatusOK:
		return fmt.Sprintf("%d %.200s", response.StatusCode, strings.TrimSpace(string(text)))
	}
	return ""
}
