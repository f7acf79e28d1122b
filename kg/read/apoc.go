package read

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// apocLine is a line of what apoc.export.json writes of a Neo4j database.
type apocLine struct {
	Type       string
	ID         string
	Labels     []string
	Label      string // the type of a relationship
	Properties map[string]any
	Start, End struct{ ID string }
}

// readAPOC reads the JSON lines of Neo4j's APOC: a node or a relationship each.
func (l *loader) readAPOC(in *input, part split) error {
	lines := newLineBlocks(in)
	return lines.each(func(line int, text []byte) error {
		if len(bytes.TrimSpace(text)) == 0 {
			return nil
		}
		var record apocLine
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&record); err != nil {
			return kg.ErrorAt(kg.Invalid, lines.at(line), "%s", jsonProblem(err))
		}
		if problem := l.apocRecord(&record, part); problem != "" {
			return kg.ErrorAt(kg.Invalid, lines.at(line), "%s", problem)
		}
		return nil
	})
}

// apocRecord takes a line; what it lacks is the problem.
func (l *loader) apocRecord(r *apocLine, part split) (problem string) {
	switch r.Type {
	case "node":
		if r.ID == "" || strings.Contains(r.ID, "\x00") {
			return "a node without id"
		}
		l.node(part, r.ID, r.Labels, r.Properties)
	case "relationship":
		if r.Label == "" || r.Start.ID == "" || r.End.ID == "" {
			return "a relationship without label, start or end"
		}
		l.fact(part, []byte(r.Start.ID), []byte(r.Label), []byte(r.End.ID))
		l.annotate(part, l.edgeProperties(r.Properties))
	default:
		return `expected "type": "node" or "relationship"`
	}
	return ""
}

// jsonProblem says in a line why a text is no JSON of the shape expected.
func jsonProblem(err error) string {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		return "field " + wrong.Field + " is " + wrong.Value + ", expected " + wrong.Type.String()
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return "the JSON ends early"
	}
	return "no JSON: " + err.Error()
}
