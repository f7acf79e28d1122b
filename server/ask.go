package server

import (
	"context"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/fuzzy"
)

// AskRequest is a question and how to answer it.
type AskRequest struct {
	Question   string   `json:"question" doc:"in first-order logic, the operators of the paper or BetaE's tuples"`
	Logic      string   `json:"logic,omitempty" enum:"logics" doc:"default: product"`
	Mode       string   `json:"mode,omitempty" enum:"predict,exact" doc:"predict, the default with a model, finds missing links too; exact is traversal alone"`
	By         string   `json:"by,omitempty" enum:"links,sets" doc:"how the model predicts: links, the default, goes entity by entity and takes the best derivation; sets is the paper's way, a whole set in one pass"`
	Threshold  *float64 `json:"threshold,omitempty" doc:"least probability of an answer, from 0 to 1; default 0.5. The likeliest predictions below it, and known answers that the model doubts, are listed as less_likely"`
	Coverage   float64  `json:"coverage,omitempty" doc:"list as many predictions as it takes to have the right one with this frequency, such as 0.9; the response says under guarantee what that rests on"`
	Limit      int      `json:"limit,omitempty" doc:"answers to list; default 20, -1 for as many as the server allows"`
	Top        int      `json:"top,omitempty" doc:"entities to name at each step; default 5"`
	Predicted  bool     `json:"predicted,omitempty" doc:"leave out what traversal of the graph finds"`
	Marginal   bool     `json:"marginal,omitempty" doc:"of several answer variables, give each a list of its own too"`
	Why        bool     `json:"why,omitempty" doc:"of a question whose variables form no tree, give the links that each answer rests on"`
	Literals   bool     `json:"literals,omitempty" doc:"predict numbers, dates and truth values, too, which a model tells apart by chance only"`
	DoubtKnown bool     `json:"doubt_known,omitempty" doc:"let the model judge facts that the graph states, too; by sets only, which is the default then"`
}

// AskResponse is the answered question.
type AskResponse struct {
	*lacuna.Result
	Mode    string `json:"mode"`    // predict or exact, as it ran
	By      string `json:"by"`      // links, sets or exact, as it ran
	Version uint64 `json:"version"` // of the graph
}

// The modes of a question.
const (
	modePredict = "predict"
	modeExact   = "exact"
)

// Ask answers a question, together with others that are asked at the same time.
func (s *Service) Ask(ctx context.Context, request AskRequest) (*AskResponse, error) {
	at, done := s.snapshots.use()
	defer done()
	question, err := s.prepare(at, request)
	if err != nil {
		return nil, err
	}
	bytes, err := s.estimate(question)
	if err != nil {
		return nil, err
	}
	mode, answer := modePredict, s.predict.answer
	if question.Asking.By == lacuna.Exact {
		mode, answer = modeExact, s.exact.answer
	}
	links := question.Links()
	if !question.IsTree() || links > batchedLinks {
		answer = s.answerAlone
	}
	ctx, cancel := s.Within(ctx)
	defer cancel()
	result, err := answer(ctx, job{at, question, bytes}, links)
	if err != nil {
		return nil, err
	}
	return &AskResponse{result, mode, string(question.Asking.By), at.version}, nil
}

// batchedLinks is the most relation steps of a question that others run with: they would wait for a longer one.
const batchedLinks = 8

// answerAlone answers a question that may take long, such as a join, beside the batches. Few are begun at a time, as each
// takes memory, and of a client not all.
func (s *Service) answerAlone(ctx context.Context, j job, _ int) (*lacuna.Result, error) {
	leave, err := s.joins.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	results, err := s.answer(ctx, j.at, []*lacuna.Question{j.question})
	switch {
	case err == nil:
		return results[0], nil
	case ctx.Err() != nil:
		return nil, ended(ctx)
	}
	return nil, err
}

