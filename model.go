package lacuna

import (
	"context"
	"fmt"
	"sync"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/foundation"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/turing"
)

// model is a learned projection with a graph on its device: one user of its parameters.
type model struct {
	*parameters
	graph   *gnn.Graph
	release func() // gives back the graph and, by the last user, the parameters; calls after the first do nothing
}

// parameters are what engines on several graphs may share: a model on its device.
type parameters struct {
	mutex  sync.Mutex // one goroutine uses a device at a time
	name   string
	card   checkpoint.Card
	learnt *gnn.Model
	users  int
}

// The models that come with Lacuna, by the names under which OpenModel and LoadModel know them.
const (
	Foundation = "foundation" // answers on any graph
	Turing     = "turing"     // of the embedded graph
)

// OpenModel reads a model onto a device: one that comes with Lacuna by its name, else
// that in a file, or in the newest checkpoint of a training folder.
func OpenModel(name string, device kernel.Device) (*gnn.Model, checkpoint.Card, error) {
	switch name {
	case Foundation:
		return checkpoint.LoadBytes(foundation.Model(), name, device)
	case Turing:
		return checkpoint.LoadBytes(turing.Model(), name, device)
	}
	file, err := checkpoint.Find(name)
	if err != nil {
		return nil, checkpoint.Card{}, err
	}
	return checkpoint.Load(file, device)
}

// LoadModel gives an engine on the same graph that predicts missing links by a model of
// OpenModel. A model of another graph is refused. graphName stands in that error.
func (e *Engine) LoadModel(ctx context.Context, name, graphName string, device kernel.Device) (*Engine, error) {
	learnt, card, err := OpenModel(name, device)
	if err != nil {
		return nil, err
	}
	return e.withModel(ctx, name, graphName, learnt, card)
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

// answerWorkspace bounds the states of samples that a CPU runs together when it answers.
// More of them than its caches hold cost a tenth more each; buffers for batches of every
// size would pile up, and a run would end later after its context.
const answerWorkspace = 16 << 20

// withModel checks that the model fits the graph and puts both together.
func (e *Engine) withModel(ctx context.Context, name, graphName string, learnt *gnn.Model, card checkpoint.Card) (*Engine, error) {
	if learnt.Limits.Workspace == gnn.DefaultLimits().Workspace {
		learnt.Limits.Workspace = answerWorkspace
	}
	p := &parameters{name: name, card: card, learnt: learnt}
	err := card.CheckRelations(e.Graph.Vocabulary, graphName)
	if err == nil {
		var m *model
		if m, err = p.on(ctx, e.Graph, graphName); err == nil {
			return &Engine{Graph: e.Graph, exact: e.exact, model: m, truth: e.truth}, nil
		}
	}
	learnt.Close()
	return nil, err
}

// on puts a graph on the device, for one more user of the parameters.
func (p *parameters) on(ctx context.Context, g *kg.Graph, graphName string) (*model, error) {
	topology, err := exec.Topology(g)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", graphName, err)
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	graph, err := p.learnt.NewGraph(ctx, topology)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", graphName, err)
	}
	p.users++
	return &model{parameters: p, graph: graph, release: sync.OnceFunc(func() { p.end(graph) })}, nil
}

// end waits for the batch that runs and gives the memory of one user back.
func (p *parameters) end(graph *gnn.Graph) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	graph.Free()
	if p.users--; p.users == 0 {
		p.learnt.Close()
	}
}

// Card is what the model says about itself; ok is false without a model.
func (e *Engine) Card() (card checkpoint.Card, ok bool) {
	if e.model == nil {
		return card, false
	}
	return e.model.card, true
}

// ModelName is what messages call the model, "" without one.
func (e *Engine) ModelName() string {
	if e.model == nil {
		return ""
	}
	return e.model.name
}

// executor predicts; with keepKnown a fact that the graph states is never doubted.
func (m *model) executor(keepKnown bool) exec.Executor {
	return exec.OnDevice{Projector: m.graph, KeepKnown: keepKnown}
}
