package web_test

import (
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/chromium"
	"github.com/lacuna-kg/lacuna/server"
)

// What a user does to find his way: see what the graph holds, walk a network, share and go back to what he saw.

// seeContents lists relations and kinds with their numbers; one is a question.
func seeContents(t *testing.T, w workbench) {
	u := w.visit(t, laptop, "")
	u.click("#look")
	u.wait(`document.querySelectorAll(".catalogue [data-relation]").length === 22`)
	if got := u.text(".catalogue"); !strings.Contains(got, "Relations (22)") || !strings.Contains(got, "Kinds of entities (0)") {
		t.Errorf("the catalogue says %q", got)
	}
	u.picture("explore", true)
	checkAccessible(u)
	u.click(`.catalogue [data-relation="CitizenOf"]`)
	u.wait(`document.querySelector("#question").value === "?x, ?y : CitizenOf(x, y)"`)
	u.wait(`document.querySelectorAll("#answers tbody tr[data-entity]").length > 10`)
}

// walkNetwork begins at an entity, adds the neighbours of another by mouse and by keyboard, and lists its facts.
func walkNetwork(t *testing.T, w workbench) {
	u := w.visit(t, laptop, "#entity=Alan+Kay&view=network")
	u.wait(`document.querySelector("#around h2")?.textContent === "Around Alan Kay"`)
	u.wait(`document.querySelectorAll(".network .entity").length > 5`)
	u.picture("network", true)
	checkAccessible(u)
	var before, after int
	u.eval(`document.querySelectorAll(".network .entity").length`, &before)
	u.eval(`document.querySelector('.network [data-entity="Turing Award"]').dispatchEvent(new MouseEvent("click", {bubbles: true}))`, nil)
	u.wait(`document.querySelector(".network .chosen")?.dataset.entity === "Turing Award" && document.querySelector(".network .chosen.expanded")`)
	u.eval(`document.querySelectorAll(".network .entity").length`, &after)
	if after <= before {
		t.Errorf("%d entities after a click on one of %d", after, before)
	}
	var labels []string
	u.eval(`[...document.querySelectorAll(".network text.relation")].map(r => r.textContent)`, &labels)
	if len(labels) == 0 || labels[0] != "Win" {
		t.Errorf("the links of the Turing Award are labelled %q", labels)
	}
	u.eval(`document.querySelector('.network .entity:not(.expanded)').focus()`, nil)
	u.press("Enter")
	u.wait(`document.activeElement?.classList.contains("chosen") && document.activeElement.dataset.entity !== "Turing Award"`)
	u.picture("network-grown", true)
	checkAccessible(u)
	u.eval(`document.querySelector('.network [data-entity="Turing Award"]').dispatchEvent(new MouseEvent("dblclick", {bubbles: true}))`, nil)
	u.wait(`document.querySelector("#around h2")?.textContent === "Around Turing Award" && document.querySelector("#around .map")`)
}

// An entity has an address: the browser's buttons walk back and on, and a link shows the same to somebody else.
func shareEntity(t *testing.T, w workbench) {
	u := w.visit(t, laptop, "#entity=Alan+Kay")
	u.wait(`document.querySelector("#around h2")?.textContent === "Around Alan Kay"`)
	u.click(`#around [data-entity="Turing Award"]`)
	u.wait(`new URLSearchParams(location.hash.slice(1)).get("entity") === "Turing Award"`)
	question := u.question()
	u.eval(`history.back()`, nil)
	u.wait(`document.querySelector("#around h2")?.textContent === "Around Alan Kay"`)
	u.eval(`history.forward()`, nil)
	u.wait(`document.querySelector("#around h2")?.textContent === "Around Turing Award"`)
	if u.question() != question {
		t.Errorf("the question became %q", u.question())
	}
	u.click("#around .close")
	u.wait(`!new URLSearchParams(location.hash.slice(1)).has("entity")`)
	u.eval(`history.back()`, nil)
	u.wait(`document.querySelector("#around h2")?.textContent === "Around Turing Award" && !document.querySelector("#around").hidden`)
}

// fitsPhone holds every view to the width of a phone.
func fitsPhone(t *testing.T, w workbench) {
	const width = 390
	u := w.visit(t, chromium.Options{Width: width, Height: 844, Phone: true, ReducedMotion: true}, "#entity=Alan+Kay&view=network")
	u.wait(`document.querySelectorAll(".network .entity").length > 5`)
	fits := func(what string) {
		t.Helper()
		var wide int
		u.eval(`document.documentElement.scrollWidth`, &wide)
		if wide > width {
			t.Errorf("%s: %d pixels on a screen of %d", what, wide, width)
		}
		u.picture("phone-"+what, true)
	}
	fits("network")
	u.click("#look")
	u.wait(`document.querySelector(".catalogue [data-relation]")`)
	fits("explore")
	checkAccessible(u)
}

// besideOnLaptop holds the picture of the steps to stand beside the answers, whatever the question, and inside its frame.
func besideOnLaptop(t *testing.T, w workbench) {
	u := w.visit(t, laptop, "")
	for i := range len(server.DemoQuestions) {
		u.click(`#cards li:nth-child(` + string(rune('1'+i)) + `) button`)
		u.wait(`document.querySelector("#cards li:nth-child(` + string(rune('1'+i)) + `) [aria-current]")`)
		var beside bool
		u.eval(`(() => { const p = document.querySelector("#picture"), a = document.querySelector("#answers"); return p.scrollWidth <= p.clientWidth && p.getBoundingClientRect().right < a.getBoundingClientRect().left })()`, &beside)
		if !beside {
			t.Errorf("question %d: the picture does not stand beside the answers, or is wider than its frame", i+1)
		}
		u.picture("laptop-"+string(rune('1'+i)), true)
	}
}
