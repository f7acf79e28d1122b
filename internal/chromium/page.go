package chromium

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Page is one tab. Its methods wait for what they need to be there, up to the end of their context.
type Page struct {
	browser *Browser
	session string

	mutex    sync.Mutex
	problems []string
	requests []string
}

// Options of a page.
type Options struct {
	Width, Height int
	Dark          bool // prefers-color-scheme
	ReducedMotion bool
	Phone         bool // touch, and a viewport as phones have it
}

// NewPage opens an empty tab.
func (b *Browser) NewPage(ctx context.Context, opts Options) (*Page, error) {
	var target struct{ TargetID string }
	if err := b.conn.call(ctx, "", "Target.createTarget", args{"url": "about:blank"}, &target); err != nil {
		return nil, err
	}
	var attached struct{ SessionID string }
	if err := b.conn.call(ctx, "", "Target.attachToTarget", args{"targetId": target.TargetID, "flatten": true}, &attached); err != nil {
		return nil, err
	}
	p := &Page{browser: b, session: attached.SessionID}
	b.conn.handle(p.session, p.event)
	return p, p.prepare(ctx, opts)
}

type args map[string]any

func (p *Page) call(ctx context.Context, method string, params, result any) error {
	return p.browser.conn.call(ctx, p.session, method, params, result)
}

func (p *Page) prepare(ctx context.Context, opts Options) error {
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		if err := p.call(ctx, domain+".enable", args{}, nil); err != nil {
			return err
		}
	}
	metrics := args{"width": opts.Width, "height": opts.Height, "deviceScaleFactor": 1, "mobile": opts.Phone}
	if err := p.call(ctx, "Emulation.setDeviceMetricsOverride", metrics, nil); err != nil {
		return err
	}
	scheme, motion := "light", "no-preference"
	if opts.Dark {
		scheme = "dark"
	}
	if opts.ReducedMotion {
		motion = "reduce"
	}
	features := []args{{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": motion}}
	return p.call(ctx, "Emulation.setEmulatedMedia", args{"features": features}, nil)
}

// event collects what the page asked for and what went wrong in it.
func (p *Page) event(method string, params json.RawMessage) {
	var e struct {
		Request          struct{ URL string }
		Entry            struct{ Level, Text, URL string }
		ExceptionDetails struct {
			Text      string
			Exception struct{ Description string }
		}
		Type string
		Args []struct{ Value any }
	}
	if json.Unmarshal(params, &e) != nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	switch {
	case method == "Network.requestWillBeSent":
		p.requests = append(p.requests, e.Request.URL)
	case method == "Runtime.exceptionThrown":
		p.problems = append(p.problems, e.ExceptionDetails.Text+" "+e.ExceptionDetails.Exception.Description)
	case method == "Runtime.consoleAPICalled" && (e.Type == "error" || e.Type == "warning"):
		p.problems = append(p.problems, fmt.Sprint(e.Type, e.Args))
	case method == "Log.entryAdded" && e.Entry.Level == "error":
		p.problems = append(p.problems, e.Entry.Text+" "+e.Entry.URL)
	}
}

// Problems are the errors and warnings of the console so far.
func (p *Page) Problems() []string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return append([]string(nil), p.problems...)
}

// Requests are the addresses that the page asked for so far.
func (p *Page) Requests() []string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return append([]string(nil), p.requests...)
}

// Open goes to an address and waits until its document is complete.
func (p *Page) Open(ctx context.Context, url string) error {
	var answer struct{ ErrorText string }
	if err := p.call(ctx, "Page.navigate", args{"url": url}, &answer); err != nil {
		return err
	}
	if answer.ErrorText != "" {
		return fmt.Errorf("%s: %s", url, answer.ErrorText)
	}
	return p.Wait(ctx, `location.href !== "about:blank" && document.readyState === "complete"`)
}

// Eval runs a JavaScript expression, awaits it and decodes its value into result, unless that is nil.
func (p *Page) Eval(ctx context.Context, expression string, result any) error {
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	params := args{"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true}
	if err := p.call(ctx, "Runtime.evaluate", params, &answer); err != nil {
		return err
	}
	if d := answer.ExceptionDetails; d != nil {
		return fmt.Errorf("%.200s: %s %s", expression, d.Text, d.Exception.Description)
	}
	if result == nil || len(answer.Result.Value) == 0 {
		return nil
	}
	return json.Unmarshal(answer.Result.Value, result)
}

// Wait waits until a JavaScript expression is true.
func (p *Page) Wait(ctx context.Context, condition string) error {
	for {
		var holds bool
		// During a navigation there may be no document to ask.
		if err := p.Eval(ctx, "!!("+condition+")", &holds); err == nil && holds {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", condition, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Text is the text of the first element of a selector.
func (p *Page) Text(ctx context.Context, selector string) (text string, err error) {
	err = p.Eval(ctx, fmt.Sprintf("document.querySelector(%q)?.textContent ?? ''", selector), &text)
	return strings.TrimSpace(text), err
}

// Screenshot takes a picture of the window, or of the whole page, as PNG.
func (p *Page) Screenshot(ctx context.Context, whole bool) ([]byte, error) {
	var answer struct{ Data string }
	if err := p.call(ctx, "Page.captureScreenshot", args{"format": "png", "captureBeyondViewport": whole}, &answer); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(answer.Data)
}
