package join

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/query"
)

// constructs are what of the language a question uses.
var constructs = []string{
	"no answer variable", "1 answer variables", "2 answer variables", "3 answer variables",
	"self loop", "parallel links", "cycle of three or more", "inverse", "link of given entities", "link of a given entity", "link of variables",
	"equation of variables", "equation with an entity", "equation of entities", "≠", "list of entities", "¬list",
	"∨", "∃", "∃ of several", "∀", "⊤ or ⊥", "name bound twice",
	"¬link", "¬∧", "¬∨", "¬∃", "¬ under ∃ under ¬", "∃ under ∨", "∨ under ∃", "∨ under ¬", "∧ under ∨",
}

// user collects the constructs of a question.
type user struct {
	uses  map[string]bool
	bound map[string]bool
	pairs map[[2]string]bool // variables that are linked
	group map[string]string  // of those, what they are linked with by way of others
}

func constructsOf(q *query.Query) map[string]bool {
	u := user{map[string]bool{}, map[string]bool{}, map[[2]string]bool{}, map[string]string{}}
	u.uses[constructs[len(q.Answers)]] = true
	u.bind(q.Answers)
	named := numbered(q)
	u.formula(q.Body, nil)
	u.linked(named.Body)
	return u.uses
}

func (u user) bind(vars []query.Variable) {
	for _, v := range vars {
		u.use(u.bound[v.Name], "name bound twice")
		u.bound[v.Name] = true
	}
}

func (u user) use(when bool, construct string) {
	if when {
		u.uses[construct] = true
	}
}

// formula looks at a formula under others, the nearest last: one of ∧ ∨ ¬ ∃ each.
func (u user) formula(f query.Formula, under []string) {
	last := func(back int) string {
		if len(under) < back {
			return ""
		}
		return under[len(under)-back]
	}
	switch f := f.(type) {
	case query.Atom:
		_, fromVariable := f.From.(query.Variable)
		_, toVariable := f.To.(query.Variable)
		u.use(true, []string{"link of given entities", "link of a given entity", "link of variables"}[number(fromVariable)+number(toVariable)])
		u.use(f.Relation.Inverse, "inverse")
		u.use(last(1) == "¬", "¬link")
	case query.Equals:
		_, leftVariable := f.Left.(query.Variable)
		_, rightVariable := f.Right.(query.Variable)
		u.use(true, []string{"equation of entities", "equation with an entity", "equation of variables"}[number(leftVariable)+number(rightVariable)])
		u.use(last(1) == "¬", "≠")
	case query.Among:
		u.use(true, "list of entities")
		u.use(last(1) == "¬", "¬list")
	case query.And:
		u.use(len(f.Of) == 0, "⊤ or ⊥")
		u.use(last(1) == "¬", "¬∧")
		u.use(last(1) == "∨", "∧ under ∨")
		u.formulas(f.Of, append(under, "∧"))
	case query.Or:
		u.use(len(f.Of) == 0, "⊤ or ⊥")
		u.use(len(f.Of) > 0, "∨")
		u.use(last(1) == "¬", "¬∨")
		u.use(last(1) == "∃" || last(2) == "∃", "∨ under ∃")
		u.use(last(1) == "¬" || last(2) == "¬", "∨ under ¬")
		u.formulas(f.Of, append(under, "∨"))
	case query.Not:
		u.use(last(1) == "∃" && last(2) == "¬" || last(2) == "∃" && last(3) == "¬", "¬ under ∃ under ¬")
		u.formula(f.Of, append(under, "¬"))
	case query.Exists:
		u.bind(f.Vars)
		_, isForall := f.Body.(query.Not)
		u.use(last(1) == "¬" && isForall, "∀")
		u.use(last(1) == "¬" && !isForall, "¬∃")
		u.use(last(1) == "∨" || last(2) == "∨", "∃ under ∨")
		u.use(true, "∃")
		u.use(len(f.Vars) > 1, "∃ of several")
		u.formula(f.Body, append(under, "∃"))
	}
}

func (u user) formulas(of []query.Formula, under []string) {
	for _, f := range of {
		u.formula(f, under)
	}
}

// linked looks at the links between variables.
func (u user) linked(f query.Formula) {
	query.Map(f, func(leaf query.Formula) query.Formula {
		atom, isAtom := leaf.(query.Atom)
		from, fromVariable := atom.From.(query.Variable)
		to, toVariable := atom.To.(query.Variable)
		switch pair := [2]string{min(from.Name, to.Name), max(from.Name, to.Name)}; {
		case !isAtom || !fromVariable || !toVariable:
		case from.Name == to.Name:
			u.use(true, "self loop")
		case u.pairs[pair]:
			u.use(true, "parallel links")
		default:
			u.pairs[pair] = true
			u.use(u.leader(from.Name) == u.leader(to.Name), "cycle of three or more")
			u.group[u.leader(from.Name)] = u.leader(to.Name)
		}
		return leaf
	})
}

func (u user) leader(name string) string {
	for u.group[name] != "" && u.group[name] != name {
		name = u.group[name]
	}
	return name
}

func number(is bool) int {
	if is {
		return 1
	}
	return 0
}

// tally counts questions by construct and logic.
type tally map[string]int

func (t tally) count(q *query.Query, logic fmt.Stringer) {
	for construct := range constructsOf(q) {
		t[construct+" in "+logic.String()]++
	}
}
