package lacuna

import (
	"context"

	"github.com/lacuna-kg/lacuna/gaps"
	"github.com/lacuna-kg/lacuna/kg"
)

// Gaps looks at whole relations: fills a column, lists the likeliest missing facts, scores triples, audits
// what is stated. It shares the rows of questions by Links, and ends with the engine. The first call of this or of a question fits their probabilities.
func (e *Engine) Gaps(ctx context.Context) (*gaps.Finder, error) {
	if e.model == nil {
		return nil, kg.Errorf(kg.Invalid, "", "nothing can be predicted without a model")
	}
	executor, err := e.links.ready(ctx, false)
	if err != nil {
		return nil, err
	}
	finder := gaps.New(executor.Rows(), e.model)
	finder.Sets = e.links.guaranteed
	return finder, nil
}
