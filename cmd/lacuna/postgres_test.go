package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/pgtest"
)

// lacunaIn runs the program in a folder, with facts in a database by the environment.
func lacunaIn(folder, facts string, arguments ...string) *exec.Cmd {
	cmd := exec.Command("lacuna", arguments...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "LACUNA_FACTS="+facts, "NO_COLOR=1")
	return cmd
}

// printed is what the program prints, which has to succeed or fail.
func printed(t *testing.T, cmd *exec.Cmd, succeeds bool) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if (err == nil) != succeeds {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

// servedAt starts a server on a free port, to be ended with the test.
func servedAt(t *testing.T, cmd *exec.Cmd) (url string) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errors bytes.Buffer
	cmd.Stderr = &errors
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if url = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(lines.Text()); url != "" {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return url
		}
	}
	_ = cmd.Wait()
	t.Fatalf("the server did not start:\n%s", errors.String())
	return ""
}

// TestFactsInDatabase changes facts on one server by the API and by SPARQL Update, reads them from another, and lists,
// exports and undoes them on the command line while both run.
func TestFactsInDatabase(t *testing.T) {
	c := pgtest.Start(t)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "films.tsv"), []byte("Fellini\tDirected\tRoma\nFellini\tDirected\tAmarcord\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	serve := []string{"serve", "-g", "films.tsv", "-m", "exact", "--addr", "127.0.0.1:0"}
	one, two := servedAt(t, lacunaIn(folder, c.URL(), serve...)), servedAt(t, lacunaIn(folder, c.URL(), serve...))
	send := func(url, kind, body string) string {
		t.Helper()
		response, err := http.Post(url, kind, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		if response.StatusCode >= 300 {
			t.Fatalf("%s: %s %s", url, response.Status, text)
		}
		return string(text)
	}
	send(one+"/api/facts", "application/json", `{"add": [{"head": "Pasolini", "relation": "Directed", "tail": "Teorema"}]}`)
	send(two+"/update", "application/sparql-update", `DELETE { ?x :Directed :Roma } INSERT { ?x :Directed :Satyricon } WHERE { ?x :Directed :Roma }`)
	if text := send(one+"/sparql?min_version=3", "application/sparql-query", `SELECT ?f { :Fellini :Directed ?f } ORDER BY ?f`); strings.Contains(text, "Roma") || !strings.Contains(text, "Satyricon") {
		t.Errorf("%s", text)
	}
	facts := func(arguments ...string) *exec.Cmd {
		return lacunaIn(folder, c.URL(), append([]string{"facts"}, append(arguments, "-g", "films.tsv")...)...)
	}
	const list = "    1  +  Directed(Pasolini, Teorema)\n    2  -  Directed(Fellini, Roma)\n    2  +  Directed(Fellini, Satyricon)\n"
	if text := printed(t, facts("list"), true); text != list {
		t.Errorf("%s", text)
	}
	if text := printed(t, facts("undo"), true); text != "    3  -  Directed(Fellini, Satyricon)\n    3  +  Directed(Fellini, Roma)\n" {
		t.Errorf("%s", text)
	}
	if text := send(two+"/sparql?min_version=4", "application/sparql-query", `ASK { :Fellini :Directed :Roma }`); !strings.Contains(text, "true") {
		t.Errorf("what was undone is not served: %s", text)
	}
	printed(t, facts("export", "-o", "added.tsv"), true)
	if added, err := os.ReadFile(filepath.Join(folder, "added.tsv")); err != nil || string(added) != "Pasolini\tDirected\tTeorema\n" {
		t.Errorf("%s, %v", added, err)
	}
	secret := strings.Replace(c.URL(), "lacuna@", "lacuna:hush@", 1)
	if text := printed(t, lacunaIn(folder, strings.Replace(secret, "/facts", "/nothing", 1), serve...), false); !strings.Contains(text, `database "nothing" does not exist`) || strings.Contains(text, "hush") || strings.Count(text, "\n") != 1 {
		t.Errorf("%s", text)
	}
	if text := printed(t, lacunaIn(folder, secret, "serve", "--help"), true); strings.Contains(text, "hush") {
		t.Errorf("a password is on the screen: %s", text)
	}
	if text := printed(t, lacunaIn(folder, c.URL(), "serve", "--demo", "-m", "exact", "--addr", "127.0.0.1:0"), false); !strings.Contains(text, "other servers use them") {
		t.Errorf("another graph: %s", text)
	}
}

// TestPythonReadsItsOwnWrites lets the Python client speak with two servers by turns, as behind a balancer.
func TestPythonReadsItsOwnWrites(t *testing.T) {
	c := pgtest.Start(t)
	folder := t.TempDir()
	servers := make([]*httputil.ReverseProxy, 2)
	for i := range servers {
		at, err := url.Parse(servedAt(t, lacunaIn(folder, c.URL(), "serve", "--empty", "-m", "exact", "--addr", "127.0.0.1:0")))
		if err != nil {
			t.Fatal(err)
		}
		servers[i] = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at) }}
	}
	var turn atomic.Int64
	balancer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		servers[turn.Add(1)%2].ServeHTTP(w, r)
	}))
	defer balancer.Close()
	program := `
import sys
from lacuna import Lacuna
graph = Lacuna(sys.argv[1], token="")
for n in range(30):
    graph.facts(add=[(f"film{n}", "by", "Fellini")])
    found = graph.ask("?f : by(f, Fellini)", exact=True)
    assert len(found) == n + 1, (n, found)
`
	if out, err := python(t, folder, "-c", program, balancer.URL).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
