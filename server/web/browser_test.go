package web_test

import (
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/chromium"
	"github.com/lacuna-kg/lacuna/server"
)

// TestWorkbench uses the page in a real browser as its users do.
func TestWorkbench(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the browser takes long")
	}
	w := workbench{browser: startBrowser(t)}
	w.address = demo(t, server.Guard{Hosts: server.LoopbackHosts})
	for _, test := range []struct {
		name string
		run  func(*testing.T, workbench)
	}{
		{"first sight", firstSight}, {"cards", askPrepared}, {"type", typeQuestion}, {"type on", typeOn}, {"complete by keyboard", completeByKeyboard},
		{"error", seeError}, {"build by clicking", buildByClicking}, {"edit the picture", editPicture}, {"hints", seeHints}, {"doubted", seeDoubted}, {"explain", explainAnswer},
		{"explain by keyboard", explainByKeyboard}, {"facts", confirmFact}, {"table", sortAndFilter}, {"export", export},
		{"links", shareLink}, {"settings", exactMode}, {"look around", lookAround}, {"look further", lookFurther}, {"contents", seeContents}, {"network", walkNetwork}, {"addresses of entities", shareEntity}, {"fits a phone", fitsPhone}, {"beside on a laptop", besideOnLaptop}, {"earlier questions", earlierQuestions}, {"phone order", phoneOrder}, {"plain words", plainWords}, {"phone", phone}, {"dark", dark}, {"forms", addFact},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, w) })
	}
}

func firstSight(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "#") // what is asked without an address of one's own
	u.waitAnswer("MIT")
	if u.question() != server.DemoQuestions[0].Question {
		t.Errorf("asked %q", u.question())
	}
	u = w.visit(t, desktop, "")
	u.waitAnswer("New York University")
	if got := u.text("#summary"); !strings.Contains(got, "6 answers") || !strings.Contains(got, "expect about 7 of these 16 to be right") {
		t.Errorf("summary %q", got)
	}
	var nodes, cards, predicted int
	u.eval(`document.querySelectorAll(".node").length`, &nodes)
	u.eval(`document.querySelectorAll("#cards button").length`, &cards)
	u.eval(`document.querySelectorAll(".node.answer ~ .row.right").length`, &predicted)
	if nodes != 6 || cards != len(server.DemoQuestions) || predicted == 0 {
		t.Errorf("%d nodes, %d cards, %d rows marked as right", nodes, cards, predicted)
	}
	u.picture("start", false)
	checkAccessible(u)
}

// Every prepared question has answers, each interesting one of its own.
func askPrepared(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "")
	for i, q := range server.DemoQuestions {
		u.click(`#cards li:nth-child(` + string(rune('1'+i)) + `) button`)
		u.wait(`document.querySelector("#cards [aria-current]")?.dataset.question === ` + quoted(q.Question))
		if len(u.answers()) == 0 || u.question() != q.Question {
			t.Errorf("%s: no answers, or another question: %s", q.Title, u.question())
		}
		u.picture("card-"+string(rune('1'+i)), true)
	}
	checkAccessible(u)
}

func typeQuestion(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "")
	u.ask("?p : Win(p, Turing Award) & CitizenOf(p, Norway)")
	u.press("Escape", "Enter")
	u.waitAnswer("Kristen Nygaard")
	var coloured []string
	u.eval(`[...document.querySelectorAll(".colours .entity")].map(e => e.textContent)`, &coloured)
	if !slices.Equal(coloured, []string{"Turing Award", "Norway"}) {
		t.Errorf("coloured as entities: %q", coloured)
	}
}

// An answer that is still on its way when typing goes on must not undo what was typed.
func typeOn(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "")
	u.refusals = true
	u.eval(`const real = window.fetch; window.fetch = (...request) => new Promise(done => setTimeout(done, 400)).then(() => real(...request))`, nil)
	u.ask("?p : CitizenOf(p, Norway)")
	u.press("Escape")
	u.wait(`document.querySelector("#stage").getAttribute("aria-busy") === "true"`)
	u.write(" & Win(p, Turing Award)")
	u.press("Escape", "Enter")
	u.waitAnswer("Kristen Nygaard")
	if got := u.question(); got != "?p : CitizenOf(p, Norway) & Win(p, Turing Award)" {
		t.Errorf("the text became %q", got)
	}
}

