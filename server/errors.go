package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// Error is what a client is told in place of an answer.
type Error struct {
	Kind    string `json:"kind"` // invalid, not_found, too_large, busy, cancelled, unauthorized, forbidden, unavailable or failure
	Message string `json:"message"`
	Line    int    `json:"line,omitempty"` // place in the question, both from 1, the column in characters
	Column  int    `json:"column,omitempty"`

	status     int
	retryAfter int // seconds; of busy
}

func (e *Error) Error() string { return e.Message }

// Answer is the status and the kind, for handlers of other packages.
func (e *Error) Answer() (status int, kind string) { return e.status, e.Kind }

// statuses is the one table from kinds of errors to HTTP.
var statuses = map[kg.Kind]struct {
	kind   string
	status int
}{
	kg.Invalid:   {"invalid", http.StatusBadRequest},
	kg.NotFound:  {"not_found", http.StatusNotFound},
	kg.TooLarge:  {"too_large", http.StatusRequestEntityTooLarge},
	kg.Cancelled: {"cancelled", statusClientClosed},
	kg.Failure:   {"failure", http.StatusInternalServerError},
}

// statusClientClosed is nginx's for a client that left: nobody reads it but the log and the metrics.
const statusClientClosed = 499

// errorOf says what a client is told of an error. What is not the user's fault is not shown to them in detail.
func errorOf(err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	var user *kg.Error
	if !errors.As(err, &user) {
		return &Error{Kind: "failure", Message: "the request failed; the server's log says why", status: http.StatusInternalServerError}
	}
	row := statuses[user.Kind]
	e := &Error{Kind: row.kind, Message: user.Error(), status: row.status}
	if at := user.Place; at.Name == query.Source && at.Line > 0 {
		e.Message, e.Line, e.Column = user.What, at.Line, at.Column
	}
	return e
}

// errTimeout is the cause of a context that the time limit of a request ended.
var errTimeout = errors.New("the request took longer than the server's limit on its time")

// ended is the error of a request whose context is over.
func ended(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), errTimeout) {
		return &Error{Kind: "cancelled", Message: errTimeout.Error(), status: http.StatusServiceUnavailable}
	}
	return kg.Errorf(kg.Cancelled, "", "the client left")
}

func invalid(format string, args ...any) error { return kg.Errorf(kg.Invalid, "", format, args...) }

func tooLarge(format string, args ...any) error { return kg.Errorf(kg.TooLarge, "", format, args...) }

// unreachable says that what facts are kept in does not answer.
func unreachable(what string) error {
	return &Error{Kind: "unavailable", Message: what, status: http.StatusServiceUnavailable, retryAfter: 2}
}

func busy(retryAfter int, what string) error {
	return &Error{Kind: "busy", Message: what, status: http.StatusTooManyRequests, retryAfter: retryAfter}
}

// writeError sends an error in the one form that all have.
func writeError(w http.ResponseWriter, err error) {
	e := errorOf(err)
	if e.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(e.retryAfter))
	}
	if e.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="lacuna"`)
	}
	writeJSON(w, e.status, struct {
		Error *Error `json:"error"`
	}{e})
}

// writeJSON sends a value. Encoding cannot fail but for a client that left, whom nobody can tell.
func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
}
