package sparql

import (
	"cmp"

	"github.com/lacuna-kg/lacuna/kg"
)

// Limits of the text. They are beyond any query a person writes, and keep a
// hostile one from exhausting memory or the stack.
const (
	MaxText   = 1 << 20 // bytes
	maxTokens = 20000
	maxDepth  = 200 // nested groups, parentheses and paths
)

// Limits of an evaluation. A zero means the default.
type Limits struct {
	Solutions   int // the most solutions to give; beyond, the query is refused
	Work        int // triples looked at and solutions combined
	Memory      int // values of variables kept for sorting, distinct solutions and joins
	Assignments int // combinations of several variables that the predict mode follows
}

// withDefaults puts what suits a request to a server for zeros.
func (l Limits) withDefaults() Limits {
	return Limits{
		Solutions:   cmp.Or(l.Solutions, 1_000_000),
		Work:        cmp.Or(l.Work, 200_000_000),
		Memory:      cmp.Or(l.Memory, 16_000_000),
		Assignments: cmp.Or(l.Assignments, 100),
	}
}

func where(at Pos) string { return "sparql:" + at.String() }

func fail(at Pos, format string, args ...any) error {
	return kg.Errorf(kg.Invalid, where(at), format, args...)
}

// outside refuses what SPARQL has and the subset lacks.
func outside(at Pos, what string) error {
	return fail(at, "%s is outside the subset that Lacuna answers", what)
}
