package server

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
)

// describe serves the OpenAPI 3.1 description of the endpoints, made from the same
// table and the same Go types that serve them.
func (s *Service) describe() http.Handler {
	document := description(s.options.Version)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			wrongMethod(w, []endpoint{{method: http.MethodGet}})
			return
		}
		writeJSON(w, http.StatusOK, document)
	})
}

// description is the API in OpenAPI 3.1, as values that encode to its JSON.
func description(version string) map[string]any {
	if version == "" {
		version = "0"
	}
	schemas := schemas{}
	failure := response("An error", schemas.of(reflect.TypeFor[struct {
		Error *Error `json:"error"`
	}]()))
	paths := map[string]any{}
	for _, e := range endpoints {
		path, _ := paths[e.path].(map[string]any)
		if path == nil {
			path = map[string]any{}
			paths[e.path] = path
		}
		path[strings.ToLower(e.method)] = operation(e, schemas, failure)
	}
	return map[string]any{
		"openapi":    "3.1.0",
		"info":       map[string]any{"title": "Lacuna", "version": version, "description": overview},
		"paths":      paths,
		"components": map[string]any{"schemas": schemas, "securitySchemes": map[string]any{"token": map[string]any{"type": "http", "scheme": "bearer"}}},
		"security":   []any{map[string]any{}, map[string]any{"token": []any{}}}, // optional
	}
}

// overview begins the description. What other packages define, it names only.
const overview = `Logical questions on a knowledge graph that has gaps.

Beside this API, lacuna serve has:

- ` + "`/sparql`" + `: the SPARQL 1.1 Protocol, ` + "`?query=…`" + ` or a POST; with ` + "`mode=predict`" + ` and ` + "`threshold`" + ` the answers of the model
- ` + "`/mcp`" + `: tools for language models, by the Model Context Protocol over streamable HTTP
- ` + "`/metrics`" + `: figures for Prometheus; ` + "`/healthz`" + ` and ` + "`/readyz`" + `: whether it lives and takes requests`

func operation(e endpoint, schemas schemas, failure any) map[string]any {
	o := map[string]any{
		"summary":   e.summary,
		"responses": map[string]any{"200": response("The answer", schemas.of(reflect.TypeOf(e.response))), "default": failure},
	}
	if e.stream != nil && !e.file {
		o["responses"] = map[string]any{"200": lines("A line for each", schemas.of(reflect.TypeOf(e.response))), "default": failure}
	}
	var parameters []any
	for _, p := range e.allParameters() {
		schema := map[string]any{"type": p.kind}
		if p.values != nil {
			schema["enum"] = p.values
		}
		parameters = append(parameters, map[string]any{"name": p.name, "in": "query", "required": p.required, "description": p.description, "schema": schema})
	}
	if parameters != nil {
		o["parameters"] = parameters
	}
	if e.file {
		o["requestBody"] = map[string]any{"required": true, "content": fileContent()}
	}
	if e.request != nil {
		o["requestBody"] = map[string]any{"required": true, "content": content(schemas.of(reflect.TypeOf(e.request)))}
	}
	return o
}

// fileContent is a file by itself or, in a form, behind the plan to read it by.
func fileContent() map[string]any {
	file := map[string]any{"type": "string", "format": "binary"}
	plan := map[string]any{"type": "string", "description": "a reading plan as JSON, as the plan of an answer has it, to follow in place of one that is guessed"}
	form := map[string]any{"type": "object", "required": []string{"file"}, "properties": map[string]any{"plan": plan, "file": file}}
	return map[string]any{
		"application/octet-stream": map[string]any{"schema": file},
		"multipart/form-data":      map[string]any{"schema": form},
	}
}

// allParameters are those of an endpoint and of all that read the graph.
func (e endpoint) allParameters() []parameter {
	if e.writes {
		return e.parameters
	}
	version := parameter{minVersion, "integer", false, "the least version of the graph to answer on, as a change or an answer told it: of servers that share their facts, one that is behind waits for it", nil}
	return append(slices.Clone(e.parameters), version)
}

func response(description string, schema any) map[string]any {
	return map[string]any{"description": description, "content": content(schema)}
}

// lines describes an answer of JSON lines by the schema of one.
func lines(description string, schema any) map[string]any {
	return map[string]any{"description": description, "content": map[string]any{"application/x-ndjson": map[string]any{"schema": schema}}}
}

func content(schema any) map[string]any {
	return map[string]any{"application/json": map[string]any{"schema": schema}}
}

// schemas are the named structs met so far, by name.
type schemas map[string]any

// of is the JSON Schema of a type as encoding/json writes it.
func (s schemas) of(t reflect.Type) map[string]any {
	if t == reflect.TypeFor[kg.Said]() {
		t = reflect.TypeFor[[]kg.Annotation]()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice, reflect.Array:
		return map[string]any{"type": "array", "items": s.of(t.Elem())}
	case reflect.Struct:
		return s.object(t)
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint32, reflect.Uint64:
		return map[string]any{"type": "integer"}
	}
	panic("openapi: no schema for " + t.String()) // a type new to the API: the programmer's error, and every test's
}

// object describes a struct, a named one once and by reference.
func (s schemas) object(t reflect.Type) map[string]any {
	name := t.Name()
	if name != "" {
		if pkg := t.PkgPath(); !strings.HasSuffix(pkg, "/server") && !strings.HasSuffix(pkg, "/lacuna") {
			name = pkg[strings.LastIndexByte(pkg, '/')+1:] + "." + name
		}
		reference := map[string]any{"$ref": "#/components/schemas/" + name}
		if _, known := s[name]; known {
			return reference
		}
		s[name] = nil // a type may hold itself
		s[name] = s.fields(t)
		return reference
	}
	return s.fields(t)
}

func (s schemas) fields(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "-" || name == "" {
			continue
		}
		properties[name] = s.field(f)
		if !strings.Contains(options, "omitempty") && !isWithin(t, f) {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// isWithin tells whether a field is of an embedded struct that may be missing.
func isWithin(t reflect.Type, f reflect.StructField) bool {
	for depth := range f.Index[1:] {
		if strings.Contains(t.FieldByIndex(f.Index[:depth+1]).Tag.Get("json"), "omitempty") {
			return true
		}
	}
	return false
}

func (s schemas) field(f reflect.StructField) map[string]any {
	schema := s.of(f.Type)
	if f.Type.Kind() == reflect.Pointer && !strings.Contains(f.Tag.Get("json"), "omitempty") {
		schema = map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}
	}
	switch values := f.Tag.Get("enum"); values {
	case "":
	case "logics":
		schema["enum"] = fuzzy.LogicNames()
	default:
		schema["enum"] = strings.Split(values, ",")
	}
	if doc := f.Tag.Get("doc"); doc != "" {
		schema["description"] = doc
	}
	return schema
}
