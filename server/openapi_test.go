package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestResponsesMatchTheirDescription fetches the description as a client does and
// holds real responses to it: every property described, every required one there.
func TestResponsesMatchTheirDescription(t *testing.T) {
	base := serve(t, demo(t, Limits{})).URL
	var document map[string]any
	_, text := call(t, "GET", base+"/api/openapi.json", "")
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	if document["openapi"] != "3.1.0" {
		t.Errorf("openapi %v", document["openapi"])
	}
	question := DemoQuestions[0].Question
	calls := map[string]string{ // the path, with a query, of each described path, and the body
		"/api/info":                       "",
		"/api/ask":                        ask(question),
		"/api/explain":                    fmt.Sprintf(`{"question": %q, "entity": "New York University"}`, question),
		"/api/complete?kind=entity&q=tur": "",
		"/api/relations":                  "",
		"/api/entity?name=Turing+Award":   "",
		"/api/facts":                      `{"add": [{"head": "Yann LeCun", "relation": "University", "tail": "MIT"}]}`,
	}
	described := document["paths"].(map[string]any)
	if len(calls) != len(described) {
		t.Errorf("%d paths are described, %d are called here", len(described), len(calls))
	}
	for target, body := range calls {
		path, _, _ := strings.Cut(target, "?")
		method := "get"
		if body != "" {
			method = "post"
		}
		operation, found := at(described, path, method).(map[string]any)
		if !found {
			t.Errorf("%s %s is not described", method, path)
			continue
		}
		response, answer := call(t, strings.ToUpper(method), base+target, body)
		if response.StatusCode != 200 {
			t.Errorf("%s: %d %s", target, response.StatusCode, answer)
		}
		check(t, document, at(operation, "responses", "200", "content", "application/json", "schema"), decode(t, answer), path)
		if body != "" {
			check(t, document, at(operation, "requestBody", "content", "application/json", "schema"), decode(t, body), path+" request")
		}
	}
	_, failure := call(t, "POST", base+"/api/ask", ask("?p : Win(p, Nothing)"))
	check(t, document, at(described, "/api/ask", "post", "responses", "default", "content", "application/json", "schema"), decode(t, failure), "error")
}

func at(value any, path ...string) any {
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

func decode(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

// check is as much of JSON Schema as the description uses.
func check(t *testing.T, document map[string]any, schema, value any, where string) {
	t.Helper()
	s, ok := schema.(map[string]any)
	if !ok {
		t.Errorf("%s: no schema", where)
		return
	}
	if reference, ok := s["$ref"].(string); ok {
		name := strings.TrimPrefix(reference, "#/components/schemas/")
		check(t, document, at(document, "components", "schemas", name), value, where)
		return
	}
	if choices, ok := s["anyOf"].([]any); ok {
		if value != nil {
			check(t, document, choices[0], value, where)
		}
		return
	}
	switch v := value.(type) {
	case map[string]any:
		checkObject(t, document, s, v, where)
	case []any:
		for i, item := range v {
			check(t, document, s["items"], item, fmt.Sprintf("%s[%d]", where, i))
		}
	}
	if got := kindOf(value); got != s["type"] && !(got == "integer" && s["type"] == "number") {
		t.Errorf("%s: %v is %s, described as %v", where, value, got, s["type"])
	}
}

func checkObject(t *testing.T, document, schema, value map[string]any, where string) {
	t.Helper()
	properties, _ := schema["properties"].(map[string]any)
	for name, v := range value {
		check(t, document, properties[name], v, where+"."+name)
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, there := value[name.(string)]; !there {
			t.Errorf("%s: %v is missing", where, name)
		}
	}
}

func kindOf(value any) string {
	switch v := value.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	}
	return "null"
}
