// Package explain says why: for an answer, the derivation that leads to it and,
// for every link of it that the graph does not state, the facts that speak for it.
//
// Its place in the flow: answer has found the derivation, and gnn says which edges a
// prediction rests on; this package puts the derivation into the question's picture
// (derivation.go), finds paths and checks them by removing their facts (reasons.go), and
// draws the outcome as SVG and HTML. An Explanation is plain data: the command line, the
// server and the page show the same one.
package explain

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// Explanation is why an entity is among the answers of a question, or is not.
type Explanation struct {
	Query     string `json:"query"`     // the logical form
	Operators string `json:"operators"` // the operator form
	Shape     string `json:"shape"`
	Answer    Member `json:"answer"`
	// Threshold is the least probability of an answer: what is below it answers no more.
	Threshold float32 `json:"threshold"`

	// Entities are the answer's where the question has several answer variables, in their order; Answer has them in one line.
	Entities []string `json:"entities,omitempty"`
	// Derivation is the question as a graph, with the values of the answer's best derivation.
	Derivation *Picture `json:"derivation"`
	// Others is how many further derivations lead to the answer and make it likelier than this one alone.
	Others int `json:"others,omitempty"`
	// Missing is the link that is missing where nothing leads to the answer: without it the derivation would be one.
	Missing string `json:"missing,omitempty"`
	// Links are those of the derivation, each once. Those that the graph does not state carry their reasons.
	Links []Link `json:"links"`

	// CutTo is on how many entities around its head each link was predicted, where not on all.
	CutTo int `json:"cut_to,omitempty"`

	MS float64 `json:"ms"` // what explaining took
}

// Answers tells whether the entity is an answer.
func (e *Explanation) Answers() bool {
	return e.Answer.Probability >= e.Threshold && e.Answer.Probability > 0
}

// IsWhyNot tells that next to nothing speaks for the entity: what is to be said is why it does not answer.
func (e *Explanation) IsWhyNot() bool { return e.Answer.Probability < min(e.Threshold, leastShown) }

// Title is the question that the explanation answers.
func (e *Explanation) Title() string {
	if !e.Derivation.asks() {
		return map[bool]string{true: "Why yes?", false: "Why no?"}[e.Answers()]
	}
	if e.IsWhyNot() {
		return "Why not " + e.Answer.Entity + "?"
	}
	return "Why " + e.Answer.Entity + "?"
}

// Verdict says how the entity stands among the answers.
func (e *Explanation) Verdict() string {
	standing := Standing(e.Answer.Known, e.Answer.Implied, e.Answer.Probability)
	if e.Answers() {
		return standing
	}
	return fmt.Sprintf("%s, below the threshold of %.2f", standing, e.Threshold)
}

// Member is an entity with its degree in a set.
type Member struct {
	Entity      string  `json:"entity"`
	ID          string  `json:"id,omitempty"` // the identifier, where Entity is a label
	Probability float32 `json:"probability"`
	Known       bool    `json:"known"`             // traversal of the graph finds it; else it is predicted
	Implied     string  `json:"implied,omitempty"` // the rules by which the graph implies a known one that it does not state
}

// Link is one relation step between two entities of the derivation.
type Link struct {
	Head     string `json:"head"`
	HeadID   string `json:"head_id,omitempty"`
	Relation string `json:"relation"` // marked ^-1 where the step reads stated facts from their tail
	Tail     string `json:"tail"`
	TailID   string `json:"tail_id,omitempty"`
	// Probability is that of the fact, whatever the question: 1 where the graph states it.
	Probability float32 `json:"probability"`
	Known       bool    `json:"known"`             // the graph states or implies it
	Implied     string  `json:"implied,omitempty"` // the rule by which it is implied

	Paths          []Path          `json:"paths,omitempty"` // why it is predicted, weightiest first
	Counterfactual *Counterfactual `json:"counterfactual,omitempty"`

	triple kg.Triple
}

// Path is a walk over stated facts from the head of a link to its tail.
type Path struct {
	Weight float64 `json:"weight"` // the mean of its edges' weights, by which paths are compared
	Edges  []Edge  `json:"edges"`
	// Alike is how many more paths by the same relations contribute, of which this is the weightiest.
	Alike int `json:"alike,omitempty"`
}

// AlikeText says how many more paths take the same relations, "" where none does.
func (p Path) AlikeText() string {
	if p.Alike == 0 {
		return ""
	}
	return fmt.Sprintf("and %s by the same relations", count.Of(p.Alike, "more path"))
}

// Edge is a fact on a path.
type Edge struct {
	Fact
	Inverse bool    `json:"inverse"` // the path walks the fact from tail to head
	Weight  float64 `json:"weight"`  // ∂ logit / ∂ weight of the edge
}

// Fact is a triple as the graph states it.
type Fact struct {
	Head     string `json:"head"`
	HeadID   string `json:"head_id,omitempty"`
	Relation string `json:"relation"`
	Tail     string `json:"tail"`
	TailID   string `json:"tail_id,omitempty"`
}

// Counterfactual is what becomes of a prediction when facts are taken out of the graph.
type Counterfactual struct {
	Removed []Fact  `json:"removed"` // the facts of the paths
	Before  float32 `json:"before"`
	After   float32 `json:"after"`
	// Control is the same with as many random other facts of the neighbourhood: removing
	// anything shakes a prediction, removing its reasons should shake it more.
	Control *Control `json:"control,omitempty"`
}

// Control is the mean over several random removals.
type Control struct {
	Removed int     `json:"removed"` // facts, each time
	Draws   int     `json:"draws"`
	After   float32 `json:"after"`  // mean
	Lowest  float32 `json:"lowest"` // of all draws
}
