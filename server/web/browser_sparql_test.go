package web_test

import (
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/server"
	"github.com/lacuna-kg/lacuna/server/web"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/protocol"
)

// queried gives the graph of a service to queries.
type queried struct{ service *server.Service }

func (q queried) Dataset() (sparql.Dataset, func()) {
	engine, _, done := q.service.Use()
	return engine.Dataset(), done
}

// TestQueryPageInBrowser uses the page of SPARQL as people do.
func TestQueryPageInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the browser takes long")
	}
	w := workbench{browser: startBrowser(t)}
	service, err := server.New(t.Context(), server.Options{
		Engine: laureates.Engine(t, lacuna.Exact), Questions: server.DemoQuestions, Limits: server.DefaultLimits(), Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	handler := service.Handler(server.Guard{Hosts: server.LoopbackHosts},
		server.Mount{Pattern: "/", Handler: web.Handler(), Open: true},
		server.Mount{Pattern: "/sparql", Handler: &protocol.Handler{Source: queried{service}, Time: time.Minute}})
	listener := httptest.NewServer(handler)
	t.Cleanup(func() { listener.Close(); service.Close() })
	w.address = listener.URL + "/"

	page, err := w.browser.NewPage(t.Context(), desktop)
	if err != nil {
		t.Fatal(err)
	}
	u := &user{T: t, page: page, ctx: t.Context(), refusals: true}
	u.must(page.Open(u.ctx, w.address+"query"))
	u.wait(`document.querySelectorAll("#output tbody tr").length === 20`) // the first sight has something to see
	checkAccessible(u)

	u.queries("SELECT ?p { ?p :Win :Turing%20Award ; :CitizenOf :Norway } ORDER BY ?p")
	u.wait(`document.querySelector("#output")?.textContent.includes("Kristen Nygaard")`)
	if got := u.text("#count"); got != "2 solutions" {
		t.Errorf("%q, want 2 solutions", got)
	}
	u.queries("SELECT ?p { ?p :Win :Turing%20Awrd }")
	if got := u.text("#count"); !strings.Contains(got, "no entity <urn:lacuna:Turing%20Awrd> in the graph (did you mean") {
		t.Errorf("%q, want the name that the graph lacks", got)
	}
	completeNames(u)
	seePlace(u)
	otherForms(u)
	checkAccessible(u)
	sharedHistory(u, w)
	u.checkQuiet(w.address)
}

// queries types a query in the place of the present one, and asks.
func (u *user) queries(text string) {
	u.Helper()
	u.click("#query")
	u.press("Control+a")
	u.write(text)
	u.press("Escape", "Control+Enter")
	u.wait(`document.querySelector("#results").getAttribute("aria-busy") === "false"`)
}

// completeNames takes a relation from the list of completions by keys.
func completeNames(u *user) {
	u.click("#query")
	u.press("Control+a")
	u.write("SELECT ?p { ?p :Citi")
	u.wait(`!document.querySelector("#matches").hidden`)
	u.press("ArrowDown", "Enter")
	u.wait(`document.querySelector("#query").value.includes(":CitizenOf ")`)
}

// seePlace is told what is wrong, with the place marked.
func seePlace(u *user) {
	u.queries("SELECT ?p { ?p :Win ?x } ORDER BYE ?p")
	u.wait(`!document.querySelector("#message").hidden`)
	var marked string
	u.eval(`(q => q.value.slice(q.selectionStart, q.selectionEnd))(document.querySelector("#query"))`, &marked)
	if marked != "BYE" {
		u.Errorf("marked %q, message %q", marked, u.text("#message"))
	}
}

// otherForms sees CSV, JSON, a truth value and triples.
func otherForms(u *user) {
	u.queries("SELECT ?p { ?p :CitizenOf :Norway }")
	u.click(`[data-form="csv"]`)
	u.wait(`document.querySelector("#output pre")?.textContent.includes("urn:lacuna:Kristen%20Nygaard")`)
	u.click(`[data-form="json"]`)
	u.wait(`document.querySelector("#output pre")?.textContent.includes('"bindings"')`)
	u.click(`[data-form="table"]`)
	u.wait(`document.querySelector("#output table") !== null`)
	u.queries("ASK { ?p :CitizenOf :Norway }")
	u.wait(`document.querySelector("#output").textContent === "yes"`)
	u.queries("CONSTRUCT WHERE { ?p :CitizenOf :Norway }")
	u.wait(`document.querySelector("#output pre")?.textContent.includes("urn:lacuna:CitizenOf")`)
}

// sharedHistory finds queries on the page of questions and questions on that of queries.
func sharedHistory(u *user, w workbench) {
	var before []string
	u.eval(`[...document.querySelector("#history").options].map(o => o.textContent)`, &before)
	if len(before) < 4 || !strings.HasPrefix(before[1], "CONSTRUCT") {
		u.Errorf("asked before: %q", before)
	}
	u.must(u.page.Open(u.ctx, w.address))
	u.wait(`document.querySelectorAll(".row").length > 0`)
	u.ask("?p : CitizenOf(p, Norway)")
	u.press("Escape", "Enter")
	u.waitAnswer("Kristen Nygaard")
	u.wait(`[...document.querySelectorAll("#history .formula")].some(f => f.textContent.startsWith("CONSTRUCT"))`)
	u.click("#history summary")
	u.click("#history li:nth-child(2) button")
	u.wait(`location.pathname.endsWith("/query") && document.querySelector("#query")?.value.startsWith("CONSTRUCT")`)
	u.eval(`(s => { s.value = String([...s.options].findIndex(o => o.textContent.startsWith("?p : CitizenOf")) - 1); s.dispatchEvent(new Event("change")); })(document.querySelector("#history"))`, nil)
	u.wait(`document.querySelector("#question")?.value === "?p : CitizenOf(p, Norway)"`)
}
