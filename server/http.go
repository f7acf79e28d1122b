package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/browse"
	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/gaps"
)

// endpoint is one method of one path. The table of them is served and described (openapi.go).
type endpoint struct {
	method, path string
	summary      string
	parameters   []parameter
	request      any // an example value of the body's type, nil without a body
	response     any // the same of the answer
	call         func(s *Service, r *http.Request) (any, error)
	// stream, instead of call, answers with lines of JSON, each a response, without a limit on the time.
	stream func(s *Service, w http.ResponseWriter, r *http.Request)
	file   bool // the body is a file's bytes, and the answer one value
	writes bool // it changes the graph
}

// parameter is one of a path's query.
type parameter struct {
	name, kind  string // kind of JSON Schema: string or integer
	required    bool
	description string
	values      []string // nil: any
}

// endpoints is the API.
var endpoints = []endpoint{
	{method: "GET", path: "/api/info", summary: "What is served: the graph, the model, the limits, questions to begin with", response: Info{},
		call: func(s *Service, _ *http.Request) (any, error) { return s.Info(), nil }},
	{method: "POST", path: "/api/ask", summary: "Answer a question, with the set of entities after every step", request: AskRequest{}, response: AskResponse{},
		call: func(s *Service, r *http.Request) (any, error) { return body(s, r, s.Ask) }},
	{method: "POST", path: "/api/explain", summary: "Why an entity is among the answers, or is not", request: ExplainRequest{}, response: explain.Explanation{},
		call: func(s *Service, r *http.Request) (any, error) { return body(s, r, s.Explain) }},
	{method: "GET", path: "/api/complete", summary: "Entities or relations by what was typed so far", response: CompleteResponse{}, parameters: []parameter{
		{"kind", "string", true, "what to look for", []string{KindEntity, KindRelation}},
		{"q", "string", false, "what was typed; nothing gives the most frequent names", nil},
		{"limit", "integer", false, "the most matches; default 10", nil}},
		call: completeCall},
	{method: "GET", path: "/api/relations", summary: "All relations, the most frequent first", response: []RelationInfo{},
		call: func(s *Service, _ *http.Request) (any, error) { return s.Relations(), nil }},
	{method: "GET", path: "/api/kinds", summary: "The kinds of entities that the graph tells apart, the largest first, with some of each", response: []browse.Kind{},
		call: func(s *Service, _ *http.Request) (any, error) { return s.Kinds(), nil }},
	{method: "GET", path: "/api/entity", summary: "An entity and the relations that lead on from it", response: EntityInfo{}, parameters: []parameter{
		{"name", "string", true, "its name or identifier", nil},
		{"likely", "integer", false, "how many likely missing facts of it to add; default 0", nil}},
		call: entityCall},
	{method: "POST", path: "/api/predict", summary: "Whole relations: a line of JSON for each predicted fact, as they are found", request: PredictRequest{}, response: gaps.Line{},
		stream: streamPredictions},
	{method: "POST", path: "/api/audit", summary: "Facts that do not fit the rest of the graph, and how well a self-test finds wrong ones", request: AuditRequest{}, response: AuditResponse{},
		call: func(s *Service, r *http.Request) (any, error) { return body(s, r, s.Audit) }},
	{method: "POST", path: "/api/facts", summary: "Add and remove facts; later questions see them", request: FactsRequest{}, response: FactsResponse{}, writes: true,
		call: func(s *Service, r *http.Request) (any, error) { return body(s, r, s.Change) }},
	{method: "POST", path: "/api/graph", summary: "Bring a graph as a file, in place of the one that is served or added to it (only where the server listens on this machine alone)", response: GraphResponse{}, parameters: []parameter{
		{"name", "string", true, "of the file; its ending tells the format where the content does not", nil},
		{"as", "string", false, "replace, the default, add: its facts to those that are served, or plan: only say what its tables and columns would become", []string{asReplacement, asAddition, asPlan}},
		{"key", "string", false, "column that names the entity of a row, a+b for several, row for an entity per row", nil},
		{"columns", "string", false, "names of the columns between commas, - to skip one; hrt, htr, … for head, relation and tail", nil}},
		file: true, writes: true, stream: takeFile},
}

