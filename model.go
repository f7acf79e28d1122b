package lacuna

import (
	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/fuzzy"
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

// Seen tells whether the model was trained on this very graph, so that its facts are no test of it.
func (e *Engine) Seen() bool {
	card, ok := e.Card()
	return ok && card.TrainedOn(e.Graph.Vocabulary)
}

// Predictor is the model on the graph, nil without one. Its rules of sharing are the caller's to keep.
func (e *Engine) Predictor() *neural.Predictor { return e.model }

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
