package attack

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// byBody are requests whose headers and bodies are the attack.
var byBody = []Case{
	{Name: "deep JSON", Clients: 8, About: "bodies of nothing but brackets, and many calls in one", Act: func(ctx context.Context, a *Attacker) {
		deep := strings.Repeat("[", 500_000)
		for _, path := range []string{"/api/ask", "/api/facts", "/mcp"} {
			a.send(ctx, path, asJSON, strings.NewReader(deep))
			a.send(ctx, path, asJSON, strings.NewReader(`{"question": `+strings.Repeat(`{"a": `, 100_000)))
		}
		call := `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "sparql", "arguments": {"query": "SELECT (COUNT(*) AS ?n) ` + cartesian + `"}}}`
		a.send(ctx, "/mcp", asJSON, strings.NewReader("["+strings.Repeat(call+",", 3000)+call+"]"))
	}},
	{Name: "packed twice", Clients: 4, About: "a packed file within a packed file", Act: func(ctx context.Context, a *Attacker) {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(bomb())
		_ = w.Close()
		a.send(ctx, "/api/graph?name=a.tsv.gz&as=add", "application/octet-stream", bytes.NewReader(packed.Bytes()))
	}},
	{Name: "wide tables", Clients: 4, About: "tables of 200,000 columns, objects with members of their own, a million relations", Act: func(ctx context.Context, a *Attacker) {
		for name, text := range wide() {
			for _, as := range []string{"plan", "add"} {
				a.send(ctx, "/api/graph?name="+name+"&as="+as, "application/octet-stream", strings.NewReader(text))
			}
		}
	}},
	{Name: "endless bodies", Clients: 16, About: "chunked bodies without an end, as fast as they are taken", Act: func(ctx context.Context, a *Attacker) {
		for _, path := range []string{"/api/ask", "/sparql", "/update", "/mcp", "/api/graph?name=a.tsv&as=add"} {
			media := map[string]string{"/sparql": form, "/update": form}[path]
			if media == "" {
				media = asJSON
			}
			a.send(ctx, path, media, &endless{ctx: ctx, text: []byte(strings.Repeat("a\tb\tc\n", 1000))})
		}
	}},
	{Name: "slow headers", Clients: 300, About: "a byte of a header now and then, on every path", Act: func(ctx context.Context, a *Attacker) {
		conn, err := a.dial(ctx)
		if err != nil {
			pause(ctx, 10*time.Millisecond)
			return
		}
		defer conn.Close()
		for _, c := range "POST /api/ask HTTP/1.1\r\nHost: localhost\r\nX-A: " + strings.Repeat("a", 1000) {
			if _, err := fmt.Fprintf(conn, "%c", c); err != nil || !pause(ctx, 500*time.Millisecond) {
				return
			}
		}
	}},
	{Name: "many headers", Clients: 16, About: "headers beyond what is read of them", Act: func(ctx context.Context, a *Attacker) {
		conn, err := a.dial(ctx)
		if err != nil {
			pause(ctx, 10*time.Millisecond)
			return
		}
		defer conn.Close()
		defer context.AfterFunc(ctx, func() { conn.Close() })()
		_, _ = io.WriteString(conn, manyHeaders())
		_, _ = io.Copy(io.Discard, conn)
	}},
}

var manyHeaders = sync.OnceValue(func() string {
	var b strings.Builder
	b.WriteString("GET /api/info HTTP/1.1\r\nHost: localhost\r\n")
	for i := range 50_000 {
		fmt.Fprintf(&b, "X-%d: %d\r\n", i, i)
	}
	return b.String()
})

// wide are small files with many columns or relations, each of which has to be looked at.
var wide = sync.OnceValue(func() map[string]string {
	var header, row, objects, facts strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&header, "c%d,", i)
		row.WriteString("1,")
		fmt.Fprintf(&objects, "{\"k%d\": %d}\n", i, i)
	}
	for i := range 1_000_000 {
		fmt.Fprintf(&facts, "<urn:e%d> <urn:r%d> <urn:f%d> .\n", i, i, i)
	}
	return map[string]string{"a.csv": header.String() + "z\n" + row.String() + "1\n", "a.jsonl": objects.String(), "a.nt": facts.String()}
})

// pause waits, and tells whether the context goes on.
func pause(ctx context.Context, lasting time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(lasting):
		return true
	}
}

// endless gives a text again and again.
type endless struct {
	ctx  context.Context
	text []byte
}

func (e *endless) Read(p []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	return copy(p, e.text), nil
}
