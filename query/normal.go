package query

import (
	"fmt"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// Normal is a question of any form, made ready for a join (package join): names are ids,
// variables are numbers, no two of them the same however the text reused their names, and ¬ stands
// before single conditions and before ∃ only. It is what a question becomes whose variables form no tree.
//
// The truth of a condition is that of its logic, and ∃ takes the best: Some is the maximum over
// all entities for its variables. So is the answer: of the values of the answer variables each is as true as Body.
type Normal struct {
	Variables []string // their names by number, the answers first
	Answers   int
	Body      Condition
}

// Condition is what a question says of its variables. The kinds are Link, Same, Member, All, Any, No and Some.
type Condition interface{ isCondition() }

// Link says that Relation holds from From to To.
type Link struct {
	Relation kg.Relation
	From, To Argument
}

// Same says that both are the same entity.
type Same struct{ A, B Argument }

// Member says that a variable is one of some entities, ascending and at least one.
type Member struct {
	Of       Argument
	Entities []kg.Entity
}

// All is true if all of its parts are; without any it is true.
type All struct{ Of []Condition }

// Any is true if one of its parts is; without any it is false.
type Any struct{ Of []Condition }

// No is true if its part is not: a Link, a Same, a Member or a Some.
type No struct{ Of Condition }

// Some is true if there are entities for its variables that make its part true.
type Some struct {
	Vars []int
	Of   Condition
}

func (Link) isCondition()   {}
func (Same) isCondition()   {}
func (Member) isCondition() {}
func (All) isCondition()    {}
func (Any) isCondition()    {}
func (No) isCondition()     {}
func (Some) isCondition()   {}

// Argument is a variable or a given entity.
type Argument struct {
	IsVariable bool
	Variable   int
	Entity     kg.Entity
}

// Parts are the conditions directly under c, in order.
func Parts(c Condition) []Condition {
	switch c := c.(type) {
	case All:
		return c.Of
	case Any:
		return c.Of
	case No:
		return []Condition{c.Of}
	case Some:
		return []Condition{c.Of}
	}
	return nil
}

// Arguments are the two of a Link or a Same, the one of a Member, and none of the others.
func Arguments(c Condition) []Argument {
	switch c := c.(type) {
	case Link:
		return []Argument{c.From, c.To}
	case Same:
		return []Argument{c.A, c.B}
	case Member:
		return []Argument{c.Of}
	}
	return nil
}

// FreeVariables are those of c that no Some in it binds.
func FreeVariables(c Condition) map[int]bool {
	free := map[int]bool{}
	for _, a := range Arguments(c) {
		if a.IsVariable {
			free[a.Variable] = true
		}
	}
	for _, part := range Parts(c) {
		for v := range FreeVariables(part) {
			free[v] = true
		}
	}
	if some, ok := c.(Some); ok {
		for _, v := range some.Vars {
			delete(free, v)
		}
	}
	return free
}

// String writes the form as logic over ids, for those who look at it.
func (n *Normal) String() string {
	var text strings.Builder
	for i := range n.Answers {
		text.WriteString([]string{"?", ", ?"}[min(i, 1)] + n.Variables[i])
	}
	if n.Answers > 0 {
		text.WriteString(" : ")
	}
	n.write(&text, n.Body)
	return text.String()
}

func (n *Normal) write(text *strings.Builder, c Condition) {
	switch c := c.(type) {
	case Link:
		fmt.Fprintf(text, "#%d(%s, %s)", c.Relation, n.argument(c.From), n.argument(c.To))
	case Same:
		fmt.Fprintf(text, "%s = %s", n.argument(c.A), n.argument(c.B))
	case Member:
		fmt.Fprintf(text, "%s ∈ %d", n.argument(c.Of), c.Entities)
	case All:
		n.writeChain(text, c.Of, " ∧ ", "⊤")
	case Any:
		n.writeChain(text, c.Of, " ∨ ", "⊥")
	case No:
		text.WriteString("¬")
		n.writeChain(text, []Condition{c.Of}, "", "")
	case Some:
		for i, v := range c.Vars {
			text.WriteString([]string{"∃", ", "}[min(i, 1)] + n.Variables[v])
		}
		text.WriteString(" : ")
		n.write(text, c.Of)
	}
}

func (n *Normal) writeChain(text *strings.Builder, of []Condition, connective, empty string) {
	if len(of) == 0 {
		text.WriteString(empty)
	}
	for i, part := range of {
		if i > 0 {
			text.WriteString(connective)
		}
		switch part.(type) {
		case All, Any, Some:
			text.WriteString("(")
			n.write(text, part)
			text.WriteString(")")
		default:
			n.write(text, part)
		}
	}
}

func (n *Normal) argument(a Argument) string {
	if a.IsVariable {
		return n.Variables[a.Variable]
	}
	return fmt.Sprintf("#%d", a.Entity)
}
