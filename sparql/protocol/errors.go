package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// statusError is an error of HTTP rather than of the query.
type statusError struct {
	status int
	what   string
}

func (e *statusError) Error() string { return e.what }

// Answerable is an error of a server around the handler, which knows what to say to a client.
type Answerable interface {
	error
	// Answer is the status and the kind of the error.
	Answer() (status int, kind string)
}

func refused(status int, format string, args ...any) error {
	return &statusError{status, fmt.Sprintf(format, args...)}
}

// statuses is the one table from kinds of errors to HTTP. A name that the graph
// lacks is a fault of the query: the resource /sparql is there.
var statuses = map[kg.Kind]struct {
	kind   string
	status int
}{
	kg.Invalid:   {"invalid", http.StatusBadRequest},
	kg.NotFound:  {"not_found", http.StatusBadRequest},
	kg.TooLarge:  {"too_large", http.StatusRequestEntityTooLarge},
	kg.Cancelled: {"cancelled", http.StatusServiceUnavailable},
	kg.Failure:   {"failure", http.StatusInternalServerError},
}

// body is an error as JSON, the same that the other endpoints of the server give.
type body struct {
	Error problem `json:"error"`
}

type problem struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
}

// describe says what a client is told. What is no fault of theirs is not shown in detail.
func describe(err error) (status int, p problem) {
	var byHTTP *statusError
	if errors.As(err, &byHTTP) {
		return byHTTP.status, problem{Kind: "invalid", Message: byHTTP.what}
	}
	var byServer Answerable
	if errors.As(err, &byServer) {
		status, kind := byServer.Answer()
		return status, problem{Kind: kind, Message: err.Error()}
	}
	var user *kg.Error
	if !errors.As(err, &user) && endedEarly(err) {
		return http.StatusServiceUnavailable, problem{Kind: "cancelled", Message: err.Error()}
	}
	if !errors.As(err, &user) {
		return http.StatusInternalServerError, problem{Kind: "failure", Message: "the query failed"}
	}
	row := statuses[user.Kind]
	p = problem{Kind: row.kind, Message: user.Error()}
	if user.Place.Name == syntax.Source {
		p.Line, p.Column = user.Place.Line, user.Place.Column
	}
	return row.status, p
}

// endedEarly tells whether a request ended because its context did.
func endedEarly(err error) bool {
	return errors.Is(err, errTimeout) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// reply sends an error: as JSON to who asked for JSON by name, as a line of text to others.
func reply(w http.ResponseWriter, r *http.Request, err error) {
	status, p := describe(err)
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	if !wantsJSON(r) {
		header.Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		fmt.Fprintln(w, p.Message)
		return
	}
	header.Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body{p}) // fails only for a client that left
}

func wantsJSON(r *http.Request) bool {
	ranges := parseAccept(r.Header.Values("Accept"))
	for _, name := range offered[results.JSON] {
		if q, found := qualityOf(ranges, name); found && q > 0 {
			return true
		}
	}
	return false
}
