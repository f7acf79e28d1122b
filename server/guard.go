package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
)

// Guard says who may use the service.
type Guard struct {
	Token string // a bearer token that requests must bring, unless their route is open; "" for none
	// Hosts are the names under which the service may be addressed; nil allows any. A
	// page elsewhere could otherwise point a name of its own at a loopback address and
	// have a browser read the graph (DNS rebinding).
	Hosts []string
	// Origins are those whose pages may use the service beside its own, such as
	// https://yasgui.org; AnyOrigin lets all of them ask.
	Origins []string
}

// LoopbackHosts are the names of a service that listens on loopback only.
var LoopbackHosts = []string{"localhost", "127.0.0.1", "::1"}

// IsLoopback tells whether only this machine can reach an address to listen at.
func IsLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// protect puts everything around the routes that no route may go without.
func (s *Service) protect(guard Guard, routes []Mount) http.Handler {
	mux, open := http.NewServeMux(), map[string]bool{}
	for _, r := range routes {
		mux.Handle(r.Pattern, r.Handler)
		open[r.Pattern] = r.Open
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.recovered(w, r)
		secure(w.Header(), r.URL.Path)
		// The route decides, not the path: a path that the guard reads otherwise than the mux would slip through.
		_, route := mux.Handler(r)
		if err := named(guard, r); err != nil {
			writeError(w, err)
			return
		}
		if crossOrigin(guard, w, r, route, open[route]) {
			return
		}
		err := admit(guard, open[route], r)
		if err == nil {
			err = s.receive(w, r)
		}
		if err != nil {
			writeError(w, err)
			return
		}
		if s.working.Add(1) > int64(s.limits.Requests) && !isProbe(r.URL.Path) {
			s.working.Add(-1)
			writeError(w, busy(1, "the server has as many requests at work as it may"))
			return
		}
		defer s.working.Add(-1)
		mux.ServeHTTP(&sender{w, s}, r)
	})
}

// recovered turns a panic into an error for its client alone.
func (s *Service) recovered(w http.ResponseWriter, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler {
		panic(p)
	}
	s.metrics.panics.Inc()
	s.log.Error("a request panicked", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
	writeError(w, &Error{Kind: "failure", Message: "the request failed; the server's log says why", status: http.StatusInternalServerError})
}

func secure(h http.Header, path string) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; base-uri 'none'; frame-ancestors 'none'; form-action 'self'")
	if strings.HasPrefix(path, "/api/") {
		h.Set("Cache-Control", "no-store")
	}
}

// named checks the name that the client used.
func named(guard Guard, r *http.Request) error {
	if !allowedHost(guard.Hosts, r.Host) {
		return &Error{Kind: "forbidden", Message: "the server does not go by the name " + hostname(r.Host) + " (it is reached at localhost)", status: http.StatusForbidden}
	}
	return nil
}

// admit checks the token where the route is not open.
func admit(guard Guard, open bool, r *http.Request) error {
	if guard.Token == "" || open || validToken(guard.Token, r.Header.Get("Authorization")) {
		return nil
	}
	return &Error{Kind: "unauthorized", Message: "expected the header Authorization: Bearer TOKEN", status: http.StatusUnauthorized}
}

func allowedHost(allowed []string, host string) bool {
	if allowed == nil {
		return true
	}
	name := hostname(host)
	for _, a := range allowed {
		if strings.EqualFold(a, name) {
			return true
		}
	}
	return false
}

// hostname is a Host header without port and brackets.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

func isProbe(path string) bool { return path == "/healthz" || path == "/readyz" }

// validToken compares digests, whose comparison takes the same time for any two tokens.
func validToken(token, header string) bool {
	scheme, given, _ := strings.Cut(header, " ")
	want, got := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(strings.TrimSpace(given)))
	return strings.EqualFold(scheme, "bearer") && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}
