package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/command"
)

// A copy that nothing came of leaves nothing behind; what an earlier run has got stays.
func TestBrokenOff(t *testing.T) {
	for name, c := range map[string]struct {
		got   string
		stays bool
	}{"nothing came": {"", false}, "an earlier run got something": {"a fact", true}} {
		folder := filepath.Join(t.TempDir(), "copy.part")
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "facts.nt"), []byte(c.got), 0o644); err != nil {
			t.Fatal(err)
		}
		(&app{new(command.App)}).brokenOff(folder, facts, 0)
		if _, err := os.Stat(folder); (err == nil) != c.stays {
			t.Errorf("%s: the folder stays: %v, expected %v", name, err == nil, c.stays)
		}
	}
}
