package lacuna

import (
	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/neural"
)

// Names of models, beside files and training folders.
const (
	Foundation = neural.Foundation // answers on any graph
	Turing     = neural.Turing     // of the embedded graph
	// The same, trained on whole questions for answers By(Sets).
	FoundationOfSets = neural.FoundationOfSets
	TuringOfSets     = neural.TuringOfSets
	// Exact is none: answers are what the graph states. It is a way to answer, too (see By),
	// for an engine that has a model.
	Exact = "exact"
)

// ModelInfo is the model of an engine. Without one it is the zero value.
type ModelInfo struct {
	Name            string // what messages call it
	checkpoint.Card        // what it says about itself
	// Predictor is the model on the graph, nil without one. Its rules of sharing are the caller's to keep.
	Predictor *neural.Predictor
}

// Model is the engine's.
func (e *Engine) Model() ModelInfo {
	if e.model == nil {
		return ModelInfo{}
	}
	return ModelInfo{Name: e.model.Model.Name, Card: e.model.Model.Card, Predictor: e.model}
}

// Seen tells whether the model was trained on this very graph, so that its facts are no test of it.
func (m ModelInfo) Seen() bool {
	return m.Predictor != nil && m.TrainedOn(m.Predictor.Graph.Vocabulary)
}

// Accepts refuses a changed graph with relations that the model has no parameters for.
func (m ModelInfo) Accepts(changed *kg.Graph) error {
	if m.Predictor == nil || m.Config.AnyGraph() {
		return nil
	}
	known := m.Predictor.Graph.Relations.Names.Len()
	if changed.Relations.Names.Len() == known {
		return nil
	}
	return kg.Errorf(kg.Invalid, "", "the relation %q is new and the model %s was trained without it: use the foundation model, which takes any relation, or train on the new facts",
		changed.Relations.Names.At(uint32(known)), m.Name)
}

// predictor is what predicts, nil where traversal alone is to answer.
func (e *Engine) predictor(how Execution) *neural.Predictor {
	if how.By == Exact {
		return nil
	}
	return e.model
}

// cutTo is on how many entities around its head a link is predicted, 0 where on all or none is predicted.
func (e *Engine) cutTo(how Execution) int {
	if p := e.predictor(how); p != nil && how.By == Links {
		return p.Cut()
	}
	return 0
}

// logic is the logic that programs run in: with the model's negation where that predicts.
func (e *Engine) logic(how Execution) fuzzy.Logic {
	if p := e.predictor(how); p != nil && how.By != Links { // it was fitted for sets
		return p.Logic(how.Logic)
	}
	return how.Logic
}
