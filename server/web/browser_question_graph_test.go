package web_test

import (
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/chromium"
	"github.com/lacuna-kg/lacuna/server"
)

// Questions that are no tree are drawn as graphs, explained as such, and built by clicking.
func TestQuestionsAsGraphs(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the browser takes long")
	}
	w := workbench{browser: startBrowser(t), address: demo(t, server.Guard{})}
	t.Run("drawn and explained", func(t *testing.T) { drawnAndExplained(t, w) })
	t.Run("tuples in full", func(t *testing.T) { tuplesInFull(t, w) })
	t.Run("built by clicking", func(t *testing.T) { builtAsGraph(t, w) })
}

// Of an answer of three entities none is cut off, on the narrow column beside the picture or on a phone.
func tuplesInFull(t *testing.T, w workbench) {
	for _, opts := range []chromium.Options{desktop, {Width: 360, Height: 740, Phone: true, ReducedMotion: true}} {
		u := w.visit(t, opts, "")
		u.follow("?a, ?b, ?u : Advisor(a, b) ∧ University(a, u) ∧ University(b, u) ∧ Win(a, Turing Award)")
		u.wait(`document.querySelector('#answers tr[data-entity^="Maurice Wilkes, John Ashworth Ratcliffe"]')`)
		var cut []string
		u.eval(`[...document.querySelectorAll("#answers button.entity")].filter(b => b.scrollHeight > b.clientHeight + 1).map(b => b.textContent)`, &cut)
		if len(cut) > 0 {
			t.Errorf("%d pixels wide: %q are cut off", opts.Width, cut)
		}
	}
}

func drawnAndExplained(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "")
	u.follow("?p, ?u : ∃c : Workplace(p, u) ∧ LocatedIn(u, c) ∧ BornIn(p, c) ∧ Win(p, Turing Award)")
	u.wait(`document.querySelectorAll(".picture.graph .graph-node:not(.values)").length === 4 && document.querySelectorAll(".picture.graph .edge").length === 4`)
	u.wait(`document.querySelector("#picture").hidden`)
	checkAccessible(u)
	u.picture("graph", true)
	u.click(`#answers tbody tr:first-child button.entity`)
	u.wait(`document.querySelectorAll("#why .question-graph .edge.known").length === 4 && document.querySelectorAll("#why .chain li").length === 4`)
	u.wait(`document.querySelector("#why .chain").textContent.includes("closes a cycle")`)
	checkAccessible(u)
	u.follow("?a, ?u : Field(a, Deep Learning) ∧ Win(a, Turing Award) ∧ University(a, u)")
	u.wait(`document.querySelectorAll(".picture.graph .graph-node:not(.values)").length === 4`)
	u.click(`#answers tr[data-entity="Yann LeCun, New York University"] button.entity`)
	u.wait(`document.querySelector("#why .question-graph .edge.predicted") && document.querySelectorAll("#why .chain li").length === 3`)
	if why := u.text("#why"); !strings.Contains(why, "What speaks for") {
		t.Errorf("no reasons: %s", why)
	}
	u.picture("graph-why", true)
	u.follow("Win(Yann LeCun, Turing Award)")
	u.wait(`document.querySelector("#answers tbody tr")?.dataset.entity === "Yes"`)
	u.click(`#answers tbody tr button.entity`)
	u.wait(`document.querySelector("#why .question-graph .edge.known")`)
}

// A tree is taken as a graph; a link between its two variables closes a cycle.
func builtAsGraph(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "")
	u.follow("?u : ∃p : Win(p, Turing Award) ∧ University(p, u)")
	u.wait(`document.querySelectorAll("#picture .row").length > 0`)
	u.click("#new-graph")
	u.wait(`document.querySelectorAll(".picture.graph .graph-node:not(.values)").length === 3`)
	u.click(".graph-node.variable:not(.values)")
	u.wait(`document.querySelector(".graph-builder .actions")`)
	u.picture("graph-actions", true)
	u.clickAction("Link with u")
	u.wait(`document.querySelector(".graph-builder .picker input") === document.activeElement`)
	u.write("AlmaMater")
	u.wait(`document.querySelector(".graph-builder [role=option]")`)
	u.press("ArrowDown", "Enter")
	u.wait(`document.querySelector("#question").value.includes("AlmaMater(") && document.querySelectorAll(".picture.graph .edge").length === 3`)
	u.click(".graph-node.variable:not(.values)")
	u.clickAction("Ask for it too")
	u.wait(`/^\?u, \?[a-z]+ : |^\?[a-z]+, \?u : /.test(document.querySelector("#question").value)`)
	u.picture("graph-built", true)
	u.click(`.graph-label`)
	u.clickAction("Negate")
	u.wait(`document.querySelector("#question").value.includes("¬") || !document.querySelector("#message").hidden`)
	u.refusals = true // a variable that only a negation binds
}

// clickAction presses a button of the panel by its words.
func (u *user) clickAction(words string) {
	u.Helper()
	u.wait(`[...document.querySelectorAll(".graph-builder .actions button")].some(b => b.textContent.includes(` + "`" + words + "`" + `))`)
	u.eval(`[...document.querySelectorAll(".graph-builder .actions button")].find(b => b.textContent.includes(`+"`"+words+"`"+`)).click()`, nil)
}

// follow opens a link to a question.
func (u *user) follow(question string) {
	u.Helper()
	u.eval("location.hash = `"+asked(question)+"`", nil)
	u.wait("document.querySelector('#question').value === `" + question + "` && document.querySelector('#stage').getAttribute('aria-busy') === 'false'")
}
