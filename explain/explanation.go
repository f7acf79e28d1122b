// Package explain says why: for an answer, the chain of entities that leads to it and,
// for every link of the chain that the graph does not state, the facts that speak for it.
//
// Its place in the flow: exec leaves the set after every step of a run, gnn says which
// edges a prediction rests on; this package chooses the entities (ground.go), finds the
// paths and checks them by removing their facts (reasons.go), and draws the outcome as SVG
// and HTML. An Explanation is plain data: the command line, the
// server and the page show the same one.
package explain

import (
	"fmt"

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
	// Derivation is the question as a graph with the values of its best derivation, where its variables form no tree. It
	// has no grounding and no steps then.
	Derivation *Picture `json:"derivation,omitempty"`
	// Missing says what lacks where nothing leads to the answer: without this link the derivation would be one.
	Missing string `json:"missing,omitempty"`

	// Grounding is the best assignment of the question's variables that ends in the
	// answer: the operator tree, root first, with an entity at every node.
	Grounding *Step `json:"grounding,omitempty"`
	// Links are the relation steps of the grounding, in the order in which they were
	// computed. Those that the graph does not state carry their reasons.
	Links []Link `json:"links"`

	// Steps are the operations in the order they ran, each with its set, as in the result
	// of the question; a step of the grounding refers to them by its number.
	Steps []Set `json:"steps"`

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
	if e.Derivation != nil && !e.Derivation.asks() {
		return map[bool]string{true: "Why yes?", false: "Why no?"}[e.Answers()]
	}
	if e.IsWhyNot() {
		return "Why not " + e.Answer.Entity + "?"
	}
	return "Why " + e.Answer.Entity + "?"
}

// Verdict says how the entity stands among the answers.
func (e *Explanation) Verdict() string {
	standing := Standing(e.Answer.Known, e.Answer.Probability)
	if e.Answers() {
		return standing
	}
	return fmt.Sprintf("%s, less likely than the threshold %.2f", standing, e.Threshold)
}

// Set is one operation and the fuzzy set that it gave.
type Set struct {
	Op          string   `json:"op"`
	Entity      string   `json:"entity,omitempty"`   // of op "entity"
	Relation    string   `json:"relation,omitempty"` // of op "project"
	Inputs      []int    `json:"inputs"`             // the steps whose sets it takes
	Cardinality float64  `json:"cardinality"`
	Top         []Member `json:"top"`
}

// Member is an entity with its degree in a set.
type Member struct {
	Entity      string  `json:"entity"`
	ID          string  `json:"id,omitempty"` // the identifier, where Entity is a label
	Probability float32 `json:"probability"`
	Known       bool    `json:"known"` // traversal of the graph finds it; else it is predicted
}

// Step is an operation of the tree and the entity that it is asked about.
type Step struct {
	Op       string `json:"op"`                 // entity, everything, project, not, and, or
	Number   int    `json:"step"`               // of the operation among the steps of the result
	Variable string `json:"variable,omitempty"` // whose value the entity is, where the step completes a variable
	Relation string `json:"relation,omitempty"` // of project: from the entity of the operand to this one

	// The entity chosen, and its degree in the set after this operation.
	Member
	// Link is the number, in Links, of a projection's link. Without one the branch is not
	// followed: nothing worth naming leads to the entity.
	Link *int `json:"link,omitempty"`
	// Negated marks what stands under ¬: the entity answers because it is not in this set.
	Negated bool `json:"negated,omitempty"`
	// Aside marks an operand of ∨ that is not the better one and is not followed further.
	Aside bool `json:"aside,omitempty"`
	// Others are the next best sources of a projection, their probability that of source and link together.
	Others []Member `json:"others,omitempty"`

	Of []Step `json:"of,omitempty"` // the operands
}

// Link is one relation step between two entities of the grounding.
type Link struct {
	Head     string `json:"head"`
	HeadID   string `json:"head_id,omitempty"`
	Relation string `json:"relation"` // marked ^-1 where the step reads stated facts from their tail
	Tail     string `json:"tail"`
	TailID   string `json:"tail_id,omitempty"`
	// Probability is the model's for this link alone: the projection of the head by itself.
	// It is 1 for a fact that the graph states, unless the model may doubt it.
	Probability float32 `json:"probability"`
	Known       bool    `json:"known"` // the graph states it

	Paths          []Path          `json:"paths,omitempty"` // why it is predicted, weightiest first
	Counterfactual *Counterfactual `json:"counterfactual,omitempty"`

	triple kg.Triple
}

// Path is a walk over stated facts from the head of a link to its tail.
type Path struct {
	Weight float64 `json:"weight"` // the mean of its edges' weights, by which paths are compared
	Edges  []Edge  `json:"edges"`
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
