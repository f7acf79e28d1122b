package lacuna_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The programs of docs/go.md print what the page says.
func TestGoPage(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds two programs")
	}
	page, err := os.ReadFile("docs/go.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := regexp.MustCompile("(?s)```go\n(package main\n.*?)```\n\n```\n(.*?)```").FindAllSubmatch(page, -1)
	if len(programs) != 2 {
		t.Fatalf("%d programs with their output in docs/go.md, want 2", len(programs))
	}
	for _, p := range programs {
		file := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(file, p[1], 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := exec.CommandContext(t.Context(), "go", "run", file).CombinedOutput()
		if err != nil || string(got) != string(p[2]) {
			t.Errorf("%v: the program prints\n%s\nand the page says\n%s", err, got, p[2])
		}
	}
}

// A reader takes the package in on two screens of 50 lines.
func TestGoDocIsShort(t *testing.T) {
	text, err := exec.CommandContext(t.Context(), "go", "doc", ".").Output()
	if lines := strings.Count(string(text), "\n"); err != nil || lines > 100 {
		t.Errorf("go doc prints %d lines, at most 100 wanted: %v", lines, err)
	}
}
