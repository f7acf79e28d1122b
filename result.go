package lacuna

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lacuna-kg/lacuna/browse"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// Result is an answered question. Its JSON form is that of `lacuna ask --json`.
type Result struct {
	Query       string   `json:"query"`     // the logical form
	Operators   string   `json:"operators"` // the operator form; "" where the variables form no tree
	Shape       string   `json:"shape"`     // ShapeOfJoin where they do not
	Answers     []Answer `json:"answers"`
	Total       int      `json:"total"`       // answers at or above the threshold, listed or not
	KnownTotal  int      `json:"known_total"` // of them, those that traversal of the graph finds
	Cardinality float64  `json:"cardinality"` // the predicted number of answers, listed or not; where More, of those listed
	// LessLikely are below the threshold: the likeliest predictions, so many that with those above it there are ShownPredictions, and the
	// likeliest of Doubted known answers, which the model doubts, such as one of which it predicts what the question negates.
	LessLikely []Answer `json:"less_likely,omitempty"`
	Doubted    int      `json:"doubted,omitempty"`
	Expected   float64  `json:"expected"` // how many of Answers and LessLikely are expected to be right: the sum of their probabilities
	Steps      []Step   `json:"steps"`
	Stats      Stats    `json:"stats"`
	// CutTo is on how many entities around its head each link was predicted, where not on all; see the option Cut.
	CutTo int `json:"cut_to,omitempty"`
	// Hints say where the question may not be what was meant, such as the ends of a relation in the wrong order, and that known answers are doubted.
	Hints []string `json:"hints,omitempty"`

	// Of a question whose variables form no tree: how likely it is, where it asks for yes or no, and
	// whether traversal finds it; the likeliest values of each variable; by the option Marginal the
	// answers of each answer variable by itself; whether there are more answers than listed, which
	// Total does not count; and what the search left out.
	Probability *float32      `json:"probability,omitempty"`
	Known       *bool         `json:"known,omitempty"`
	Variables   []Variable    `json:"variables,omitempty"`
	Marginals   []Variable    `json:"marginals,omitempty"`
	More        bool          `json:"more,omitempty"`
	Cut         *JoinCut      `json:"cut,omitempty"`
	Derivation  []DerivedLink `json:"derivation,omitempty"` // of yes, by the option Why
	// Picture is the question as a graph, where its variables form no tree.
	Picture *explain.Picture `json:"graph,omitempty"`

	Listing string `json:"-"` // the program as text
}

// Shown are the answers and the less likely predictions behind them.
func (r *Result) Shown() []Answer { return slices.Concat(r.Answers, r.LessLikely) }

// Answer is an entity that answers the question or, where it has several answer variables, entities for them.
type Answer struct {
	Entity      string   `json:"entity,omitempty"`
	ID          string   `json:"id,omitempty"`       // the identifier, where Entity is a label
	Entities    []string `json:"entities,omitempty"` // in the order of the answer variables
	IDs         []string `json:"ids,omitempty"`      // of them, where one is a label
	Probability float32  `json:"probability"`
	Known       bool     `json:"known"`           // traversal of the graph finds it
	Right       *bool    `json:"right,omitempty"` // traversal of the truth finds it; nil without one
	// Derivation is the best one's links, by the option Why, where the variables form no tree.
	Derivation []DerivedLink `json:"derivation,omitempty"`
}

// Step is one operation and the set it gave.
type Step struct {
	Op       string `json:"op"`
	Entity   string `json:"entity,omitempty"`   // of op "entity"
	Relation string `json:"relation,omitempty"` // of op "project"
	Inputs   []int  `json:"inputs"`             // the steps whose sets it takes
	// By links, how many members of its input were not followed along predicted links, and the
	// probability of the likeliest of them: no derivation that lacks is likelier.
	LeftOut          int        `json:"left_out,omitempty"`
	LikeliestLeftOut float32    `json:"likeliest_left_out,omitempty"`
	LeftOutBy        exec.Bound `json:"-"` // why the likeliest was not followed
	Cardinality      float64    `json:"cardinality"`
	Top              []Answer   `json:"top"`
}

// trace is one program of the runs.
type trace struct {
	*runs
	program int
}

// sets is the set after an instruction, and the same by traversal of the graph and of the truth.
type sets struct {
	set, known fuzzy.View
	truth      *fuzzy.View // nil without one
}

func (t trace) sets(instruction int) sets {
	s := sets{set: t.run.View(t.program, instruction), known: t.exact.View(t.program, instruction)}
	if program := t.run.Programs[t.program]; t.answers != nil && instruction == program.Result() {
		s.set = t.answers.Of(program, s.set, s.known)
	}
	if t.truth != nil {
		truth := t.truth.View(t.program, instruction)
		s.truth = &truth
	}
	return s
}

// predicted is the set without what traversal finds.
func (s sets) predicted() fuzzy.View {
	return s.set.Map(func(e kg.Entity, x float32) float32 {
		if s.known.At(e) > 0 {
			return 0
		}
		return x
	})
}

// countKnown is the number of entities of at least a degree that traversal finds.
func (s sets) countKnown(least float32) int {
	n := 0
	for e, x := range s.set.All() {
		if x >= least && s.known.At(e) > 0 {
			n++
		}
	}
	return n
}

// list gives the likeliest members. Known ones have a probability of 1 and would fill a
// short list; mixed, up to half of it is for the likeliest predictions.
func (s sets) list(most int, least float32, mixed bool) []fuzzy.Member {
	top := s.set.Top(most, least)
	if !mixed || len(top) < most {
		return top
	}
	predictions := s.predicted().Top(most/2, least)
	known := slices.DeleteFunc(slices.Clone(top), func(m fuzzy.Member) bool { return s.known.At(m.Entity) == 0 })
	if len(top)-len(known) >= len(predictions) {
		return top // they are there already
	}
	top = append(known[:most-len(predictions)], predictions...)
	slices.SortStableFunc(top, likelierFirst)
	return top
}

