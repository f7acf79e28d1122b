package server

import (
	"context"

	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/kg"
)

// ExplainRequest is a question and the entity whose place among its answers is to be explained.
type ExplainRequest struct {
	AskRequest
	Entity   string   `json:"entity,omitempty" doc:"by name or identifier; default: the likeliest predicted answer"`
	Entities []string `json:"entities,omitempty" doc:"of a question with several answer variables: an entity for each, in their order"`
}

// Explain says why an entity is, or is not, among the answers. Explanations take
// many runs of the model each, so that they are made one at a time.
func (s *Service) Explain(ctx context.Context, request ExplainRequest) (*explain.Explanation, error) {
	at, done := s.snapshots.use()
	defer done()
	question, err := s.prepare(at, request.AskRequest)
	if err != nil {
		return nil, err
	}
	if _, err := s.estimate(question); err != nil {
		return nil, err
	}
	leave, err := s.explains.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var explanation *explain.Explanation
	err = s.cores.runModel(ctx, func(ctx context.Context) (err error) {
		_, explanation, err = at.engine.Explain(ctx, question, request.tuple(), explain.Options{})
		return err
	})
	switch {
	case ctx.Err() != nil:
		return nil, ended(ctx)
	case err == nil && explanation == nil:
		return nil, kg.Errorf(kg.NotFound, "", "nothing answers the question, and no entity was named")
	}
	return explanation, err
}

// tuple is the entities that were named.
func (r ExplainRequest) tuple() []string {
	if r.Entity == "" {
		return r.Entities
	}
	return append([]string{r.Entity}, r.Entities...)
}
