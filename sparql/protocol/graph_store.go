package protocol

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// GraphStore serves whole graphs by the SPARQL 1.1 Graph Store HTTP Protocol: GET, HEAD, PUT, POST and DELETE of the graph that
// ?graph=IRI names, of the one without a name by ?default, or of the one whose name is the URL itself.
type GraphStore struct {
	Source Source
	Update func(context.Context, *syntax.Update) (any, error) // as that of UpdateHandler
	Limits sparql.Limits
	Path   string        // where it is mounted, without a slash at its end
	Body   int64         // the most bytes of a request's body; 0 means syntax.MaxText
	Time   time.Duration // the most time of a request; 0 for no limit of its own
}

const storeMethods = "GET, HEAD, PUT, POST, DELETE, OPTIONS"

// ServeHTTP answers one request.
func (h *GraphStore) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Accept")
	if r.Method == http.MethodOptions {
		w.Header().Set("Allow", storeMethods)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	ctx, cancel := limited(r.Context(), h.Time)
	defer cancel()
	if err := h.answer(ctx, w, r); err != nil {
		reply(w, r, err)
	}
}

func (h *GraphStore) answer(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	graph, err := h.graph(r)
	if err != nil {
		return err
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return h.get(ctx, w, r, graph)
	case http.MethodPut, http.MethodPost:
		return h.put(ctx, w, r, graph)
	case http.MethodDelete:
		return h.delete(ctx, w, graph)
	}
	w.Header().Set("Allow", storeMethods)
	return refused(http.StatusMethodNotAllowed, "the method %s: expected GET, PUT, POST or DELETE", r.Method)
}

// stored is the graph of a request: its IRI, or "" for the one without a name.
type stored struct {
	iri  string
	made bool // by the server, for a POST to the store itself
}

// graph tells which graph a request is about.
func (h *GraphStore) graph(r *http.Request) (stored, error) {
	params, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return stored{}, invalid("the parameters of the URL cannot be read: %v", err)
	}
	path := strings.TrimSuffix(strings.TrimPrefix(r.URL.EscapedPath(), h.Path), "/")
	switch {
	case params.Has("default") && params.Has("graph") || len(params["graph"]) > 1:
		return stored{}, invalid("expected either ?default or ?graph=IRI, once")
	case params.Has("default"):
		return stored{}, nil
	case params.Has("graph"):
		iri, err := h.absolute(r, params.Get("graph"))
		if syntax.IsDefaultGraph(iri) {
			iri = ""
		}
		return stored{iri: iri}, err
	case path != "":
		return stored{iri: h.base(r) + path}, nil
	case r.Method == http.MethodPost:
		return stored{h.base(r) + "/" + strconv.FormatInt(time.Now().UnixNano(), 36), true}, nil
	}
	return stored{}, invalid("expected ?default, ?graph=IRI or the graph's own URL below %s/", h.Path)
}

// base is the URL of the store.
func (h *GraphStore) base(r *http.Request) string {
	return strings.TrimSuffix(endpoint(r), r.URL.Path) + h.Path
}

// absolute is the IRI of a graph, which may be relative to the request.
func (h *GraphStore) absolute(r *http.Request, iri string) (string, error) {
	parsed, err := url.Parse(iri)
	if err != nil || iri == "" {
		return "", invalid("graph %q: expected an IRI", iri)
	}
	if parsed.IsAbs() {
		return iri, nil
	}
	base, err := url.Parse(h.base(r) + "/")
	if err != nil {
		return "", invalid("graph %q: %v", iri, err)
	}
	return base.ResolveReference(parsed).String(), nil
}

// exists tells whether a graph is there; the one without a name always is.
func (h *GraphStore) exists(iri string) bool {
	data, done := h.Source.Dataset()
	defer done()
	_, known := data.Graph.Named().Find(graphName(iri))
	return known
}

func graphName(iri string) string {
	if iri == "" {
		return ""
	}
	return term.EntityName(term.Term{Kind: term.IRI, Value: iri})
}

func absent(iri string) error { return refused(http.StatusNotFound, "there is no graph <%s>", iri) }

