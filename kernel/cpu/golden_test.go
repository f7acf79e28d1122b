package cpu_test

import (
	"context"
	"os"
	"testing"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
	"github.com/lacuna-kg/lacuna/lab/golden"
)

// Every golden file on every instruction set: the third proof after finite differences
// and the plain definition.
func TestGolden(t *testing.T) {
	files, err := golden.Paper(os.Getenv("LACUNA_GOLDEN"))
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range cpu.Instructions() {
		for _, limits := range []gnn.Limits{{}, {Workspace: 16 << 10, Kept: 1}, {Workspace: 64 << 10, Kept: 1 << 20, KeepStats: true}} {
			device, err := cpu.New(cpu.Options{Instructions: set, Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if _, err := golden.Check(context.Background(), device, f, golden.Options{Limits: limits}); err != nil {
					t.Errorf("%s, %+v: %s: %v", set, limits, f.Name, err)
				}
			}
		}
	}
}
