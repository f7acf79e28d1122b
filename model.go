package lacuna

import (
	"context"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/neural"
)

// The models that come with Lacuna, by the names under which LoadModel knows them.
const (
	Foundation = neural.Foundation // answers on any graph
	Turing     = neural.Turing     // of the embedded graph
)

// LoadModel gives an engine on the same graph that predicts missing links by a model: one
// that comes with Lacuna by its name, else that in a file, or in the newest checkpoint of a
// training folder. A model of another graph is refused; graphName stands in that error.
// The cache, if there is one, begins anew for it.
func (e *Engine) LoadModel(ctx context.Context, name, graphName string, device kernel.Device) (*Engine, error) {
	model, err := neural.OpenModel(name, device)
	if err != nil {
		return nil, err
	}
	defer model.Close() // the engine's use of it goes on
	with := *e
	if with.model, err = model.On(ctx, e.Graph, graphName); err != nil {
		return nil, err
	}
	if e.cache != nil {
		with.scope = e.cache.newScope()
	}
	return &with, nil
}

// EmbeddedModel gives an engine on the embedded graph that predicts by the model that was trained on it.
func (e *Engine) EmbeddedModel(ctx context.Context, device kernel.Device) (*Engine, error) {
	return e.LoadModel(ctx, Turing, "the embedded graph", device)
}

// FoundationModel gives an engine that predicts by the foundation model, which answers
// on any graph, whatever its relations. graphName stands in errors.
func (e *Engine) FoundationModel(ctx context.Context, graphName string, device kernel.Device) (*Engine, error) {
	return e.LoadModel(ctx, Foundation, graphName, device)
}

// Card is what the model says about itself; ok is false without a model.
func (e *Engine) Card() (card checkpoint.Card, ok bool) {
	if e.model == nil {
		return card, false
	}
	return e.model.Model.Card, true
}

// ModelName is what messages call the model, "" without one.
func (e *Engine) ModelName() string {
	if e.model == nil {
		return ""
	}
	return e.model.Model.Name
}

// predictor is what predicts, nil where traversal alone is to answer.
func (e *Engine) predictor(exact bool) *neural.Predictor {
	if exact {
		return nil
	}
	return e.model
}

// logic is the logic that programs run in: with the model's negation where that predicts.
func (e *Engine) logic(how Execution) fuzzy.Logic {
	if p := e.predictor(how.Exact); p != nil {
		return p.Logic(how.Logic)
	}
	return how.Logic
}
