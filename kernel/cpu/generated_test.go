package cpu

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The committed assembly is what gen makes: nobody edited it, nobody forgot to run gen.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds the generator")
	}
	out := t.TempDir()
	run := exec.Command("go", "-C", "gen", "run", ".", "-out", filepath.Join(out, "kernels_amd64.s"), "-stubs", filepath.Join(out, "stubs_amd64.go"), "-pkg", "cpu")
	run.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off")
	message, err := run.CombinedOutput()
	if strings.Contains(string(message), "module lookup disabled") {
		t.Skip("the generator's module github.com/mmcloughlin/avo is not in the module cache: go mod download in kernel/cpu/gen brings it")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, message)
	}
	for _, name := range []string{"kernels_amd64.s", "stubs_amd64.go"} {
		if body(t, name) != body(t, filepath.Join(out, name)) {
			t.Errorf("%s is not what gen makes: run go generate ./kernel/cpu", name)
		}
	}
}

// body is a file without its first line, which names the command that made it.
func body(t *testing.T, name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	return rest
}
