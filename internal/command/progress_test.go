package command

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// Where nobody looks at a terminal long work writes a line now and then, with the time left, and no control characters.
func TestProgressInALog(t *testing.T) {
	var log bytes.Buffer
	p := &Progress{out: &log, lines: true, what: "scoring pairs", start: time.Now().Add(-2 * lineEvery)}
	p.Update(1, 4, "1 pair")
	p.Update(2, 4, "2 pairs") // too soon
	p.Done()
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "lacuna: scoring pairs  25 %  6m") || !strings.HasSuffix(got, "left  1 pair\n") {
		t.Errorf("%q", got)
	}
}

// What is done within a minute says nothing in a log.
func TestShortProgressIsSilent(t *testing.T) {
	var log bytes.Buffer
	p := (&App{Stderr: &log}).Progress("short")
	p.Update(1, 2, "")
	p.Done()
	if log.Len() > 0 {
		t.Errorf("%q", log.String())
	}
}
