package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Namespace is a network of its own for a process, with two cables: one to the database, which can be pulled, and one to
// clients. It is the system's doing: the process sees a dead link as it would in a machine room.
type Namespace struct {
	t     testing.TB
	name  string
	cable string // the end of the cable to the database on this side
	URL   string // of the database
	Host  string // where the process has to listen for clients
}

// Namespaces makes some, or says why it cannot: it needs root and the program ip. The database listens to them from then on.
func (c *Cluster) Namespaces(t testing.TB, n int) ([]*Namespace, error) {
	if os.Getuid() != 0 {
		return nil, fmt.Errorf("network namespaces need root")
	}
	list := make([]*Namespace, n)
	for i := range list {
		name := fmt.Sprintf("lacuna%d-%d", os.Getpid(), i)
		s := &Namespace{t: t, name: name, cable: fmt.Sprintf("lac%dd", i), Host: fmt.Sprintf("10.214.%d.2", i)}
		s.URL = c.At(fmt.Sprintf("10.213.%d.1:%d", i, c.port))
		t.Cleanup(func() { _ = ip("netns del " + name) })
		if err := s.make(i); err != nil {
			return nil, err
		}
		list[i] = s
	}
	return list, c.listenTo("10.213.0.0/16")
}

func (s *Namespace) make(i int) error {
	for _, line := range []string{
		"netns add NAME", "-n NAME link set lo up",
		"link add lacId type veth peer name db netns NAME", "link add lacIc type veth peer name clients netns NAME",
		"addr add 10.213.I.1/30 dev lacId", "addr add 10.214.I.1/30 dev lacIc",
		"-n NAME addr add 10.213.I.2/30 dev db", "-n NAME addr add 10.214.I.2/30 dev clients",
		"link set lacId up", "link set lacIc up", "-n NAME link set db up", "-n NAME link set clients up",
	} {
		if err := ip(strings.NewReplacer("NAME", s.name, "I", fmt.Sprint(i)).Replace(line)); err != nil {
			return err
		}
	}
	return nil
}

func ip(line string) error {
	if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %s: %v %s", line, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// listenTo lets a network in. The server is started again for it.
func (c *Cluster) listenTo(network string) error {
	file, err := os.OpenFile(filepath.Join(c.data(), "pg_hba.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := fmt.Fprintf(file, "host all all %s trust\n", network); err != nil {
		return err
	}
	c.Stop()
	c.listen = "*"
	c.Resume()
	return nil
}

// Command runs a program inside.
func (s *Namespace) Command(program string, args ...string) *exec.Cmd {
	return exec.Command("ip", append([]string{"netns", "exec", s.name, program}, args...)...)
}

// Cut pulls the cable to the database.
func (s *Namespace) Cut() { s.set("down") }

// Mend plugs it in again.
func (s *Namespace) Mend() { s.set("up") }

func (s *Namespace) set(state string) {
	if err := ip("link set " + s.cable + " " + state); err != nil {
		s.t.Error(err)
	}
}

// Reset pulls it for a moment, which connections survive.
func (s *Namespace) Reset() { s.Cut(); s.Mend() }
