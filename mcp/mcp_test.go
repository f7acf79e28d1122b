package mcp

import (
	"context"
	"encoding/json"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/server"
	"github.com/lacuna-kg/lacuna/turing"
)

// newService serves the embedded graph with the model trained on it.
func newService(t *testing.T) *server.Service {
	ctx := context.Background()
	service, err := server.New(ctx, server.Options{Engine: laureates.Engine(t, lacuna.Turing, laureates.Fitted())})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	return service
}

// dialogue is a client that calls tools.
type dialogue struct {
	*testing.T
	session *mcp.ClientSession
}

func connect(t *testing.T, transport mcp.Transport) dialogue {
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return dialogue{t, session}
}

// call calls a tool and reads its result; an error of the tool comes back as text.
func (d dialogue) call(tool string, arguments map[string]any, result any) (failure string) {
	d.Helper()
	reply, err := d.session.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		d.Fatalf("%s: %v", tool, err)
	}
	if reply.IsError {
		return d.text(reply)
	}
	data, err := json.Marshal(reply.StructuredContent)
	if err == nil {
		err = json.Unmarshal(data, result)
	}
	if err != nil {
		d.Fatalf("%s gave %s: %v", tool, data, err)
	}
	return ""
}

// text is what a language model reads of a reply.
func (d dialogue) text(reply *mcp.CallToolResult) string {
	return reply.Content[0].(*mcp.TextContent).Text
}

// must is call for what must not fail.
func (d dialogue) must(tool string, arguments map[string]any, result any) {
	d.Helper()
	if failure := d.call(tool, arguments, result); failure != "" {
		d.Fatalf("%s: %s", tool, failure)
	}
}

// converse is what a language model does with a question: find names, look at
// relations, ask, err and correct itself, ask why, add a fact and ask again.
func converse(d dialogue) {
	var found server.CompleteResponse
	d.must("find_names", map[string]any{"text": "turing aw"}, &found)
	if len(found.Matches) == 0 || found.Matches[0].Name != "Turing Award" {
		d.Fatalf("found %v", found)
	}
	var relations relationList
	d.must("list_relations", map[string]any{"entity": "Turing Award"}, &relations)
	if len(relations.Of) == 0 || relations.Of[0].Relation != "Win^-1" {
		d.Errorf("relations of the award: %v", relations.Of)
	}
	if failure := d.call("ask", map[string]any{"question": "?p : Winn(p, Turing Award)"}, nil); !strings.Contains(failure, `did you mean "Win"`) {
		d.Errorf("a mistyped relation gave %q", failure)
	}

	question := map[string]any{"question": turing.PaperQuestion}
	var asked server.AskResponse
	d.must("ask", question, &asked)
	predicted := ""
	for _, a := range asked.Shown() {
		if !a.Known && predicted == "" {
			predicted = a.Entity
		}
	}
	if predicted == "" {
		d.Fatal("nothing is predicted")
	}
	var why struct {
		Answer struct {
			Entity string  `json:"entity"`
			P      float64 `json:"probability"`
		} `json:"answer"`
		Links []struct {
			Known bool  `json:"known"`
			Paths []any `json:"paths"`
		} `json:"links"`
	}
	d.must("explain", map[string]any{"question": turing.PaperQuestion, "entity": predicted}, &why)
	reasons := 0
	for _, link := range why.Links {
		reasons += len(link.Paths)
	}
	if why.Answer.Entity != predicted || why.Answer.P <= 0 || reasons == 0 {
		d.Errorf("the explanation of %s: %+v", predicted, why)
	}

	fact := map[string]any{"head": "Yann LeCun", "relation": "University", "tail": "New York University"}
	var changed server.FactsResponse
	d.must("change_facts", map[string]any{"add": []any{fact}}, &changed)
	if changed.Added != 1 {
		d.Errorf("the change: %+v", changed)
	}
	d.must("ask", question, &asked)
	if !slices.ContainsFunc(asked.Answers, func(a lacuna.Answer) bool { return a.Entity == "New York University" && a.Known }) {
		d.Errorf("the added fact is not known: %v", asked.Answers)
	}
	d.must("change_facts", map[string]any{"remove": []any{fact}}, &changed)
}

func TestDialogueInMemory(t *testing.T) {
	clientEnd, serverEnd := mcp.NewInMemoryTransports()
	s := newServer(newService(t), "test")
	go s.Run(t.Context(), serverEnd)
	converse(connect(t, clientEnd))
}