func completeByKeyboard(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "")
	u.refusals = true // a pause while typing asks what is not whole yet
	u.ask("?p : Wi")
	u.wait(`document.querySelector(".sheet [role=option]")`)
	u.press("Enter")
	u.write("p, nobel prize in ph")
	u.wait(`document.querySelector(".sheet [role=option]")?.textContent.includes("Physics")`)
	var active string
	u.eval(`document.getElementById(document.querySelector("#question").getAttribute("aria-activedescendant")).textContent`, &active)
	if !strings.Contains(active, "Nobel Prize in Physics") {
		t.Errorf("the active option is %q", active)
	}
	u.picture("completion", false)
	u.press("ArrowDown", "ArrowUp", "Tab")
	u.write(")")
	u.press("Enter")
	if got := u.question(); got != "?p : Win(p, Nobel Prize in Physics)" {
		t.Errorf("completed to %q", got)
	}
	u.waitAnswer("Geoffrey Hinton")
}

func seeError(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "")
	u.refusals = true
	u.ask("?p : Win(p, Turing Awrd)")
	u.press("Escape", "Enter")
	u.wait(`!document.querySelector("#message").hidden`)
	u.wait(`document.querySelector(".colours .wrong")?.textContent === "Turing Awrd"`)
	if got := u.text("#message"); !strings.Contains(got, "1:13") || !strings.Contains(got, `did you mean "Turing Award"?`) {
		t.Errorf("message %q", got)
	}
	u.picture("error", false)
	checkAccessible(u)
	u.click("#message .fix")
	u.waitAnswer("Alan Perlis")
	if got := u.question(); got != "?p : Win(p, Turing Award)" {
		t.Errorf("mended to %q", got)
	}
	u.ask("?u : exists a: Advisor(a, u) & Workplace(a, u)")
	u.press("Escape", "Enter")
	u.wait(`document.querySelector("#message").hidden`) // a cycle is answered
	u.ask("?p : !Win(p, Turing Award)")
	u.press("Escape", "Enter")
	u.wait(`document.querySelector("#message").textContent.includes("only under negation")`)
}

func buildByClicking(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "")
	u.click("#new")
	u.wait(`document.activeElement?.closest(".builder")`)
	u.write("qqqq")
	u.wait(`document.querySelector(".builder .hint")?.textContent.includes("Nothing in the graph is called “qqqq”")`)
	u.press("Control+a")
	u.write("turing aw")
	u.wait(`document.querySelector(".builder [role=option]")?.textContent.startsWith("Turing Award")`)
	u.click(`.builder [role=option]`)
	u.wait(`document.querySelector(".builder label")?.textContent.includes("Turing Award")`)
	u.write("Win")
	u.wait(`document.querySelector(".builder [role=option]")?.textContent.startsWith("Win")`)
	u.picture("build", false)
	checkAccessible(u)
	u.press("Enter")
	u.wait(`document.querySelector("#question").value === "?u : Win(u, Turing Award)"`)
	u.waitAnswer("Alan Perlis")
	// … who also work on deep learning
	u.click(".node.answer .handle")
	u.click(".actions button:nth-child(2)")
	u.write("deep learning")
	u.wait(`document.querySelector(".builder [role=option]")?.textContent.startsWith("Deep Learning")`)
	u.press("Enter")
	u.wait(`document.querySelector(".builder label")?.textContent.includes("Deep Learning")`)
	u.write("Field")
	u.wait(`document.querySelector(".builder [role=option]")?.textContent.startsWith("Field")`)
	u.press("Enter")
	u.wait(`document.querySelector("#question").value === "?u : Win(u, Turing Award) ∧ Field(u, Deep Learning)"`)
	u.waitAnswer("Yann LeCun")
}

// Text and picture are one question: what is typed is drawn, what is changed in the drawing is written.
func editPicture(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "")
	u.click(`.node[data-key="n0.1"] .handle`) // Field^-1
	u.wait(`document.querySelector(".actions")`)
	u.picture("edit", false)
	u.click(".actions button:nth-child(6)") // negate
	u.wait(`document.querySelector("#question").value === "?u : ∃a : Win(a, Turing Award) ∧ ¬Field(a, Deep Learning) ∧ University(a, u)"`)
	u.wait(`document.querySelector(".node.not")`)
	u.click(`.node[data-key="n0.1"] .handle`)
	u.wait(`document.querySelector(".actions")`)
	u.click(".actions button:last-child") // remove
	u.wait(`document.querySelector("#question").value === "?u : ∃a : Win(a, Turing Award) ∧ University(a, u)"`)
	// Going back in the browser takes the steps back, once the last was answered.
	u.wait(`!location.hash.includes("Field")`)
	u.eval(`history.back()`, nil)
	u.wait(`document.querySelector("#question").value.includes("¬Field")`)
	u.wait(`document.querySelector(".node.not")`)
}

