package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// maxWork bounds the conjuncts looked at in one decomposition, which distributing
// one ∨ over another multiplies.
const maxWork = 1 << 22

// Decompose turns a query whose names are ids (see Resolve) into the four set
// operations, for every query whose variables form a tree that hangs on the answer
// variable (section 4.1 of the paper).
//
// A variable lies in the intersection of what is said of it alone and of the
// projections of the sets of its neighbours further from the answer. An ∨ that
// links variables is distributed over what it is joined with, as far as it must be.
// Each projection keeps the name of the variable that it goes from.
func Decompose(q *Query) (Expr, error) {
	c, t, err := translate(q)
	if err != nil {
		return nil, err
	}
	d := &decomposer{translator: t, leader: slices.Repeat([]int{-1}, len(t.vars))}
	e, err := d.set(c, 0)
	if err != nil {
		return nil, err
	}
	if !isBounded(e) {
		return nil, invalid(q.Answers[0].Pos, "the answer variable %s is bound only under negation, so that nearly all entities would answer: say also what %s is, without ¬",
			t.answer, t.answer)
	}
	return e, nil
}

type decomposer struct {
	*translator
	leader                  []int // see forest
	work, depth, operations int
}

// set gives the values of v, the only free variable of c, for which c is true.
func (d *decomposer) set(c *clause, v int) (Expr, error) {
	switch c.kind {
	case unitClause:
		return c.set, nil
	case allClause:
		return d.conjunction(c.of, v)
	case someClause:
		return d.conjunction(c.of, v)
	case anyClause:
		return d.union(c.of, v)
	}
	of, err := d.set(c.of[0], v) // an edge has two free variables, so that this is a negation
	return Complement{of}, err
}

func (d *decomposer) union(of []*clause, v int) (Expr, error) {
	if len(of) == 0 {
		return Complement{Universe{}}, nil
	}
	sets := make([]Expr, 0, len(of))
	for _, c := range of {
		set, err := d.set(c, v)
		if err != nil {
			return nil, err
		}
		if inner, nested := set.(Union); nested {
			sets = append(sets, inner.Of...)
			continue
		}
		sets = append(sets, set)
	}
	return Union{sets}, d.count(len(sets))
}

// conjunction gives the values of v for which values of all other variables exist
// that make every conjunct true. Conjuncts that share no other variable than v do
// not depend on each other; each such component adds one set to the intersection.
func (d *decomposer) conjunction(of []*clause, v int) (Expr, error) {
	d.depth++
	defer func() { d.depth-- }()
	if d.depth > maxDepth {
		return nil, tooDeep(place(Pos{}))
	}
	parts, err := d.flatten(nil, of)
	if err != nil {
		return nil, err
	}
	if d.work += len(parts); d.work > maxWork {
		return nil, d.tooMuch()
	}
	var sets []Expr
	for _, component := range d.components(parts, v) {
		set, err := d.component(component, v)
		if err != nil {
			return nil, err
		}
		if inner, nested := set.(Intersection); nested {
			sets = append(sets, inner.Of...)
			continue
		}
		sets = append(sets, set)
	}
	switch len(sets) {
	case 0:
		return Universe{}, nil
	case 1:
		return sets[0], nil
	}
	return Intersection{sets}, d.count(len(sets))
}

func (d *decomposer) count(operations int) error {
	if d.operations += operations; d.operations > maxNodes {
		return d.tooMuch()
	}
	return nil
}

func (d *decomposer) tooMuch() error {
	return kg.Errorf(kg.TooLarge, Source, "the query decomposes into more than the limit of %d operations, because ∨ between several variables is distributed over ∧", maxNodes)
}

// flatten opens what links several variables until edges, disjunctions and
// clauses of one variable are left: nested ∧, ∃ inside ∃, and ¬ by De Morgan's laws.
func (d *decomposer) flatten(to []*clause, of []*clause) (_ []*clause, err error) {
	for _, c := range of {
		inner := c
		if c.kind == notClause {
			inner = c.of[0]
		}
		switch several := len(c.free) > 1; {
		case c.kind == allClause, c.kind == someClause && several:
			to, err = d.flatten(to, c.of)
		case c.kind == notClause && several:
			to, err = d.flattenNegation(to, inner)
		default:
			to = append(to, c)
		}
		if err != nil {
			return nil, err
		}
	}
	return to, nil
}

// flattenNegation opens ¬c, where c links several variables.
func (d *decomposer) flattenNegation(to []*clause, c *clause) ([]*clause, error) {
	switch c.kind {
	case notClause: // ¬¬x => x
		return d.flatten(to, c.of)
	case allClause: // ¬(x ∧ y) => ¬x ∨ ¬y
		return append(to, disjoin(negated(c.of))), nil
	case anyClause: // ¬(x ∨ y) => ¬x ∧ ¬y
		return d.flatten(to, negated(c.of))
	}
	return nil, d.negatedLink(c)
}

func negated(of []*clause) []*clause {
	all := make([]*clause, len(of))
	for i, c := range of {
		if all[i] = negate(c); c.kind == notClause {
			all[i] = c.of[0]
		}
	}
	return all
}

