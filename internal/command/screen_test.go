package command

import (
	"bytes"
	"testing"
)

// A name from a stranger's table must not move the cursor or rename the window.
func TestNamesDoNotSteerTheTerminal(t *testing.T) {
	const name = "Ro\x1b]0;owned\x07ma\x1b[2J \u009b1A\tà la\r"
	for _, c := range []struct {
		terminal bool
		want     string
	}{
		{true, "\x1b[1mRo\uFFFD]0;owned\uFFFDma\uFFFD[2J \uFFFD1A\tà la\uFFFD\x1b[0m\n"},
		{false, "\x1b[1m" + name + "\x1b[0m\n"}, // for a program it stays what it is
	} {
		var out bytes.Buffer
		s := Screen{Writer: &out, Terminal: c.terminal, color: true}
		s.Printf("%s\n", s.Bold(name))
		if out.String() != c.want {
			t.Errorf("terminal %v: %q, want %q", c.terminal, &out, c.want)
		}
	}
}
