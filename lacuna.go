// Package lacuna answers first-order questions on knowledge graphs: open a graph,
// ask, and look at the set of entities after every step.
//
//	engine, err := lacuna.Open(ctx, "films.tsv", read.Options{})
//	result, err := engine.Ask(ctx, "?f : ∃p : Directed(p, f) ∧ BornIn(p, Rome)", lacuna.AskOptions{})
//
// It is the Go face of everything below it; the command line is built on it.
package lacuna

import (
	"context"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/symbolic"
	"github.com/lacuna-kg/lacuna/turing"
)

// DefaultQuestion is the paper's: which universities do the Turing Award winners of deep learning work in?
const DefaultQuestion = "?u : ∃a : Win(a, Turing Award) ∧ Field(a, Deep Learning) ∧ University(a, u)"

// Engine answers questions on one graph: exactly what it states and, with a
// model, what it only implies. It may be used concurrently.
type Engine struct {
	Graph *kg.Graph
	exact exec.Executor
	model *neural.Predictor // nil without

	cache *Cache // nil without
	scope uint64 // of this engine in the cache
	truth *kg.Graph
}

// New makes an engine that answers by traversal of the graph: exactly what it states.
func New(g *kg.Graph) *Engine {
	return &Engine{Graph: g, exact: exec.Host{Projector: symbolic.Projector{Graph: g}, Entities: g.NumEntities()}}
}

// Open reads a graph from a file, a folder, a snapshot or, for "-", from
// opts.Stdin, and makes an engine for it. Held-out facts of a benchmark folder are not used.
func Open(ctx context.Context, source string, opts read.Options) (*Engine, error) {
	splits, err := read.Graph(ctx, source, opts)
	if err != nil {
		return nil, err
	}
	return New(splits.Train), nil
}

// Embedded gives the graph that comes with Lacuna, the Turing Award laureates,
// with the true facts left out of it on purpose as held-out test facts.
func Embedded(ctx context.Context) (*kg.Splits, error) {
	facts, err := read.Stream(ctx, turing.Facts(), "turing/facts.tsv", read.Options{Format: read.TSV})
	if err != nil {
		return nil, err
	}
	leftOut, err := read.Stream(ctx, turing.LeftOut(), "turing/left_out.tsv", read.Options{Format: read.TSV})
	if err != nil {
		return nil, err
	}
	facts.Test, _ = translate(leftOut.Train, facts.Train.Vocabulary) // has all its names
	return facts, nil
}

// Close releases what the engine holds: the graph's memory on a device, the model's
// where no other engine shares it, and the graph's file where it has one. Engines made
// of this one by WithCache and the like end with it; one that Change made does not.
// No call may follow or still be running.
func (e *Engine) Close() error {
	if e.model != nil {
		e.model.Close()
	}
	return e.Graph.Close()
}
