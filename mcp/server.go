// Package mcp lets language models use Lacuna: tools, by the Model Context Protocol,
// to find names, list relations, ask, explain and add facts, so that a model turns a
// natural question into a formula and shows the reasons of the answer.
//
// It is another face of server.Service, beside HTTP; the protocol itself is the official
// Go SDK's. A model sees errors as results of its call, with the position and the
// suggestion that people get, and can correct itself.
package mcp

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/server"
)

// instructions tell a model how to work with the tools.
//
//go:embed instructions.md
var instructions string

// maxBody bounds a request over HTTP.
const maxBody = 1 << 20

// newServer makes the protocol's server of a service.
func newServer(service *server.Service, version string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "lacuna", Title: "Lacuna", Version: version},
		&mcp.ServerOptions{Instructions: describe(service.Info()) + "\n" + atHand(service) + "\n" + instructions, Capabilities: &mcp.ServerCapabilities{}})
	t := tools{service}
	mcp.AddTool(s, choosing[findInput]("kind", []any{server.KindEntity, server.KindRelation}, "find_names", "Find entities or relations",
		"Find the exact names of entities or relations by the beginning of a word in them; one typing error is forgiven. Formulas need exact names: look each one up before asking."), t.find)
	mcp.AddTool(s, reading("list_relations", "List relations",
		"List the relations of the graph, or of one entity with their direction: R^-1 leads from the tail of R to its head."), t.relations)
	mcp.AddTool(s, withSchema(choosing[askInput]("mode", []any{"predict", "exact"}, "ask", "Ask a question",
		"Answer a first-order question. Answers are known (the graph states them) or predicted (a neural network infers them from other facts), each with a probability; the set of entities after every step shows how they came about.")), t.ask)
	mcp.AddTool(s, reading("explain", "Explain an answer",
		"Say why an entity answers a question: the chain of entities that leads to it and, for predicted links, the facts that support it and what remains of the prediction without them."), t.explain)
	mcp.AddTool(s, reading("predict", "Predict missing facts",
		"List facts that are missing from the graph and that a model predicts, with probabilities: for given entities and a relation, or the likeliest of a relation or of the whole graph; or say how likely given facts are."), t.predict)
	mcp.AddTool(s, reading("audit", "List suspicious facts",
		"List stated facts that do not fit the rest of the graph, with what is more likely, and how well a self-test finds wrong facts."), t.audit)
	mcp.AddTool(s, reading("sparql", "Query in SPARQL",
		"Run a SELECT or ASK of SPARQL 1.1 on what the graph states, or with predictions: for counting, sorting, grouping, and filters on numbers and dates. Names stand as <urn:lacuna:NAME>, or :NAME with blanks as %20."), t.sparql)
	if service.Info().ReadOnly {
		return s
	}
	mcp.AddTool(s, changing("change_facts", "Add or remove facts",
		"Add facts to the graph or remove some. Answers follow at once, without training. Names that are new become new entities; a new relation needs new_relations, after the user agreed."), t.change)
	return s
}

// withSchema describes what ask returns: the fields of a verdict are there for questions of yes or no only.
func withSchema(ask *mcp.Tool) *mcp.Tool {
	schema, err := jsonschema.For[server.AskResponse](nil)
	if err != nil {
		panic(err) // a type that JSON does not know: a programmer's error, and every test's
	}
	schema.Required = slices.DeleteFunc(schema.Required, func(name string) bool {
		_, isOfVerdict := reflect.TypeFor[lacuna.Verdict]().FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, name) })
		return isOfVerdict
	})
	ask.OutputSchema = schema
	return ask
}

// describe says which graph and model these are.
func describe(info server.Info) string {
	text := fmt.Sprintf("Lacuna answers logical questions on a knowledge graph that has gaps: %s, with %s, %s and %s.",
		info.Graph.Name, count.Of(info.Graph.Entities, "entity"), count.Of(info.Graph.Relations, "relation"), count.Of(info.Graph.Triples, "fact"))
	if info.Model == nil {
		return text + " There is no model: only what the graph states is found."
	}
	return text + " Missing facts are predicted by " + info.Model.Name + "."
}

// HTTP serves the protocol's streamable transport, without state between requests. What it says of the graph at hand is found out at the first
// request, as that takes seconds on a large one.
func HTTP(service *server.Service, version string) http.Handler {
	calls := newCalls(service)
	s := sync.OnceValue(func() *mcp.Server {
		s := newServer(service, version)
		s.AddReceivingMiddleware(calls.bounded)
		return s
	})
	return calls.numbered(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s() },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true}))
}

// Serve speaks the protocol over a pair of streams, a message a line, until the
// client ends its stream or the context ends.
func Serve(ctx context.Context, service *server.Service, version string, in io.Reader, out io.Writer) error {
	s := newServer(service, version)
	s.AddReceivingMiddleware(newCalls(service).bounded)
	err := s.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: unclosed{out}})
	if ctx.Err() != nil || err == nil {
		return nil // asked to stop, or the client left
	}
	return kg.Errorf(kg.Invalid, "", "the client's messages cannot be read any further: %v", err)
}

// unclosed is a stream that belongs to somebody else.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

func reading(name, title, description string) *mcp.Tool {
	closed := false
	return &mcp.Tool{Name: name, Title: title, Description: description,
		Annotations: &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, OpenWorldHint: &closed}}
}

// choosing is a tool for reading of which an argument is one of some words.
func choosing[In any](argument string, words []any, name, title, description string) *mcp.Tool {
	tool := reading(name, title, description)
	if schema, err := jsonschema.For[In](nil); err == nil { // else the SDK says what is wrong with the type
		schema.Properties[argument].Enum = words
		tool.InputSchema = schema
	}
	return tool
}

func changing(name, title, description string) *mcp.Tool {
	tool := reading(name, title, description)
	tool.Annotations.ReadOnlyHint = false
	tool.Annotations.IdempotentHint = true
	return tool
}
