package attack

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Attacker is all hostile clients of a case.
type Attacker struct {
	Target
	graph  graph
	client *http.Client

	mutex    sync.Mutex
	answered map[int]int
}

func newAttacker(t Target, g graph) *Attacker {
	return &Attacker{Target: t, graph: g, client: client(attackerAddress), answered: map[int]int{}}
}

func (a *Attacker) statuses() map[int]int {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.answered
}

// send sends a request and reads its answer, or nothing of it.
func (a *Attacker) send(ctx context.Context, path, media string, body io.Reader) {
	request, err := http.NewRequestWithContext(ctx, "POST", a.URL+path, body)
	if err != nil {
		return
	}
	request.Header.Set("Content-Type", media)
	request.Header.Set("Accept", "application/json, text/event-stream, */*")
	status := 0
	if response, err := a.client.Do(request); err == nil {
		status = response.StatusCode
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
	if ctx.Err() != nil {
		return
	}
	a.mutex.Lock()
	a.answered[status]++
	a.mutex.Unlock()
	if status == http.StatusTooManyRequests || status == 0 { // an attacker may be as quick as it likes, but not measure its own loop
		time.Sleep(10 * time.Millisecond)
	}
}

func (a *Attacker) query(ctx context.Context, path, name, text string) {
	a.send(ctx, path, form, strings.NewReader(url.Values{name: {text}}.Encode()))
}

func (a *Attacker) mcp(ctx context.Context, query string) {
	a.send(ctx, "/mcp", asJSON, strings.NewReader(fmt.Sprintf(
		`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "sparql", "arguments": {"query": %q}}}`, query)))
}

// raw sends the beginning of a request and then nothing, and reads nothing, until the server ends it or the context does.
func (a *Attacker) raw(ctx context.Context, text string) {
	conn, err := a.dial(ctx)
	if err != nil {
		time.Sleep(10 * time.Millisecond)
		return
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	patience := time.Second // it comes again, but not as a flood
	if _, err := io.WriteString(conn, text); err == nil {
		if n, _ := conn.Read(make([]byte, 1)); n == 1 {
			patience *= 10 // it was answered, and does not read on
		}
	}
	select {
	case <-ctx.Done():
	case <-time.After(patience):
	}
}

const cartesian = "{ ?a ?p ?b . ?c ?q ?d . ?e ?r ?f . ?g ?s ?h }"

// doubled is a text of a's, doubled so often.
func doubled(times int, then string) string {
	var b strings.Builder
	b.WriteString(`SELECT (STRLEN(?y) AS ?n) { BIND("aaaaaaaaaaaaaaaa" AS ?a0) `)
	for i := range times {
		fmt.Fprintf(&b, "BIND(CONCAT(?a%d, ?a%d) AS ?a%d) ", i, i, i+1)
	}
	fmt.Fprintf(&b, "BIND(%s AS ?y) }", strings.ReplaceAll(then, "?a", fmt.Sprintf("?a%d", times)))
	return b.String()
}

// join is a question of six variables in a ring.
func (g graph) join() string {
	parts := make([]string, 6)
	for i := range parts {
		from, to := i, (i+1)%6
		if i%2 == 1 { // every other link is read backwards, so that the ring closes
			from, to = to, from
		}
		parts[i] = fmt.Sprintf("%s(x%d, x%d)", g.relation(i/2), from, to)
	}
	return "?x0, x1, x2, x3, x4, x5 : " + strings.Join(parts, " & ")
}

// bomb is a gigabyte of facts, packed: members of gzip, one after the other, are a file.
var bomb = sync.OnceValue(func() []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(bytes.Repeat([]byte("a\tb\tc\n"), (1<<20)/6))
	_ = w.Close()
	return bytes.Repeat(packed.Bytes(), 1<<10)
})

// Cases are the attacks: those that once worked, and others of their kinds.
var Cases = slices.Concat(once, byQuery, byBody)

// once are those that once stopped the server, or others from being answered.
var once = []Case{
	{Name: "growing text", Clients: 4, About: "queries of a few hundred bytes whose texts would take gigabytes", Act: func(ctx context.Context, a *Attacker) {
		a.query(ctx, "/sparql", "query", doubled(12, `REPLACE(?a, "a", ?a)`))
		a.query(ctx, "/sparql", "query", doubled(40, `?a`))
		a.query(ctx, "/sparql", "query", "SELECT (GROUP_CONCAT(CONCAT(STR(?a), STR(?b), STR(?c))) AS ?n) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f }")
	}},
	{Name: "slow pattern", Clients: 4, About: "regular expressions that take long on a long text", Act: func(ctx context.Context, a *Attacker) {
		a.query(ctx, "/sparql", "query", doubled(20, `REGEX(?a, "(a?){900}b")`))
	}},
	{Name: "large memory", Clients: 4, About: "sorting, grouping and telling apart the rows of a cartesian product", Act: func(ctx context.Context, a *Attacker) {
		a.query(ctx, "/sparql", "query", "SELECT DISTINCT ?a ?b ?c ?d { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f } ORDER BY ?b ?d ?f")
		a.query(ctx, "/sparql", "query", "SELECT ?a ?c ?e (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f } GROUP BY ?a ?c ?e ORDER BY ?n")
	}},
	{Name: "cartesian", Clients: 4, About: "counts of cartesian products", Act: func(ctx context.Context, a *Attacker) {
		a.query(ctx, "/sparql", "query", "SELECT (COUNT(*) AS ?n) "+cartesian)
	}},
	{Name: "joins", Clients: 8, About: "predicted joins of six variables", Act: func(ctx context.Context, a *Attacker) {
		a.send(ctx, "/api/ask", asJSON, strings.NewReader(fmt.Sprintf(`{"question": %q, "limit": 1000, "threshold": 0.01}`, a.graph.join())))
	}},
	{Name: "updates", Clients: 4, About: "updates whose patterns take long", Asks: Writes, Act: func(ctx context.Context, a *Attacker) {
		a.query(ctx, "/update", "update", "INSERT { ?a "+iri("attacked")+" ?h } WHERE { "+strings.Trim(cartesian, "{}")+" FILTER(?a = ?h && ?b = ?g && ?c = ?f && ?d = ?e) }")
	}},
	{Name: "tools", Clients: 32, About: "calls of tools for language models whose queries take long", Act: func(ctx context.Context, a *Attacker) {
		a.mcp(ctx, "SELECT (COUNT(*) AS ?n) "+cartesian)
	}},
	{Name: "calls left", Clients: 16, About: "the same, left after a moment", Act: func(ctx context.Context, a *Attacker) {
		ctx, leave := context.WithTimeout(ctx, 200*time.Millisecond)
		defer leave()
		a.mcp(ctx, "SELECT (COUNT(*) AS ?n) "+cartesian)
	}},
	{Name: "unread streams", Clients: 8, About: "predictions of whole relations that nobody reads", Asks: Likely, Act: func(ctx context.Context, a *Attacker) {
		body := fmt.Sprintf(`{"relation": %q, "top": 1000, "least": 0.0001, "literals": true}`, a.graph.relation(0))
		a.raw(ctx, fmt.Sprintf("POST /api/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	}},
	{Name: "unread answers", Clients: 64, About: "large results of queries that nobody reads", Act: func(ctx context.Context, a *Attacker) {
		a.raw(ctx, "GET /sparql?query="+url.QueryEscape("SELECT * { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f }")+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
	}},
	{Name: "stalled files", Clients: 515, About: "files that are begun and never end", Act: func(ctx context.Context, a *Attacker) {
		a.raw(ctx, "POST /api/graph?name=a.tsv&as=add HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n"+strings.Repeat("a\tb\tc\n", 20000))
	}},
	{Name: "stalled bodies", Clients: 515, About: "bodies of questions that never end", Act: func(ctx context.Context, a *Attacker) {
		a.raw(ctx, "POST /api/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"+strings.Repeat(" ", 200_000))
	}},
	{Name: "packed bombs", Clients: 4, About: "a gigabyte of facts in a few megabytes", Act: func(ctx context.Context, a *Attacker) {
		a.send(ctx, "/api/graph?name=a.tsv.gz&as=add", "application/octet-stream", bytes.NewReader(bomb()))
	}},
	{Name: "many questions", Clients: 64, About: "cheap questions without a pause", Act: func(ctx context.Context, a *Attacker) {
		a.query(ctx, "/sparql", "query", "ASK { ?a "+iri(a.graph.relation(1))+" ?b }")
		a.send(ctx, "/api/ask", asJSON, strings.NewReader(fmt.Sprintf(`{"question": %q}`, a.graph.question)))
	}},
	{Name: "many changes", Clients: 8, About: "changes of a thousand facts each, made and taken back", Asks: Writes, Act: func(ctx context.Context, a *Attacker) {
		for _, how := range []string{"add", "remove"} {
			a.send(ctx, "/api/facts", asJSON, strings.NewReader(fmt.Sprintf(`{%q: [%s]}`, how, a.graph.facts(1000))))
		}
	}},
	{Name: "long questions", Clients: 16, About: "questions with as many steps as are allowed", Act: func(ctx context.Context, a *Attacker) {
		a.send(ctx, "/api/ask", asJSON, strings.NewReader(fmt.Sprintf(`{"question": %q, "threshold": 0}`, a.graph.chain(60))))
	}},
	{Name: "explanations", Clients: 8, About: "explanations, each of many runs of the model, and audits", Act: func(ctx context.Context, a *Attacker) {
		a.send(ctx, "/api/explain", asJSON, strings.NewReader(fmt.Sprintf(`{"question": %q}`, a.graph.chain(3))))
		a.send(ctx, "/api/audit", asJSON, strings.NewReader(`{"facts": 5000}`))
	}},
}

// chain is a question that goes back and forth along relations.
func (g graph) chain(links int) string {
	var variables, parts []string
	for i := range links {
		from, to := fmt.Sprintf("x%d", i), fmt.Sprintf("x%d", i+1)
		if i > 0 {
			variables = append(variables, from)
		}
		if i == links-1 {
			to = fmt.Sprintf("%q", g.entity)
		}
		if i%2 == 1 {
			from, to = to, from
		}
		parts = append(parts, fmt.Sprintf("%s(%s, %s)", g.relation(i/2%2), from, to))
	}
	return "?x0 : exists " + strings.Join(variables, ", ") + ": " + strings.Join(parts, " & ")
}

// facts are some that nobody states.
func (g graph) facts(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`{"head": "attacker %d", "relation": %q, "tail": %q}`, i, g.relation(0), g.entity)
	}
	return strings.Join(list, ", ")
}
