package eval

import (
	"context"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/ranks"
)

// ValidatorOptions say which validation queries a model in training is measured by,
// and how; fields are those of Options.
type ValidatorOptions struct {
	Training bool // by training queries instead, all of whose answers are ranked
	Shapes   []string
	Limit    int
	Seed     uint64
	Batch    int
	Memory   int64
	Logic    fuzzy.Logic
	Team     *ranks.Team // rank 0 has the validator; the others Assist
}

// Validator measures a model while it is trained, always by the same validation
// queries, which it holds in memory. It serves one goroutine at a time.
type Validator struct {
	options   Options
	logic     fuzzy.Logic
	questions []Question
}

// NewValidator reads the validation queries of a set.
func NewValidator(ctx context.Context, set *dataset.Set, v ValidatorOptions) (*Validator, error) {
	split := dataset.Valid
	if v.Training {
		split = dataset.Train
	}
	o, err := Options{
		Set: set, Split: split, Model: "the model", Shapes: v.Shapes,
		Limit: v.Limit, Seed: v.Seed, Batch: v.Batch, Memory: v.Memory, Team: v.Team,
	}.checked()
	if err != nil {
		return nil, err
	}
	stream, _, err := questions(ctx, o)
	if err != nil {
		return nil, err
	}
	validator := &Validator{options: o, logic: v.Logic}
	for q, err := range stream {
		if err != nil {
			return nil, err
		}
		validator.questions = append(validator.questions, q)
	}
	if len(validator.questions) == 0 {
		return nil, kg.Errorf(kg.NotFound, set.Dir, "found no %s queries with answers to rank, of the types asked for", split)
	}
	return validator, nil
}

// Queries is the number of queries of each validation.
func (v *Validator) Queries() int { return len(v.questions) }

// Validation is the outcome: the MRR, and by shape ("1p_mrr") for the record.
type Validation struct {
	MRR     float64 // mean over types
	Details map[string]float64
}

// Validate measures a model on its device.
func (v *Validator) Validate(ctx context.Context, g *gnn.Graph) (Validation, error) {
	return v.Measure(ctx, LearnedOn(g, v.logic))
}

// Measure measures any method.
func (v *Validator) Measure(ctx context.Context, method Method) (Validation, error) {
	o := v.options
	o.Method = method
	if err := o.checkMethod(); err != nil {
		return Validation{}, err
	}
	o, end := o.shared()
	e := evaluation{Options: o, tally: newTally()}
	for batch, err := range batches(ctx, o, withoutError(v.questions)) {
		if err != nil {
			return Validation{}, err
		}
		if err := e.batch(ctx, batch); err != nil {
			return Validation{}, err
		}
	}
	if err := end(ctx); err != nil {
		return Validation{}, err
	}
	var r Report
	e.tally.fill(&r)
	details := map[string]float64{}
	for shape, m := range r.Types {
		details[shape+"_mrr"] = m.MRR
	}
	return Validation{r.Avg.MRR, details}, nil
}
