package mcp

import (
	"context"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

type sparqlInput struct {
	Query   string `json:"query" jsonschema:"the query, such as SELECT (COUNT(*) AS ?n) { ?p :Win :Turing%20Award }"`
	Predict bool   `json:"predict,omitempty" jsonschema:"also what the graph only implies, each solution with its probability; the pattern without variables as predicates, filters on one variable"`
}

// maxSolutions bounds the lines of a result.
const maxSolutions = 50

// maxResult bounds the bytes of a result.
const maxResult = 256 << 10

// sparql answers, exactly or with predictions, as tab-separated lines: the first names the variables.
func (t tools) sparql(ctx context.Context, _ *mcp.CallToolRequest, in sparqlInput) (*mcp.CallToolResult, any, error) {
	var by lacuna.Way = lacuna.Exact
	if in.Predict {
		by = lacuna.Links
	}
	var answer string
	err := t.service.Compute(ctx, func(ctx context.Context, engine *lacuna.Engine) error {
		found, err := engine.SPARQL(ctx, in.Query, lacuna.By(by))
		if err != nil {
			return err
		}
		defer func() { answer = strings.Join(append([]string{answer}, found.Warned()...), "\n") }()
		if found.Ask {
			answer = map[bool]string{true: "true", false: "false"}[found.Truth]
			return nil
		}
		var out firstLines
		if err := found.Write(&out, results.TSV); err != nil && !errors.Is(err, errEnough) {
			return err
		}
		answer = named(engine.Graph, out.text())
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return text(answer), nil, nil
}

// named is a table with the names of entities in place of their addresses: what stands for a name without one is that name, and before an
// address stands its label.
func named(g *kg.Graph, table string) string {
	lines := strings.Split(table, "\n")
	for i, line := range lines {
		cells := strings.Split(line, "\t")
		for k, cell := range cells {
			if inside, ok := strings.CutPrefix(cell, "<"); ok && strings.HasSuffix(inside, ">") {
				cells[k] = nameOf(g, strings.TrimSuffix(inside, ">"))
			}
		}
		lines[i] = strings.Join(cells, "\t")
	}
	return strings.Join(lines, "\n")
}

func nameOf(g *kg.Graph, iri string) string {
	t := term.Term{Kind: term.IRI, Value: iri}
	name := term.EntityName(t)
	e, known := term.FindEntity(g.Vocabulary, t)
	switch {
	case known && g.Entities.LabelledID(uint32(e)) != "":
		return g.Entity(e) + " <" + iri + ">"
	case name != iri:
		return name
	}
	return "<" + iri + ">"
}

// firstLines keeps what a language model gets to see of a result, and ends the writing of the rest.
type firstLines struct {
	kept  strings.Builder
	lines int
	more  bool
}

var errEnough = errors.New("enough lines")

func (f *firstLines) Write(p []byte) (int, error) {
	for i, b := range p {
		if f.lines == maxSolutions+1 || f.kept.Len() == maxResult {
			f.more = true
			return i, errEnough
		}
		f.kept.WriteByte(b)
		if b == '\n' {
			f.lines++
		}
	}
	return len(p), nil
}

func (f *firstLines) text() string {
	kept := strings.ToValidUTF8(f.kept.String(), "") // it may be cut within a character
	if f.more {
		return strings.TrimSuffix(kept, "\n") + "\n… and more: use LIMIT and OFFSET\n"
	}
	return kept
}
