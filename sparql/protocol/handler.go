// Package protocol serves package sparql over HTTP, by the SPARQL 1.1 Protocol:
// queries by GET and by POST in both ways, results in the format that the client
// prefers, errors with their place. A server mounts its Handler, at /sparql say.
package protocol

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/results"
)

// Source gives what queries are asked of.
type Source interface {
	// Dataset is the graph as it is now. It stays as it is until done is called.
	Dataset() (data sparql.Dataset, done func())
}

// Handler answers the requests of the protocol.
type Handler struct {
	Source Source
	Limits sparql.Limits
	Body   int64         // the most bytes of a request's body; 0 means syntax.MaxText
	Time   time.Duration // the most time of a request; 0 for no limit of its own
}

// errTimeout is the cause of a context that the time limit of a request ended.
var errTimeout = errors.New("it took longer than the server's limit on its time")

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Accept")
	if r.Method == http.MethodOptions {
		w.Header().Set("Allow", methods)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if err := h.checkMethod(w, r); err != nil {
		reply(w, r, err)
		return
	}
	ctx, cancel := limited(r.Context(), h.Time)
	defer cancel()
	if err := h.answer(ctx, w, r); err != nil {
		reply(w, r, err)
	}
}

// limited is a context that ends after some time, unless that is 0.
func limited(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	if most <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, most, errTimeout)
}

// answer runs the query of a request and streams its results. Only an error that
// comes before anything was sent is returned.
func (h *Handler) answer(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodPost && r.URL.RawQuery == "" {
		return h.description(w, r)
	}
	q, err := h.read(w, r)
	if err != nil {
		return err
	}
	q.options.Limits = h.Limits
	data, done := h.Source.Dataset()
	defer done()
	if q.from != nil {
		data.From = q.from
	}
	if q.plan {
		return explain(ctx, w, q, data)
	}
	found, err := sparql.Run(ctx, q.text, data, q.options)
	if err != nil {
		return err
	}
	return h.send(w, r, found)
}

// explain runs a query and sends its plan as JSON: the rows that were expected of every part, and those that came.
func explain(ctx context.Context, w http.ResponseWriter, q request, data sparql.Dataset) error {
	plan, err := sparql.Explain(ctx, q.text, data, q.options)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(plan) // fails only for a client that left
	return nil
}

// send writes results in the format that the client prefers. What it accepts is looked at last:
// who sends a query that cannot be answered is told why.
func (h *Handler) send(w http.ResponseWriter, r *http.Request, found *results.Results) error {
	formats := results.FormatsOf(found.Graph)
	format, ok := negotiate(r.Header.Values("Accept"), formats)
	if !ok {
		return notAcceptable(found.Graph)
	}
	if found.Cut != nil {
		w.Header().Set(results.CutHeader, found.Cut.Header())
	}
	if found.Probability != nil {
		w.Header().Set(results.ProbabilityHeader, strconv.FormatFloat(float64(*found.Probability), 'g', -1, 32))
	}
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", format.MediaType())
		return nil
	}
	out := &lateWriter{w: w, contentType: format.MediaType()}
	buffered := bufio.NewWriterSize(out, 1<<12)
	err := found.Write(buffered, format)
	err = cmp.Or(err, buffered.Flush())
	if err == nil {
		warn(w, found) // a field of the head, which results that are empty have not sent yet
		err = out.finish()
	}
	if err != nil && out.began {
		out.stop(r, format, err)
		return nil
	}
	return err
}

// warn has the head of the response say what the graph lacks.
func warn(w http.ResponseWriter, found *results.Results) {
	for _, text := range found.Warned() {
		w.Header().Add(results.WarningHeader, results.HeaderText(text))
	}
}

const methods = "GET, HEAD, POST, OPTIONS"

func (h *Handler) checkMethod(w http.ResponseWriter, r *http.Request) error {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
		return nil
	}
	w.Header().Set("Allow", methods)
	return refused(http.StatusMethodNotAllowed, "the method %s: expected GET or POST", r.Method)
}

// notAcceptable says which formats there are for what a query gives.
func notAcceptable(graph bool) error {
	what, more := "solutions and truth values", []string{"application/json", "application/xml"}
	if graph {
		what, more = "triples, which CONSTRUCT and DESCRIBE give", nil
	}
	var names []string
	for _, f := range results.FormatsOf(graph) {
		names = append(names, baseType(f))
	}
	return refused(http.StatusNotAcceptable, "Accept: expected one of %s for %s", strings.Join(append(names, more...), ", "), what)
}

// invalid is an error of the request.
func invalid(format string, args ...any) error { return kg.Errorf(kg.Invalid, "", format, args...) }