func TestDialogueOverHTTP(t *testing.T) {
	web := httptest.NewServer(HTTP(newService(t), "test"))
	defer web.Close()
	converse(connect(t, &mcp.StreamableClientTransport{Endpoint: web.URL}))
}

// TestDialogueOverStreams is what lacuna mcp does with its standard streams; it ends when the client closes its own.
func TestDialogueOverStreams(t *testing.T) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ended := make(chan error)
	service := newService(t)
	go func() { ended <- Serve(t.Context(), service, "test", fromClient, toClient) }()
	d := connect(t, &mcp.IOTransport{Reader: fromServer, Writer: toServer})
	if text := d.session.InitializeResult().Instructions; !strings.Contains(text, "2,518 facts") || !strings.Contains(text, "exists a:") {
		t.Errorf("instructions: %s", text)
	}
	converse(d)
	toServer.Close()
	if err := <-ended; err != nil {
		t.Errorf("after the client left: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	clientEnd, serverEnd := mcp.NewInMemoryTransports()
	go newServer(newService(t), "test").Run(t.Context(), serverEnd)
	d := connect(t, clientEnd)
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"find_names", map[string]any{"text": "x", "kind": "person"}, "person does not equal any of: [entity relation]"},
		{"list_relations", map[string]any{"entity": "Nobody"}, "Nobody"},
		{"ask", map[string]any{"question": "?p : Win(p"}, "query:1:"},
		{"ask", map[string]any{"question": turing.PaperQuestion, "mode": "guess"}, "guess"},
		{"ask", map[string]any{"question": turing.PaperQuestion, "threshold": 2}, "threshold"},
		{"explain", map[string]any{"question": turing.PaperQuestion, "entity": "Nobody"}, "Nobody"},
		{"change_facts", map[string]any{}, "no fact"},
		{"change_facts", map[string]any{"add": []kg.Fact{{Head: "Alan Kay", Relation: "Nationality", Tail: "Norway"}}}, "new_relations"},
		{"ask", map[string]any{"question": "Which people won the Turing Award?"}, "find_names"},
		{"ask", map[string]any{"question": "?c : nationality(Alan Kay, c)"}, "relations of like meaning: CitizenOf"},
		{"ask", map[string]any{}, "question"},
	} {
		if failure := d.call(c.tool, c.arguments, nil); !strings.Contains(failure, c.want) {
			t.Errorf("%s %v gave %q, expected %q in it", c.tool, c.arguments, failure, c.want)
		}
	}
}

// TestReasonsInWords reads what a model is told of an answer, and of what is none.
func TestReasonsInWords(t *testing.T) {
	clientEnd, serverEnd := mcp.NewInMemoryTransports()
	go newServer(newService(t), "test").Run(t.Context(), serverEnd)
	d := connect(t, clientEnd)
	for entity, wants := range map[string][]string{
		"New York University": {
			"Why New York University may answer ?u : ", "- u = New York University, a = Yann LeCun: 0.",
			"  - Win(Yann LeCun, Turing Award): 1.00, known", "  - University(Yann LeCun, New York University): 0.",
			"University(Yann LeCun, New York University) is not stated. The model gives it 0.",
			"Workplace(Yann LeCun, Courant Institute), PartOf(Courant Institute, New York University)", "Without these facts (",
		},
		"MIT":                   {"Why MIT may answer ?u : "},
		"University of Toronto": {"Why University of Toronto answers ?u : ", "- u = University of Toronto, a = Geoffrey Hinton: 1.00, known"},
		"Norway":                {"Why Norway does not answer ?u : ", "its probability is below 0.50"},
	} {
		reply, err := d.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "explain", Arguments: map[string]any{"question": turing.PaperQuestion, "entity": entity}})
		if err != nil {
			t.Fatal(err)
		}
		text := d.text(reply)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("of %s it lacks %q:\n%s", entity, want, text)
			}
		}
	}
}

// TestGarbage ends the conversation with a line for people.
func TestGarbage(t *testing.T) {
	err := Serve(t.Context(), newService(t), "test", strings.NewReader("garbage\n"), io.Discard)
	if kg.KindOf(err) != kg.Invalid || !strings.Contains(err.Error(), "cannot be read any further") {
		t.Errorf("garbage gave %v", err)
	}
}
