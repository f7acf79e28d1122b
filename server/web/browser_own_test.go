package web_test

import (
	"context"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/chromium"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/server"
	"github.com/lacuna-kg/lacuna/server/web"
)

// What a user does with a graph: look around in it, go back to earlier questions, bring another as a file.

func lookAround(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "")
	u.click("#look")
	u.wait(`document.activeElement?.closest("#around")`)
	u.write("alan ka")
	u.wait(`document.querySelector("#around [role=option]")?.textContent.startsWith("Alan Kay")`)
	u.press("Enter")
	u.wait(`document.querySelector("#around h2")?.textContent === "Around Alan Kay"`)
	var edges, groups int
	u.eval(`document.querySelectorAll("#around .edges > path").length`, &edges)
	u.eval(`document.querySelectorAll("#around .group:not([hidden])").length`, &groups)
	if edges != groups || groups < 5 {
		t.Errorf("%d edges for %d groups", edges, groups)
	}
	u.picture("around", true)
	checkAccessible(u)
	// What may be missing, and why.
	u.click("#around .missing")
	u.wait(`document.querySelector("#around button.likely")`)
	u.picture("around-likely", true)
	checkAccessible(u)
	// Somebody next to it, and back.
	u.click(`#around [data-entity="Turing Award"]`)
	u.wait(`document.querySelector("#around h2")?.textContent === "Around Turing Award"`)
	u.click(`#around .head .quiet`)
	u.wait(`document.querySelector("#around h2")?.textContent === "Around Alan Kay"`)
	u.click("#around .missing")
	u.wait(`document.querySelector("#around button.likely")`)
	u.click("#around button.likely")
	u.wait(`!document.querySelector("#why").hidden && document.querySelector("#why .chain")`)
	if !strings.Contains(u.question(), "Alan Kay") {
		t.Errorf("asked %q", u.question())
	}
	u.eval(`document.querySelector("#around h2").focus()`, nil)
	u.press("Escape")
	u.wait(`document.querySelector("#around").hidden`)
}

// All of a relation are a question; an entity of the picture and one of the reasons lead to its neighbourhood.
func lookFurther(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "")
	u.click(`.node.leaf`)
	u.wait(`document.querySelector(".actions")`)
	u.click(".actions button:nth-child(3)")
	u.wait(`document.querySelector("#around h2")?.textContent === "Around Turing Award"`)
	u.click("#around .more")
	u.wait(`document.querySelector("#question").value === "?x : Win(x, Turing Award)"`)
	u.waitAnswer("Alan Perlis")
	u.click(`tr[data-entity="Alan Perlis"] button`)
	u.wait(`document.querySelector("#why .chain")`)
	u.click("#why .head .quiet")
	u.wait(`document.querySelector("#around h2")?.textContent === "Around Alan Perlis"`)
}

func earlierQuestions(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "")
	u.eval(`localStorage.removeItem("lacuna-history")`, nil)
	for _, country := range []string{"Norway", "Canada"} {
		u.ask("?p : CitizenOf(p, " + country + ")")
		u.press("Escape", "Enter")
		u.wait(`new URLSearchParams(location.hash.slice(1)).get("q").includes("` + country + `")`)
	}
	u.must(u.page.Open(u.ctx, w.address)) // they outlive the page
	u.wait(`document.querySelectorAll(".row").length > 0`)
	u.click("#history summary")
	u.picture("history", false)
	checkAccessible(u)
	u.click("#history li:nth-child(2) button")
	u.wait(`document.querySelector("#question").value === "?p : CitizenOf(p, Norway)"`)
	u.waitAnswer("Kristen Nygaard")
	u.wait(`document.querySelector("#history li .formula").textContent.includes("Norway")`) // now the newest
	u.click("#history > button")
	u.wait(`document.querySelector("#history").hidden`)
}

