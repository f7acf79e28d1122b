package plan

import (
	"github.com/lacuna-kg/lacuna/query"
)

// Options switches parts of the compiler off, for tests that compare both ways.
type Options struct {
	NoSharing bool // compute equal sub-expressions as often as they occur
}

// Compile makes the program of an expression.
func Compile(e query.Expr, opts Options) *Program {
	c := compiler{sharing: !opts.NoSharing, made: map[string]int{}}
	c.emit(e)
	p := &Program{Code: c.code}
	p.link()
	return p
}

type compiler struct {
	sharing bool
	code    []Instruction
	made    map[string]int // key of a sub-expression => the instruction that produced its set
}

// emit appends the code that leaves the set of e on the stack.
func (c *compiler) emit(e query.Expr) {
	if !c.sharing || !worthSharing(e) {
		c.operation(e)
		return
	}
	key := query.Key(e)
	if from, found := c.made[key]; found {
		c.code = append(c.code, Instruction{Op: Load, From: from})
		return
	}
	c.operation(e)
	c.made[key] = len(c.code) - 1 // never a Load: operation ends with the instruction of e itself
}

// worthSharing excludes single entities: making their set is as cheap as loading it.
func worthSharing(e query.Expr) bool { return len(query.Operands(e)) > 0 }

func (c *compiler) operation(e query.Expr) {
	switch e := e.(type) {
	case query.Anchor:
		c.code = append(c.code, Instruction{Op: Entity, Entity: e.Entity})
	case query.Universe:
		c.code = append(c.code, Instruction{Op: Everything})
	case query.Projection:
		c.emit(e.Of)
		c.code = append(c.code, Instruction{Op: Project, Relation: e.Relation})
	case query.Complement:
		c.emit(e.Of)
		c.code = append(c.code, Instruction{Op: Not})
	case query.Intersection:
		c.fold(e.Of, And)
	case query.Union:
		c.fold(e.Of, Or)
	}
}

// fold combines operands from the left as they come, so that a wide operation needs no deeper a stack than a narrow one.
func (c *compiler) fold(operands []query.Expr, op Op) {
	c.emit(operands[0])
	for _, operand := range operands[1:] {
		c.emit(operand)
		c.code = append(c.code, Instruction{Op: op})
	}
}
