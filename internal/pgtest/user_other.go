//go:build !linux

package pgtest

import (
	"errors"
	"os/exec"
	"testing"
)

// Namespace is a network of its own, which this system does not have.
type Namespace struct{ URL, Host string }

func (c *Cluster) Namespaces(testing.TB, int) ([]*Namespace, error) {
	return nil, errors.New("network namespaces are Linux's")
}
func (s *Namespace) Command(program string, args ...string) *exec.Cmd {
	return exec.Command(program, args...)
}
func (s *Namespace) Cut()   {}
func (s *Namespace) Mend()  {}
func (s *Namespace) Reset() {}

func run(*exec.Cmd) {}

func give(testing.TB, string) {}
