package lacuna

import (
	"context"
	"fmt"
	"sync"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/turing"
)

// model is a learned projection with the graph on its device.
type model struct {
	mutex  sync.Mutex // one goroutine uses a device at a time
	name   string
	card   checkpoint.Card
	learnt *gnn.Model
	graph  kernel.DeviceGraph
}

// LoadModel gives an engine on the same graph that predicts missing links by the
// model in a file, or in the newest checkpoint of a training folder. A model of
// another graph is refused. graphName stands in that error.
func (e *Engine) LoadModel(ctx context.Context, path, graphName string, device kernel.Device) (*Engine, error) {
	file, err := checkpoint.Find(path)
	if err != nil {
		return nil, err
	}
	learnt, card, err := checkpoint.Load(file, device)
	if err != nil {
		return nil, err
	}
	return e.withModel(ctx, file, graphName, learnt, card)
}

// EmbeddedModel gives an engine on the embedded graph that predicts by the model that comes with it.
func (e *Engine) EmbeddedModel(ctx context.Context, device kernel.Device) (*Engine, error) {
	const name = "the embedded model"
	learnt, card, err := checkpoint.LoadBytes(turing.Model(), name, device)
	if err != nil {
		return nil, err
	}
	return e.withModel(ctx, name, "the embedded graph", learnt, card)
}

// withModel checks that the model fits the graph and puts both together.
func (e *Engine) withModel(ctx context.Context, name, graphName string, learnt *gnn.Model, card checkpoint.Card) (*Engine, error) {
	if err := card.CheckRelations(e.Graph.Vocabulary, graphName); err != nil {
		learnt.Close()
		return nil, err
	}
	topology, err := exec.Topology(e.Graph)
	if err != nil {
		learnt.Close()
		return nil, fmt.Errorf("%s: %w", graphName, err)
	}
	graph, err := learnt.NewGraph(ctx, topology)
	if err != nil {
		learnt.Close()
		return nil, fmt.Errorf("%s: %w", graphName, err)
	}
	m := &model{name: name, card: card, learnt: learnt, graph: graph}
	return &Engine{Graph: e.Graph, exact: e.exact, model: m}, nil
}

// Card is what the model says about itself; ok is false without a model.
func (e *Engine) Card() (card checkpoint.Card, ok bool) {
	if e.model == nil {
		return card, false
	}
	return e.model.card, true
}

// executor predicts; with keepKnown a fact that the graph states is never doubted.
func (m *model) executor(keepKnown bool) exec.Executor {
	return exec.OnDevice{Device: m.learnt.Device(), Graph: m.graph, Projector: m.learnt, KeepKnown: keepKnown}
}