func completeCall(s *Service, r *http.Request) (any, error) {
	query := r.URL.Query()
	limit, err := number(query, "limit")
	if err != nil {
		return nil, err
	}
	return s.Complete(query.Get("kind"), query.Get("q"), limit)
}

// number is a parameter that is one, 0 where it is left out.
func number(query url.Values, name string) (int, error) {
	text := query.Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, invalid("%s %q, expected a number", name, text)
	}
	return n, nil
}

func entityCall(s *Service, r *http.Request) (any, error) {
	name := r.URL.Query().Get("name")
	if name == "" {
		return nil, invalid("name: expected the name or identifier of an entity, as in /api/entity?name=…")
	}
	likely, err := number(r.URL.Query(), "likely")
	if err != nil {
		return nil, err
	}
	return s.EntityWithLikely(r.Context(), name, likely)
}

// body reads a request's JSON body and hands it to a method of the service.
func body[Request, Response any](s *Service, r *http.Request, call func(context.Context, Request) (Response, error)) (any, error) {
	var request Request
	if err := s.decode(r, &request); err != nil {
		return nil, err
	}
	return call(r.Context(), request)
}

// decode reads one JSON value of the known fields and nothing after it.
func (s *Service) decode(r *http.Request, into any) error {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return &Error{Kind: "invalid", Message: "expected a body of Content-Type application/json", status: http.StatusUnsupportedMediaType}
	}
	data, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, s.limits.Body))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return tooLarge("a body of more than %d bytes", over.Limit)
	case err != nil:
		return invalid("the body cannot be read: %v", err)
	}
	if len(data) < largeBody {
		return decodeJSON(data, into)
	}
	return s.cores.runLong(r.Context(), func(context.Context) error { return decodeJSON(data, into) })
}

// largeBody are the bytes of a body whose reading takes others' time, a millisecond or more: a client has these read one at a time.
const largeBody = 32 << 10

func decodeJSON(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return invalid("the body is not the JSON expected: %s", jsonTrouble(err))
	}
	if _, err := decoder.Token(); err != io.EOF {
		return invalid("the body goes on after its JSON value")
	}
	return nil
}

// jsonTrouble says what is wrong with a value in words of JSON, not of Go.
func jsonTrouble(err error) string {
	var mistyped *json.UnmarshalTypeError
	switch {
	case err == io.EOF:
		return "it is empty"
	case err == io.ErrUnexpectedEOF:
		return "it ends early"
	case !errors.As(err, &mistyped):
		return strings.TrimPrefix(err.Error(), "json: ")
	}
	expected := map[reflect.Kind]string{
		reflect.Struct: "an object", reflect.Map: "an object", reflect.Slice: "an array", reflect.String: "a string", reflect.Bool: "true or false", reflect.Pointer: "another value",
	}[mistyped.Type.Kind()]
	where := "there"
	if mistyped.Field != "" {
		where = "in " + strconv.Quote(mistyped.Field)
	}
	return fmt.Sprintf("%s is no value %s, expected %s", mistyped.Value, where, cmp.Or(expected, "a number that fits"))
}

// Timed ends the requests of a handler of another package with the service's time limit.
func (s *Service) Timed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := s.Within(r.Context())
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// dispatch runs the endpoint of the request's method within the time limit.
func (s *Service) dispatch(methods []endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, e := range methods {
			if r.Method == e.method || r.Method == http.MethodHead && e.method == http.MethodGet {
				if e.stream != nil {
					e.stream(s, w, r)
					return
				}
				ctx, cancel := s.Within(r.Context())
				defer cancel()
				value, err := e.call(s, r.WithContext(ctx))
				s.reply(w, value, err)
				return
			}
		}
		wrongMethod(w, methods)
	})
}

func (s *Service) reply(w http.ResponseWriter, value any, err error) {
	if err == nil {
		writeJSON(w, http.StatusOK, value)
		return
	}
	if errorOf(err).status == http.StatusInternalServerError {
		s.log.Error("a request failed", "error", err)
	}
	writeError(w, err)
}

func wrongMethod(w http.ResponseWriter, methods []endpoint) {
	for _, e := range methods {
		w.Header().Add("Allow", e.method)
	}
	writeError(w, &Error{Kind: "invalid", Message: "expected the method " + methods[0].method, status: http.StatusMethodNotAllowed})
}
