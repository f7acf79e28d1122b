package server

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// errPanicked is the kind of error that a panic becomes: it must end neither the server nor the requests of others.
var errPanicked = errors.New("panicked")

// Safely does work in a goroutine that is not the server's own: a panic is counted, logged and an error as any other.
func (s *Service) Safely(what string, work func() error) error { return s.safely(what, work) }

// safely does work that belongs to no single request.
func (s *Service) safely(what string, work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.metrics.panics.Inc()
			s.log.Error(what+" panicked", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("%s %w: %v", what, errPanicked, p)
		}
	}()
	return work()
}
