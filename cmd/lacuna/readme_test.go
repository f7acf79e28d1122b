package main

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Every command of the README runs as it is typed in a fresh clone. Its screens are TestPagesOnTheEmbeddedGraph's.
func TestReadmeCommands(t *testing.T) {
	needShell(t)
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	clone := newClone(t)
	ran := 0
	for _, line := range indentedLine.FindAllStringSubmatch(fenced.ReplaceAllString(string(page), ""), -1) {
		clone.run(t, line[1])
		ran++
	}
	if ran < 10 {
		t.Errorf("only %d commands found in README.md", ran)
	}
}

var (
	fenced       = regexp.MustCompile("(?ms)^```.*?^```$")
	indentedLine = regexp.MustCompile(`(?m)^    (\S.*)$`)
	background   = regexp.MustCompile(`&\s*(#.*)?$`)
)

const pageAddress = "127.0.0.1:8420"

// clone is a folder that stands for a fresh clone: it has the files that the README's commands read. The server of the
// page listens on a free port instead of its usual one, where another may listen.
type clone struct {
	dir     string
	address string
}

func newClone(t *testing.T) clone {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "docs/tutorial"), os.DirFS("../../docs/tutorial")); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return clone{dir, listener.Addr().String()}
}

func (c clone) run(t *testing.T, line string) {
	t.Helper()
	command := strings.ReplaceAll(line, pageAddress, c.address)
	switch {
	case strings.HasPrefix(line, "./test.sh"):
		executable(t, "../../test.sh") // which runs this test
	case strings.HasPrefix(line, "go build"):
		c.build(t, command)
	case background.MatchString(line):
		c.serve(t, background.ReplaceAllString(command, ""))
	case strings.HasPrefix(line, "curl"):
		c.fetch(t, command)
	case strings.Contains(line, " train ") && testing.Short():
		t.Log("-short: not run: " + line)
	default:
		c.print(t, command)
	}
}

func executable(t *testing.T, file string) {
	info, err := os.Stat(file)
	if err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("%s is no program: %v", file, err)
	}
}

// build makes the program as the README says, but into the clone.
func (c clone) build(t *testing.T, command string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", strings.Replace(command, "-o lacuna", "-o '"+filepath.Join(c.dir, "lacuna")+"'", 1))
	cmd.Dir = "../.."
	if printed, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("$ %s: %v\n%s", command, err, printed)
	}
}

func (c clone) print(t *testing.T, command string) {
	t.Helper()
	if screen := runCommand(t, c.dir, command); screen == "" || strings.HasPrefix(screen, "lacuna: ") && strings.Count(screen, "\n") == 1 {
		t.Errorf("$ %s\nprinted\n%s", command, screen)
	}
}

func (c clone) fetch(t *testing.T, command string) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("no curl (Debian: apt install curl): the rest of the README is not run")
	}
	if screen := runCommand(t, c.dir, command+" --fail --show-error"); !strings.HasPrefix(screen, "{") {
		t.Errorf("$ %s\nprinted\n%s", command, screen)
	}
}

// serve starts the page's server, which ends with the test, and waits until it answers.
func (c clone) serve(t *testing.T, command string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", "exec "+command+" --addr "+c.address)
	cmd.Dir, cmd.Env = c.dir, append(os.Environ(), "HOME="+c.dir, "XDG_CACHE_HOME="+filepath.Join(c.dir, ".cache"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-ended
	})
	for {
		if answer, err := http.Get("http://" + c.address + "/healthz"); err == nil {
			answer.Body.Close()
			return
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("$ %s: %v", command, err)
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
