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
	"github.com/lacuna-kg/lacuna/kernel/cpu"
	"github.com/lacuna-kg/lacuna/server"
)

// newService serves the embedded graph with the model trained on it.
func newService(t *testing.T) *server.Service {
	ctx := context.Background()
	splits, err := lacuna.Embedded(ctx)
	if err != nil {
		t.Fatal(err)
	}
	device, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := lacuna.New(splits.Train).EmbeddedModel(ctx, device)
	if err != nil {
		t.Fatal(err)
	}
	service, err := server.New(ctx, server.Options{Engine: engine, GraphName: "the embedded graph"})
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
	text := reply.Content[0].(*mcp.TextContent).Text
	if reply.IsError {
		return text
	}
	if err := json.Unmarshal([]byte(text), result); err != nil {
		d.Fatalf("%s gave %q: %v", tool, text, err)
	}
	return ""
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

	question := map[string]any{"question": lacuna.DefaultQuestion}
	var asked server.AskResponse
	d.must("ask", question, &asked)
	predicted := ""
	for _, a := range asked.Answers {
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
	d.must("explain", map[string]any{"question": lacuna.DefaultQuestion, "entity": predicted}, &why)
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
	if text := d.session.InitializeResult().Instructions; !strings.Contains(text, "2518 facts") || !strings.Contains(text, "exists a:") {
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
		{"find_names", map[string]any{"text": "x", "kind": "person"}, "expected entity or relation"},
		{"list_relations", map[string]any{"entity": "Nobody"}, "Nobody"},
		{"ask", map[string]any{"question": "?p : Win(p"}, "query:1:"},
		{"ask", map[string]any{"question": lacuna.DefaultQuestion, "mode": "guess"}, "guess"},
		{"ask", map[string]any{"question": lacuna.DefaultQuestion, "threshold": 2}, "threshold"},
		{"explain", map[string]any{"question": lacuna.DefaultQuestion, "entity": "Nobody"}, "Nobody"},
		{"change_facts", map[string]any{}, "no fact"},
		{"ask", map[string]any{}, "question"},
	} {
		if failure := d.call(c.tool, c.arguments, nil); !strings.Contains(failure, c.want) {
			t.Errorf("%s %v gave %q, expected %q in it", c.tool, c.arguments, failure, c.want)
		}
	}
}
