package web_test

import (
	"fmt"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"io"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/chromium"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/server"
	"github.com/lacuna-kg/lacuna/server/web"
)

// A graph as people bring it: identifiers with labels, one of them shared, names that are
// markup or longer than a screen is wide, more answers than a list shows, and no model.
const (
	longRelation = "http://example.org/ontology/2024/core#was_mentioned_in_the_revised_edition_of"
	longName     = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
	markup       = "<img src=x onerror=alert(1)>"
)

// ownGraph serves it as `lacuna serve -m exact` does.
func ownGraph(t *testing.T) string {
	t.Helper()
	var triples, labels strings.Builder
	for i := range 25 {
		label := fmt.Sprintf("Town %d", i)
		if i == 3 || i == 4 {
			label = "Springfield"
		}
		fmt.Fprintf(&triples, "t%d\tin\tcountry\n", i)
		fmt.Fprintf(&labels, "t%d\t%s\n", i, label)
	}
	fmt.Fprintf(&triples, "t1\t%s\t%s\nt2\t%s\t%s\n", longRelation, longName, longRelation, markup)
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	splits, err := read.Graph(t.Context(), write("graph.tsv", triples.String()), read.Options{EntityLabels: write("labels.tsv", labels.String())})
	if err != nil {
		t.Fatal(err)
	}
	service, err := server.New(t.Context(), server.Options{
		Engine: laureates.Exact(t, splits.Train), Limits: server.DefaultLimits(), Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(service.Handler(server.Guard{}, server.Mount{Pattern: "/", Handler: web.Handler(), Open: true}))
	t.Cleanup(func() { listener.Close(); service.Close() })
	return listener.URL + "/"
}

func asked(question string) string { return "#" + url.Values{"q": {question}}.Encode() }

func TestOwnGraph(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the browser takes long")
	}
	w := workbench{browser: startBrowser(t), address: ownGraph(t)}
	t.Run("shared label", func(t *testing.T) { sharedLabel(t, w) })
	t.Run("more than listed", func(t *testing.T) { moreThanListed(t, w) })
	t.Run("narrow", func(t *testing.T) { longNames(t, w) })
	t.Run("markup", func(t *testing.T) { markupNames(t, w) })
}

// Two entities of one label are two: the one that was clicked is explained.
func sharedLabel(t *testing.T, w workbench) {
	u := w.visit(t, desktop, asked("?x : in(x, country)"))
	for _, id := range []string{"t4", "t3"} {
		u.click(`tr[data-entity="` + id + `"] button`)
		u.wait(`document.querySelector("#why h2")?.textContent === "Why Springfield?" && document.querySelector("#why .chain")`)
		u.wait(`document.querySelector("#answers tr.chosen")?.dataset.entity === "` + id + `"`)
		u.wait(`document.querySelector(".row.chosen")?.dataset.entity === "` + id + `"`)
	}
	u.click(`.node.leaf`) // its relations are looked up by identifier
	u.wait(`document.querySelector(".actions")`)
	checkAccessible(u)
}

// Counts are of all answers, and so are files; without a model nothing is said of predictions.
func moreThanListed(t *testing.T, w workbench) {
	u := w.visit(t, desktop, asked("?x : in(x, country)"))
	if got := u.text("#summary"); got != "25 answers" {
		t.Errorf("summary %q", got)
	}
	if got := u.text("[data-filter=known]"); got != "Known25" {
		t.Errorf("the filter says %q", got)
	}
	var isOn, isOff bool
	u.eval(`document.querySelector("#predict").checked`, &isOn)
	u.eval(`document.querySelector("#predict").disabled`, &isOff)
	if isOn || !isOff {
		t.Error("without a model predictions can be switched on")
	}
	if n := len(u.answers()); n != 20 {
		t.Errorf("%d answers are listed, want 20", n)
	}
	u.eval(`window.saved = ""; URL.createObjectURL = (blob) => (blob.text().then(text => saved = text), "data:,"); HTMLAnchorElement.prototype.click = () => {}`, nil)
	u.click(".foot button:nth-last-child(2)")
	u.wait(`saved.trim().split("\n").length === 26`)
	u.click(".foot button:first-child")
	u.wait(`document.querySelectorAll("#answers tbody tr").length === 25`)
}

func longNames(t *testing.T, w workbench) {
	phone := chromium.Options{Width: 360, Height: 740, Phone: true, ReducedMotion: true}
	u := w.visit(t, phone, asked(`?x : "`+longRelation+`"(t1, x)`))
	check := func(state string) {
		var wide int
		u.eval(`Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)`, &wide)
		if wide > phone.Width {
			t.Errorf("%s: %d pixels on a screen of %d", state, wide, phone.Width)
		}
	}
	check("answers")
	u.click(`#answers tbody tr button`)
	u.wait(`document.querySelector("#why .chain")`)
	check("explanation")
	u.picture("phone-long", true)
	checkAccessible(u)
}

// Names are text wherever they stand: in the editor, the picture, the table, the reasons and the builder.
func markupNames(t *testing.T, w workbench) {
	u := w.visit(t, desktop, asked(`?x : "`+longRelation+`"(t2, x)`))
	u.waitAnswer(markup)
	u.click(`#answers tbody tr button`)
	u.wait(`document.querySelector("#why .chain")`)
	u.click(".node.answer .handle")
	u.wait(`document.querySelector(".builder .head")?.textContent.includes("<img")`)
	u.ask(`?x : "` + longRelation + `"(x, "` + markup + `")`)
	u.press("Escape", "Enter")
	u.waitAnswer("t2")
	var images int
	u.eval(`document.querySelectorAll("img, main script").length`, &images)
	if images > 0 {
		t.Errorf("%d names became markup", images)
	}
}
