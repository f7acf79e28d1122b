package lacuna

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/symbolic"
)

// Engine answers questions on one graph: exactly what it states and, with a
// model, what it only implies. It may be used concurrently.
type Engine struct {
	Graph *kg.Graph
	Name  string    // what messages call the graph
	Truth *kg.Graph // that answers are judged by, nil without; see WithTruth
	// Valid and Test are true facts that the source holds out, so that the graph does not state them; of Open alone.
	Valid, Test []kg.Triple

	exact exec.Executor
	model *neural.Predictor // nil without
	links *linked           // nil without a model
	edges func() []int64    // about how many each relation has
	usual choices           // how questions are answered that do not say otherwise

	cache *Cache // nil without
	scope uint64 // of this engine in the cache

	linking LinkOptions
}

// Open reads a graph and puts a model on it. The source is a file, a folder, a snapshot, "-"
// for the Stdin of Reading, or "" for the graph that comes with Lacuna, the Turing Award
// laureates. Facts that a benchmark's folder holds out are not stated by the graph; probabilities are fitted to its validation facts.
func Open(ctx context.Context, source string, options ...Option) (*Engine, error) {
	o, err := newOpening(options)
	if err != nil {
		return nil, err
	}
	if o.reading == nil {
		o.reading = &Reading{}
	}
	splits, err := Read(ctx, source, *o.reading)
	if err != nil {
		return nil, err
	}
	o.name = cmp.Or(o.name, SourceName(source))
	o.model = cmp.Or(o.model, DefaultModel(source, o.by))
	if o.calibrating.Held == nil && o.calibrating.Elsewhere == 0 { // probabilities hold for what a folder holds out
		o.calibrating.Held, o.calibrating.Elsewhere = splits.Valid, len(splits.Test)
	}
	engine, err := o.engine(ctx, splits.Train)
	if err != nil {
		splits.Close()
		return nil, err
	}
	engine.Valid, engine.Test = splits.Valid, splits.Test
	return engine, nil
}

// New puts a model on a graph in memory. The engine owns the graph from then on, but not
// where New fails.
func New(ctx context.Context, graph *kg.Graph, options ...Option) (*Engine, error) {
	o, err := newOpening(options)
	if err != nil {
		return nil, err
	}
	if o.reading != nil {
		return nil, kg.Errorf(kg.Invalid, "", "New takes a graph in memory: Reading is for Open")
	}
	o.name = cmp.Or(o.name, "the graph")
	o.model = cmp.Or(o.model, Foundation)
	return o.engine(ctx, graph)
}

// engine puts the parts together. What it opened is closed again where it fails.
func (o *opening) engine(ctx context.Context, g *kg.Graph) (*Engine, error) {
	e := newEngine(g, o.name, o.choices)
	if o.model == Exact {
		return e, nil
	}
	model, err := o.openModel()
	if err != nil {
		return nil, err
	}
	defer model.Close() // the engine's use of it goes on
	model.Cut = o.cut
	if e.model, err = model.On(ctx, g, o.name); err != nil {
		return nil, err
	}
	e.linking = o.linking
	if e.links, err = o.linking.on(e.model, newCalibration(o.calibrating)); err != nil {
		e.model.Close()
		return nil, err
	}
	return e, nil
}

// newEngine is one without a model.
func newEngine(g *kg.Graph, name string, usual choices) *Engine {
	return &Engine{Graph: g, Name: name, exact: traversal(g), usual: usual, edges: sync.OnceValue(func() []int64 { return countEdges(g) })}
}

// listedAbove is how many entities a graph has at most on which traversal writes its sets out over all of them, which is quicker; on
// larger ones sets are lists of their members: those of a question on twenty million entities would take a gigabyte.
const listedAbove = 200_000

// traversal runs programs on what a graph states.
func traversal(g *kg.Graph) exec.Executor {
	if g.NumEntities() > listedAbove {
		return links.NewExecutor(links.New(g, nil, links.Options{}), links.Follow{})
	}
	return exec.Host{Projector: symbolic.Projector{Graph: g}, Entities: g.NumEntities()}
}

// openModel opens the model on the device that was given, or on one that ends with it.
func (o *opening) openModel() (*neural.Model, error) {
	if o.device != nil {
		return neural.OpenModel(o.model, o.device)
	}
	return neural.OpenModelOn(o.model, neural.DeviceOptions{Name: o.deviceName, Required: true})
}

// DefaultModel is the model that Open takes for a source and a way to answer: one trained on the embedded
// graph for that, a foundation model for any other.
func DefaultModel(source string, way Way) string {
	switch {
	case source == "" && way == Sets:
		return TuringOfSets
	case source == "":
		return Turing
	case way == Sets:
		return FoundationOfSets
	}
	return Foundation
}

// Close releases what the engine holds: the graph's memory on a device, the model's
// where no other engine shares it, the device where the engine opened it, and the graph's
// file where it has one. Engines made of this one by WithCache and the like end with it; one
// that Change made does not. No call may follow or still be running.
func (e *Engine) Close() error {
	if e.model != nil {
		e.model.Close()
	}
	return errors.Join(e.links.close(), e.Graph.Close())
}
