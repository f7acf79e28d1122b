package plan

import (
	"github.com/lacuna-kg/lacuna/query"
)

// Options says what the compiler does beyond translating.
type Options struct {
	Rewrites  []query.Pass // applied first
	NoSharing bool         // compute equal sub-expressions as often as they occur
}

// Compile makes the program of an expression. What it computes has no name; NewQuestion gives it that of the answer.
func Compile(e query.Expr, opts Options) *Program { return compile(e, "", opts) }

func compile(e query.Expr, answer string, opts Options) *Program {
	c := compiler{sharing: !opts.NoSharing, made: map[string]int{}}
	c.emit(query.Rewrite(e, opts.Rewrites...), answer)
	p := &Program{Code: c.code}
	p.link()
	return p
}

type compiler struct {
	sharing bool
	code    []Instruction
	made    map[string]int // key of a sub-expression => the instruction that produced its set
}

// emit appends the code that leaves the set of e on the stack. If e holds the values of
// a variable, its last instruction takes the name. What several variables share keeps the first one's.
func (c *compiler) emit(e query.Expr, variable string) {
	if !c.sharing || !worthSharing(e) {
		c.operation(e, variable)
		return
	}
	key := query.Key(e)
	if from, found := c.made[key]; found {
		c.code = append(c.code, Instruction{Op: Load, From: from})
		return
	}
	c.operation(e, variable)
	c.made[key] = len(c.code) - 1 // never a Load: operation ends with the instruction of e itself
}

// worthSharing excludes single entities: making their set is as cheap as loading it.
func worthSharing(e query.Expr) bool { return len(query.Operands(e)) > 0 }

func (c *compiler) operation(e query.Expr, variable string) {
	switch e := e.(type) {
	case query.Anchor:
		c.code = append(c.code, Instruction{Op: Entity, Entity: e.Entity})
	case query.Universe:
		c.code = append(c.code, Instruction{Op: Everything})
	case query.Projection:
		c.emit(e.Of, e.Variable)
		c.code = append(c.code, Instruction{Op: Project, Relation: e.Relation})
	case query.Complement:
		c.emit(e.Of, "")
		c.code = append(c.code, Instruction{Op: Not})
	case query.Intersection:
		c.fold(e.Of, And)
	case query.Union:
		c.fold(e.Of, Or)
	}
	c.code[len(c.code)-1].Variable = variable
}

// fold combines operands from the left as they come, so that a wide operation needs no deeper a stack than a narrow one.
func (c *compiler) fold(operands []query.Expr, op Op) {
	c.emit(operands[0], "")
	for _, operand := range operands[1:] {
		c.emit(operand, "")
		c.code = append(c.code, Instruction{Op: op})
	}
}
