package query

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// Normalise gives the normal form of a query whose names are ids (see Resolve): every query has
// one whose variables are each bound by more than a negation. What has none is refused with the
// variable and the reason.
func Normalise(q *Query) (*Normal, error) {
	n := &normaliser{scope: map[string][]int{}}
	for _, v := range q.Answers {
		if !occurs(q.Body, v.Name) {
			return nil, doesNotOccur(v)
		}
		n.bind(v)
	}
	body, err := n.formula(q.Body, false)
	if err != nil {
		return nil, err
	}
	normal := &Normal{Answers: len(q.Answers), Body: body}
	for _, v := range n.vars {
		normal.Variables = append(normal.Variables, v.Name)
	}
	return normal, n.check(normal)
}

// normaliser numbers variables and pushes negations down. The laws it uses, De Morgan's and the
// double negation, hold in all three fuzzy logics with 1-x for ¬; ∃ moves out of a conjunction, as the maximum does.
type normaliser struct {
	scope  map[string][]int // what a name stands for, innermost last
	vars   []Variable       // by number
	used   []bool
	depth  int
	leaves int
}

// maxLeaves bounds the links and equations of a normal form: more than any question that a join could answer.
const maxLeaves = 1000

// leaf counts one more.
func (n *normaliser) leaf() error {
	if n.leaves++; n.leaves > maxLeaves {
		return kg.Errorf(kg.TooLarge, Source, "the query has more than the limit of %d relations and equations for one whose variables form no tree", maxLeaves)
	}
	return nil
}

func (n *normaliser) bind(v Variable) int {
	number := len(n.vars)
	n.vars, n.used = append(n.vars, v), append(n.used, false)
	n.scope[v.Name] = append(n.scope[v.Name], number)
	return number
}

// formula gives the condition of f, or of ¬f.
func (n *normaliser) formula(f Formula, negated bool) (Condition, error) {
	n.depth++
	defer func() { n.depth-- }()
	if n.depth > 4*maxDepth {
		return nil, tooDeep(place(Pos{}))
	}
	switch f := f.(type) {
	case Atom:
		return n.atom(f, negated)
	case Equals:
		return n.equation(f, negated)
	case Among:
		return n.among(f, negated)
	case And: // ¬(x ∧ y) => ¬x ∨ ¬y
		return n.chain(f.Of, negated, negated)
	case Or: // ¬(x ∨ y) => ¬x ∧ ¬y
		return n.chain(f.Of, !negated, negated)
	case Not: // ¬¬x => x
		return n.formula(f.Of, !negated)
	case Exists:
		return n.exists(f, negated)
	}
	return nil, invalid(Pos{}, "a formula is missing")
}

func (n *normaliser) chain(of []Formula, isAny, negated bool) (Condition, error) {
	parts := make([]Condition, len(of))
	for i, f := range of {
		var err error
		if parts[i], err = n.formula(f, negated); err != nil {
			return nil, err
		}
	}
	if isAny {
		return AnyOf(parts), nil
	}
	return AllOf(parts), nil
}

func (n *normaliser) atom(f Atom, negated bool) (Condition, error) {
	if err := n.leaf(); err != nil {
		return nil, err
	}
	if err := f.mustHaveIDs(); err != nil {
		return nil, err
	}
	from, err := n.argument(f.From)
	if err != nil {
		return nil, err
	}
	to, err := n.argument(f.To)
	return not(negated, Link{f.Relation.directed(), from, to}), err
}

func (n *normaliser) equation(f Equals, negated bool) (Condition, error) {
	if err := n.leaf(); err != nil {
		return nil, err
	}
	for _, t := range []Term{f.Left, f.Right} {
		if c, ok := t.(Constant); ok {
			if err := mustBeID(c.Name); err != nil {
				return nil, err
			}
		}
	}
	a, err := n.argument(f.Left)
	if err != nil {
		return nil, err
	}
	b, err := n.argument(f.Right)
	return not(negated, Same{a, b}), err
}

func (n *normaliser) among(f Among, negated bool) (Condition, error) {
	if err := n.leaf(); err != nil {
		return nil, err
	}
	of, err := n.argument(f.Variable)
	if len(f.Entities) == 0 {
		return Negation(negated, Any{}), err
	}
	return not(negated, Member{of, f.Entities}), err
}

func not(negated bool, c Condition) Condition {
	if negated {
		return No{c}
	}
	return c
}

