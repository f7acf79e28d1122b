package links

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// Kind is what questions have in common whose best derivations are as likely to tell the truth.
type Kind int

// The kinds, from the simplest on. A question with an intersection counts by where that is, one with a
// negation by where that is.
const (
	OneStep Kind = iota
	TwoSteps
	ThreeSteps // or more
	Intersection
	IntersectionOfSteps   // of which one or more took two steps or more
	StepsFromIntersection // one or more
	Negation
	NegationOfSteps
	StepsFromNegation
	NoTree             // cycles, several answer variables: what is joined
	NoTreeWithNegation // somewhere
	YesOrNo

	NumKinds int = iota
)

var kindNames = [NumKinds]string{
	"1 step", "2 steps", "3 steps or more",
	"intersection", "intersection of steps", "steps from an intersection",
	"negation", "negation of steps", "steps from a negation",
	"no tree", "no tree, with a negation", "yes or no",
}

func (k Kind) String() string { return kindNames[k] }

// MarshalText implements encoding.TextMarshaler: a kind is written by its name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Kind) UnmarshalText(text []byte) error {
	at := slices.Index(kindNames[:], string(text))
	if at < 0 {
		return kg.Errorf(kg.Invalid, "", "a kind of questions called %q, expected such as %q", text, TwoSteps)
	}
	*k = Kind(at)
	return nil
}

// KindOfJoin tells the kind of a question that is joined.
func KindOfJoin(q *query.Normal) Kind {
	switch {
	case q.Answers == 0:
		return YesOrNo
	case negates(q.Body):
		return NoTreeWithNegation
	}
	return NoTree
}

func negates(c query.Condition) bool {
	_, isNo := c.(query.No)
	return isNo || slices.ContainsFunc(query.Parts(c), negates)
}

// form is what tells the kind of a set that a program makes.
type form struct {
	steps           int  // the longest way from an entity
	joined, negated bool // somewhere
	stepsAfter      bool // after the intersection or the negation
}

// KindOf tells the kind of a program.
func KindOf(p *plan.Program) Kind {
	forms := make([]form, len(p.Code))
	for i, in := range p.Code {
		var f form
		for _, input := range p.Inputs[i] {
			of := forms[input]
			f.steps = max(f.steps, of.steps)
			f.joined, f.negated, f.stepsAfter = f.joined || of.joined, f.negated || of.negated, f.stepsAfter || of.stepsAfter
		}
		switch in.Op {
		case plan.Project:
			f.steps++
			f.stepsAfter = f.joined || f.negated
		case plan.And:
			f.joined, f.stepsAfter = true, false
		case plan.Not:
			f.negated = true
		}
		forms[i] = f
	}
	return forms[p.Result()].kind()
}

func (f form) kind() Kind {
	if !f.joined && !f.negated {
		return OneStep + Kind(min(max(f.steps, 1), 3)-1)
	}
	kind := Intersection
	if f.negated {
		kind = Negation
	}
	switch {
	case f.stepsAfter:
		return kind + 2
	case f.steps > 1:
		return kind + 1
	}
	return kind
}
