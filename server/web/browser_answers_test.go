package web_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

// What a user does with answers: ask why, add facts, sort, take them away.

func explainAnswer(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "")
	u.click(`tr[data-entity="New York University"] button`)
	u.wait(`document.querySelector("#why .counterfactual")`)
	got := u.text("#why")
	for _, want := range []string{"Why New York University?", "a = Yann LeCun", "Courant Institute", "PartOf", "Would it still be predicted without them?"} {
		if !strings.Contains(got, want) {
			t.Errorf("the explanation lacks %q: %s", want, got)
		}
	}
	var before, after float64
	u.eval(`[...document.querySelectorAll(".measure .value")].map(e => Number(e.textContent))[0]`, &before)
	u.eval(`[...document.querySelectorAll(".measure .value")].map(e => Number(e.textContent))[1]`, &after)
	if !(after < before) {
		t.Errorf("without its reasons %v became %v", before, after)
	}
	u.wait(`[...document.querySelectorAll(".row.chosen")].some(r => r.dataset.entity === "Yann LeCun")`)
	u.picture("why", true)
	checkAccessible(u)
	u.press("Escape")
	u.wait(`document.querySelector("#why").hidden && document.activeElement?.textContent === "New York University"`)
}

// Ends of a relation in the wrong order are noticed where the answers stand.
func seeHints(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "#q="+url.QueryEscape("?p : Win(p, Turing Award) & Field(Cryptography, p)"))
	u.wait(`document.querySelector("#answers .hint[role=note]")`)
	if got := u.text("#answers .hint"); !strings.Contains(got, "did you mean that?") {
		t.Errorf("the hint is %q", got)
	}
	checkAccessible(u)
}

// A known answer that the model doubts is listed below the threshold, counted among the known ones, and the threshold of the link is the one shown.
func seeDoubted(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "#threshold=0.99&q="+url.QueryEscape("?p : Win(p, Turing Award) & !CitizenOf(p, United States)"))
	u.wait(`document.querySelector("#answers tbody.below .known")`)
	if got := u.text("#answers .hint"); !strings.Contains(got, "below the threshold, as the model doubts") {
		t.Errorf("the hint is %q", got)
	}
	if got := u.text("#answers [data-filter=known] .number"); got != "24" { // as many as are stated
		t.Errorf("%s known answers", got)
	}
	if got := u.text("#threshold-value"); got != "0.99" {
		t.Errorf("the threshold is shown as %s", got)
	}
	checkAccessible(u)
}

// The tree has one tab stop and is walked by arrows.
func explainByKeyboard(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "")
	u.eval(`document.querySelector("#new").focus()`, nil)
	u.press("Tab")
	u.wait(`document.activeElement?.matches(".node.answer")`)
	u.press("ArrowLeft")
	u.wait(`document.activeElement?.matches(".node.and")`)
	u.press("ArrowDown", "ArrowDown")
	u.wait(`document.activeElement?.dataset.entity === "Yoshua Bengio"`)
	var outlined bool
	u.eval(`document.activeElement.matches(":focus-visible")`, &outlined)
	if !outlined {
		t.Error("the focus is not shown")
	}
	u.press("Enter") // why is he in this set, a part of the question?
	u.wait(`document.querySelector("#why h2")?.textContent === "Why Yoshua Bengio?" && document.querySelector("#why .chain")`)
	u.press("Escape")
	u.wait(`document.activeElement?.dataset.entity === "Yoshua Bengio"`)
	u.press("ArrowRight", "Enter")
	u.wait(`document.activeElement?.closest(".actions")`)
	u.press("Escape")
	u.wait(`document.activeElement?.matches(".node.and")`)
}

// A prediction is confirmed: the answer is known from then on, and can be taken back.
func confirmFact(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "")
	u.click(`tr[data-entity="New York University"] button`)
	u.click(`#why .confirm`)
	u.wait(`document.querySelector('tr[data-entity="New York University"] .known')`)
	if got := u.text(`tr[data-entity="New York University"] .difference`); !strings.HasPrefix(got, "+0.") {
		t.Errorf("the change is shown as %q", got)
	}
	u.picture("confirmed", false)
	u.click("#note button")
	u.wait(`document.querySelector('tr[data-entity="New York University"] .right')`) // as before, and still true
}

func addFact(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "#q="+url.QueryEscape("?p : Win(p, Turing Award) & CitizenOf(p, Norway)"))
	u.click(".facts summary")
	for _, name := range []string{"Alan Kay", "CitizenOf", "Norway"} {
		u.wait(`document.querySelector(".facts details, .facts[open]")`)
		if name == "Alan Kay" {
			u.click(".facts .picker:nth-child(1) input")
		}
		u.write(name)
		u.wait(`document.querySelector(".facts .listbox:not([hidden]) [role=option]")?.textContent.startsWith(` + quoted(name) + `)`)
		u.press("Enter")
	}
	u.press("Enter")
	u.waitAnswer("Alan Kay")
	u.click("#note button")
	u.wait(`!document.querySelector('tr[data-entity="Alan Kay"] .known')`)
}

func sortAndFilter(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "")
	u.click(`[data-filter=predicted]`)
	if names := u.answers(); len(names) != 10 || names[0] != "New York University" {
		t.Errorf("predicted answers %q", names)
	}
	u.click(`[data-sort=entity]`)
	if names := u.answers()[1:]; !slices.IsSortedFunc(names, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) }) {
		t.Errorf("sorted by name below the one above the threshold: %q", names)
	}
	u.press("Enter") // the button kept the focus
	var sorted string
	u.eval(`document.querySelector("th.entity").getAttribute("aria-sort")`, &sorted)
	if names := u.answers(); sorted != "descending" || names[0] < names[9] {
		t.Errorf("%s: %q", sorted, names)
	}
}

// What a download would hold is read before the browser gets it.
func export(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "")
	u.eval(`window.saved = []; URL.createObjectURL = (blob) => (blob.text().then(text => saved.push(text)), "data:,");
		HTMLAnchorElement.prototype.click = function () { saved.push(this.download) }`, nil)
	u.click(".foot button:nth-last-child(2)")
	u.click(".foot button:nth-last-child(1)")
	u.wait(`saved.length === 4`)
	var saved []string
	u.eval("saved.sort()", &saved)
	all := strings.Join(saved, "\n")
	for _, want := range []string{"answers.csv", "answers.json", "entity,id,probability,known,right\r\n", "New York University,,0.", `"shape": "ip"`} {
		if !strings.Contains(all, want) {
			t.Errorf("the files lack %q:\n%s", want, all)
		}
	}
}
