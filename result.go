package lacuna

import (
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/explain"
)

// Result is an answered question. Its JSON form is that of `lacuna ask --json`.
type Result struct {
	Query     string `json:"query"`     // the logical form
	Operators string `json:"operators"` // the operator form; "" where the variables form no tree
	Shape     string `json:"shape"`     // ShapeOfJoin where they do not
	// Answers are at or above the threshold, the likeliest first. Total is how many there are, listed or not, as far as they were looked
	// for; KnownTotal of them are those that traversal of the graph finds. More says that there are more than listed.
	Answers    []Answer `json:"answers"`
	Total      int      `json:"total"`
	KnownTotal int      `json:"known_total"`
	More       bool     `json:"more,omitempty"`
	Threshold  float64  `json:"threshold"` // the least probability of an answer
	// LessLikely are below the threshold: the likeliest predictions, and the likeliest of Doubted known answers, which the model
	// doubts, such as one of which it predicts what the question negates.
	LessLikely []Answer `json:"less_likely,omitempty"`
	Doubted    int      `json:"doubted,omitempty"`
	// Expected is how many of Answers and LessLikely are expected to be right: the sum of their probabilities. Cardinality adds the known
	// answers that are not listed.
	Expected    float64 `json:"expected"`
	Cardinality float64 `json:"cardinality"`
	Steps       []Step  `json:"steps"`
	Stats       Stats   `json:"stats"`
	// CutTo is on how many entities around its head each link was predicted, where not on all; see the option Cut.
	CutTo int `json:"cut_to,omitempty"`
	// Guarantee is what the list guarantees, by the option Coverage.
	Guarantee *Guarantee `json:"guarantee,omitempty"`
	// Hints say where the question may not be what was meant, such as the ends of a relation in the wrong order, and that known answers are doubted.
	Hints []string `json:"hints,omitempty"`

	Listing string `json:"-"` // the program as text
	// Verdict answers a question of yes or no; any other has none. Joined is of a question whose variables form no tree.
	*Verdict `json:",omitempty"`
	*Joined  `json:",omitempty"`
}

// Verdict is the answer to a question of yes or no.
type Verdict struct {
	Probability float32       `json:"probability"`
	Known       bool          `json:"known"`                // yes by what the graph states or implies
	Implied     string        `json:"implied,omitempty"`    // as of an Answer
	Derivation  []DerivedLink `json:"derivation,omitempty"` // by the option Why
}

// Joined is what only the search for a question has whose variables form no tree.
type Joined struct {
	Variables []Variable       `json:"variables,omitempty"` // the likeliest values of each
	Marginals []Variable       `json:"marginals,omitempty"` // by that option: the answers of each of several answer variables by itself
	Cut       *JoinCut         `json:"cut,omitempty"`       // what the search left out; nil for nothing
	Picture   *explain.Picture `json:"graph,omitempty"`     // the question as a graph
}

// ShapeOfJoin is the shape of a question whose variables form no tree.
const ShapeOfJoin = "join"

// Shown are the answers and the less likely predictions behind them.
func (r *Result) Shown() []Answer {
	return append(r.Answers[:len(r.Answers):len(r.Answers)], r.LessLikely...)
}

// Answer is an entity that answers the question or, where it has several answer variables, entities for them.
type Answer struct {
	Entity      string   `json:"entity,omitempty"`
	ID          string   `json:"id,omitempty"`       // the identifier, where Entity is a label
	Entities    []string `json:"entities,omitempty"` // in the order of the answer variables
	IDs         []string `json:"ids,omitempty"`      // of them, where one is a label
	Probability float32  `json:"probability"`
	Known       bool     `json:"known"` // traversal of the graph finds it, by what it states and implies
	// Implied are the rules that a known answer rests on which the graph only implies, such as "subclass"; "" where it states it.
	Implied string `json:"implied,omitempty"`
	Right   *bool  `json:"right,omitempty"` // traversal of the truth finds it; nil without one
	// Derivation is the best one's links, by the option Why.
	Derivation []DerivedLink `json:"derivation,omitempty"`
}

// DerivedLink is a link of a derivation.
type DerivedLink struct {
	From        string  `json:"from"`
	Relation    string  `json:"relation"`
	To          string  `json:"to"`
	Probability float32 `json:"probability"`
	Known       bool    `json:"known"`             // the graph states or implies it
	Implied     string  `json:"implied,omitempty"` // the rule by which it is implied
	Negated     bool    `json:"negated,omitempty"` // the question wants it not to be
}

// Variable is a variable of a question, with its likeliest values.
type Variable struct {
	Variable string   `json:"variable"`
	Top      []Answer `json:"top"`
}

// JoinCut is what a search left out.
type JoinCut struct {
	LeftOut   int     `json:"left_out,omitempty"`  // rows of predicted links that were not followed
	Stopped   string  `json:"stopped,omitempty"`   // "time" or "steps", where a bound of these ended it
	Likeliest float32 `json:"likeliest,omitempty"` // anything skipped is at most this likely
}

// Step is one operation and the set it gave.
type Step struct {
	Op       string `json:"op"`
	Entity   string `json:"entity,omitempty"`   // of op "entity"
	Relation string `json:"relation,omitempty"` // of op "project"
	Inputs   []int  `json:"inputs"`             // the steps whose sets it takes
	// By links, how many members of its input were not followed along predicted links, and the
	// probability of the likeliest of them: anything skipped is at most this likely.
	LeftOut          int        `json:"left_out,omitempty"`
	LikeliestLeftOut float32    `json:"likeliest_left_out,omitempty"`
	LeftOutBy        exec.Bound `json:"-"` // why the likeliest was not followed
	Cardinality      float64    `json:"cardinality"`
	Top              []Answer   `json:"top"`
}
