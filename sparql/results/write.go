package results

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Format is a way to write results.
type Format string

// The formats of the recommendations, in the order in which they are preferred.
const (
	JSON Format = "json"
	XML  Format = "xml"
	CSV  Format = "csv"
	TSV  Format = "tsv"

	Turtle   Format = "turtle"
	NTriples Format = "ntriples"
	RDFXML   Format = "rdfxml"
	JSONLD   Format = "jsonld"
)

// Formats are all those of truth values and solutions; GraphFormats those of triples.
var (
	Formats      = []Format{JSON, XML, CSV, TSV}
	GraphFormats = []Format{Turtle, NTriples, RDFXML, JSONLD}
)

// FormatsOf are the formats for what a query gives: triples or anything else.
func FormatsOf(graph bool) []Format {
	if graph {
		return GraphFormats
	}
	return Formats
}

func listed(formats []Format) string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = string(f)
	}
	return strings.Join(names, ", ")
}

// ParseFormat reads the name of a format.
func ParseFormat(name string) (Format, error) {
	for _, f := range slices.Concat(Formats, GraphFormats) {
		if name == string(f) {
			return f, nil
		}
	}
	return "", kg.Errorf(kg.Invalid, "", "format %q: expected json, xml, csv, tsv, turtle, ntriples, rdfxml or jsonld", name)
}

// MediaType is what the format is called in HTTP.
func (f Format) MediaType() string {
	switch f {
	case XML:
		return "application/sparql-results+xml"
	case CSV:
		return "text/csv; charset=utf-8"
	case TSV:
		return "text/tab-separated-values; charset=utf-8"
	case Turtle:
		return "text/turtle; charset=utf-8"
	case NTriples:
		return "application/n-triples"
	case RDFXML:
		return "application/rdf+xml"
	case JSONLD:
		return "application/ld+json"
	}
	return "application/sparql-results+json"
}

// resultWriter writes one format, solution by solution.
type resultWriter interface {
	boolean(truth bool)
	head(vars []string)
	row(terms []term.Term)
	end()
}

// Write writes the results as a stream; nothing is kept in memory. After an error
// of the evaluation what was written is whole rows, and not a whole document.
func (r *Results) Write(w io.Writer, f Format) error {
	out := bufio.NewWriter(w)
	err := r.write(out, f)
	return cmp.Or(err, out.Flush())
}

// Unfinished ends a document after whole rows with the error that stopped it, so that no reader takes it for a whole one. CSV and
// TSV have no way to say that.
func (f Format) Unfinished(kind, message string) (tail string, ok bool) {
	line := strings.Join(strings.Fields(message), " ")
	switch f {
	case CSV, TSV:
		return "", false
	case JSON: // a member, and no brace at the end
		return "\n]},\"error\":{\"kind\":" + quoteJSON(kind) + ",\"message\":" + quoteJSON(message) + "}\n", true
	case JSONLD:
		return "\n{\"error\":{\"kind\":" + quoteJSON(kind) + ",\"message\":" + quoteJSON(message) + "}\n", true
	case XML, RDFXML:
		return "<!-- error: " + strings.ReplaceAll(line, "--", "- -") + " -->\n", true
	}
	return "\nERROR: " + line + "\n", true // no syntax of Turtle
}

func (r *Results) write(out *bufio.Writer, f Format) error {
	if !slices.Contains(FormatsOf(r.Graph), f) {
		return kg.Errorf(kg.Invalid, "", "format %s: it has no form for what the query gives, expected %s", f, listed(FormatsOf(r.Graph)))
	}
	to := r.newWriter(out, f)
	if r.Ask {
		if j, isJSON := to.(*jsonWriter); isJSON {
			j.probability, j.known = r.Probability, r.Known
		}
		to.boolean(r.Truth)
		return nil
	}
	to.head(r.Vars)
	for terms, err := range r.Rows {
		if err != nil {
			return err
		}
		if (f == RDFXML || f == JSONLD) && terms[len(terms)-1].Kind == term.Triple {
			return kg.Errorf(kg.Invalid, "", "format %s: it has no form for triple terms, expected turtle or ntriples", f)
		}
		to.row(terms)
		if _, err := out.Write(nil); err != nil { // a writer that failed stays failed: the reader left
			return err
		}
	}
	to.end()
	return nil
}

func (r *Results) newWriter(out *bufio.Writer, f Format) resultWriter {
	switch f {
	case XML:
		return &xmlWriter{out: out, cut: r.Cut, warnings: r.Warned}
	case CSV:
		return &csvWriter{out: out}
	case TSV:
		return &tsvWriter{out: out}
	case Turtle:
		return &turtleWriter{out: out}
	case NTriples:
		return &ntriplesWriter{out: out}
	case RDFXML:
		return &rdfxmlWriter{out: out}
	case JSONLD:
		return &jsonldWriter{out: out}
	}
	return &jsonWriter{out: out, cut: r.Cut, warnings: r.Warned}
}
