package sparql

import (
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

// DefaultLimits suit a request to a server.
var DefaultLimits = Limits{Solutions: 1_000_000, Work: 200_000_000, Memory: 16_000_000, Assignments: 100}

func (l Limits) withDefaults() Limits {
	pick := func(value, standard int) int {
		if value == 0 {
			return standard
		}
		return value
	}
	return Limits{
		Solutions:   pick(l.Solutions, DefaultLimits.Solutions),
		Work:        pick(l.Work, DefaultLimits.Work),
		Memory:      pick(l.Memory, DefaultLimits.Memory),
		Assignments: pick(l.Assignments, DefaultLimits.Assignments),
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