// ShownPredictions is how many predictions are shown whatever the threshold, which only tells answers from what is less likely.
const ShownPredictions = 10

// leastShown is the probability from which on they are: of those below it a step by links need not have found the best.
const leastShown = links.DefaultWeight

// shownAnyhow is how many are shown where none is so likely, of a question that is a tree: a join would have to search on.
const shownAnyhow = 3

// leastOfStep is the probability from which on a member of a step's set may be named.
const leastOfStep = 0.1

// likeliest are the members to name at a step: those likelier than not and, where there is room, others.
func (s sets) likeliest(asked Asking) []fuzzy.Member {
	if members := s.list(asked.Top, fuzzy.Threshold, asked.Mixed); len(members) == asked.Top {
		return members
	}
	return s.list(asked.Top, leastOfStep, false)
}

// lessLikely gives the likeliest predictions below the threshold, up to a number.
func (s sets) lessLikely(most int, threshold float32) []fuzzy.Member {
	if most <= 0 {
		return nil
	}
	below := s.set.Map(func(e kg.Entity, x float32) float32 {
		if x >= threshold || s.known.At(e) > 0 {
			return 0
		}
		return x
	})
	if len(s.predicted().Top(1, leastShown)) == 0 {
		return below.Top(min(most, shownAnyhow), 0)
	}
	return below.Top(most, leastShown)
}

// doubted gives what traversal finds and the model does not, the likeliest first.
func (s sets) doubted(threshold float32) []fuzzy.Member {
	var members []fuzzy.Member
	for e, known := range s.known.All() {
		if x := s.set.At(e); known > 0 && x < threshold {
			members = append(members, fuzzy.Member{Entity: e, Degree: x})
		}
	}
	slices.SortStableFunc(members, likelierFirst)
	return members
}

// doubts says that there are some.
func doubts(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s %s below the threshold, as the model doubts %s", count.Of(n, "known answer"), count.Either(n, "is", "are"), count.Either(n, "it", "them"))}
}

func likelierFirst(a, b fuzzy.Member) int { return cmp.Compare(b.Degree, a.Degree) }

func (e *Engine) result(q *Question, t trace) *Result {
	asked, least := q.Asking, q.Asking.least()
	outcome := t.sets(q.Program.Result())
	var doubted []fuzzy.Member
	if asked.Predicted {
		outcome.set = outcome.predicted()
	} else {
		doubted = outcome.doubted(least)
	}
	answers := outcome.set
	r := &Result{
		Query:       q.Query.String(),
		Operators:   query.FormatOperators(q.Expr, e.Graph.Vocabulary),
		Shape:       query.ShapeOf(q.Expr),
		Total:       answers.CountAtLeast(least),
		KnownTotal:  outcome.countKnown(least),
		Cardinality: answers.Cardinality(),
		Doubted:     len(doubted),
		Steps:       e.steps(t, asked),
		Listing:     q.Program.Listing(e.Graph.Vocabulary),
		Hints:       slices.Concat(browse.Swapped(q.Expr, e.Graph), e.statedOnly(q)),
		CutTo:       e.cutTo(asked.Execution),
	}
	limit := asked.Limit
	if limit < 0 {
		limit = answers.Entities()
	}
	r.Answers = e.name(outcome.list(limit, least, asked.Mixed), outcome)
	below := outcome.lessLikely(min(limit, ShownPredictions)-(r.Total-r.KnownTotal), least)
	below = append(below, doubted[:min(len(doubted), limit, ShownPredictions)]...)
	slices.SortStableFunc(below, likelierFirst)
	r.LessLikely = e.name(below, outcome)
	r.Hints = append(r.Hints, doubts(r.Doubted)...)
	for _, a := range r.Shown() {
		r.Expected += float64(a.Probability)
	}
	return r
}

// steps describes the trace, leaving out the Loads: what takes a loaded set refers to the step that made it.
func (e *Engine) steps(t trace, asked Asking) []Step {
	p, v := t.run.Programs[t.program], e.Graph.Vocabulary
	number := make([]int, len(p.Code)) // of the step made from an instruction
	var steps []Step
	for i, in := range p.Code {
		if in.Op == plan.Load {
			continue
		}
		number[i] = len(steps)
		at := t.sets(i)
		s := Step{Op: in.Op.String(), Inputs: []int{}, Cardinality: at.set.Cardinality(), Top: e.name(at.likeliest(asked), at)}
		switch in.Op {
		case plan.Entity:
			s.Entity = v.Entity(in.Entity)
		case plan.Project:
			s.Relation = v.Relation(in.Relation)
			cut := t.run.Cut(t.program, i)
			s.LeftOut, s.LikeliestLeftOut, s.LeftOutBy = cut.LeftOut, cut.Likeliest, cut.By
		}
		for _, input := range p.Inputs[i] {
			s.Inputs = append(s.Inputs, number[input])
		}
		steps = append(steps, s)
	}
	return steps
}

// name describes members of a set.
func (e *Engine) name(members []fuzzy.Member, of sets) []Answer {
	answers := make([]Answer, len(members))
	for i, m := range members {
		answers[i] = Answer{Entity: e.Graph.Entity(m.Entity), ID: e.Graph.Entities.LabelledID(uint32(m.Entity)), Probability: m.Degree, Known: of.known.At(m.Entity) > 0}
		if of.truth != nil {
			right := of.truth.At(m.Entity) > 0
			answers[i].Right = &right
		}
	}
	return answers
}
