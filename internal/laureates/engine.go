// Package laureates gives tests the engine that `lacuna serve --demo` serves: the embedded
// graph with a model on this machine's CPU, and the facts left out of it as truth.
package laureates

import (
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
)

// Engine is on the embedded graph with a model by name, lacuna.Turing or lacuna.Foundation.
func Engine(t testing.TB, model string) *lacuna.Engine {
	t.Helper()
	splits, err := lacuna.Embedded(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	truth, err := splits.UpToTest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	device, err := cpu.New(cpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := lacuna.New(splits.Train).LoadModel(t.Context(), model, "the embedded graph", device)
	if err != nil {
		t.Fatal(err)
	}
	return engine.WithTruth(truth)
}
