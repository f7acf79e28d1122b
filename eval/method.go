package eval

import (
	"context"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/internal/sorted"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// Method answers queries: by traversal, Learned by whole sets, ByLinks entity by entity.
type Method interface {
	// Answer answers a batch and gives one outcome for each of its questions, in their order.
	Answer(ctx context.Context, batch []Question) ([]Outcome, error)
	// Bytes is the most memory that e takes while its batch runs.
	Bytes(e query.Expr) int64
	// Entities is the length of its sets.
	Entities() int
	// Describe says for the report what it is.
	Describe() Description
}

// Question is a query with the answers that are ranked, the targets, and all that
// are left out of the ranking, which include them. All three lists ascend.
type Question struct {
	Expr    query.Expr
	Targets []kg.Entity
	Answers []kg.Entity
	shape   string
}

// Outcome is what a method made of a question.
type Outcome struct {
	Ranks    []kernel.Rank // one for each target: its standing among the entities that are no answers
	Answered float64       // the predicted number of answers
}

// Description says how queries were answered.
type Description struct {
	Kind     string  `json:"kind"`             // "traversal" or "learned"
	Device   string  `json:"device,omitempty"` // of a learned method
	Logic    string  `json:"logic,omitempty"`
	Negation float32 `json:"negation,omitempty"` // λ of the model's complement, plain.Complement
	// By is "links" where a model answered entity by entity, "sets" where by whole sets, and empty of a traversal.
	By           string  `json:"by,omitempty"`
	Followed     int     `json:"followed,omitempty"`      // by links: the most members of a set that a step follows
	FollowedFrom float32 `json:"followed_from,omitempty"` // and the least degree of one
	BothEnds     int     `json:"both_ends,omitempty"`     // by links: the likeliest links of a step that are read from both ends
	Least        float32 `json:"least,omitempty"`         // probability of a predicted link
	KeepKnown    bool    `json:"keep_known"`              // each projection is the maximum of the learned and the exact set
}

// newQuestion takes the hard answers as targets. A training query has none, as
// nothing is held out from it: there all answers are targets.
func newQuestion(q dataset.Query, split dataset.Split) Question {
	question := Question{Expr: q.Expr, Targets: q.Hard, Answers: sorted.Union(nil, q.Easy, q.Hard), shape: query.ShapeOf(q.Expr)}
	if split == dataset.Train {
		question.Targets = question.Answers
	}
	return question
}
