package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestPythonVersion(t *testing.T) {
	for version, want := range map[string]string{
		"v0.3.0": "0.3.0", "0.3.0": "0.3.0", "v0.3.0-12-gabc12": "0.3.0.post12+gabc12", "v0.0.0-abcdef": "0.0.0+abcdef", "v1.0.0-rc1": "1.0.0+rc1",
	} {
		if got := pythonVersion(version); got != want {
			t.Errorf("%s is %s, want %s", version, got, want)
		}
	}
}

func TestWheelIsTheSameEachTime(t *testing.T) {
	w := wheel{version: "1.0.0", platform: "win_amd64", windows: true, program: []byte("x"), client: []byte("y")}
	one, err := w.archive(time.Unix(1_700_000_000, 0).UTC())
	if err != nil {
		t.Fatal(err)
	}
	if two, err := w.archive(time.Unix(1_700_000_000, 0).UTC()); err != nil || !bytes.Equal(one, two) {
		t.Errorf("another wheel, %v", err)
	}
	if !bytes.Contains(one, []byte("lacuna_kg-1.0.0.data/scripts/lacuna.exe")) {
		t.Error("the program is not among the scripts")
	}
}

const useWheel = `
import lacuna
assert lacuna.__file__.endswith("lacuna/__init__.py"), lacuna.__file__
with lacuna.Lacuna.start("films.csv") as graph:
    for a in graph.ask("?f, ?y : by(f, Fellini) & year(f, y)", exact=True):
        print(a["f"], a["y"] + 1)
`

// TestWheelInFreshEnvironment installs the package as a user does, without any lacuna on the path, and asks.
func TestWheelInFreshEnvironment(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: building the program takes long")
	}
	python, err := exec.LookPath("python3")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("no python3 on Linux (Debian: apt install python3-venv): the wheel is not installed")
	}
	folder := t.TempDir()
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = folder
		return cmd
	}
	if out, err := command(python, "-m", "venv", "fresh").CombinedOutput(); err != nil {
		t.Skipf("no virtual environment (Debian: apt install python3-venv): %s", out)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(folder, "built"), "./cmd/lacuna")
	build.Dir = "../.."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	t.Chdir("../..")
	if err := run([]string{"wheel", "-target", "linux/" + runtime.GOARCH, "-binary", filepath.Join(folder, "built"), "-version", "v0.0.1", "-o", folder}); err != nil {
		t.Fatal(err)
	}
	wheels, _ := filepath.Glob(filepath.Join(folder, "*.whl"))
	if len(wheels) != 1 {
		t.Fatalf("wheels %q", wheels)
	}
	fresh := filepath.Join(folder, "fresh", "bin")
	if out, err := command(filepath.Join(fresh, "python"), "-m", "pip", "install", "--no-index", "--quiet", wheels[0]).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(folder, "films.csv"), []byte("film,by,year\nRoma,Fellini,1972\nRan,Kurosawa,1985\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	use := command(filepath.Join(fresh, "python"), "-c", useWheel)
	use.Env = []string{"PATH=/nonexistent", "HOME=" + folder}
	if out, err := use.CombinedOutput(); err != nil || string(out) != "Roma 1973\n" {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := command(filepath.Join(fresh, "lacuna"), "version").CombinedOutput(); err != nil || !strings.Contains(string(out), "lacuna") {
		t.Errorf("%v\n%s", err, out)
	}
}
