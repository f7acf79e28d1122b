package protocol

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// UpdateHandler answers the requests of the protocol that change the graph, by POST of a form
// or of application/sparql-update. The outcome is sent as JSON.
type UpdateHandler struct {
	Source Source
	// Update does what a request says, whole or not at all, and tells what it came to.
	Update func(context.Context, *syntax.Update) (any, error)
	Remote sparql.Remote // that LOAD fetches from; nil for nothing
	Body   int64         // the most bytes of a request's body; 0 means syntax.MaxText
	Time   time.Duration // the most time of a request; 0 for no limit of its own
}

// ServeHTTP answers one request.
func (h *UpdateHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST, OPTIONS")
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		reply(w, r, refused(http.StatusMethodNotAllowed, "the method %s: expected POST", r.Method))
		return
	}
	outcome, err := h.update(w, r)
	if err != nil {
		reply(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(outcome) // fails only for a client that left
}

func (h *UpdateHandler) update(w http.ResponseWriter, r *http.Request) (any, error) {
	b := bodyReader{what: "update", media: "application/sparql-update", most: h.Body}
	params, err := b.parameters(w, r)
	if err != nil {
		return nil, err
	}
	switch {
	case params.Has("query"):
		return nil, invalid("query: this is for updates only; queries are for /sparql")
	case len(params["update"]) != 1:
		return nil, invalid("update: expected once, found %d times", len(params["update"]))
	}
	u, err := syntax.ParseUpdate(params.Get("update"), h.prefixes()...)
	if err == nil {
		err = using(u, graphsOf(params, "using-graph-uri", "using-named-graph-uri"))
	}
	if err != nil {
		return nil, err
	}
	ctx, cancel := limited(r.Context(), h.Time)
	defer cancel()
	if u, err = sparql.Loaded(ctx, u, h.Remote); err != nil {
		return nil, err
	}
	return h.Update(ctx, u)
}

// using has all patterns of an update be asked of some graphs; one that says which itself is refused (section 2.2.3 of the protocol).
func using(u *syntax.Update, from []syntax.From) error {
	if len(from) == 0 {
		return nil
	}
	for i := range u.Operations {
		o := &u.Operations[i]
		if o.With != "" || len(o.Using) > 0 {
			return invalid("using-graph-uri beside WITH or USING in the update: expected one of them")
		}
		if o.Where != nil && o.Managed == "" {
			o.Using = from
		}
	}
	return nil
}

func (h *UpdateHandler) prefixes() []kg.Prefix {
	data, done := h.Source.Dataset()
	defer done()
	return sparql.Prefixes(data.Graph)
}
