package query

import (
	"slices"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// clause is a formula on its way to operators: variables are numbers, no two of
// them the same, however the text reused their names; what one atom says of one
// variable already is a set; and every node knows its free variables.
type clause struct {
	kind     clauseKind
	free     []int       // sorted
	set      Expr        // of a unit: where its variable lies
	relation kg.Relation // of an edge: it holds between
	from, to int         // these two different variables
	of       []*clause
	name     string // for messages: of an edge the relation
	at       Pos
}

type clauseKind uint8

const (
	unitClause clauseKind = iota
	edgeClause
	allClause // ∧; true if empty
	anyClause // ∨; false if empty
	notClause
	someClause // ∃ of the variables of its body that are not free here
)

// translator turns formulas into clauses and refuses what no decomposition could
// use: unbound and unused variables, atoms without one, sentences without any free.
type translator struct {
	answer string
	scope  map[string][]int // what a name stands for, innermost last
	vars   []Variable       // by number, for messages
	used   []bool
	depth  int
}

// translate gives the clause of a query whose names are ids; its answer variable is number 0.
func translate(q *Query) (*clause, *translator, error) {
	t := &translator{scope: map[string][]int{}}
	if len(q.Answers) != 1 {
		return nil, t, invalid(Pos{}, "the query has %s: only one with a single one is an expression over sets", count.Of(len(q.Answers), "answer variable"))
	}
	answer := q.Answers[0]
	t.answer = answer.Name
	if !occurs(q.Body, answer.Name) {
		return nil, t, doesNotOccur(answer)
	}
	t.bind(answer)
	c, err := t.formula(q.Body)
	return c, t, err
}

// occurs tells whether a variable of the given name is free in f. Without any
// atom there is nothing to look for: ⊤ and ⊥ say the same of every variable.
func occurs(f Formula, name string) bool {
	switch f := f.(type) {
	case Atom:
		return equalTerms(f.From, Variable{Name: name}) || equalTerms(f.To, Variable{Name: name})
	case Equals:
		return equalTerms(f.Left, Variable{Name: name}) || equalTerms(f.Right, Variable{Name: name})
	case Among:
		return f.Variable.Name == name
	case And:
		return len(f.Of) == 0 || slices.ContainsFunc(f.Of, func(g Formula) bool { return occurs(g, name) })
	case Or:
		return len(f.Of) == 0 || slices.ContainsFunc(f.Of, func(g Formula) bool { return occurs(g, name) })
	case Not:
		return occurs(f.Of, name)
	case Exists:
		return !slices.ContainsFunc(f.Vars, func(v Variable) bool { return v.Name == name }) && occurs(f.Body, name)
	}
	return false
}

func doesNotOccur(answer Variable) error {
	return invalid(answer.Pos, "the answer variable %s does not occur in the query", answer.Name)
}

func (t *translator) bind(v Variable) int {
	number := len(t.vars)
	t.vars, t.used = append(t.vars, v), append(t.used, false)
	t.scope[v.Name] = append(t.scope[v.Name], number)
	return number
}

func (t *translator) release(v Variable) {
	bound := t.scope[v.Name]
	t.scope[v.Name] = bound[:len(bound)-1]
}

func (t *translator) formula(f Formula) (*clause, error) {
	t.depth++
	defer func() { t.depth-- }()
	if t.depth > 4*maxDepth { // a level of text makes at most three of formula, for ∀
		return nil, tooDeep(place(Pos{}))
	}
	switch f := f.(type) {
	case Atom:
		return t.atom(f)
	case Equals:
		return t.equation(f)
	case Among:
		return t.among(f)
	case And:
		of, err := t.formulas(f.Of)
		return conjoin(of), err
	case Or:
		of, err := t.formulas(f.Of)
		return disjoin(of), err
	case Not:
		of, err := t.formula(f.Of)
		if err != nil {
			return nil, err
		}
		return negate(of), nil
	case Exists:
		return t.exists(f)
	}
	return nil, invalid(Pos{}, "a formula is missing")
}

// equation makes the set of one entity.
func (t *translator) equation(f Equals) (*clause, error) {
	v, isVariable := f.Left.(Variable)
	c, isConstant := f.Right.(Constant)
	if !isVariable || !isConstant {
		return nil, invalid(Pos{}, "an equation of two variables, or of two entities, is no expression over sets")
	}
	if err := mustBeID(c.Name); err != nil {
		return nil, err
	}
	number, err := t.variable(v)
	return unit(number, Anchor{kg.Entity(c.ID)}), err
}

// among makes the set of some entities.
func (t *translator) among(f Among) (*clause, error) {
	number, err := t.variable(f.Variable)
	if err != nil || len(f.Entities) == 0 {
		return &clause{kind: anyClause}, err
	}
	anchors := make([]Expr, len(f.Entities))
	for i, e := range f.Entities {
		anchors[i] = Anchor{e}
	}
	if len(anchors) == 1 {
		return unit(number, anchors[0]), nil
	}
	return unit(number, Union{anchors}), nil
}

func (t *translator) formulas(of []Formula) ([]*clause, error) {
	all := make([]*clause, len(of))
	for i, f := range of {
		var err error
		if all[i], err = t.formula(f); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (t *translator) variable(v Variable) (int, error) {
	bound := t.scope[v.Name]
	if len(bound) == 0 {
		return 0, invalid(v.Pos, "the variable %s is free, beside the answer variable %s: bind it by ∃%s", v.Name, t.answer, v.Name)
	}
	number := bound[len(bound)-1]
	t.used[number] = true
	return number, nil
}

// atom makes an edge of R(x, y), and of R(c, x) and R(x, c) the set of the x for which they hold.
func (t *translator) atom(f Atom) (*clause, error) {
	if err := f.mustHaveIDs(); err != nil {
		return nil, err
	}
	relation := f.Relation.directed()
	from, fromVariable := f.From.(Variable)
	to, toVariable := f.To.(Variable)
	switch {
	case fromVariable && toVariable:
		return t.edge(f, from, to)
	case toVariable:
		v, err := t.variable(to)
		return unit(v, Projection{Relation: relation, Of: Anchor{kg.Entity(f.From.(Constant).ID)}}), err
	case fromVariable:
		v, err := t.variable(from)
		return unit(v, Projection{Relation: relation.Inverse(), Of: Anchor{kg.Entity(f.To.(Constant).ID)}}), err
	}
	return nil, invalid(f.Pos, "%s(%s, %s) has no variable, so that it says nothing of the answer %s",
		f.Relation.display(), f.From.(Constant).display(), f.To.(Constant).display(), t.answer)
}

// mustHaveIDs refuses what was not resolved: id 0 would be a silent wrong answer.
func (f Atom) mustHaveIDs() error {
	for _, t := range []Term{f.From, f.To} {
		if c, ok := t.(Constant); ok {
			if err := mustBeID(c.Name); err != nil {
				return err
			}
		}
	}
	return mustBeID(f.Relation.Name)
}

func mustBeID(n Name) error {
	if !n.ByID {
		return invalid(n.Pos, "the name %q was not looked up in a vocabulary", n.Text)
	}
	return nil
}

func (t *translator) edge(f Atom, from, to Variable) (*clause, error) {
	x, err := t.variable(from)
	if err != nil {
		return nil, err
	}
	y, err := t.variable(to)
	if err != nil {
		return nil, err
	}
	if x == y {
		return nil, invalid(f.Pos, "%s(%s, %s) links the variable %s to itself, a cycle: only variables that form a tree can be answered",
			f.Relation.display(), from.Name, from.Name, from.Name)
	}
	return &clause{kind: edgeClause, free: []int{min(x, y), max(x, y)}, relation: f.Relation.directed(),
		from: x, to: y, name: f.Relation.display(), at: f.Pos}, nil
}

func (t *translator) exists(f Exists) (*clause, error) {
	numbers := make([]int, len(f.Vars))
	for i, v := range f.Vars {
		numbers[i] = t.bind(v)
	}
	body, err := t.formula(f.Body)
	if err != nil {
		return nil, err
	}
	for i, v := range f.Vars {
		t.release(v)
		if !t.used[numbers[i]] {
			return nil, invalid(v.Pos, "the variable %s is quantified and not used", v.Name)
		}
	}
	c := some(numbers, body)
	if c.kind == someClause && len(c.free) == 0 {
		return nil, t.unconnected(numbers[0])
	}
	return c, nil
}

func (t *translator) unconnected(v int) error {
	return invalid(t.vars[v].Pos, "the variable %s is not connected to the answer variable %s: add a relation on the way between them", t.vars[v].Name, t.answer)
}

func unit(v int, set Expr) *clause { return &clause{kind: unitClause, free: []int{v}, set: set} }

// The makers of clauses leave no truth value below the top: x ∧ ⊤ = x, x ∧ ⊥ = ⊥
// and their duals hold in every fuzzy logic.

func (c *clause) isTrue() bool  { return c.kind == allClause && len(c.of) == 0 }
func (c *clause) isFalse() bool { return c.kind == anyClause && len(c.of) == 0 }

func conjoin(of []*clause) *clause {
	if at := slices.IndexFunc(of, (*clause).isFalse); at >= 0 {
		return of[at]
	}
	return join(allClause, slices.DeleteFunc(of, (*clause).isTrue))
}

func disjoin(of []*clause) *clause {
	if at := slices.IndexFunc(of, (*clause).isTrue); at >= 0 {
		return of[at]
	}
	return join(anyClause, slices.DeleteFunc(of, (*clause).isFalse))
}

func join(kind clauseKind, of []*clause) *clause {
	if len(of) == 1 {
		return of[0]
	}
	var free []int
	for _, c := range of {
		free = append(free, c.free...)
	}
	slices.Sort(free)
	return &clause{kind: kind, free: slices.Compact(free), of: of}
}

func negate(c *clause) *clause {
	switch {
	case c.isTrue():
		return &clause{kind: anyClause}
	case c.isFalse():
		return &clause{kind: allClause}
	}
	return &clause{kind: notClause, free: c.free, of: []*clause{c}}
}

// some quantifies; a body that lost a variable to a truth value does not need its quantifier.
func some(vars []int, body *clause) *clause {
	free := slices.DeleteFunc(slices.Clone(body.free), func(v int) bool { return slices.Contains(vars, v) })
	if len(free) == len(body.free) {
		return body
	}
	return &clause{kind: someClause, free: free, of: []*clause{body}}
}
