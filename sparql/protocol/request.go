package protocol

import (
	"cmp"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// request is a query with the options of its parameters.
type request struct {
	text    string
	from    []syntax.From // nil where the request does not say which graphs are asked
	options sparql.Options
	plan    bool // it is asked how the query runs, instead of its results
}

// read takes the query and the parameters out of a request (section 2.1 of the protocol).
func (h *Handler) read(w http.ResponseWriter, r *http.Request) (request, error) {
	b := bodyReader{what: "query", media: "application/sparql-query", most: h.Body}
	params, err := b.parameters(w, r)
	if err != nil {
		return request{}, err
	}
	q, err := fromParameters(params)
	q.from = graphsOf(params, "default-graph-uri", "named-graph-uri")
	return q, err
}

// bodyReader reads what a POST says: a form, or the text of one kind by itself.
type bodyReader struct {
	what  string // the parameter that the text is
	media string // of the text by itself
	most  int64  // bytes; 0 means syntax.MaxText
}

// parameters are those of the URL and of the body.
func (b bodyReader) parameters(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	params, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, invalid("the parameters of the URL cannot be read: %v", err)
	}
	if r.Method != http.MethodPost {
		return params, nil
	}
	return params, b.add(w, r, params)
}

// add puts what a POST says to the parameters.
func (b bodyReader) add(w http.ResponseWriter, r *http.Request, params url.Values) error {
	media, attributes, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	form := media == "application/x-www-form-urlencoded"
	if err != nil || !form && media != b.media {
		return refused(http.StatusUnsupportedMediaType, "Content-Type: expected %s or application/x-www-form-urlencoded", b.media)
	}
	if charset := attributes["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return refused(http.StatusUnsupportedMediaType, "Content-Type: expected UTF-8, not %s", charset)
	}
	limit := cmp.Or(b.most, syntax.MaxText)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return kg.Errorf(kg.TooLarge, "", "a body of more than %d bytes", limit)
	case err != nil:
		return invalid("the body cannot be read: %v", err)
	case !form:
		params.Add(b.what, string(body))
		return nil
	}
	fields, err := url.ParseQuery(string(body))
	if err != nil {
		return invalid("the fields of the body cannot be read: %v", err)
	}
	for name, values := range fields {
		params[name] = append(params[name], values...)
	}
	return nil
}

// graphsOf are the graphs that parameters name. Clients that mean none send them empty.
func graphsOf(params url.Values, defaults, named string) (from []syntax.From) {
	for _, name := range []string{defaults, named} {
		for _, iri := range params[name] {
			if iri != "" {
				from = append(from, syntax.From{IRI: iri, Named: name == named, Pos: syntax.Pos{Line: 1, Column: 1}})
			}
		}
	}
	return from
}

// fromParameters reads the parameters; those that nobody knows are passed over, as clients send all kinds.
func fromParameters(params url.Values) (request, error) {
	if params.Has("update") {
		return request{}, invalid("update: this is for queries only; updates are for /update")
	}
	for _, name := range []string{"query", "mode", "threshold", "predicted", "plan"} {
		if len(params[name]) > 1 {
			return request{}, invalid("%s: expected once, found %d times", name, len(params[name]))
		}
	}
	if !params.Has("query") {
		return request{}, invalid("query: expected a query, as in /sparql?query=SELECT…, or a POST with one")
	}
	q := request{text: params.Get("query")}
	return q, q.readOptions(params)
}

func (q *request) readOptions(params url.Values) (err error) {
	if params.Has("mode") {
		if q.options.Mode, err = sparql.ParseMode(params.Get("mode")); err != nil {
			return err
		}
	}
	for _, name := range []string{"threshold", "predicted"} {
		if params.Has(name) && q.options.Mode != sparql.Predict {
			return invalid("%s: only mode=predict has probabilities", name)
		}
	}
	if params.Has("plan") {
		if q.plan, err = strconv.ParseBool(params.Get("plan")); err != nil {
			return invalid("plan %q: expected true or false", params.Get("plan"))
		}
		if q.plan && q.options.Mode == sparql.Predict {
			return invalid("plan: only exact answers have a plan of operators")
		}
	}
	if params.Has("predicted") {
		if q.options.Predicted, err = strconv.ParseBool(params.Get("predicted")); err != nil {
			return invalid("predicted %q: expected true or false", params.Get("predicted"))
		}
	}
	if !params.Has("threshold") {
		return nil
	}
	threshold, err := strconv.ParseFloat(params.Get("threshold"), 64)
	if err != nil || !(threshold > 0 && threshold <= 1) {
		return invalid("threshold %q: expected a probability above 0, at most 1", params.Get("threshold"))
	}
	q.options.Threshold = threshold
	return nil
}
