package lacuna

import (
	"github.com/lacuna-kg/lacuna/gaps"
	"github.com/lacuna-kg/lacuna/kg"
)

// Gaps looks at whole relations: fills a column, lists the likeliest missing facts, scores triples, audits
// what is stated. It shares the rows of questions by Links, and ends with the engine.
func (e *Engine) Gaps() (*gaps.Finder, error) {
	if e.model == nil {
		return nil, kg.Errorf(kg.Invalid, "", "without a model nothing is predicted: expected one")
	}
	return gaps.New(e.links.executor.Rows(), e.model), nil
}
