package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lacuna-kg/lacuna/gaps"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/server"
)

// Whole relations as a model reads them: a line a fact.

type predictInput struct {
	Relation string    `json:"relation,omitempty" jsonschema:"the relation to fill, R^-1 for its inverse; without it the likeliest missing facts of the whole graph are listed"`
	Entities []string  `json:"entities,omitempty" jsonschema:"what to predict from; without them, the likeliest missing facts of the relation"`
	Limit    int       `json:"limit,omitempty" jsonschema:"facts of each entity, or in all without entities; 5 by default, at most 50"`
	Score    []kg.Fact `json:"score,omitempty" jsonschema:"instead of all that, a probability for each of these facts, at most 50; 1 for one that the graph states"`
	Why      bool      `json:"why,omitempty" jsonschema:"add the stated facts that speak for each"`
}

// The facts that predict and audit list.
const (
	defaultFacts = 5
	maxFacts     = 50
	maxEntities  = 20
)

func (in predictInput) request() server.PredictRequest {
	most := in.Limit
	if most <= 0 {
		most = defaultFacts
	}
	if len(in.Score) > 0 {
		return server.PredictRequest{Score: in.Score[:min(len(in.Score), maxFacts)], Why: in.Why}
	}
	r := server.PredictRequest{Relation: in.Relation, Why: in.Why}
	if len(in.Entities) == 0 || in.Relation == "" {
		r.Missing = min(most, maxFacts)
		return r
	}
	r.Entities, r.Top = in.Entities[:min(len(in.Entities), maxEntities)], min(most, maxFacts)
	return r
}

func (t tools) predict(ctx context.Context, _ *mcp.CallToolRequest, in predictInput) (*mcp.CallToolResult, any, error) {
	var b strings.Builder
	err := t.service.Predict(ctx, in.request(), func(lines []gaps.Line) error {
		for _, l := range lines {
			fmt.Fprintf(&b, "%.2f %s(%s, %s)\n", l.Probability, l.Relation, l.Head, l.Tail)
			if l.Why != "" {
				fmt.Fprintf(&b, "  as %s\n", l.Why)
			}
		}
		return nil
	})
	if b.Len() == 0 {
		b.WriteString("Nothing is likely.")
	}
	return text(b.String()), nil, err
}

type auditInput struct {
	Relation string `json:"relation,omitempty" jsonschema:"only facts of this relation"`
	Facts    int    `json:"facts,omitempty" jsonschema:"how many facts to look at, drawn at random, 300 by default"`
	Limit    int    `json:"limit,omitempty" jsonschema:"how many to list, 5 by default, at most 50"`
}

func (t tools) audit(ctx context.Context, _ *mcp.CallToolRequest, in auditInput) (*mcp.CallToolResult, any, error) {
	most := in.Limit
	if most <= 0 {
		most = defaultFacts
	}
	response, err := t.service.Audit(ctx, server.AuditRequest{Relation: in.Relation, Facts: in.Facts, Limit: min(most, maxFacts)})
	if err != nil {
		return nil, nil, err
	}
	var b strings.Builder
	for _, l := range response.List {
		fmt.Fprintf(&b, "%s(%s, %s)", l.Relation, l.Head, l.Tail)
		if l.Instead != "" {
			fmt.Fprintf(&b, "; more likely: %s, %.2f", l.Instead, l.InsteadProbability)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s %s looked at. Wrong facts that were planted as a trial look worse than the graph's own in %.0f %% of cases, chance is 50: ", count.Of(response.Facts, "fact"), count.Either(response.Facts, "was", "were"), 100*response.Trial.Told)
	if response.Trial.Useful() {
		b.WriteString("each of the list is worth a look, and need not be wrong.")
	} else {
		b.WriteString("do not trust the list.")
	}
	return text(b.String()), nil, nil
}

// text is a result in words.
func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}
