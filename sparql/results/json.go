package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/sparql/term"
)

// jsonWriter writes the SPARQL 1.1 Query Results JSON Format.
type jsonWriter struct {
	out   *bufio.Writer
	names []string // of the variables, quoted
	rows  int
	cut   *Cut // nil for none

	warnings func() []string // see Results

	probability *float32 // of a predicted ASK, nil of others
	known       *bool
}

func (w *jsonWriter) boolean(truth bool) {
	w.out.WriteString(`{"head":{`)
	w.writeCut("")
	w.out.WriteString(`},"boolean":` + strconv.FormatBool(truth))
	if w.probability != nil {
		w.out.WriteString(`,"probability":` + strconv.FormatFloat(float64(*w.probability), 'g', -1, 32) + `,"known":` + strconv.FormatBool(*w.known))
	}
	w.writeWarnings()
	w.out.WriteString("}\n")
}

// writeWarnings writes the member that says what the graph lacks.
func (w *jsonWriter) writeWarnings() {
	if all := w.warnings(); len(all) > 0 {
		quoted := make([]string, len(all))
		for i, text := range all {
			quoted[i] = quoteJSON(text)
		}
		w.out.WriteString(`,"warnings":[` + strings.Join(quoted, ",") + "]")
	}
}

// writeCut writes the member of the head that says what was left out.
func (w *jsonWriter) writeCut(before string) {
	if w.cut == nil {
		return
	}
	text, err := json.Marshal(w.cut)
	if err != nil {
		panic(err) // numbers that are finite and a word
	}
	w.out.WriteString(before + `"cut":` + string(text))
}

func (w *jsonWriter) head(vars []string) {
	w.out.WriteString(`{"head":{"vars":[`)
	for i, name := range vars {
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.names = append(w.names, quoteJSON(name))
		w.out.WriteString(w.names[i])
	}
	w.out.WriteByte(']')
	w.writeCut(",")
	w.out.WriteString(`},"results":{"bindings":[`)
}

func (w *jsonWriter) row(terms []term.Term) {
	if w.rows++; w.rows > 1 {
		w.out.WriteByte(',')
	}
	w.out.WriteString("\n{")
	cells := 0
	for i, t := range terms {
		if t.Kind == term.Unbound {
			continue
		}
		if cells++; cells > 1 {
			w.out.WriteByte(',')
		}
		w.out.WriteString(w.names[i] + ":")
		w.term(t)
	}
	w.out.WriteByte('}')
}

func (w *jsonWriter) term(t term.Term) {
	switch t.Kind {
	case term.Blank:
		w.out.WriteString(`{"type":"bnode","value":`)
	case term.IRI:
		w.out.WriteString(`{"type":"uri","value":`)
	case term.Triple:
		w.triple(t)
		return
	default:
		w.out.WriteString(`{"type":"literal","value":`)
	}
	w.text(t.Value)
	if language, direction := t.LanguageParts(); language != "" {
		w.out.WriteString(`,"xml:lang":` + quoteJSON(language))
		if direction != "" {
			w.out.WriteString(`,"its:dir":` + quoteJSON(direction))
		}
	} else if t.Datatype != "" {
		w.out.WriteString(`,"datatype":` + quoteJSON(t.Datatype))
	}
	w.out.WriteByte('}')
}

// triple writes a triple term.
func (w *jsonWriter) triple(t term.Term) {
	w.out.WriteString(`{"type":"triple","value":{`)
	parts, _ := t.Parts()
	for i, name := range []string{`"subject":`, `,"predicate":`, `,"object":`} {
		w.out.WriteString(name)
		w.term(parts[i])
	}
	w.out.WriteString("}}")
}

// text writes a string piece by piece: quoted, a long one would take six times its memory.
func (w *jsonWriter) text(text string) {
	const most = 1 << 15
	w.out.WriteByte('"')
	for len(text) > 0 {
		length := min(most, len(text))
		for length < len(text) && !utf8.RuneStart(text[length]) {
			length++
		}
		quoted := quoteJSON(text[:length])
		w.out.WriteString(quoted[1 : len(quoted)-1])
		text = text[length:]
	}
	w.out.WriteByte('"')
}

func (w *jsonWriter) end() {
	w.out.WriteString("\n]}")
	w.writeWarnings()
	w.out.WriteString("}\n")
}

func quoteJSON(text string) string {
	if strings.IndexFunc(text, func(char rune) bool { return char < ' ' || char > '~' || char == '"' || char == '\\' }) < 0 {
		return `"` + text + `"`
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(err) // a string can always be encoded
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
