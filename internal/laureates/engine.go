// Package laureates gives tests the engine that `lacuna serve --demo` serves: the embedded
// graph with a model on this machine's CPU, and the facts left out of it as truth.
package laureates

import (
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/kg"
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
	engine, err := lacuna.New(t.Context(), splits.Train, lacuna.Named("the embedded graph"), lacuna.Model(model), lacuna.Device("cpu"))
	if err != nil {
		t.Fatal(err)
	}
	return engine.WithTruth(truth)
}

// Exact is an engine on a graph of a test, without a model.
func Exact(t testing.TB, g *kg.Graph) *lacuna.Engine {
	t.Helper()
	engine, err := lacuna.New(t.Context(), g, lacuna.Model(lacuna.Exact))
	if err != nil {
		t.Fatal(err)
	}
	return engine
}
