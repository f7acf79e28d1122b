// Package pgtest starts PostgreSQL for tests: a cluster of its own in a temporary folder, run by the user of the test
// or, for root, whom PostgreSQL refuses, by an ordinary one. It can be killed and started again, put back to an earlier state, and
// reached over links that are cut on demand.
package pgtest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Cluster is a running database server.
type Cluster struct {
	t        testing.TB
	folder   string // that everything lies in
	programs string
	port     int
	listen   string // addresses
	server   *exec.Cmd
}

// missing is why a test is skipped.
const missing = "no PostgreSQL (scripts/install-postgres.sh as root installs it): facts in a database are not tested"

// Start makes a cluster with a database named facts, or skips the test where there is no PostgreSQL.
func Start(t testing.TB) *Cluster {
	t.Helper()
	programs := find()
	if programs == "" {
		t.Skip(missing)
	}
	folder, err := os.MkdirTemp("", "lacuna-postgres")
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{t: t, folder: folder, programs: programs, port: freePort(t), listen: "127.0.0.1"}
	t.Cleanup(func() { c.Kill(); os.RemoveAll(folder) })
	give(t, folder)
	c.run("initdb", "-D", c.data(), "-U", "lacuna", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync", "--no-instructions")
	c.Resume()
	c.run("createdb", "-h", "127.0.0.1", "-p", strconv.Itoa(c.port), "-U", "lacuna", "facts")
	return c
}

// find gives the folder of PostgreSQL's programs, of the newest version on Debian, which keeps them out of the path; "" for none.
func find() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(real)
		}
	}
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.Sort(folders)
	for _, f := range slices.Backward(folders) {
		if _, err := os.Stat(filepath.Join(f, "initdb")); err == nil {
			return f
		}
	}
	return ""
}

func freePort(t testing.TB) int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

func (c *Cluster) data() string { return filepath.Join(c.folder, "data") }

// command is one of PostgreSQL's programs, run by whom it accepts.
func (c *Cluster) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.programs, program), args...)
	cmd.Dir = c.folder
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	run(cmd)
	return cmd
}

func (c *Cluster) run(program string, args ...string) {
	c.t.Helper()
	if out, err := c.command(program, args...).CombinedOutput(); err != nil {
		c.t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// Address is where the server listens.
func (c *Cluster) Address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(c.port)) }

// URL is the database facts by the user who owns it.
func (c *Cluster) URL() string { return c.At(c.Address()) }

// At is the database by another address, that of a Link.
func (c *Cluster) At(address string) string { return "postgres://lacuna@" + address + "/facts" }

// Schema is the database with a new schema for tables, so that several logs are in it.
func (c *Cluster) Schema(name string) string {
	c.SQL("CREATE SCHEMA " + name)
	return c.URL() + "?search_path=" + name
}

// SQL runs a statement in the database facts.
func (c *Cluster) SQL(statement string) string {
	c.t.Helper()
	out, err := c.command("psql", "-h", "127.0.0.1", "-p", strconv.Itoa(c.port), "-U", "lacuna", "-d", "facts", "-At", "-v", "ON_ERROR_STOP=1", "-c", statement).CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s: %v\n%s", statement, err, out)
	}
	return string(out)
}

// Load runs what Dump gave, as psql's input: it has commands of psql's own.
func (c *Cluster) Load(dump string) {
	c.t.Helper()
	psql := c.command("psql", "-h", "127.0.0.1", "-p", strconv.Itoa(c.port), "-U", "lacuna", "-d", "facts", "-q", "-1", "-v", "ON_ERROR_STOP=1")
	psql.Stdin = strings.NewReader(dump)
	if out, err := psql.CombinedOutput(); err != nil {
		c.t.Fatalf("psql: %v\n%s", err, out)
	}
}

// Dump is the tables of a schema as SQL, by pg_dump.
func (c *Cluster) Dump(schema string) string {
	c.t.Helper()
	out, err := c.command("pg_dump", "-h", "127.0.0.1", "-p", strconv.Itoa(c.port), "-U", "lacuna", "-d", "facts", "-t", schema+".lacuna_*").Output()
	if err != nil {
		c.t.Fatal("pg_dump: ", err)
	}
	return string(out)
}

// Resume starts the server and waits until it answers.
func (c *Cluster) Resume() {
	c.t.Helper()
	log, err := os.OpenFile(filepath.Join(c.folder, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	c.server = c.command("postgres", "-D", c.data(), "-p", strconv.Itoa(c.port), "-k", c.folder, "-c", "listen_addresses="+c.listen, "-c", "shared_buffers=32MB", "-c", "max_connections=60")
	c.server.Stdout, c.server.Stderr = log, log
	if err := c.server.Start(); err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for c.command("pg_isready", "-q", "-h", "127.0.0.1", "-p", strconv.Itoa(c.port), "-U", "lacuna", "-d", "postgres").Run() != nil {
		if ctx.Err() != nil {
			said, _ := os.ReadFile(log.Name())
			c.t.Fatalf("the database did not start:\n%s", said)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Kill ends the server as a crash does.
func (c *Cluster) Kill() {
	if c.server == nil {
		return
	}
	_ = c.server.Process.Kill()
	_ = c.server.Wait()
	c.server = nil
	c.awaitOrphans()
}

// awaitOrphans waits until the processes that the server left have noticed: a new one refuses to start before.
func (c *Cluster) awaitOrphans() {
	for range 500 {
		if !c.attached() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// attached tells that some process still works in the folder, where the system shows that.
func (c *Cluster) attached() bool {
	entries, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, e := range entries {
		if at, err := os.Readlink(e); err == nil && at == c.data() {
			return true
		}
	}
	return false
}

// Save copies the database as it is, to be put back by Restore: what a standby had that lagged behind. The server is stopped for it.
func (c *Cluster) Save() (copied string) {
	c.t.Helper()
	c.Stop()
	copied = filepath.Join(c.folder, fmt.Sprint("copy-", time.Now().UnixNano()))
	if out, err := exec.Command("cp", "-a", c.data(), copied).CombinedOutput(); err != nil {
		c.t.Fatalf("%v: %s", err, out)
	}
	c.Resume()
	return copied
}

// Restore kills the server and starts it on a copy.
func (c *Cluster) Restore(copied string) {
	c.t.Helper()
	c.Kill()
	if err := os.RemoveAll(c.data()); err != nil {
		c.t.Fatal(err)
	}
	if err := os.Rename(copied, c.data()); err != nil {
		c.t.Fatal(err)
	}
	c.Resume()
}

// Stop ends the server in order.
func (c *Cluster) Stop() {
	c.t.Helper()
	_ = c.server.Process.Signal(os.Interrupt) // PostgreSQL's fast shutdown
	_ = c.server.Wait()
	c.server = nil
}
