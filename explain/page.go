package explain

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"strings"
)

//go:embed page.html
var pageText string

// page fills the frame that all pages share. It asks for nothing from anywhere. The
// body is escaped where it is written.
func page(title, body string) string {
	return strings.NewReplacer("{{title}}", html.EscapeString(title), "{{body}}", body).Replace(pageText)
}

// HTML is the explanation as one page: the chain in words, the operator tree with each
// step's set and the grounding marked, the paths behind every predicted link, and the data.
func (e *Explanation) HTML() (string, error) {
	var b strings.Builder
	b.WriteString(fmt.Sprintf("<h1>%s</h1>\n", html.EscapeString(e.Title())))
	b.WriteString(fmt.Sprintf("<p><b>%s</b> <span class=\"%s\">%s</span></p>\n", html.EscapeString(Percent(e.Answer.Probability)), standingClass(e.Answer.Known), e.Verdict()))
	b.WriteString(fmt.Sprintf("<p><code>%s</code></p>\n", html.EscapeString(e.Query)))
	e.writeDerivation(&b)
	if links := e.predicted(); len(links) > 0 {
		b.WriteString("<h2>Why the predicted links</h2>\n")
		for i, l := range links {
			var c canvas
			c.reasons(i+1, l, 0)
			drawing(&b, c.svg("Paths that support "+l.Fact().String()))
		}
	}
	return finish(&b, e.Title(), e)
}

// writeDerivation draws the derivation and lists its links.
func (e *Explanation) writeDerivation(b *strings.Builder) {
	b.WriteString("<h2>The derivation</h2>\n")
	var c canvas
	c.edgeLegend(0)
	c.graph(e.Derivation, e.Links, 34+loopRoom(e.Derivation))
	drawing(b, c.svg("The question as a graph, with the values of its best derivation"))
	if e.Missing != "" {
		fmt.Fprintf(b, "<p>Nothing leads to it: <code>%s</code> is missing.</p>\n", html.EscapeString(e.Missing))
	}
	b.WriteString("<ul class=\"chain\">")
	e.chainHTML(b, e.Chain())
	b.WriteString("</ul>\n")
}

func drawing(b *strings.Builder, svg string) {
	b.WriteString("<div class=\"drawing\" tabindex=\"0\">" + svg + "</div>\n")
}

// finish adds the data behind a page.
func finish(b *strings.Builder, title string, data any) (string, error) {
	text, err := json.MarshalIndent(data, "", " ")
	if err != nil {
		return "", err
	}
	fmt.Fprintf(b, "<details><summary>The data</summary><pre>%s</pre></details>\n", html.EscapeString(string(text)))
	return page(title, b.String()), nil
}

// standingClass is the colour of what the graph states and of what it does not.
func standingClass(known bool) string {
	if known {
		return "known"
	}
	return "predicted"
}

func (e *Explanation) chainHTML(b *strings.Builder, lines []ChainLine) {
	for _, l := range lines {
		fmt.Fprintf(b, "<li>%s%s <span class=\"dim\">%s</span> ", html.EscapeString(l.Prefix()), html.EscapeString(l.Text), html.EscapeString(Percent(l.Probability)))
		if l.Negated {
			b.WriteString(`<span class="dim">in it</span>`)
		} else {
			fmt.Fprintf(b, `<span class="%s">%s</span>`, standingClass(l.Known), l.Standing())
		}
		if l.Variable != "" {
			fmt.Fprintf(b, ` <span class="pick">%s</span>`, html.EscapeString(l.Variable))
		}
		if len(l.Of) > 0 {
			b.WriteString("<ul>")
			e.chainHTML(b, l.Of)
			b.WriteString("</ul>")
		}
		b.WriteString("</li>\n")
	}
}
