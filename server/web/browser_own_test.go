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

// TestUpload brings one's own tables to the page: the plan is seen and changed before anything is read.
func TestUpload(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the browser takes long")
	}
	w := workbench{browser: startBrowser(t), address: local(t)}
	for _, test := range []struct {
		name string
		run  func(*testing.T, workbench)
	}{{"one table", bringTable}, {"several, dropped", dropTables}, {"phone", planOnPhone}} {
		t.Run(test.name, func(t *testing.T) { test.run(t, w) })
	}
}

func bringTable(t *testing.T, w workbench) {
	u := w.visit(t, laptop, "")
	u.refusals = true
	u.click("#open")
	u.picture("upload", false)
	checkAccessible(u)
	u.choose(file{"films.csv", "film\nAmarcord\n"})
	u.wait(`document.querySelector("dialog .problem")?.textContent.includes("films.csv")`)
	u.choose(file{"films.csv", ownTable})
	u.wait(`document.querySelector(".table-plan")`)
	if got := u.text(".table-plan"); !strings.Contains(got, "5 rows, 4 columns") || !strings.Contains(got, "{film}") || !strings.Contains(got, "Federico Fellini · Michelangelo Antonioni") {
		t.Errorf("the plan says %q", got)
	}
	u.picture("upload-plan", false)
	checkAccessible(u)
	u.pick("What genre of films becomes", "nothing")
	u.pick("What country of films becomes", "value")
	u.eval(`(() => { const f = document.querySelector("[aria-label='Relation of director of films']"); f.value = "directed by"; f.dispatchEvent(new Event("change")) })()`, nil)
	u.click("dialog .primary")
	u.wait(`document.querySelector("dialog .first")`)
	if got := u.text("dialog"); !strings.Contains(got, "9 facts were read") || !strings.Contains(got, "directed by") || strings.Contains(got, "--") {
		t.Errorf("the dialog says %q", got)
	}
	u.picture("upload-read", false)
	checkAccessible(u)
	// Nothing is lost of the plan: it is read again, with genres and countries.
	u.click("dialog .foot .quiet")
	u.pick("What country of films becomes", "names")
	u.pick("What genre of films becomes", "names")
	u.click("dialog .primary")
	u.wait(`document.querySelector("dialog .first")`)
	u.click("dialog .primary")
	u.wait(`document.querySelector("#graph").textContent.startsWith("films.csv: 14 facts")`)
	u.wait(`document.querySelectorAll("#cards button").length >= 3`) // of this graph
	u.waitAnswer("Amarcord")
	u.picture("own-graph", false)
	checkAccessible(u)

	u.click("#open")
	u.choose(file{"more.tsv", "Senso\tdirected by\tLuchino Visconti\n"})
	u.wait(`document.querySelector(".table-plan")`)
	u.click(`dialog input[value=add]`)
	u.click("dialog .primary")
	u.wait(`document.querySelector("#graph").textContent.includes("15 facts")`)
}

// Files that are dropped on the page make one graph; the key of one is changed, and what another refers to.
func dropTables(t *testing.T, w workbench) {
	u := w.visit(t, laptop, "#")
	people := file{"people.csv", "id,name,born\n1,Federico Fellini,1920\n2,Luchino Visconti,1906\n"}
	films := file{"films.csv", "id,title,made_by,genre\n1,Amarcord,1,Comedy\n2,La Strada,1,Drama/Comedy\n3,Senso,2,Drama\n"}
	u.eval(`document.dispatchEvent(new DragEvent("dragover", {bubbles: true, dataTransfer: `+transfer(people, films)+`}))`, nil)
	u.wait(`document.body.classList.contains("dropping")`)
	u.eval(`document.dispatchEvent(new DragEvent("drop", {bubbles: true, dataTransfer: `+transfer(people, films)+`}))`, nil)
	u.wait(`document.querySelectorAll(".table-plan").length === 2`)
	u.pick("What made_by of films becomes", "table:people")
	u.pick("Values in a cell of genre of films", "/")
	u.click(`[aria-label="id is a key of films"]`)
	u.click(`[aria-label="title is a key of films"]`)
	if got := u.text(`.table-plan[aria-label$="films.csv"]`); !strings.Contains(got, "Each is named {title}") {
		t.Errorf("the plan says %q", got)
	}
	u.pick("What id of films becomes", "nothing")
	u.picture("upload-several", false)
	checkAccessible(u)
	u.click("dialog .primary")
	u.wait(`document.querySelector("dialog .first")`)
	u.click("dialog .primary")
	u.ask("?f : made_by(f, Federico Fellini) & genre(f, Comedy)")
	u.press("Escape", "Enter")
	u.waitAnswer("La Strada")
}

// On a phone the plan is a column of cards, no wider than the screen.
func planOnPhone(t *testing.T, w workbench) {
	const width = 390
	u := w.visit(t, chromium.Options{Width: width, Height: 844, Phone: true, ReducedMotion: true}, "#")
	u.click("#open")
	u.choose(file{"films.csv", ownTable})
	u.wait(`document.querySelector(".table-plan")`)
	var wide int
	u.eval(`Math.max(document.documentElement.scrollWidth, document.querySelector("dialog").scrollWidth)`, &wide)
	if wide > width {
		t.Errorf("%d pixels on a screen of %d", wide, width)
	}
	u.picture("phone-plan", false)
	checkAccessible(u)
}

type file struct{ name, content string }

// transfer is what a drop or a field of files holds, in JavaScript.
func transfer(files ...file) string {
	text := `(() => { const list = new DataTransfer(); `
	for _, f := range files {
		text += `list.items.add(new File([` + quoted(f.content) + `], ` + quoted(f.name) + `)); `
	}
	return text + `return list })()`
}

// choose puts files into the field of the dialog, as the browser's own dialog would.
func (u *user) choose(files ...file) {
	u.Helper()
	u.eval(`(() => { const field = document.querySelector("dialog input[type=file]"); field.files = `+transfer(files...)+`.files; field.dispatchEvent(new Event("change")) })()`, nil)
}

// pick chooses an option of the list with this label.
func (u *user) pick(label, value string) {
	u.Helper()
	u.eval(`(() => { const list = document.querySelector(`+quoted(`[aria-label="`+label+`"]`)+`); list.value = `+quoted(value)+`; list.dispatchEvent(new Event("change")) })()`, nil)
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
