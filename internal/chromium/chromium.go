// Package chromium drives a headless Chromium for tests of the page: open, type, press,
// look, take a picture. The DevTools protocol is chromedp's, over the browser's pipe; here
// are the words in which the tests speak, and what went wrong in a page's console.
package chromium

import (
	"context"
	"errors"
	"os/exec"
	"time"

	"github.com/chromedp/chromedp"
)

// Names under which distributions install it.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// ErrMissing says that no Chromium is installed.
var ErrMissing = errors.New("no Chromium is installed (scripts/install-chromium.sh installs it)")

// find gives the path of an installed Chromium.
func find() (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrMissing
}

// Browser is a running Chromium.
type Browser struct {
	context context.Context // chromedp's, which knows the process
	stop    context.CancelFunc
}

// Start runs a headless Chromium with a fresh profile. It ends with Close or with ctx.
func Start(ctx context.Context) (*Browser, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		// The sandbox needs privileges that containers lack; the page under test is our own.
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true), chromedp.Flag("font-render-hinting", "none"))...)
	browser, stopBrowser := chromedp.NewContext(allocator)
	b := &Browser{browser, func() { stopBrowser(); stopAllocator() }}
	if err := chromedp.Do(browser); err != nil { // doing nothing starts it
		b.stop()
		return nil, err
	}
	return b, nil
}

// Close ends the browser and removes its profile.
func (b *Browser) Close() error {
	defer b.stop()
	ctx, cancel := context.WithTimeout(b.context, 5*time.Second)
	defer cancel()
	return chromedp.Cancel(ctx)
}
