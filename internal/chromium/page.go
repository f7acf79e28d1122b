package chromium

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Page is one tab. Its methods wait for what they need to be there, up to the end of their context.
type Page struct {
	tab    context.Context // chromedp's, which knows the tab
	record *record
}

// Options of a page.
type Options struct {
	Width, Height int
	Dark          bool // prefers-color-scheme
	ReducedMotion bool
	Phone         bool // a viewport as phones have it
}

// NewPage opens an empty tab. It stays until the browser ends.
func (b *Browser) NewPage(ctx context.Context, opts Options) (*Page, error) {
	tab, closeTab := chromedp.NewContext(b.context)
	p := &Page{tab: tab}
	if err := chromedp.Do(tab); err != nil { // doing nothing opens it
		closeTab()
		return nil, err
	}
	context.AfterFunc(b.context, closeTab)
	p.record = newRecord(tab)
	return p, p.prepare(ctx, opts)
}

// do runs actions in the tab until they are done or ctx ends.
func (p *Page) do(ctx context.Context, actions ...chromedp.Action[chromedp.Void]) error {
	within, cancel := context.WithCancel(p.tab)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	err := chromedp.Do(within, actions...)
	if err != nil && ctx.Err() != nil {
		return ctx.Err() // more to the point than that the tab's context was cancelled
	}
	return err
}

func (p *Page) prepare(ctx context.Context, opts Options) error {
	scheme, motion := "light", "no-preference"
	if opts.Dark {
		scheme = "dark"
	}
	if opts.ReducedMotion {
		motion = "reduce"
	}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: motion},
	}}
	var viewport []chromedp.EmulateViewportOption
	if opts.Phone {
		viewport = append(viewport, chromedp.EmulateMobile)
	}
	return p.do(ctx, chromedp.EmulateViewport(int64(opts.Width), int64(opts.Height), viewport...),
		chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, media)
			return err
		}))
}

// Problems are the errors and warnings of the console so far.
func (p *Page) Problems() []string {
	p.settle()
	return p.record.listProblems()
}

// Requests are the addresses that the page asked for so far.
func (p *Page) Requests() []string {
	p.settle()
	return p.record.listRequests()
}

// settle waits until the record has what happened so far: until it has a mark of ours in the console.
func (p *Page) settle() {
	mark, seen := p.record.expectMark()
	ctx, cancel := context.WithTimeout(p.tab, 5*time.Second)
	defer cancel()
	if p.Eval(ctx, fmt.Sprintf("console.debug(%q)", mark), nil) != nil {
		return // a browser that has ended records no more
	}
	select {
	case <-seen:
	case <-ctx.Done():
	}
}

// Open goes to an address and waits until its document is complete.
func (p *Page) Open(ctx context.Context, url string) error {
	if err := p.do(ctx, chromedp.Navigate(url)); err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	return p.Wait(ctx, `location.href !== "about:blank" && document.readyState === "complete"`)
}

// Eval runs a JavaScript expression, awaits it and decodes its value into result, unless that is nil.
func (p *Page) Eval(ctx context.Context, expression string, result any) error {
	var value []byte
	asUser := func(params *runtime.EvaluateParams) { params.UserGesture = new(true) }
	err := p.do(ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) (err error) {
		value, err = chromedp.Evaluate[[]byte](expression, chromedp.EvalAwaitPromise, asUser)(ctx, t)
		return err
	}))
	switch {
	case err != nil:
		return fmt.Errorf("%.200s: %w", expression, err)
	case result == nil || len(value) == 0:
		return nil
	}
	return json.Unmarshal(value, result)
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
		case <-p.tab.Done():
			return fmt.Errorf("waiting for %s: the browser ended", condition)
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
func (p *Page) Screenshot(ctx context.Context, whole bool) (picture []byte, err error) {
	take := chromedp.CaptureScreenshot()
	if whole {
		take = chromedp.FullScreenshot(100) // of the best quality, which is PNG
	}
	err = p.do(ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) (err error) {
		picture, err = take(ctx, t)
		return err
	}))
	return picture, err
}
