package lacuna

import (
	"context"

	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/factor"
	"github.com/lacuna-kg/lacuna/kg"
)

// FactorOptions say how vectors are learned beside a model.
type FactorOptions struct {
	factor.Options
	// Held are true facts that the graph does not state, such as validation facts: they choose how the model and the vectors
	// are weighed. Without any the weights are the usual ones.
	Held []kg.Triple
	As   checkpoint.Precision // how the file stores the numbers; the zero value is checkpoint.Single
}

// LearnFactors learns a vector for each entity and relation of the engine's graph, and writes the engine's model with them beside
// it to a file, which is a Model for Open on this graph: by Links both predict together. The engine goes on with
// the model as it was; questions wait until it is done.
func (e *Engine) LearnFactors(ctx context.Context, file string, how FactorOptions) (factor.Blend, error) {
	model, done, err := e.borrow("factors: plain traversal predicts nothing to put vectors beside")
	if err != nil {
		return nil, err
	}
	defer done()
	vectors, err := factor.Train(ctx, e.Graph, model.Network.Device(), how.Options)
	if err != nil {
		return nil, err
	}
	on, err := model.On(ctx, e.Graph, e.graph)
	if err != nil {
		return nil, err
	}
	defer on.Close()
	blend, err := on.FitBlend(ctx, vectors, how.Held, how.Seed)
	if err != nil {
		return blend, err
	}
	if model.Card.Factors, err = checkpoint.NewFactors(vectors, e.Graph.Vocabulary, blend, how.Options); err != nil {
		return blend, err
	}
	return blend, model.Save(file, how.As)
}
