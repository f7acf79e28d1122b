package web_test

import (
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/chromium"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/server"
	"github.com/lacuna-kg/lacuna/server/web"
	"github.com/lacuna-kg/lacuna/turing"
)

var screenshots = flag.String("screenshots", "", "folder for a picture of every state that the browser tests reach")

// workbench is a served page and a browser to use it with.
type workbench struct {
	browser *chromium.Browser
	address string
}

// demo serves the embedded graph with its model, as `lacuna serve --demo` does.
func demo(t *testing.T, guard server.Guard) string {
	t.Helper()
	ctx := t.Context()
	service, err := server.New(ctx, server.Options{
		Engine: laureates.Engine(t, lacuna.Turing, laureates.Fitted()), Questions: server.DemoQuestions,
		Limits: server.DefaultLimits(), Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(service.Handler(guard, server.Mount{Pattern: "/", Handler: web.Handler(), Open: true}))
	t.Cleanup(func() { listener.Close(); service.Close() })
	return listener.URL + "/"
}

func startBrowser(t *testing.T) *chromium.Browser {
	t.Helper()
	browser, err := chromium.Start(context.WithoutCancel(t.Context()))
	if errors.Is(err, chromium.ErrMissing) {
		t.Skipf("the page is not tested in a browser: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { browser.Close() })
	return browser
}

// user is somebody at the page: every method waits for what it needs, and ends the test where that never comes.
type user struct {
	*testing.T
	page *chromium.Page
	ctx  context.Context
	// refusals are expected: the browser logs each answer of 4xx as an error.
	refusals bool
}

var (
	desktop = chromium.Options{Width: 1440, Height: 960, ReducedMotion: true}
	laptop  = chromium.Options{Width: 1280, Height: 800, ReducedMotion: true}
)

// visit opens the page and waits for the first answers. At the end of the test nothing
// may have gone wrong in the console, and nothing may have been asked of another server.
func (w workbench) visit(t *testing.T, opts chromium.Options, hash string) *user {
	t.Helper()
	if hash == "" { // the tests know its steps and answers
		hash = "#q=" + url.QueryEscape(turing.PaperQuestion)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	page, err := w.browser.NewPage(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	u := &user{T: t, page: page, ctx: ctx}
	u.must(page.Open(ctx, w.address+hash))
	u.wait(`document.querySelector("#stage").getAttribute("aria-busy") === "false"`)
	u.wait(`document.querySelectorAll(".row").length > 0`)
	t.Cleanup(func() { u.checkQuiet(w.address) })
	return u
}

func (u *user) checkQuiet(address string) {
	u.Helper()
	for _, problem := range u.page.Problems() {
		if !u.refusals || !strings.Contains(problem, "the server responded with a status of 4") {
			u.Errorf("console: %s", problem)
		}
	}
	for _, url := range u.page.Requests() {
		if !strings.HasPrefix(url, address) && !strings.HasPrefix(url, "blob:"+address) && !strings.HasPrefix(url, "data:") {
			u.Errorf("the page asked for %s", url)
		}
	}
}

func (u *user) must(err error) {
	u.Helper()
	if err != nil {
		u.Fatal(err)
	}
}

// wait gives a condition time enough to come true on a busy machine; on an idle one it takes less than a second.
func (u *user) wait(condition string) {
	u.Helper()
	ctx, cancel := context.WithTimeout(u.ctx, 20*time.Second)
	defer cancel()
	u.must(u.page.Wait(ctx, condition))
}

func (u *user) click(selector string)   { u.Helper(); u.must(u.page.Click(u.ctx, selector)) }
func (u *user) write(text string)       { u.Helper(); u.must(u.page.Type(u.ctx, text)) }
func (u *user) press(keys ...string)    { u.Helper(); u.must(u.page.Press(u.ctx, keys...)) }
func (u *user) eval(js string, out any) { u.Helper(); u.must(u.page.Eval(u.ctx, js, out)) }

func (u *user) text(selector string) string {
	u.Helper()
	text, err := u.page.Text(u.ctx, selector)
	u.must(err)
	return text
}

// question is what stands in the editor.
func (u *user) question() (text string) {
	u.Helper()
	u.eval(`document.querySelector("#question").value`, &text)
	return text
}

// ask types a question in the place of the present one.
func (u *user) ask(text string) {
	u.Helper()
	u.click("#question")
	u.press("Control+a")
	u.write(text)
}

// answers are the entities of the table.
func (u *user) answers() (names []string) {
	u.Helper()
	u.eval(`[...document.querySelectorAll("#answers tbody tr[data-entity]")].map(row => row.dataset.entity)`, &names)
	return names
}

func (u *user) waitAnswer(entity string) {
	u.Helper()
	u.wait(`document.body.className.includes("stale") === false && [...document.querySelectorAll("#answers tbody tr")].some(row => row.dataset.entity === "` + entity + `")`)
}

// picture keeps what the user sees, where a folder for it was given.
func (u *user) picture(name string, whole bool) {
	u.Helper()
	if *screenshots == "" {
		return
	}
	png, err := u.page.Screenshot(u.ctx, whole)
	u.must(err)
	u.must(os.MkdirAll(*screenshots, 0o755))
	u.must(os.WriteFile(filepath.Join(*screenshots, name+".png"), png, 0o644))
}
