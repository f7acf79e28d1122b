package mcp

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/sparql/results"
)

type sparqlInput struct {
	Query   string `json:"query" jsonschema:"the query, such as SELECT (COUNT(*) AS ?n) { ?p :Win :Turing%20Award }"`
	Predict bool   `json:"predict,omitempty" jsonschema:"also what the graph only implies, each solution with its probability; the pattern without variables as predicates, filters on one variable"`
}

// maxSolutions bounds the lines of a result.
const maxSolutions = 50

// sparql answers, exactly or with predictions, as tab-separated lines: the first names the variables.
func (t tools) sparql(ctx context.Context, _ *mcp.CallToolRequest, in sparqlInput) (*mcp.CallToolResult, any, error) {
	engine, _, done := t.service.Use()
	defer done()
	by := lacuna.Exact
	if in.Predict {
		by = lacuna.Links
	}
	found, err := engine.SPARQL(ctx, in.Query, lacuna.By(by))
	if err != nil {
		return nil, nil, err
	}
	if found.Ask {
		return text(map[bool]string{true: "true", false: "false"}[found.Truth]), nil, nil
	}
	var out strings.Builder
	if err := found.Write(&out, results.TSV); err != nil {
		return nil, nil, err
	}
	lines := strings.SplitAfterN(out.String(), "\n", maxSolutions+2)
	if len(lines) > maxSolutions+1 && lines[maxSolutions+1] != "" {
		lines[maxSolutions+1] = "… and more: use LIMIT and OFFSET\n"
	}
	return text(strings.Join(lines, "")), nil, nil
}