// component gives the values of v for one component of a conjunction.
func (d *decomposer) component(parts []*clause, v int) (Expr, error) {
	if len(parts) == 1 && len(parts[0].free) == 1 && parts[0].free[0] == v {
		return d.set(parts[0], v)
	}
	links := slices.DeleteFunc(slices.Clone(parts), func(c *clause) bool { return !slices.Contains(c.free, v) })
	if len(links) == 0 {
		return nil, d.unconnected(parts[0].free[0])
	}
	for _, link := range links {
		if link.kind == anyClause {
			return d.distribute(parts, link, v)
		}
	}
	if len(links) > 1 {
		return nil, d.cycle(parts, links[0], links[1], v)
	}
	link := links[0]
	rest := slices.DeleteFunc(slices.Clone(parts), func(c *clause) bool { return c == link })
	relation, child := link.relation, link.from
	if child == v {
		relation, child = relation.Inverse(), link.to
	}
	of, err := d.conjunction(rest, child)
	if err != nil {
		return nil, err
	}
	return Projection{relation, of, d.vars[child].Name}, d.count(1)
}

// distribute takes the cases of one ∨ apart: ∃a: F(a) ∧ (x ∨ y) => (∃a: F(a) ∧ x) ∨ (∃a: F(a) ∧ y).
func (d *decomposer) distribute(parts []*clause, disjunction *clause, v int) (Expr, error) {
	cases := make([]*clause, len(disjunction.of))
	for i, alternative := range disjunction.of {
		conjuncts := slices.Clone(parts)
		conjuncts[slices.Index(parts, disjunction)] = alternative
		if d.work += len(conjuncts); d.work > maxWork {
			return nil, d.tooMuch()
		}
		cases[i] = &clause{kind: allClause, of: conjuncts}
	}
	return d.union(cases, v)
}

func otherVariables(c *clause, v int) []int {
	return slices.DeleteFunc(slices.Clone(c.free), func(x int) bool { return x == v })
}

// isBounded tells whether e describes its members by what they are, so that they
// are few, and not only by what they are not.
func isBounded(e Expr) bool {
	switch e := e.(type) {
	case Universe:
		return false
	case Intersection:
		return slices.ContainsFunc(e.Of, isBounded)
	case Union:
		return !slices.ContainsFunc(e.Of, func(e Expr) bool { return !isBounded(e) })
	case Complement:
		return isCobounded(e.Of)
	}
	return true
}

// isCobounded tells whether the complement of e is bounded: De Morgan's laws, not applied but followed.
func isCobounded(e Expr) bool {
	switch e := e.(type) {
	case Universe:
		return true
	case Intersection:
		return !slices.ContainsFunc(e.Of, func(e Expr) bool { return !isCobounded(e) })
	case Union:
		return slices.ContainsFunc(e.Of, isCobounded)
	case Complement:
		return isBounded(e.Of)
	}
	return false
}

// negatedLink says why ¬R(a, u) under ∃a has no set operation, and ¬∃b: … of a and u neither.
func (d *decomposer) negatedLink(c *clause) error {
	inner := d.vars[c.free[len(c.free)-1]].Name // variables are numbered from the outside in
	what := "a ¬∃"
	if c.kind == edgeClause {
		what = fmt.Sprintf("¬%s(%s, %s)", c.name, d.vars[c.from].Name, d.vars[c.to].Name)
	}
	return invalid(c.place(), "%s links the variables %s inside ∃%s, which no set operation expresses: to say that there is no such %s, write ¬∃%s: (…)",
		what, d.list(c.free), inner, inner, inner)
}

// place is where the first atom of a clause stands.
func (c *clause) place() Pos {
	if c.kind == edgeClause {
		return c.at
	}
	for _, inner := range c.of {
		if at := inner.place(); at != (Pos{}) {
			return at
		}
	}
	return Pos{}
}

func (d *decomposer) list(vars []int) string {
	names := make([]string, len(vars))
	for i, v := range vars {
		names[i] = d.vars[v].Name
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// cycle names the variables on the cycle that two edges from v to parts of one component close.
func (d *decomposer) cycle(parts []*clause, first, second *clause, v int) error {
	from, to := otherVariables(first, v)[0], otherVariables(second, v)[0]
	if from == to {
		return invalid(second.at, "the variables %s are linked twice, by %s and %s, a cycle: only variables that form a tree can be answered",
			d.list([]int{v, from}), first.name, second.name)
	}
	return invalid(second.at, "the variables %s form a cycle: only variables that form a tree can be answered",
		d.list(append([]int{v}, path(parts, from, to, v)...)))
}

// path is a shortest way from one variable to another over clauses that share variables, not by way of v.
func path(parts []*clause, from, to, v int) []int {
	at := map[int][]*clause{}
	for _, c := range parts {
		for _, x := range c.free {
			at[x] = append(at[x], c)
		}
	}
	before := map[int]int{from: from}
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, c := range at[queue[0]] {
			for _, x := range otherVariables(c, v) {
				if _, seen := before[x]; !seen {
					before[x] = queue[0]
					queue = append(queue, x)
				}
			}
		}
	}
	way := []int{to}
	for x := to; x != from; {
		x = before[x]
		way = append(way, x)
	}
	slices.Reverse(way)
	return way
}