func (n *normaliser) argument(t Term) (Argument, error) {
	v, isVariable := t.(Variable)
	if !isVariable {
		return Argument{Entity: kg.Entity(t.(Constant).ID)}, nil
	}
	bound := n.scope[v.Name]
	if len(bound) == 0 {
		return Argument{}, invalid(v.Pos, "the variable %s is free: bind it by ∃%s, or ask for it in the head", v.Name, v.Name)
	}
	number := bound[len(bound)-1]
	n.used[number] = true
	return Argument{IsVariable: true, Variable: number}, nil
}

func (n *normaliser) exists(f Exists, negated bool) (Condition, error) {
	numbers := make([]int, len(f.Vars))
	for i, v := range f.Vars {
		numbers[i] = n.bind(v)
	}
	body, err := n.formula(f.Body, false)
	if err != nil {
		return nil, err
	}
	for i, v := range f.Vars {
		bound := n.scope[v.Name]
		n.scope[v.Name] = bound[:len(bound)-1]
		if !n.used[numbers[i]] {
			return nil, invalid(v.Pos, "the variable %s is quantified and not used", v.Name)
		}
	}
	return Negation(negated, SomeOf(numbers, body)), nil
}

// Negation is ¬c for what SomeOf gives.
func Negation(negated bool, c Condition) Condition {
	if !negated {
		return c
	}
	switch c := c.(type) {
	case All: // ¬(x ∧ y) => ¬x ∨ ¬y
		return AnyOf(negations(c.Of))
	case Any: // ¬(x ∨ y) => ¬x ∧ ¬y
		return AllOf(negations(c.Of))
	case No: // ¬¬x => x
		return c.Of
	}
	return No{c}
}

func negations(of []Condition) []Condition {
	all := make([]Condition, len(of))
	for i, c := range of {
		all[i] = Negation(true, c)
	}
	return all
}

func isTrue(c Condition) bool {
	all, ok := c.(All)
	return ok && len(all.Of) == 0
}

func isFalse(c Condition) bool {
	some, ok := c.(Any)
	return ok && len(some.Of) == 0
}

// AllOf conjoins: nested conjunctions flat, truth values gone, and ∃ at the front, as
// x ∧ max y = max (x ∧ y) in every logic.
func AllOf(of []Condition) Condition {
	var parts []Condition
	var vars []int
	for _, c := range of {
		if some, ok := c.(Some); ok {
			vars = append(vars, some.Vars...)
			c = some.Of
		}
		switch inner, nested := c.(All); {
		case isFalse(c):
			return c
		case nested:
			parts = append(parts, inner.Of...)
		default:
			parts = append(parts, c)
		}
	}
	var whole Condition = All{parts}
	if len(parts) == 1 {
		whole = parts[0]
	}
	return quantified(vars, whole)
}

// AnyOf disjoins.
func AnyOf(of []Condition) Condition {
	var parts []Condition
	for _, c := range of {
		switch inner, nested := c.(Any); {
		case isTrue(c):
			return c
		case nested:
			parts = append(parts, inner.Of...)
		default:
			parts = append(parts, c)
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return Any{parts}
}

// SomeOf quantifies. A variable that only one alternative speaks of goes into it:
// max (x(a) ∨ y) = (max x(a)) ∨ y. One that is lost to a truth value goes.
func SomeOf(vars []int, c Condition) Condition {
	alternatives, ok := c.(Any)
	if !ok {
		return quantified(vars, c)
	}
	parts := slices.Clone(alternatives.Of)
	var outside []int
	for _, v := range vars {
		speakers := speakersOf(parts, v)
		if len(speakers) != 1 {
			outside = append(outside, v)
			continue
		}
		parts[speakers[0]] = SomeOf([]int{v}, parts[speakers[0]])
	}
	return quantified(outside, Any{parts})
}

// speakersOf are the numbers of the parts that speak of a variable.
func speakersOf(parts []Condition, v int) (speakers []int) {
	for i, part := range parts {
		if FreeVariables(part)[v] {
			speakers = append(speakers, i)
		}
	}
	return speakers
}

func quantified(vars []int, c Condition) Condition {
	if inner, nested := c.(Some); nested {
		vars, c = append(slices.Clone(vars), inner.Vars...), inner.Of
	}
	free := FreeVariables(c)
	vars = slices.DeleteFunc(slices.Clone(vars), func(v int) bool { return !free[v] })
	if len(vars) == 0 {
		return c
	}
	slices.Sort(vars)
	return Some{vars, c}
}
