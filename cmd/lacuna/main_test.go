package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/lacuna-kg/lacuna/lab"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"lacuna": main, "lacuna-lab": lab.Main})
}

// TestCommandLine runs the scripts in testdata/script, each a small session with the real binary.
func TestCommandLine(t *testing.T) {
	cache := t.TempDir() // shared: probabilities are fitted once to each graph
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_CACHE_HOME", cache)
			return nil
		},
	})
}
