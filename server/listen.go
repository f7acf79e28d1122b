package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
)

// Listen opens the address to serve at. Without a token it must be one that only
// this machine reaches, unless anyAddress says that the risk is understood.
func Listen(address string, guard Guard, anyAddress bool) (net.Listener, error) {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, kg.Errorf(kg.Invalid, "", "the address %q: expected a host and a port, as in 127.0.0.1:8420", address)
	}
	if !guard.Closed() && !anyAddress && !IsLoopback(address) {
		return nil, kg.Errorf(kg.Invalid, "", "%s can be reached from other machines and no token is set: anybody could read and change the graph. Set a token (--token-file or LACUNA_TOKEN), listen on 127.0.0.1, or give --insecure-any-address", address)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, kg.Errorf(kg.Invalid, "", "cannot listen at %s: %v", address, err)
	}
	return listener, nil
}

// Serve answers requests at the listener until the context ends; then no more are
// taken, those at work are finished within Limits.Drain, and all is closed.
func (s *Service) Serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       s.limits.Time,
		WriteTimeout:      2 * s.limits.Time, // the request's own time limit comes first
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(newConnections(listener, mostConnections)) }()
	select {
	case err := <-failed:
		return fmt.Errorf("the server stopped: %w", err)
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	drain, cancel := context.WithTimeout(context.Background(), s.limits.Drain)
	defer cancel()
	err := server.Shutdown(drain)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(fmt.Errorf("requests were still at work after %v and were cut off", s.limits.Drain), server.Close())
	}
	return err
}