// answer runs questions in a place, in which they rest.
func (s *Service) answer(ctx context.Context, at *snapshot, questions []*lacuna.Question) (results []*lacuna.Result, err error) {
	err = s.cores.runModel(ctx, func(ctx context.Context) (err error) {
		results, err = at.engine.Answer(ctx, questions...)
		return err
	})
	return results, err
}

// prepare compiles a question and holds it to the limits.
func (s *Service) prepare(at *snapshot, request AskRequest) (*lacuna.Question, error) {
	options, err := s.askOptions(at, request)
	if err != nil {
		return nil, err
	}
	if len(request.Question) > s.limits.Text {
		return nil, tooLarge("the question has %d bytes, the limit is %d", len(request.Question), s.limits.Text)
	}
	question, err := at.engine.Prepare(request.Question, options...)
	if err != nil {
		return nil, err
	}
	if n := question.Links(); n > s.limits.Projections {
		return nil, tooLarge("the question has %d relation steps, the limit is %d", n, s.limits.Projections)
	}
	return question, nil
}

// estimate is the memory that a question's sets take.
func (s *Service) estimate(q *lacuna.Question) (int64, error) {
	bytes := q.Memory()
	if bytes > s.limits.Memory {
		return 0, tooLarge("the question takes about %d MB for its sets of entities, the limit is %d MB", bytes>>20, s.limits.Memory>>20)
	}
	return bytes, nil
}

// askOptions reads the options of a request, and refuses what the limits do.
func (s *Service) askOptions(at *snapshot, r AskRequest) ([]lacuna.AskOption, error) {
	switch {
	case r.Limit < -1:
		return nil, invalid("limit %d, expected a number of answers, or -1 for all", r.Limit)
	case r.Top < 0 || r.Top > s.limits.Top:
		return nil, invalid("top %d, expected 0 to %d", r.Top, s.limits.Top)
	}
	options := []lacuna.AskOption{lacuna.Predicted(r.Predicted), lacuna.Marginal(r.Marginal), lacuna.Why(r.Why), lacuna.KeepKnown(!r.DoubtKnown), lacuna.Literals(r.Literals)}
	if r.Logic != "" {
		logic, err := fuzzy.ParseLogic(r.Logic)
		if err != nil {
			return nil, err
		}
		options = append(options, lacuna.Logic(logic))
	}
	if r.Threshold != nil {
		options = append(options, lacuna.Threshold(*r.Threshold))
	}
	if r.Coverage != 0 {
		options = append(options, lacuna.Coverage(r.Coverage))
	}
	switch {
	case r.Limit == -1:
		options = append(options, lacuna.Limit(s.limits.Answers))
	case r.Limit > 0:
		options = append(options, lacuna.Limit(min(r.Limit, s.limits.Answers)))
	}
	if r.Top > 0 {
		options = append(options, lacuna.Top(r.Top))
	}
	way, err := at.way(r)
	if way != "" {
		options = append(options, lacuna.By(way))
	}
	return options, err
}

// way is how a question is answered, "" for the server's own way.
func (at *snapshot) way(r AskRequest) (lacuna.Way, error) {
	by := lacuna.Way(r.By)
	exact, err := at.exact(r.Mode)
	switch {
	case err != nil || exact:
		return lacuna.Exact, err
	case r.By != "" && by != lacuna.Links && by != lacuna.Sets:
		return "", invalid("by %q, expected links or sets", r.By)
	case r.By == "" && r.DoubtKnown:
		return lacuna.Sets, nil
	}
	return by, nil
}

// exact tells whether a mode means traversal. Without a model every question is exact.
func (at *snapshot) exact(mode string) (bool, error) {
	learnt := at.engine.Model().Predictor != nil
	switch {
	case mode == modePredict && !learnt:
		return false, invalid("mode %q: the server has no model for this graph", mode)
	case mode != "" && mode != modePredict && mode != modeExact:
		return false, invalid("mode %q, expected predict or exact", mode)
	}
	return mode == modeExact || !learnt, nil
}
