package mcp

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/server"
	"github.com/lacuna-kg/lacuna/turing"
)

// told is what a model reads of a call.
func (d dialogue) told(tool string, arguments map[string]any) string {
	d.Helper()
	reply, err := d.session.CallTool(d.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil || reply.IsError {
		d.Fatalf("%s: %v %v", tool, err, reply)
	}
	return d.text(reply)
}

func inMemory(t *testing.T, service *server.Service) dialogue {
	clientEnd, serverEnd := mcp.NewInMemoryTransports()
	go newServer(service, "test").Run(t.Context(), serverEnd)
	return connect(t, clientEnd)
}

// A model is told of the graph at hand, in its own names, and finds relations by what they mean.
func TestTheGraphAtHand(t *testing.T) {
	d := inMemory(t, newService(t))
	instructions := d.session.InitializeResult().Instructions
	for _, want := range []string{"- Field(Alan Perlis, Programming Languages)", "Questions on it:\n- ?u : "} {
		if !strings.Contains(instructions, want) {
			t.Errorf("the instructions lack %q:\n%s", want, instructions)
		}
	}
	if found := d.told("find_names", map[string]any{"kind": "relation", "text": "studied"}); !strings.Contains(found, "AlmaMater") {
		t.Errorf("studied: %s", found)
	}
}

// Answers are short, and never say what is right.
func TestAnswersAreShort(t *testing.T) {
	d := inMemory(t, newService(t))
	for _, question := range []string{turing.PaperQuestion, "?p : Win(p, Turing Award)"} {
		if told := d.told("ask", map[string]any{"question": question, "limit": 200}); len(told) > mostBytes || !strings.Contains(told, "known: ") || strings.Contains(told, "right") {
			t.Errorf("%d bytes:\n%s", len(told), told)
		}
	}
	var asked server.AskResponse
	d.must("ask", map[string]any{"question": turing.PaperQuestion}, &asked)
	for _, a := range asked.Answers {
		if a.Right != nil {
			t.Errorf("%v says what is right", a)
		}
	}
	if told := d.told("ask", map[string]any{"question": "?p : Win(Turing Award, p)"}); !strings.Contains(told, "did you mean that?") {
		t.Errorf("a wrong order: %s", told)
	}
}

func TestPredictAuditAndSPARQL(t *testing.T) {
	d := inMemory(t, newService(t))
	if told := d.told("predict", map[string]any{"relation": "University", "entities": []string{"Yann LeCun"}, "why": true}); !strings.Contains(told, "University(Yann LeCun, ") {
		t.Errorf("predict: %s", told)
	}
	score := []kg.Fact{{Head: "Alan Kay", Relation: "Win", Tail: "Turing Award"}, {Head: "Yann LeCun", Relation: "Field", Tail: "Cryptography"}}
	if told := d.told("predict", map[string]any{"score": score}); !strings.HasPrefix(told, "1.00 Win(Alan Kay, Turing Award)\n0.") || strings.Count(told, "\n") != 2 {
		t.Errorf("score: %s", told)
	}
	if told := d.told("audit", map[string]any{"relation": "CitizenOf", "facts": 20, "limit": 2}); !strings.Contains(told, "20 facts were looked at") {
		t.Errorf("audit: %s", told)
	}
	if told := d.told("sparql", map[string]any{"query": "SELECT (COUNT(*) AS ?n) { ?p :Win :Turing%20Award }"}); !strings.HasPrefix(told, "?n\n") {
		t.Errorf("sparql: %s", told)
	}
	if told := d.told("sparql", map[string]any{"query": "SELECT ?p { ?p :Win ?a }"}); strings.Count(told, "\n") != maxSolutions+2 || !strings.Contains(told, "LIMIT") {
		t.Errorf("%d lines", strings.Count(told, "\n"))
	}
	if told := d.told("sparql", map[string]any{"query": "SELECT ?u { :Yann%20LeCun :University ?u }", "predict": true}); !strings.HasPrefix(told, "?u\t?probability\t?known\n") || !strings.Contains(told, "\nNew York University\t") {
		t.Errorf("predictions in SPARQL: %s", told)
	}
	if told := d.told("sparql", map[string]any{"query": "SELECT ?p { ?p :Win :Turing%20Awrd }"}); !strings.Contains(told, "no entity <urn:lacuna:Turing%20Awrd> in the graph (did you mean") {
		t.Errorf("a name that the graph lacks: %s", told)
	}
	if told := d.told("sparql", map[string]any{"query": "ASK { :Alan%20Kay :Win :Turing%20Award }"}); told != "true" {
		t.Errorf("ask: %s", told)
	}
}

func TestReadOnlyHasNoToolToChange(t *testing.T) {
	service, err := server.New(t.Context(), server.Options{Engine: laureates.Engine(t, lacuna.Turing), ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	tools, err := inMemory(t, service).session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		if tool.Name == "change_facts" {
			t.Error("facts can be changed")
		}
	}
}
