package mcp

import (
	"fmt"
	"strings"

	"github.com/lacuna-kg/lacuna/explain"
)

// reasons is an explanation in words. A model passes them on; as JSON they take ten times
// the room. Paths are lists of facts: which way they are walked matters little to a reader.
func reasons(e *explain.Explanation) string {
	var b strings.Builder
	switch {
	case e.Answers():
		fmt.Fprintf(&b, "Why %s answers %s\n", e.Answer.Entity, e.Query)
	case e.IsWhyNot():
		fmt.Fprintf(&b, "Why %s does not answer %s: its probability is below %.2f\n", e.Answer.Entity, e.Query, e.Threshold)
	default:
		fmt.Fprintf(&b, "Why %s may answer %s: %s\n", e.Answer.Entity, e.Query, e.Verdict())
	}
	if e.Missing != "" {
		fmt.Fprintf(&b, "Nothing leads to it. This link is missing: %s\n", e.Missing)
	}
	b.WriteString("\nThe links that lead to it:\n")
	writeChain(&b, e.Chain(), "")
	for _, l := range e.Links {
		if !l.Known {
			writeLink(&b, l)
		}
	}
	return b.String()
}

func writeChain(b *strings.Builder, lines []explain.ChainLine, indent string) {
	for _, l := range lines {
		fmt.Fprintf(b, "%s- %s%s: %s, %s", indent, l.Prefix(), l.Text, explain.Percent(l.Probability), l.Standing())
		if l.Variable != "" {
			fmt.Fprintf(b, "; %s", l.Variable)
		}
		b.WriteByte('\n')
		writeChain(b, l.Of, indent+"  ")
	}
}

func writeLink(b *strings.Builder, l explain.Link) {
	fmt.Fprintf(b, "\n%s is not stated. The model gives it %s. ", l.Fact(), explain.Percent(l.Probability))
	if len(l.Paths) == 0 {
		b.WriteString("No stated facts support it.\n")
		return
	}
	b.WriteString("Stated facts that support it, the most important path first:\n")
	for _, p := range l.Paths {
		facts := make([]string, len(p.Edges))
		for i, edge := range p.Edges {
			facts[i] = edge.Fact.String()
		}
		line := fmt.Sprintf("- weight %.2g: %s", p.Weight, strings.Join(facts, ", "))
		if p.Alike > 0 {
			line += ", " + p.AlikeText()
		}
		b.WriteString(line + "\n")
	}
	if c := l.Counterfactual; c != nil {
		fmt.Fprintf(b, "Without these facts (%d) it would be %.2f", len(c.Removed), c.After)
		if c.Control != nil {
			fmt.Fprintf(b, ", without as many others nearby %.2f", c.Control.After)
		}
		b.WriteString(".\n")
	}
}