func shareLink(t *testing.T, w workbench) {
	question := "?p : Win(p, Turing Award) ∧ ¬CitizenOf(p, United States)"
	u := w.visit(t, desktop, "#"+url.Values{"q": {question}, "mode": {"exact"}, "threshold": {"0.25"}}.Encode())
	if got := u.question(); got != question {
		t.Errorf("the link opened %q", got)
	}
	var predict bool
	u.eval(`document.querySelector("#predict").checked`, &predict)
	if predict || u.text("#threshold-value") != "0.25" {
		t.Error("the settings of the link were not used")
	}
	u.ask("?p : CitizenOf(p, Norway)")
	u.press("Escape", "Enter")
	u.wait(`new URLSearchParams(location.hash.slice(1)).get("q") === "?p : CitizenOf(p, Norway)"`)
	u.wait(`new URLSearchParams(location.hash.slice(1)).get("mode") === "exact"`)
}

func exactMode(t *testing.T, w workbench) {
	u := w.visit(t, desktop, "")
	u.click("#predict")
	u.wait(`document.querySelector("#summary").textContent === "6 answers"`)
	if slices.Contains(u.answers(), "New York University") {
		t.Error("a prediction among exact answers")
	}
}

func phone(t *testing.T, w workbench) {
	for _, width := range []int{360, 320} {
		u := w.visit(t, chromium.Options{Width: width, Height: 740, Phone: true, ReducedMotion: true}, "")
		check := func(state string) {
			var wide int
			u.eval(`Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)`, &wide)
			if wide > width {
				t.Errorf("%s: %d pixels on a screen of %d", state, wide, width)
			}
		}
		check("start")
		u.picture("phone", true)
		u.click(`tr[data-entity="New York University"] button`)
		u.wait(`document.querySelector("#why .counterfactual")`)
		check("explanation")
		u.picture("phone-why", true)
		u.click("#cards li:nth-child(5) button")
		u.waitAnswer("Norway")
		check("long chain")
		u.click(".node.answer .handle")
		u.wait(`document.querySelector(".actions")`)
		check("builder")
		u.picture("phone-build", true)
		checkAccessible(u)
	}
}

func dark(t *testing.T, w workbench) {
	opts := desktop
	opts.Dark = true
	u := w.visit(t, opts, "")
	light := func() (isLight bool) {
		u.eval(`(([r, g, b]) => r + g + b > 384)(getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number))`, &isLight)
		return isLight
	}
	if light() {
		t.Error("the system's wish for dark colours is not heard")
	}
	u.click(`tr[data-entity="New York University"] button`)
	u.wait(`document.querySelector("#why .counterfactual")`)
	u.picture("dark", false)
	checkAccessible(u)
	u.click("#theme")
	if !light() {
		t.Error("the switch does not make it light")
	}
	u.must(u.page.Open(u.ctx, w.address))
	u.wait(`document.querySelectorAll(".row").length > 0`)
	if !light() {
		t.Error("the choice was forgotten")
	}
	u.click("#theme")
	u.eval(`localStorage.clear()`, nil)
}

// quoted is a text as JavaScript writes it.
func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return string(data)
}

// checkAccessible runs axe-core, where npm installed it.
func checkAccessible(u *user) {
	u.Helper()
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		u.Log("axe-core is missing (npm ci --prefix server/web): accessibility is not checked")
		return
	}
	u.eval(string(axe)+";0", nil)
	// In the picture long names end in an ellipsis; the label of an item is the whole name, and so not what is seen.
	var found []string
	u.eval(`axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.flatMap(v => v.nodes
		.filter(n => v.id !== "label-content-name-mismatch" || !document.querySelector(n.target[0])?.closest(".tree"))
		.map(n => v.id + ": " + n.target.join(" ") + " " + n.failureSummary)))`, &found)
	for _, violation := range found {
		u.Errorf("accessibility: %s", violation)
	}
}

// A server that wants a token is asked for it once.
func TestWorkbenchToken(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the browser takes long")
	}
	w := workbench{browser: startBrowser(t)}
	w.address = demo(t, server.Guard{Tokens: []string{"open sesame"}})
	page, err := w.browser.NewPage(t.Context(), desktop)
	if err != nil {
		t.Fatal(err)
	}
	u := &user{T: t, page: page, ctx: t.Context(), refusals: true}
	u.must(page.Open(u.ctx, w.address))
	u.wait(`document.activeElement?.id === "token"`)
	u.write("open sesame")
	u.press("Enter")
	u.waitAnswer("MIT")
	u.checkQuiet(w.address)
}
