// Package laureates gives tests the engine that `lacuna serve --demo` serves: the embedded
// graph with a model on this machine's CPU, and the facts left out of it as truth.
package laureates

import (
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/kg"
)

// Engine is on the embedded graph with a model by name, such as lacuna.Turing or lacuna.Foundation. Its probabilities are not fitted
// to the graph, which would take a second of every test; options may say otherwise.
func Engine(t testing.TB, model string, options ...lacuna.Option) *lacuna.Engine {
	t.Helper()
	splits, err := lacuna.Read(t.Context(), "", lacuna.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	truth, err := splits.UpToTest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	options = append([]lacuna.Option{
		lacuna.Named("the embedded graph"), lacuna.Model(model), lacuna.Device("cpu"), lacuna.Calibrating(lacuna.CalibrationOptions{Off: true}),
	}, options...)
	engine, err := lacuna.New(t.Context(), splits.Train, options...)
	if err != nil {
		t.Fatal(err)
	}
	return engine.WithTruth(truth)
}

// Fitted are probabilities of links that are fitted to the graph, on the slowest machine as on any other.
func Fitted() lacuna.Option { return lacuna.Calibrating(lacuna.CalibrationOptions{Time: -1}) }

// Exact is an engine on a graph of a test, without a model.
func Exact(t testing.TB, g *kg.Graph) *lacuna.Engine {
	t.Helper()
	engine, err := lacuna.New(t.Context(), g, lacuna.Model(lacuna.Exact))
	if err != nil {
		t.Fatal(err)
	}
	return engine
}
