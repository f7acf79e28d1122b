package results

import (
	"bufio"
	"bytes"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/sparql/term"
)

// csvWriter writes the SPARQL 1.1 Query Results CSV Format, which tells neither
// IRIs from literals nor types apart. For a truth value it has no form; ours is one
// word on a line.
type csvWriter struct{ out *bufio.Writer }

func (w *csvWriter) boolean(truth bool) { w.out.WriteString(strconv.FormatBool(truth) + "\r\n") }
func (w *csvWriter) head(vars []string) { w.line(vars) }
func (w *csvWriter) end()               {}

func (w *csvWriter) row(terms []term.Term) {
	cells := make([]string, len(terms))
	for i, t := range terms {
		if cells[i] = t.Value; t.Kind == term.Blank || t.Kind == term.Triple {
			cells[i] = t.String()
		}
	}
	w.line(cells)
}

func (w *csvWriter) line(cells []string) {
	for i, cell := range cells {
		if i > 0 {
			w.out.WriteByte(',')
		}
		if strings.ContainsAny(cell, "\",\r\n") {
			cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
		w.out.WriteString(cell)
	}
	w.out.WriteString("\r\n")
}

// tsvWriter writes the SPARQL 1.1 Query Results TSV Format: terms as in Turtle.
type tsvWriter struct {
	out  *bufio.Writer
	cell []byte // the last one, whose memory serves the next
}

func (w *tsvWriter) boolean(truth bool) { w.out.WriteString(strconv.FormatBool(truth) + "\n") }
func (w *tsvWriter) end()               {}

func (w *tsvWriter) head(vars []string) {
	cells := make([]string, len(vars))
	for i, name := range vars {
		cells[i] = "?" + name
	}
	w.out.WriteString(strings.Join(cells, "\t") + "\n")
}

func (w *tsvWriter) row(terms []term.Term) {
	for i, t := range terms {
		if i > 0 {
			w.out.WriteByte('\t')
		}
		if t.Kind == term.Unbound {
			continue
		}
		w.cell = t.Append(w.cell[:0])
		if bytes.IndexByte(w.cell, '\t') >= 0 {
			w.cell = bytes.ReplaceAll(w.cell, []byte("\t"), []byte(`\t`))
		}
		_, _ = w.out.Write(w.cell) // an error stays in the buffered writer
	}
	w.out.WriteByte('\n')
}
