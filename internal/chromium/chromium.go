// Package chromium drives a headless Chromium for tests of the page: open, type, press,
// look, take a picture. It speaks the DevTools protocol over the browser's pipe, JSON
// messages that end in a zero byte, so that it needs neither a port nor a library.
package chromium

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"
)

// Names under which distributions install it.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// ErrMissing says that no Chromium is installed.
var ErrMissing = errors.New("no Chromium is installed (scripts/install-chromium.sh installs it)")

// Find gives the path of an installed Chromium.
func Find() (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrMissing
}

// Browser is a running Chromium.
type Browser struct {
	command *exec.Cmd
	conn    *conn
	profile string
}

// Start runs a headless Chromium with a fresh profile. It ends with Close or with ctx.
func Start(ctx context.Context) (*Browser, error) {
	path, err := Find()
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp("", "chromium-*")
	if err != nil {
		return nil, err
	}
	b := &Browser{profile: profile}
	// The sandbox needs privileges that containers lack; the page under test is our own.
	b.command = exec.CommandContext(ctx, path,
		"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-extensions", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--hide-scrollbars", "--force-color-profile=srgb", "--font-render-hinting=none",
		"--remote-debugging-pipe", "--user-data-dir="+profile, "about:blank")
	b.command.WaitDelay = 5 * time.Second
	if err := b.start(); err != nil {
		os.RemoveAll(profile)
		return nil, err
	}
	return b, nil
}

// start connects the pipe: the browser reads commands from descriptor 3 and writes to 4.
func (b *Browser) start() error {
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return err
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		return err
	}
	b.command.ExtraFiles = []*os.File{theirIn, theirOut}
	err = b.command.Start()
	theirIn.Close()
	theirOut.Close()
	if err != nil {
		ourIn.Close()
		ourOut.Close()
		return err
	}
	b.conn = newConn(ourIn, ourOut)
	return nil
}

// Close ends the browser and removes its profile.
func (b *Browser) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = b.conn.call(ctx, "", "Browser.close", nil, nil)
	b.conn.close()
	if ctx.Err() != nil {
		_ = b.command.Process.Kill()
	}
	_ = b.command.Wait() // the exit status of a browser that was told to end says nothing
	return os.RemoveAll(b.profile)
}
