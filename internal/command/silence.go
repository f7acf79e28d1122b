package command

import (
	"bytes"
	"io"
	"sync"
	"time"
)

// patience is how long a terminal may show nothing while a command works.
const patience = 2 * time.Second

const (
	working = "working …"
	wipe    = "\r\x1b[K"
)

// silence says on a terminal that a command works while nothing else is to be seen. What is written through it wipes the line.
type silence struct {
	terminal io.Writer
	mu       sync.Mutex
	timer    *time.Timer
	shown    bool
}

// breakSilence begins to watch both streams, if people look at them.
func (a *App) breakSilence() {
	if a.Quiet || !a.terminal {
		return
	}
	a.silence = newSilence(a.Stderr)
	a.Stderr = watched{a.Stderr, a.silence}
	a.Out.Reset(watched{a.stdout, a.silence})
}

func newSilence(terminal io.Writer) *silence {
	s := &silence{terminal: terminal}
	s.timer = time.AfterFunc(patience, s.show)
	return s
}

func (s *silence) show() {
	s.mu.Lock()
	defer s.mu.Unlock()
	io.WriteString(s.terminal, working)
	s.shown = true
}

// next makes place for what is written. The wait begins anew where that leaves the line empty; a bar that stands there is enough.
func (s *silence) next(text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer.Stop()
	if s.shown {
		io.WriteString(s.terminal, wipe)
		s.shown = false
	}
	if bytes.HasSuffix(text, []byte("\n")) || bytes.HasSuffix(text, []byte(wipe)) {
		s.timer.Reset(patience)
	}
}

// end wipes the line for good; a nil silence has none.
func (s *silence) end() {
	if s != nil {
		s.next(nil)
	}
}

// watched is a stream whose writes end a silence.
type watched struct {
	io.Writer
	silence *silence
}

func (w watched) Write(text []byte) (int, error) {
	w.silence.next(text)
	return w.Writer.Write(text)
}