// On a phone the answers come before the tree, and a neighbourhood is one column.
func phoneOrder(t *testing.T, w workbench) {
	const width = 360
	u := w.visit(t, chromium.Options{Width: width, Height: 740, Phone: true, ReducedMotion: true}, "")
	var above bool
	u.eval(`document.querySelector("#answers").getBoundingClientRect().bottom < document.querySelector("#picture").getBoundingClientRect().top`, &above)
	if !above {
		t.Error("the answers stand below the tree")
	}
	u.click("#look")
	u.write("alan ka")
	u.wait(`document.querySelector("#around [role=option]")?.textContent.startsWith("Alan Kay")`)
	u.press("Enter")
	u.wait(`document.querySelector("#around .centre")`)
	var wide int
	u.eval(`document.documentElement.scrollWidth`, &wide)
	if wide > width {
		t.Errorf("%d pixels on a screen of %d", wide, width)
	}
	u.picture("phone-around", true)
	checkAccessible(u)
}

// plainWords holds the picture to words that need no book: no superscripts, no letters for operations.
func plainWords(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "")
	var text string
	u.eval(`document.body.textContent`, &text)
	if strings.Contains(text, "⁻¹") || strings.Contains(text, "^-1") || !strings.Contains(text, "Field, backwards") {
		t.Error("a relation that is read backwards is not said in words")
	}
	var glyphs []string
	u.eval(`[...document.querySelectorAll(".node.project .glyph")].map(g => g.textContent)`, &glyphs)
	if strings.Join(glyphs, "") != "→←←" {
		t.Errorf("projections are marked %q", glyphs)
	}
}

const ownTable = `film,director,country,genre
Amarcord,Federico Fellini,Italy,Comedy
La Strada,Federico Fellini,Italy,Drama
Blow-Up,Michelangelo Antonioni,United Kingdom,Thriller
La Notte,Michelangelo Antonioni,,Drama
The Leopard,Luchino Visconti,Italy,Drama
`

// TestUpload brings one's own table to the page.
func TestUpload(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the browser takes long")
	}
	w := workbench{browser: startBrowser(t), address: local(t)}
	u := w.visit(t, desktop, "")
	u.refusals = true
	u.click("#open")
	u.picture("upload", false)
	checkAccessible(u)
	u.choose("films.csv", "film\nAmarcord\n")
	u.click("dialog .primary")
	u.wait(`document.querySelector("dialog .problem")?.textContent.includes("films.csv")`)
	u.choose("films.csv", ownTable)
	u.click("dialog .primary")
	u.wait(`!document.querySelector("dialog .problem")`)
	u.wait(`document.querySelector("dialog .first")`)
	if got := u.text("dialog"); !strings.Contains(got, "14 facts were read") || !strings.Contains(got, "a wide table, a row a film") {
		t.Errorf("the dialog says %q", got)
	}
	u.picture("upload-read", false)
	checkAccessible(u)
	u.click("dialog .primary")
	u.wait(`document.querySelector("#graph").textContent.startsWith("films.csv: 14 facts")`)
	u.wait(`document.querySelectorAll("#cards button").length >= 3`) // of this graph
	u.waitAnswer("Amarcord")
	u.picture("own-graph", false)
	checkAccessible(u)

	u.click("#open")
	u.click(`dialog input[value=add]`)
	u.choose("more.tsv", "Senso\tdirector\tLuchino Visconti\n")
	u.click("dialog .primary")
	u.wait(`document.querySelector("#graph").textContent.includes("15 facts")`)
}

// choose puts a file into the field of the dialog, as the browser's own dialog would.
func (u *user) choose(name, content string) {
	u.Helper()
	u.eval(`(() => { const list = new DataTransfer(); list.items.add(new File([`+quoted(content)+`], `+quoted(name)+`));
		document.querySelector("dialog input[type=file]").files = list.files })()`, nil)
}

// local serves the demonstration as on one's own machine: files may be brought.
func local(t *testing.T) string {
	t.Helper()
	service, err := server.New(t.Context(), server.Options{
		Engine: laureates.Engine(t, lacuna.Turing, laureates.Fitted()), Questions: server.DemoQuestions,
		Limits: server.DefaultLimits(), Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Open: func(ctx context.Context, g *kg.Graph, name string) (*lacuna.Engine, error) {
			return lacuna.New(ctx, g, lacuna.Named(name), lacuna.Device("cpu"))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(service.Handler(server.Guard{Hosts: server.LoopbackHosts}, server.Mount{Pattern: "/", Handler: web.Handler(), Open: true}))
	t.Cleanup(func() { listener.Close(); service.Close() })
	return listener.URL + "/"
}
