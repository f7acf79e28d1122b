package explain

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/count"
)

// The reasons of a link: its paths as rows of entities joined by relations, the weight of
// each as a bar, and what became of the prediction without them.

const (
	chipRoom   = 24.0
	chipMost   = 190.0
	pathIndent = 86.0
)

// reasons draws a predicted link at a height of the canvas and gives where it ends.
func (c *canvas) reasons(number int, l Link, top float64) float64 {
	c.text("b", 0, top+14, fmt.Sprintf("%d   %s", number, l.Fact()))
	c.text("d s", 0, top+31, fmt.Sprintf("probability %s, %s; the paths that contribute most, by weight of a step:", Percent(l.Probability), Standing(l.Known, l.Implied, l.Probability)))
	y := top + 44
	for _, p := range l.Paths {
		c.path(p, l.Paths[0].Weight, y)
		y += chipRoom + 12
	}
	if len(l.Paths) == 0 {
		c.text("d", pathIndent, y+14, "no path supports it")
		y += chipRoom + 8
	}
	if l.Counterfactual != nil {
		y = c.counterfactual(l.Counterfactual, y+8)
	}
	c.reach(chipMost*4, y)
	return y
}

func (c *canvas) path(p Path, best, y float64) {
	c.rect("p", 0, y+4, 40*p.Weight/best, chipRoom-8, 2)
	c.text("s e", pathIndent-10, y+16, fmt.Sprintf("%.2g", p.Weight))
	start, _ := p.Edges[0].Ends()
	x := c.chip(start, pathIndent, y)
	for _, e := range p.Edges {
		_, to := e.Ends()
		x = c.arrow(e, x, y)
		x = c.chip(to, x, y)
	}
	c.text("d s", x+8, y+16, p.AlikeText())
}

// chip is an entity on a path.
func (c *canvas) chip(name string, x, y float64) float64 {
	text := fit(name, chipMost-18)
	w := widthOf(text) + 18
	end := c.title(name)
	c.rect("card", x, y, w, chipRoom, chipRoom/2)
	c.text("s m", x+w/2, y+16, text)
	end()
	return x + w
}

// arrow is a fact on a path, pointing from its head to its tail.
func (c *canvas) arrow(e Edge, x, y float64) float64 {
	text := fit(ShortRelation(e.Relation), chipMost)
	w := widthOf(text)*0.92 + 26
	middle, from, to := y+chipRoom/2+3, x+4, x+w-4
	end := c.title(fmt.Sprintf("%s: weight %.3g", e.Fact, e.Weight))
	defer end()
	c.add(`<path class="link way" d="M%.1f %.1f H%.1f"/>`, from, middle, to)
	tip, back := to+2, to-6
	if e.Inverse {
		tip, back = from-2, from+6
	}
	c.add(`<path class="arrow" d="M%.1f %.1f L%.1f %.1f L%.1f %.1f Z"/>`, tip, middle, back, middle-4, back, middle+4)
	c.text("d s m", x+w/2, y+9, text)
	return x + w
}

// ShortRelation keeps the last part of names that are addresses: /film/film/genre is genre.
func ShortRelation(name string) string {
	if at := strings.LastIndexAny(strings.TrimRight(name, "/#"), "/#"); at >= 0 && at+1 < len(name) {
		return name[at+1:]
	}
	return name
}

// FitRelation is a relation's name in so many characters: whole, or its last part behind an
// ellipsis, which says more than the beginning of an address.
func FitRelation(name string, most int) string {
	if utf8.RuneCountInString(name) <= most {
		return name
	}
	if last := ShortRelation(name); last != name && utf8.RuneCountInString(last)+2 <= most {
		return "…/" + last
	}
	return string([]rune(name)[:max(0, most-1)]) + "…"
}

func (c *canvas) counterfactual(f *Counterfactual, y float64) float64 {
	bar := func(label string, p float32, class string) {
		c.text("s d e", 262, y+12, label)
		c.rect(class, 272, y+2, 200*float64(p), 12, 2)
		c.text("s", 272+200*float64(p)+6, y+12, Percent(p))
		y += lineRoom
	}
	bar("with all facts", f.Before, "p")
	bar(fmt.Sprintf("without %s of these paths", count.Of(len(f.Removed), "fact")), f.After, "x")
	if f.Control != nil {
		bar(fmt.Sprintf("without %s nearby at random", count.Of(f.Control.Removed, "fact")), f.Control.After, "g")
	}
	return y
}

// SVG draws the derivation as a graph, then the reasons of every predicted link.
func (e *Explanation) SVG() string {
	var c canvas
	c.text("b", 0, 14, fmt.Sprintf("%s   %s, %s", e.Title(), Percent(e.Answer.Probability), e.Verdict()))
	y := c.formula("d", e.Query, 34)
	c.edgeLegend(y)
	c.graph(e.Derivation, e.Links, y+34+loopRoom(e.Derivation))
	y = c.height + 40
	for i, l := range e.predicted() {
		y = c.reasons(i+1, l, y) + 28
	}
	return c.svg(e.Title() + " " + e.Query)
}

// loopRoom is what links from a node to itself need above the first row.
func loopRoom(p *Picture) float64 {
	if slices.ContainsFunc(p.Edges, func(e PictureEdge) bool { return e.From == e.To }) {
		return 50
	}
	return 20 + spread // for links that are bent
}

// edgeLegend says what the lines mean.
func (c *canvas) edgeLegend(y float64) {
	x := 0.0
	for _, entry := range [][2]string{{"ek", "known"}, {"ep", "predicted"}, {"no", "not found, or asked not to be"}} {
		c.add(`<path class="link %s" d="M%.1f %.1f H%.1f"/>`, entry[0], x, y+6, x+26)
		c.text("d s", x+32, y+10, entry[1])
		x += 50 + widthOf(entry[1])
	}
}

// predicted are the links that have reasons.
func (e *Explanation) predicted() []Link {
	return slices.DeleteFunc(slices.Clone(e.Links), func(l Link) bool {
		return l.Known || l.Probability < leastShown
	})
}
