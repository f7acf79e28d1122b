package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lacuna-kg/lacuna/browse"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/server"
)

// tools are the calls a model can make. Results are those of the HTTP API, cut to
// what a model should read.
type tools struct{ service *server.Service }

// The most that a call gives back.
const (
	maxRelations   = 300
	defaultAnswers = 20
	maxAnswers     = 200
)

// Input schemas are made from these types; unknown fields are refused by the SDK.
type findInput struct {
	Kind  string `json:"kind,omitempty" jsonschema:"entity (the default) or relation"`
	Text  string `json:"text" jsonschema:"the beginning of the name or of a word in it"`
	Limit int    `json:"limit,omitempty" jsonschema:"the most names to give, 10 by default"`
}

// foundNames are names with what tells them apart, the best first.
type foundNames struct {
	Matches []foundName `json:"matches"`
}

type foundName struct {
	server.Match
	Hint string `json:"hint,omitempty" jsonschema:"of an entity its type or a fact of it, of a relation a fact: relation(head, tail)"`
}

func (t tools) find(_ context.Context, _ *mcp.CallToolRequest, in findInput) (*mcp.CallToolResult, foundNames, error) {
	if in.Kind == "" {
		in.Kind = server.KindEntity
	}
	found, err := t.service.Complete(in.Kind, in.Text, in.Limit)
	if err != nil {
		return nil, foundNames{}, err
	}
	if in.Kind == server.KindRelation {
		t.addAlike(found, in.Text)
		return nil, t.withExamples(found.Matches), nil
	}
	return nil, t.withHints(found.Matches), nil
}

type relationsInput struct {
	Entity string `json:"entity,omitempty" jsonschema:"only the relations of this entity; without it those of the whole graph"`
}

// relationList is the relations of the graph or of an entity, the most frequent first.
type relationList struct {
	Relations []server.RelationInfo   `json:"relations,omitempty" jsonschema:"of the whole graph"`
	Of        []server.EntityRelation `json:"of_entity,omitempty" jsonschema:"of the entity, with examples of where each leads"`
	More      int                     `json:"more,omitempty" jsonschema:"how many there are beyond those listed"`
}

func (t tools) relations(_ context.Context, _ *mcp.CallToolRequest, in relationsInput) (*mcp.CallToolResult, relationList, error) {
	var list relationList
	if in.Entity == "" {
		list.Relations, list.More = cut(t.service.Relations())
		return nil, list, nil
	}
	entity, err := t.service.Entity(in.Entity)
	if err == nil {
		list.Of, list.More = cut(entity.Relations)
	}
	return nil, list, err
}

func cut[T any](list []T) (kept []T, more int) {
	kept = list[:min(len(list), maxRelations)]
	return kept, len(list) - len(kept)
}

type askInput struct {
	Question  string   `json:"question" jsonschema:"the formula, such as ?p : Win(p, Turing Award) & !CitizenOf(p, United States)"`
	Mode      string   `json:"mode,omitempty" jsonschema:"predict (the default) or exact: only what the graph states"`
	Threshold *float64 `json:"threshold,omitempty" jsonschema:"leave out answers below this probability, 0.5 by default"`
	Limit     int      `json:"limit,omitempty" jsonschema:"the most answers to list, 20 by default, at most 200"`
}

func (in askInput) request() server.AskRequest {
	limit := min(in.Limit, maxAnswers)
	if limit <= 0 {
		limit = defaultAnswers
	}
	return server.AskRequest{Question: in.Question, Mode: in.Mode, Threshold: in.Threshold, Limit: limit}
}

func (t tools) ask(ctx context.Context, _ *mcp.CallToolRequest, in askInput) (*mcp.CallToolResult, *server.AskResponse, error) {
	response, err := t.service.Ask(ctx, in.request())
	if err != nil {
		return nil, nil, advised(in.Question, err)
	}
	hideRight(response.Result)
	return text(answersInWords(response.Result)), response, nil
}

type explainInput struct {
	Question string `json:"question" jsonschema:"the formula that was asked"`
	Entity   string `json:"entity,omitempty" jsonschema:"the answer to explain; without it the best predicted one"`
	// Entities are for questions with several answer variables.
	Entities []string `json:"entities,omitempty" jsonschema:"of a question with several answer variables: an entity for each, in their order"`
}

// explain tells the reasons in words, and gives them as data for programs. It has no schema
// of these, which every model would read with the list of tools: the words say the same.
func (t tools) explain(ctx context.Context, _ *mcp.CallToolRequest, in explainInput) (*mcp.CallToolResult, any, error) {
	explanation, err := t.service.Explain(ctx, server.ExplainRequest{AskRequest: server.AskRequest{Question: in.Question}, Entity: in.Entity, Entities: in.Entities})
	if err != nil {
		return nil, nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: reasons(explanation)}}}, explanation, nil
}

// changeInput is a change of facts.
type changeInput struct {
	Add          []kg.Fact `json:"add,omitempty" jsonschema:"facts to state; names of entities that the graph lacks become new entities"`
	Remove       []kg.Fact `json:"remove,omitempty" jsonschema:"facts to state no more"`
	NewRelations bool      `json:"new_relations,omitempty" jsonschema:"true after the user agreed to relations that the graph lacks"`
}

// change changes facts. A relation that is new is most often another word for one that is there, so the user is asked first.
func (t tools) change(ctx context.Context, _ *mcp.CallToolRequest, in changeInput) (*mcp.CallToolResult, *server.FactsResponse, error) {
	if !in.NewRelations {
		if err := t.knownRelations(in.Add); err != nil {
			return nil, nil, err
		}
	}
	response, err := t.service.Change(ctx, server.FactsRequest{Add: in.Add, Remove: in.Remove})
	return nil, response, err
}

func (t tools) knownRelations(facts []kg.Fact) error {
	engine, _, done := t.service.Use()
	defer done()
	for _, f := range facts {
		if f.Relation == "" {
			continue // which the service refuses
		}
		if _, err := query.FindRelation(f.Relation, engine.Graph.Vocabulary); kg.KindOf(err) == kg.NotFound {
			return kg.Errorf(kg.NotFound, "", "%v: use one of the graph's relations (list_relations), or ask the user and call again with new_relations true", err)
		}
	}
	return nil
}

// advised says how to begin where a question is no formula.
func advised(question string, err error) error {
	if !browse.IsSentence(question) {
		return err
	}
	return kg.Errorf(kg.KindOf(err), "", "%v: call find_names for every name and list_relations for what leads from it, then write the formula", err)
}
