package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// Guard says who may use the service.
type Guard struct {
	// Tokens are those of which requests must bring one, as bearers, unless their route is open; nil for none. With
	// one of ReadTokens a client may ask, but not change facts. Each token is a client with a share of its own.
	Tokens, ReadTokens []string
	// Hosts are the names under which the service may be addressed; nil allows any. A
	// page elsewhere could otherwise point a name of its own at a loopback address and
	// have a browser read the graph (DNS rebinding).
	Hosts []string
	// WriteHosts are, where any host and no token is asked for, the names under which facts may be changed beside
	// numbers and localhost: the same page cannot point those at this machine.
	WriteHosts []string
	// Origins are those whose pages may use the service beside its own, such as
	// https://yasgui.org; AnyOrigin lets all of them ask.
	Origins []string
}

// Closed tells that clients must send a token.
func (g Guard) Closed() bool { return len(g.Tokens)+len(g.ReadTokens) > 0 }

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
	mux, listed := http.NewServeMux(), map[string]Mount{}
	for _, r := range routes {
		mux.Handle(r.Pattern, r.Handler)
		listed[r.Pattern] = r
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.recovered(w, r)
		secure(w.Header(), r.URL.Path)
		// The route decides, not the path: a path that the guard reads otherwise than the mux would slip through.
		_, pattern := mux.Handler(r)
		route := listed[pattern]
		if err := named(guard, r); err != nil {
			writeError(w, err)
			return
		}
		if crossOrigin(guard, w, r, pattern, route.Open) {
			return
		}
		ctx, err := admit(guard, route.Open, r)
		if err != nil {
			writeError(w, err)
			return
		}
		s.work(w, r.WithContext(ctx), route, mux)
	})
}

// work has a request that was let in answered, if there is room for it. Files that are brought have places of their own.
func (s *Service) work(w http.ResponseWriter, r *http.Request, route Mount, mux http.Handler) {
	if !isProbe(r.URL.Path) {
		s.cores.others.saw(clientOf(r.Context()), time.Now())
	}
	if route.upload {
		mux.ServeHTTP(w, r)
		return
	}
	if err := s.receive(w, r); err != nil {
		writeError(w, err)
		return
	}
	if s.working.Add(1) > int64(s.limits.Requests) && !isProbe(r.URL.Path) {
		s.working.Add(-1)
		writeError(w, busy(1, "the server has as many requests at work as it may"))
		return
	}
	defer s.working.Add(-1)
	mux.ServeHTTP(&sender{w, s, clientOf(r.Context())}, r)
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

// admit checks the token where the route is not open, and says in the context who the client is and what it may do.
func admit(guard Guard, open bool, r *http.Request) (context.Context, error) {
	ctx := withClient(r.Context(), addressOf(r.RemoteAddr))
	if !guard.Closed() {
		if guard.Hosts == nil && !writableHost(guard, r.Host) {
			ctx = reader(ctx, "facts cannot be changed under the name "+hostname(r.Host)+", as any page could use it (lacuna serve --host NAME allows it; or set a token)")
		}
		return ctx, nil
	}
	header := r.Header.Get("Authorization")
	if i := validToken(guard.Tokens, header); i >= 0 {
		return withClient(r.Context(), fmt.Sprint("token ", i)), nil
	}
	if i := validToken(guard.ReadTokens, header); i >= 0 {
		return reader(withClient(r.Context(), fmt.Sprint("reading token ", i)), "facts cannot be changed with this token: it may only read"), nil
	}
	if open {
		return ctx, nil
	}
	return nil, &Error{Kind: "unauthorized", Message: "expected the header Authorization: Bearer TOKEN", status: http.StatusUnauthorized}
}

// writableHost tells a name by which facts may be changed where any page could use any other.
func writableHost(guard Guard, host string) bool {
	name := hostname(host)
	_, err := netip.ParseAddr(name)
	return err == nil || strings.EqualFold(name, "localhost") || slices.ContainsFunc(guard.WriteHosts, func(a string) bool { return strings.EqualFold(a, name) })
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

// validToken finds the token of a header among some, -1 for none. It compares digests, whose comparison takes the same time for any two tokens.
func validToken(tokens []string, header string) int {
	scheme, given, _ := strings.Cut(header, " ")
	got, found := sha256.Sum256([]byte(strings.TrimSpace(given))), -1
	for i, token := range tokens {
		if want := sha256.Sum256([]byte(token)); subtle.ConstantTimeCompare(want[:], got[:]) == 1 && strings.EqualFold(scheme, "bearer") {
			found = i
		}
	}
	return found
}
