package mcp

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/server"
)

const endless = `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wait", "arguments": {}}}`

// waiting serves a tool that only the end of its context ends, within the bounds of a service. It tells why calls ended.
func waiting(t *testing.T, limits server.Limits) (url string, began chan struct{}, ended chan error) {
	t.Helper()
	service, err := server.New(t.Context(), server.Options{Engine: laureates.Engine(t, lacuna.Exact), Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	began, ended = make(chan struct{}, 1), make(chan error, 1)
	calls := newCalls(service)
	s := newServer(service, "test")
	mcp.AddTool(s, reading("wait", "Wait", "Wait."), func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		began <- struct{}{}
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil, nil, context.Cause(ctx)
	})
	s.AddReceivingMiddleware(calls.bounded)
	handler := calls.numbered(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
	web := httptest.NewServer(service.Handler(server.Guard{}, server.Mount{Pattern: "/mcp", Handler: handler}))
	t.Cleanup(web.Close)
	return web.URL + "/mcp", began, ended
}

func post(ctx context.Context, t *testing.T, url, body string) (*http.Response, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set(numberHeader, "1") // which is not the client's to say
	return http.DefaultClient.Do(request)
}

// TestCallsEndWithTheirClient leaves a call, by the protocol of clients of old.
func TestCallsEndWithTheirClient(t *testing.T) {
	url, began, ended := waiting(t, server.Limits{})
	ctx, leave := context.WithCancel(t.Context())
	answered := make(chan error, 1)
	go func() {
		response, err := post(ctx, t, url, endless)
		if err == nil {
			response.Body.Close()
		}
		answered <- err
	}()
	<-began
	leave()
	<-ended
	<-answered
}

// TestCallsHaveTheirTime ends a call by the service's limit.
func TestCallsHaveTheirTime(t *testing.T) {
	url, _, ended := waiting(t, server.Limits{Time: 1})
	response, err := post(t.Context(), t, url, endless)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if why := <-ended; !strings.Contains(why.Error(), "limit on its time") {
		t.Errorf("ended by %v", why)
	}
}

// TestReadersCallNoChange calls a tool that changes facts with a token that may only read.
func TestReadersCallNoChange(t *testing.T) {
	service := newService(t)
	web := httptest.NewServer(service.Handler(server.Guard{Tokens: []string{"w"}, ReadTokens: []string{"r"}}, server.Mount{Pattern: "/mcp", Handler: HTTP(service, "test")}))
	defer web.Close()
	for token, want := range map[string]string{"r": "may only read", "w": `"added":1`} {
		request, err := http.NewRequestWithContext(t.Context(), "POST", web.URL+"/mcp", strings.NewReader(
			`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "change_facts", "arguments": {"add": [{"head": "Ada", "relation": "Win", "tail": "Turing Award"}]}}}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		var body strings.Builder
		_ = response.Write(&body)
		response.Body.Close()
		if !strings.Contains(strings.ReplaceAll(body.String(), `\"`, `"`), want) {
			t.Errorf("with the token %s: %s", token, body.String())
		}
	}
}

// A tool that panics refuses its call, and the server goes on: the SDK runs it in a goroutine of its own.
func TestCallsThatPanicAreRefused(t *testing.T) {
	service, err := server.New(t.Context(), server.Options{Engine: laureates.Engine(t, lacuna.Exact)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	s := newServer(service, "test")
	mcp.AddTool(s, reading("wait", "Wait", "Wait."), func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		panic("a broken tool")
	})
	s.AddReceivingMiddleware(newCalls(service).bounded)
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
	t.Cleanup(web.Close)
	for range 2 {
		response, err := post(t.Context(), t, web.URL, endless)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !strings.Contains(string(text), "panicked") {
			t.Errorf("%s, %v: expected a refusal", text, err)
		}
	}
}
