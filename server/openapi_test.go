package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
)

// fetchDescription gets the description as a client does and checks that it is OpenAPI.
// Objects are closed in what it gives: a property that is not described is then an error.
func fetchDescription(t *testing.T, base string) *openapi3.T {
	t.Helper()
	_, text := call(t, "GET", base+"/api/openapi.json", "")
	parse := func(data []byte) *openapi3.T {
		document, err := openapi3.NewLoader().LoadFromData(data)
		if err != nil {
			t.Fatal(err)
		}
		if err := document.Validate(t.Context()); err != nil {
			t.Fatal(err)
		}
		return document
	}
	if version := parse([]byte(text)).OpenAPI; version != "3.1.0" {
		t.Errorf("openapi %v", version)
	}
	var tree any
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		t.Fatal(err)
	}
	closeObjects(tree)
	closed, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return parse(closed)
}

func closeObjects(tree any) {
	switch node := tree.(type) {
	case map[string]any:
		for _, child := range node {
			closeObjects(child)
		}
		if _, object := node["properties"].(map[string]any); object && node["type"] == "object" {
			node["additionalProperties"] = false
		}
	case []any:
		for _, child := range node {
			closeObjects(child)
		}
	}
}

// described holds requests and their responses to a description.
type described struct {
	*testing.T
	router routers.Router
}

// check sends a request and checks that it and its response are as described. It gives what is wrong.
func (d described) check(method, url, body string) (response *http.Response, wrong error) {
	d.Helper()
	request, err := http.NewRequestWithContext(d.Context(), method, url, strings.NewReader(body))
	if err != nil {
		d.Fatal(err)
	}
	contentType := "application/json"
	if strings.Contains(url, "/api/graph") {
		contentType = octets
	}
	if body != "" {
		request.Header.Set("Content-Type", contentType)
	}
	route, parameters, err := d.router.FindRoute(request)
	if err != nil {
		return nil, err
	}
	input := &openapi3filter.RequestValidationInput{Request: request, PathParams: parameters, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true}}
	if err := openapi3filter.ValidateRequest(d.Context(), input); err != nil {
		return nil, err
	}
	response, answer := call(d.T, method, url, body, "Content-Type", contentType)
	return response, openapi3filter.ValidateResponse(d.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: response.StatusCode, Header: response.Header,
		Body: io.NopCloser(bytes.NewReader([]byte(answer))), Options: input.Options,
	})
}

// TestResponsesMatchTheirDescription holds real requests and responses to the description:
// every property described and of its type, every required one there.
func TestResponsesMatchTheirDescription(t *testing.T) {
	base := serve(t, demo(t, Limits{}, taking(t))).URL
	document := fetchDescription(t, base)
	document.Servers = openapi3.Servers{{URL: base}}
	router, err := legacy.NewRouter(document)
	if err != nil {
		t.Fatal(err)
	}
	openapi3filter.RegisterBodyDecoder("application/x-ndjson", openapi3filter.JSONBodyDecoder)
	d := described{t, router}
	question := DemoQuestions[1].Question
	calls := map[string]string{ // the path, with a query, of each described path, and the body
		"/api/info":                              "",
		"/api/ask":                               ask(question),
		"/api/explain":                           fmt.Sprintf(`{"question": %q, "entity": "New York University"}`, question),
		"/api/complete?kind=entity&q=tur":        "",
		"/api/relations":                         "",
		"/api/kinds":                             "",
		"/api/entity?name=Turing+Award&likely=1": "",
		"/api/predict":                           `{"relation": "Win", "entities": ["Alan Kay"], "top": 1, "least": 0.0001}`, // one line is one value
		"/api/audit":                             `{"relation": "CitizenOf", "facts": 5, "limit": 1}`,
		"/api/facts":                             `{"add": [{"head": "Yann LeCun", "relation": "University", "tail": "MIT"}]}`,
		"/api/graph?name=a.tsv&as=add":           "Yann LeCun\tUniversity\tUCLA\n",
	}
	if len(calls) != document.Paths.Len() {
		t.Errorf("%d paths are described, %d are called here", document.Paths.Len(), len(calls))
	}
	for target, body := range calls {
		method := "GET"
		if body != "" {
			method = "POST"
		}
		response, err := d.check(method, base+target, body)
		if err != nil || response.StatusCode != 200 {
			t.Errorf("%s: %v %v", target, response, err)
		}
	}
	if response, err := d.check("POST", base+"/api/ask", ask("?p : Win(p, Nothing)")); err != nil || response.StatusCode != 404 {
		t.Errorf("an error: %v %v", response, err)
	}
	for target, body := range map[string]string{
		"/api/ask":                      `{"question": "?p : Win(p, Turing Award)", "temperature": 1}`,
		"/api/explain":                  `{"question": 7}`,
		"/api/facts":                    `{"add": [{"head": "a", "relation": "b"}]}`,
		"/api/complete?kind=everything": "",
		"/api/entity":                   "",
	} {
		method := "GET"
		if body != "" {
			method = "POST"
		}
		if _, err := d.check(method, base+target, body); err == nil {
			t.Errorf("%s %s passes as described", target, body)
		}
	}
}