// get sends a graph.
func (h *GraphStore) get(ctx context.Context, w http.ResponseWriter, r *http.Request, graph stored) error {
	if !h.exists(graph.iri) {
		return absent(graph.iri)
	}
	data, done := h.Source.Dataset()
	defer done()
	data.Strict = true
	text := "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }"
	if graph.iri != "" {
		text = "CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <" + graph.iri + "> { ?s ?p ?o } }"
	}
	found, err := sparql.Run(ctx, text, data, sparql.Options{Limits: h.Limits})
	if err != nil {
		return err
	}
	return (&Handler{}).send(w, r, found)
}

// put adds the triples of the body to a graph, or puts them in the place of all that it has.
func (h *GraphStore) put(ctx context.Context, w http.ResponseWriter, r *http.Request, graph stored) error {
	triples, err := h.body(ctx, w, r, graph.iri)
	if err != nil {
		return err
	}
	existed := h.exists(graph.iri)
	u := &syntax.Update{}
	if r.Method == http.MethodPut {
		u, err = emptied(graph.iri)
		if err != nil {
			return err
		}
	}
	u.Operations = append(u.Operations, syntax.Operation{Insert: triples})
	if _, err := h.Update(ctx, u); err != nil {
		return err
	}
	switch {
	case !existed:
		if graph.made {
			w.Header().Set("Location", graph.iri)
		}
		w.WriteHeader(http.StatusCreated)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
	return nil
}

// emptied is the update that takes all out of a graph.
func emptied(iri string) (*syntax.Update, error) {
	if iri == "" {
		return syntax.ParseUpdate("CLEAR DEFAULT")
	}
	return syntax.ParseUpdate("CLEAR SILENT GRAPH <" + iri + ">")
}

// delete takes a graph away.
func (h *GraphStore) delete(ctx context.Context, w http.ResponseWriter, graph stored) error {
	if !h.exists(graph.iri) {
		return absent(graph.iri)
	}
	u, err := emptied(graph.iri)
	if err != nil {
		return err
	}
	if _, err := h.Update(ctx, u); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// body reads the triples of a request, or of the files of a form.
func (h *GraphStore) body(ctx context.Context, w http.ResponseWriter, r *http.Request, graph string) ([]syntax.Triple, error) {
	most := cmp.Or(h.Body, syntax.MaxText)
	r.Body = http.MaxBytesReader(w, r.Body, most)
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media != "multipart/form-data" {
		return h.document(ctx, r, r.Header.Get("Content-Type"), r.Body, graph)
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, invalid("the form cannot be read: %v", err)
	}
	all := []syntax.Triple{}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, h.unread(err)
		}
		triples, err := h.document(ctx, r, part.Header.Get("Content-Type"), part, graph)
		if err != nil {
			return nil, err
		}
		all = append(all, triples...)
	}
}

// unread says why a body cannot be read.
func (h *GraphStore) unread(err error) error {
	var over *http.MaxBytesError
	if errors.As(err, &over) {
		return kg.Errorf(kg.TooLarge, "", "a body of more than %d bytes", over.Limit)
	}
	return invalid("the body cannot be read: %v", err)
}

// document reads the triples of a text; relative IRIs are relative to the graph.
func (h *GraphStore) document(ctx context.Context, r *http.Request, contentType string, from io.Reader, graph string) ([]syntax.Triple, error) {
	media, _, err := mime.ParseMediaType(cmp.Or(contentType, "text/turtle"))
	format, known := sparql.MediaTypes[media]
	if err != nil || !known {
		return nil, refused(http.StatusUnsupportedMediaType, "Content-Type: expected text/turtle, application/n-triples, application/rdf+xml or application/ld+json")
	}
	text, err := io.ReadAll(from)
	if err != nil {
		return nil, h.unread(err)
	}
	opts := read.Options{Format: format, Base: cmp.Or(graph, h.base(r)+"/"), Unpacked: 8 * cmp.Or(h.Body, syntax.MaxText)}
	return sparql.ReadTriples(ctx, text, opts, "body", graph)
}
