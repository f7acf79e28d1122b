package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// python finds an interpreter and the binary of this test, which TestMain puts on the path.
func python(t *testing.T, folder string, arguments ...string) *exec.Cmd {
	t.Helper()
	interpreter, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 (Debian: apt install python3): the Python client is not tested")
	}
	binary, err := exec.LookPath("lacuna")
	if err != nil {
		t.Fatal(err)
	}
	client, err := filepath.Abs("../../clients/python")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(interpreter, arguments...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "LACUNA="+binary, "PYTHONPATH="+client, "PYTHONDONTWRITEBYTECODE=1")
	return cmd
}

func TestPythonClient(t *testing.T) {
	if out, err := python(t, "../../clients/python", "-m", "unittest", "-q").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestNotebook runs the cells of the notebook one after another, as a notebook does.
func TestNotebook(t *testing.T) {
	text, err := os.ReadFile("../../docs/python.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	var notebook struct {
		Cells []struct {
			Type   string   `json:"cell_type"`
			Source []string `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(text, &notebook); err != nil {
		t.Fatal(err)
	}
	var program strings.Builder
	for _, c := range notebook.Cells {
		if c.Type == "code" {
			program.WriteString(strings.Join(c.Source, "") + "\n")
		}
	}
	cmd := python(t, t.TempDir(), "-W", "error::SyntaxWarning", "-c", program.String())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"Italy", "pairs of", "told"} { // one of each part
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is not in what it printed:\n%s", want, out)
		}
	}
}
