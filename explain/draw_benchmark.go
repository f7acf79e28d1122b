package explain

import (
	"fmt"
	"html"
	"strings"
)

// The paper's table: a row for each variable, its easy and hard entities in columns.

const (
	columnWidth = 200.0
	nameWidth   = 60.0
)

// SVG draws the table.
func (v *Visualisation) SVG() string {
	var c canvas
	y := c.formula("b", v.Query, 14)
	c.text("d s", 0, y+2, v.caption())
	y += 28
	for i, heading := range []string{"easy", "hard", "", "random truth"} {
		c.text("d b", nameWidth+columnWidth*float64(i), y, heading)
	}
	c.text("d b", nameWidth+4*columnWidth, y, "rank")
	y += 10
	for _, variable := range v.Variables {
		y = c.variable(variable, y)
	}
	c.verdicts(y + 10)
	c.reach(nameWidth+4*columnWidth+60, y+30)
	return c.svg(v.caption() + ": " + v.Query)
}

func (v *Visualisation) caption() string {
	return strings.TrimSpace(fmt.Sprintf("%s query %d of the shape %s; top predictions of probability 0.1 or more; truth drawn by seed %d", v.Split, v.Index, v.Shape, v.Seed))
}

func (c *canvas) variable(v Variable, y float64) float64 {
	c.add(`<path class="link" d="M0 %.1f H%.1f"/>`, y, nameWidth+4*columnWidth+60)
	y += 8
	end := c.title(v.Operator)
	c.text("b", 0, y+14, v.Name)
	c.text("d s", 0, y+30, size(v.Cardinality))
	end()
	half := (shownHard + 1) / 2
	c.judged(v.Easy, 0, y)
	c.judged(v.Hard[:min(half, len(v.Hard))], 1, y)
	c.judged(v.Hard[min(half, len(v.Hard)):], 2, y)
	if t := v.Truth; t != nil {
		c.text("", nameWidth+3*columnWidth, y+14, fit(t.Entity, columnWidth-16))
		c.text("d s", nameWidth+3*columnWidth, y+30, ease(t.Known))
		c.text("b", nameWidth+4*columnWidth, y+14, fmt.Sprintf("%g", t.Rank))
	}
	return y + lineRoom*shownEasy + 10
}

func (c *canvas) judged(all []Judged, column int, y float64) {
	x := nameWidth + columnWidth*float64(column)
	for i, j := range all {
		at := y + lineRoom*float64(i)
		end := c.title(fmt.Sprintf("%s: %.3f, %s", j.Entity, j.Probability, verdict(j.True)))
		c.rect(verdictShade(j.True), x, at+2, (columnWidth-16)*float64(j.Probability), lineRoom-3, 2)
		c.text("s", x+5, at+14, fit(j.Entity, columnWidth-58))
		c.text("s e", x+columnWidth-20, at+14, Percent(j.Probability))
		end()
	}
	if len(all) == 0 && column < 2 {
		c.text("d s", x+5, y+14, "–")
	}
}

func (c *canvas) verdicts(y float64) {
	c.rect("k", 0, y, 12, 12, 2)
	c.text("d s", 18, y+10, "true by traversal of the full graph")
	c.rect("x", 240, y, 12, 12, 2)
	c.text("d s", 258, y+10, "false")
}

func verdict(isTrue bool) string {
	if isTrue {
		return "true"
	}
	return "false"
}

func verdictShade(isTrue bool) string {
	if isTrue {
		return "k"
	}
	return "x"
}

func ease(known bool) string {
	if known {
		return "easy"
	}
	return "hard"
}

// HTML is the table as one page.
func (v *Visualisation) HTML() (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "<h1>%s</h1>\n<p class=\"dim\">%s</p>\n<p class=\"dim\"><code>%s</code></p>\n",
		html.EscapeString(v.Query), html.EscapeString(v.caption()), html.EscapeString(v.Operators))
	b.WriteString("<h2>Top predictions and a random true grounding</h2>\n")
	b.WriteString("<div class=\"table\" tabindex=\"0\"><table><tr><th>variable</th><th>easy</th><th>hard</th><th>random truth</th><th>filtered rank</th></tr>\n")
	for _, variable := range v.Variables {
		fmt.Fprintf(&b, "<tr><td><b>%s</b> = <code>%s</code><br><span class=\"dim\">%s expected, %d easy and %d hard are true</span></td><td>%s</td><td>%s</td>%s</tr>\n",
			html.EscapeString(variable.Name), html.EscapeString(variable.Operator), size(variable.Cardinality),
			variable.TrueEasy, variable.TrueHard, judgedHTML(variable.Easy), judgedHTML(variable.Hard), truthHTML(variable.Truth))
	}
	b.WriteString("</table></div>\n<p class=\"dim\"><span class=\"known\">✓</span> true by traversal of the full graph, <span class=\"wrong\">✗</span> false</p>\n<h2>Drawn</h2>\n")
	drawing(&b, v.SVG())
	return finish(&b, v.Query, v)
}

func judgedHTML(all []Judged) string {
	var lines []string
	for _, j := range all {
		mark := `<span class="known">✓</span>`
		if !j.True {
			mark = `<span class="wrong">✗</span>`
		}
		lines = append(lines, fmt.Sprintf(`%s %s <span class="dim">%s</span>`, mark, html.EscapeString(j.Entity), html.EscapeString(Percent(j.Probability))))
	}
	if len(lines) == 0 {
		return "–"
	}
	return strings.Join(lines, "<br>")
}

func truthHTML(t *Truth) string {
	if t == nil {
		return "<td>–</td><td>–</td>"
	}
	return fmt.Sprintf(`<td>%s<br><span class="dim">%s, %s</span></td><td><b>%g</b></td>`, html.EscapeString(t.Entity), ease(t.Known), html.EscapeString(Percent(t.Probability)), t.Rank)
}

// size is the predicted number of members.
func size(cardinality float64) string {
	if cardinality < 9.95 && cardinality != float64(int(cardinality)) {
		return fmt.Sprintf("%.1f", cardinality)
	}
	return fmt.Sprintf("%.0f", cardinality)
}
