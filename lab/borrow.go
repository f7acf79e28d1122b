package lab

import (
	"context"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/checkpoint"
	"github.com/lacuna-kg/lacuna/factor"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/lab/calibrate"
	"github.com/lacuna-kg/lacuna/neural"
)

// borrow opens an engine's model once more on its device, for those who change it. The device is the borrower's until done.
func borrow(e *lacuna.Engine, lacks string) (model *neural.Model, done func(), err error) {
	p := e.Model().Predictor
	if p == nil {
		return nil, nil, kg.Errorf(kg.Invalid, "", "%s, expected a model", lacks)
	}
	own := p.Model
	own.Lock()
	if model, err = neural.OpenModel(own.Name, own.Network.Device()); err != nil {
		own.Unlock()
		return nil, nil, err
	}
	return model, func() { model.Close(); own.Unlock() }, nil
}

// calibrateModel makes the probabilities of an engine's model mean what they say on its graph, by sets, and writes the model so
// adjusted to a file. The engine goes on with the model as it was.
func calibrateModel(ctx context.Context, e *lacuna.Engine, file string, how calibrate.Options) (*calibrate.Report, error) {
	model, done, err := borrow(e, "calibrate: plain traversal has no probabilities to calibrate")
	if err != nil {
		return nil, err
	}
	defer done()
	how.Graph, how.Model = e.Graph, model
	report, err := calibrate.Run(ctx, how)
	if err != nil {
		return nil, err
	}
	if err := report.Sign(&model.Card, model.Name, e.Name); err != nil {
		return nil, err
	}
	return report, model.Save(file, checkpoint.Single)
}

// factorOptions say how vectors are learned beside a model.
type factorOptions struct {
	factor.Options
	// Held are true facts that the graph does not state, such as validation facts: they choose how the model and the vectors
	// are weighed. Without any the weights are the usual ones.
	Held []kg.Triple
	As   checkpoint.Precision // how the file stores the numbers; the zero value is checkpoint.Single
}

// learnFactors learns a vector for each entity and relation of an engine's graph, and writes its model with them beside it to a file.
func learnFactors(ctx context.Context, e *lacuna.Engine, file string, how factorOptions) (factor.Blend, error) {
	model, done, err := borrow(e, "factors: plain traversal predicts nothing to put vectors beside")
	if err != nil {
		return nil, err
	}
	defer done()
	vectors, err := factor.Train(ctx, e.Graph, model.Network.Device(), how.Options)
	if err != nil {
		return nil, err
	}
	on, err := model.On(ctx, e.Graph, e.Name)
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
