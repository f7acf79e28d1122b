package command

import (
	"bytes"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// A line is shown after two seconds of nothing, wiped by what is written, and shown again; beside a bar it is not.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen bytes.Buffer
		s := newSilence(&screen)
		out := watched{&screen, s}
		expect := func(what, want string) {
			t.Helper()
			synctest.Wait()
			if got := screen.String(); got != want {
				t.Errorf("%s: %q, expected %q", what, got, want)
			}
			screen.Reset()
		}
		time.Sleep(patience - time.Millisecond)
		expect("before", "")
		time.Sleep(2 * time.Millisecond)
		expect("after two seconds", working)
		fmt.Fprint(out, "a remark\n")
		expect("what is written", wipe+"a remark\n")
		time.Sleep(patience)
		expect("silence again", working)
		fmt.Fprint(out, wipe+"reading ███")
		time.Sleep(time.Hour)
		expect("a bar", wipe+wipe+"reading ███")
		fmt.Fprint(out, wipe)
		time.Sleep(patience)
		expect("no bar any more", wipe+working)
		s.end()
		time.Sleep(time.Hour)
		expect("the end", wipe)
	})
}
