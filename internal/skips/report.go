package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// event is a line of go test -json (go doc test2json).
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

// report follows a run of go test.
type report struct {
	out      io.Writer
	verbose  bool
	packages map[string]*suite
	failed   bool
	skips    skipList
}

// suite is what a package's tests have said so far, in order.
type suite struct {
	lines []line
	ended map[string]string // test => how it ended: pass, skip or fail
}

type line struct{ test, text string }

func newReport(out io.Writer, verbose bool) *report {
	return &report{out: out, verbose: verbose, packages: map[string]*suite{}}
}

// read follows the events to their end. What is no event, as the go command prints some
// errors, is passed on as it is.
func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		text, err := lines.ReadString('\n')
		if text != "" {
			r.line(text)
		}
		switch {
		case errors.Is(err, io.EOF):
			if r.failed {
				fmt.Fprintln(r.out, "FAIL") // as go test ends
			}
			return nil
		case err != nil:
			return err
		}
	}
}

func (r *report) line(text string) {
	var e event
	if json.Unmarshal([]byte(text), &e) != nil || e.Action == "" {
		fmt.Fprint(r.out, text)
		return
	}
	r.event(e)
}

func (r *report) event(e event) {
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		r.output(e)
	case "pass", "fail", "skip":
		s := r.suite(e.Package)
		if e.Test != "" {
			s.ended[e.Test] = e.Action
			break
		}
		r.finish(e.Package, s, e.Action)
	}
}

func (r *report) suite(name string) *suite {
	if r.packages[name] == nil {
		r.packages[name] = &suite{ended: map[string]string{}}
	}
	return r.packages[name]
}

func (r *report) output(e event) {
	if r.verbose {
		fmt.Fprint(r.out, e.Output)
	}
	s := r.suite(e.Package)
	s.lines = append(s.lines, line{e.Test, e.Output})
}

// finish prints a package as go test does: its last line if all passed, else all that
// concerns the tests that failed or never ended.
func (r *report) finish(name string, s *suite, action string) {
	r.failed = r.failed || action == "fail"
	r.skips.addFrom(name, s)
	for _, l := range s.lines {
		if !r.verbose && s.shown(l, action) {
			fmt.Fprint(r.out, l.text)
		}
	}
	delete(r.packages, name)
}

func (s *suite) shown(l line, action string) bool {
	if action != "fail" {
		return l.test == "" && isPackageLine(l.text)
	}
	how := s.ended[l.test] // "" for the package itself and for a test that never ended
	return (how == "" || how == "fail") && !strings.HasPrefix(l.text, "=== ")
}

// isPackageLine tells whether a line is the one that go test prints of a package that passed.
func isPackageLine(text string) bool {
	return strings.HasPrefix(text, "ok  \t") || strings.HasPrefix(text, "?   \t")
}
