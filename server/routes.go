package server

import (
	"net/http"
	"slices"
)

// Mount is a further handler of the service, such as SPARQL or the page.
type Mount struct {
	Pattern string // of http.ServeMux: "/sparql", or "/" for all that nothing else serves
	Handler http.Handler
	Open    bool // needs no token
	Writes  bool // changes the graph, whatever version it has

	upload bool // its body is a file, which is read as it comes
}

// Handler is the service over HTTP, with mounts that are guarded in the same way.
func (s *Service) Handler(guard Guard, mounts ...Mount) http.Handler {
	return s.protect(guard, s.routes(mounts))
}

// routes are all patterns that the service answers at. Open are, of its own, the probes: they tell nothing of the graph.
func (s *Service) routes(mounts []Mount) []Mount {
	list := []Mount{
		{Pattern: "/healthz", Handler: reading(http.HandlerFunc(s.health)), Open: true},
		{Pattern: "/readyz", Handler: reading(http.HandlerFunc(s.ready)), Open: true},
		{Pattern: "/metrics", Handler: reading(s.metrics.handler())},
		{Pattern: "/api/openapi.json", Handler: s.measured("/api/openapi.json", s.describe())},
		{Pattern: "/api/", Handler: http.HandlerFunc(notFound)},
	}
	for path, methods := range byPath(endpoints) {
		handler := s.dispatch(methods)
		if !methods[0].writes {
			handler = s.current(handler)
		}
		list = append(list, Mount{Pattern: path, Handler: s.measured(path, handler), upload: methods[0].file})
	}
	for _, m := range mounts {
		if !m.Open && !m.Writes {
			m.Handler = s.current(m.Handler)
		}
		m.Handler = s.measured(m.Pattern, m.Handler)
		list = append(list, m)
	}
	if !slices.ContainsFunc(mounts, func(m Mount) bool { return m.Pattern == "/" }) {
		list = append(list, Mount{Pattern: "/", Handler: http.HandlerFunc(notFound)})
	}
	return list
}

func byPath(endpoints []endpoint) map[string][]endpoint {
	paths := map[string][]endpoint{}
	for _, e := range endpoints {
		paths[e.path] = append(paths[e.path], e)
	}
	return paths
}

// reading refuses methods other than GET and HEAD.
func reading(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			wrongMethod(w, []endpoint{{method: http.MethodGet}})
			return
		}
		next.ServeHTTP(w, r)
	})
}

func notFound(w http.ResponseWriter, r *http.Request) {
	writeError(w, &Error{Kind: "not_found", Message: "nothing is at this path (GET /api/openapi.json describes what is)", status: http.StatusNotFound})
}

// health says that the process is alive.
func (s *Service) health(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// ready says whether new requests would be taken, and answered on a graph that is not far behind.
func (s *Service) ready(w http.ResponseWriter, _ *http.Request) {
	if s.stopping.Load() {
		writeError(w, &Error{Kind: "busy", Message: "the server is stopping", status: http.StatusServiceUnavailable, retryAfter: 1})
		return
	}
	if err := s.follower.unfit(); err != nil {
		writeError(w, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": "ready"})
}
