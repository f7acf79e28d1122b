package command

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// progress draws a bar with the time left on a terminal, and nothing elsewhere.
// Its zero value is silent.
type Progress struct {
	out   io.Writer // nil: silent
	what  string
	start time.Time
	drawn time.Time
}

// isTerminal tells whether people look at a stream.
func isTerminal(stream io.Writer) bool {
	file, isFile := stream.(*os.File)
	return isFile && term.IsTerminal(int(file.Fd()))
}

// Progress starts a bar on stderr, unless that is no terminal or the user wants quiet.
func (a *App) Progress(what string) *Progress {
	if a.Quiet || !a.terminal {
		return &Progress{}
	}
	return &Progress{out: a.Stderr, what: what, start: time.Now()}
}

const redrawEvery = 100 * time.Millisecond

// update shows that done of total is finished; total ≤ 0 means unknown.
func (p *Progress) Update(done, total int64, remark string) {
	now := time.Now()
	if p.out == nil || now.Sub(p.drawn) < redrawEvery || now.Sub(p.start) < redrawEvery {
		return
	}
	p.drawn = now
	if total <= 0 {
		fmt.Fprintf(p.out, "\r\x1b[K%s %s", p.what, remark)
		return
	}
	const width = 24
	share := min(1, float64(done)/float64(total))
	filled := int(share * width)
	left := "…"
	if share > 0.01 {
		left = (time.Duration(float64(now.Sub(p.start))*(1/share-1)) + time.Second).Truncate(time.Second).String()
	}
	fmt.Fprintf(p.out, "\r\x1b[K%s %s%s %3.0f %%  %s left  %s", p.what,
		strings.Repeat("█", filled), strings.Repeat("░", width-filled), 100*share, left, remark)
}

// done wipes the bar.
func (p *Progress) Done() {
	if p.out != nil && !p.drawn.IsZero() {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
