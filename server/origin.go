package server

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/lacuna-kg/lacuna/sparql/results"
)

// AnyOrigin lets pages of every origin ask; they cannot change facts.
const AnyOrigin = "*"

// changing are the routes by which facts may be changed.
var changing = []string{"/update", "/graphs", "/graphs/", "/api/facts", "/api/graph", "/mcp"}

// crossOrigin says what becomes of a request that a page of another origin makes a browser
// send. It answers what is to be answered at once, and sets what lets an allowed page read.
func crossOrigin(guard Guard, w http.ResponseWriter, r *http.Request, route string, open bool) (answered bool) {
	if len(guard.Origins) > 0 {
		w.Header().Add("Vary", "Origin")
	}
	if !foreign(r) {
		return false
	}
	asked := r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
	safe := !asked && (r.Method == http.MethodGet || r.Method == http.MethodHead)
	switch allow := guard.allows(r.Header.Get("Origin"), route); {
	case allow != "":
		w.Header().Set("Access-Control-Allow-Origin", allow)
		w.Header().Set("Access-Control-Expose-Headers", "Retry-After, "+results.CutHeader+", "+results.WarningHeader)
	case open && safe: // the page itself, which holds no data
		return false
	default:
		writeError(w, &Error{Kind: "forbidden", Message: "requests from pages of another origin are refused (lacuna serve --cors ORIGIN lets those of one in)", status: http.StatusForbidden})
		return true
	}
	if asked {
		h := w.Header()
		h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST")
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept")
		h.Set("Access-Control-Max-Age", "7200")
		w.WriteHeader(http.StatusNoContent)
	}
	return asked
}

// foreign tells whether a browser sends a request for a page of another origin: it says so
// itself or, where it is an old one, by the origin. Programs say neither.
func foreign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return false
	case "":
		origin := r.Header.Get("Origin")
		parsed, err := url.Parse(origin)
		return origin != "" && (err != nil || parsed.Host != r.Host)
	}
	return true
}

// allows gives what a page of an origin is told, "" where it is not let in.
func (g Guard) allows(origin, route string) string {
	switch {
	case origin != "" && slices.Contains(g.Origins, origin):
		return origin
	case slices.Contains(g.Origins, AnyOrigin) && !slices.Contains(changing, route):
		return AnyOrigin
	}
	return ""
}
