package explain

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/kg"
)

// canvas collects the elements of an SVG and the room they take.
type canvas struct {
	body          strings.Builder
	width, height float64
}

// style gives the drawing its colours, light or dark as the viewer is. It knows no
// variables: some viewers of SVG do not.
const style = `text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:#1b1f24}
.b{font-weight:600}.d{fill:#5b6570}.s{font-size:11px}.e{text-anchor:end}.m{text-anchor:middle}
.bg{fill:#ffffff}.card{fill:#f6f8fa;stroke:#c9d1d9}.on{stroke:#8250df;stroke-width:2}.not{stroke:#cf222e;stroke-width:2;stroke-dasharray:5 3}
.link{fill:none;stroke:#c9d1d9;stroke-width:1.5}.way{stroke:#8250df;stroke-width:2.5}.no{stroke:#cf222e;stroke-width:2.5;stroke-dasharray:5 3}
.ek{stroke:#1a7f37;stroke-width:2}.ep{stroke:#bf8700;stroke-width:2.5;stroke-dasharray:7 3}.tway{fill:#8250df}.tek{fill:#1a7f37}.tep{fill:#bf8700}.tno{fill:#cf222e}
.k{fill:#9bd8a8}.p{fill:#ffd37a}.x{fill:#f2a3a3}.g{fill:#d8dee4}.pick{fill:#e9ddff}.arrow{fill:#8250df}.c{fill:#0969da}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.d{fill:#9aa4af}.bg{fill:#0d1117}.card{fill:#161b22;stroke:#3d444d}
.link{stroke:#3d444d}.on,.way{stroke:#ab7df8}.not,.no{stroke:#f85149}.ek{stroke:#3fb950}.ep{stroke:#d29922}.tway{fill:#ab7df8}.tek{fill:#3fb950}.tep{fill:#d29922}.tno{fill:#f85149}.k{fill:#1f6f3a}.p{fill:#8a5a00}.x{fill:#8e2b2b}.g{fill:#30363d}.pick{fill:#3c2a66}.arrow{fill:#ab7df8}.c{fill:#58a6ff}}`

func (c *canvas) add(format string, args ...any) { fmt.Fprintf(&c.body, format+"\n", args...) }

// reach makes the drawing at least so large.
func (c *canvas) reach(x, y float64) {
	c.width, c.height = max(c.width, x), max(c.height, y)
}

func (c *canvas) rect(class string, x, y, w, h, round float64) {
	c.add(`<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%.1f"/>`, class, x, y, max(w, 0), h, round)
	c.reach(x+w, y+h)
}

func (c *canvas) text(class string, x, y float64, text string) {
	c.add(`<text class="%s" x="%.1f" y="%.1f">%s</text>`, class, x, y, html.EscapeString(text))
}

// title is what a viewer shows when the pointer rests on what follows, up to the call of the result.
func (c *canvas) title(text string) (end func()) {
	c.add(`<g><title>%s</title>`, html.EscapeString(text))
	return func() { c.add(`</g>`) }
}

// svg is the whole file.
func (c *canvas) svg(label string) string {
	const margin = 16
	w, h := c.width+2*margin, c.height+2*margin
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="%s" viewBox="%d %d %.0f %.0f" width="%.0f" height="%.0f">
<style>%s</style>
<rect class="bg" x="%d" y="%d" width="%.0f" height="%.0f"/>
%s</svg>
`, html.EscapeString(label), -margin, -margin, w, h, w, h, style, -margin, -margin, w, h, c.body.String())
}

// letter is the width of a character on average, in the drawing's font.
const letter = 6.6

// fit cuts text to what fits into a width.
func fit(text string, width float64) string {
	most := int(width / letter)
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:max(0, most-1)]) + "…"
}

func widthOf(text string) float64 { return letter * float64(utf8.RuneCountInString(text)) }

// formula writes a formula at a height, broken before connectives where it is long, and gives where it ends.
func (c *canvas) formula(class, text string, y float64) float64 {
	const most = 120
	for len(text) > 0 {
		line, rest := breakFormula(text, most)
		c.text(class, 0, y, line)
		c.reach(widthOf(line), y)
		text, y = rest, y+16
	}
	return y
}

// breakFormula cuts at the last connective before a number of characters, or else at the first.
func breakFormula(text string, most int) (line, rest string) {
	if utf8.RuneCountInString(text) <= most {
		return text, ""
	}
	at := -1
	for i := 1; i < len(text); i++ {
		if !strings.HasPrefix(text[i:], " ∧ ") && !strings.HasPrefix(text[i:], " ∨ ") {
			continue
		}
		if at > 0 && utf8.RuneCountInString(text[:i]) > most {
			break
		}
		at = i
	}
	if at < 0 {
		return text, ""
	}
	return text[:at], text[at+1:]
}

// Standing says in a word what speaks for a member: the graph, rules that imply it, the model, or nothing.
func Standing(known bool, implied string, probability float32) string {
	switch {
	case implied != "":
		return "implied by " + implied
	case known:
		return "known"
	case probability <= 0:
		return "not found"
	}
	return "predicted"
}

// Percent is a probability in four characters, as answers have it: only what is impossible is 0.00, and only what is certain 1.00.
func Percent(p float32) string {
	switch {
	case p > 0 && p < 0.01:
		return "<.01"
	case p >= 0.995 && p < 1:
		return ">.99"
	}
	return fmt.Sprintf("%.2f", p)
}

// perMille is a probability to three digits; what is above 0 is never 0.000.
func perMille(p float32) string {
	if p > 0 && p < 0.001 {
		return "<.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// leastShown is the probability below which next to nothing speaks for an entity or a link.
const leastShown = 0.005

// Fact is the link as a fact of its relation, whichever way the step read it.
func (l Link) Fact() Fact {
	f := Fact{Head: l.Head, HeadID: l.HeadID, Relation: l.Relation, Tail: l.Tail, TailID: l.TailID}
	if base, inverse := strings.CutSuffix(l.Relation, kg.InverseMark); inverse {
		f = Fact{Head: l.Tail, HeadID: l.TailID, Relation: base, Tail: l.Head, TailID: l.HeadID}
	}
	return f
}

// String is the fact as a question states it: University(Yann LeCun, New York University).
func (f Fact) String() string { return f.Relation + "(" + f.Head + ", " + f.Tail + ")" }

// Ends are where a path enters and leaves the edge.
func (e Edge) Ends() (from, to string) {
	if e.Inverse {
		return e.Tail, e.Head
	}
	return e.Head, e.Tail
}

// lineRoom is the height of a line.
const lineRoom = 19.0
