package command

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// Progress draws a bar with the time left on a terminal, and elsewhere writes a line a minute.
// Its zero value is silent.
type Progress struct {
	out   io.Writer // nil: silent
	lines bool      // out is no terminal
	what  string
	start time.Time
	drawn time.Time
}

// isTerminal tells whether people look at a stream.
func isTerminal(stream io.Writer) bool {
	file, isFile := stream.(*os.File)
	return isFile && term.IsTerminal(int(file.Fd()))
}

// Progress starts a bar on stderr, unless the user wants quiet.
func (a *App) Progress(what string) *Progress {
	if a.Quiet {
		return &Progress{}
	}
	return &Progress{out: a.Stderr, lines: !a.terminal, what: what, start: time.Now()}
}

// A bar is drawn again after redrawEvery, a line written after lineEvery: a log of hours stays short.
const redrawEvery, lineEvery = 100 * time.Millisecond, time.Minute

// Update shows that done of total is finished; total ≤ 0 means unknown.
func (p *Progress) Update(done, total int64, remark string) {
	now, every := time.Now(), redrawEvery
	if p.lines {
		every = lineEvery
	}
	if p.out == nil || now.Sub(p.drawn) < every || now.Sub(p.start) < every {
		return
	}
	p.drawn = now
	begin, end := "\r\x1b[K", ""
	if p.lines {
		begin, end = "lacuna: ", "\n"
	}
	fmt.Fprint(p.out, begin, p.what, " ", p.standing(now, done, total), remark, end)
}

// standing is the bar, where there is a terminal, the share that is done and the time left.
func (p *Progress) standing(now time.Time, done, total int64) string {
	if total <= 0 {
		return ""
	}
	const width = 24
	share := min(1, float64(done)/float64(total))
	left := "…"
	if share > 0.01 {
		left = (time.Duration(float64(now.Sub(p.start))*(1/share-1)) + time.Second).Truncate(time.Second).String()
	}
	bar := ""
	if filled := int(share * width); !p.lines {
		bar = strings.Repeat("█", filled) + strings.Repeat("░", width-filled) + " "
	}
	return fmt.Sprintf("%s%3.0f %%  %s left  ", bar, 100*share, left)
}

// Done wipes the bar.
func (p *Progress) Done() {
	if p.out != nil && !p.lines && !p.drawn.IsZero() {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
