package chromium

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

const form = `<!doctype html><title>t</title><link rel="icon" href="data:,">
<body style="margin:0"><input id="name"><button onclick="said.textContent = document.querySelector('#name').value">say</button>
<p id="said"></p><script>console.error("a complaint")</script>`

func TestBrowser(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	browser, err := Start(ctx)
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	}
	must(t, err)
	defer browser.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(form))
	}))
	defer server.Close()
	page, err := browser.NewPage(ctx, Options{Width: 300, Height: 200, Dark: true})
	must(t, err)
	must(t, page.Open(ctx, server.URL))

	must(t, page.Click(ctx, "#name"))
	must(t, page.Type(ctx, "∃ wrong"))
	must(t, page.Press(ctx, "Control+a", "Backspace"))
	must(t, page.Type(ctx, "Ærø"))
	must(t, page.Press(ctx, "Tab", "Enter"))
	must(t, page.Wait(ctx, `said.textContent !== ""`))
	if said, err := page.Text(ctx, "#said"); err != nil || said != "Ærø" {
		t.Errorf("said %q, %v", said, err)
	}
	var dark bool
	must(t, page.Eval(ctx, `matchMedia("(prefers-color-scheme: dark)").matches`, &dark))
	if !dark {
		t.Error("the page is not dark")
	}
	picture, err := page.Screenshot(ctx, false)
	must(t, err)
	if decoded, err := png.DecodeConfig(bytes.NewReader(picture)); err != nil || decoded.Width != 300 || decoded.Height != 200 {
		t.Errorf("a picture of %d × %d, %v", decoded.Width, decoded.Height, err)
	}
	if problems := page.Problems(); len(problems) != 1 || !strings.Contains(problems[0], "a complaint") {
		t.Errorf("problems %q", problems)
	}
	if requests := page.Requests(); !slices.Contains(requests, server.URL+"/") {
		t.Errorf("requests %q", requests)
	}
}

func TestBrowserErrors(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	browser, err := Start(ctx)
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	}
	must(t, err)
	defer browser.Close()
	page, err := browser.NewPage(ctx, Options{Width: 300, Height: 200})
	must(t, err)
	if err := page.Eval(ctx, `nothing.here`, nil); err == nil || !strings.Contains(err.Error(), "nothing is not defined") {
		t.Errorf("%v", err)
	}
	if err := page.Press(ctx, "Hyper"); err == nil {
		t.Error("a key that is none was pressed")
	}
	soon, stop := context.WithTimeout(ctx, 50*time.Millisecond)
	defer stop()
	if err := page.Wait(soon, "false"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for what never comes: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
