// Package plan compiles a question in operator form into a postfix program, the
// representation that the machine of package exec runs in batches (appendix of
// the paper, "batched expression execution"). A program is plain data. A Question
// holds it together with the forms it came from, for those who answer and explain it.
//
// An instruction pushes a set (an entity, everything, the result of an earlier
// instruction) or takes one or two from the stack and pushes what comes of them. Equal
// parts of a question are computed once and loaded afterwards. How deep the stack gets,
// which results an instruction takes and how long each is needed are known before
// anything runs, so that a machine can lay out a whole batch beforehand.
package plan

import (
	"fmt"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// Op is what an instruction does to the stack of sets.
type Op uint8

const (
	// Entity pushes the set of one entity.
	Entity Op = iota
	// Everything pushes the set of all entities.
	Everything
	// Project replaces the top by what it reaches by a relation.
	Project
	// Not replaces the top by its complement.
	Not
	// And replaces the two topmost sets by their conjunction.
	And
	// Or replaces the two topmost sets by their disjunction.
	Or
	// Load pushes the result of an earlier instruction once more.
	Load
)

func (op Op) String() string {
	return [...]string{"entity", "everything", "project", "not", "and", "or", "load"}[op]
}

// operands is the number of sets that op takes from the stack.
func (op Op) operands() int {
	return [...]int{Entity: 0, Everything: 0, Project: 1, Not: 1, And: 2, Or: 2, Load: 0}[op]
}

// Instruction is one step of a program. Which of the other fields counts depends on Op.
type Instruction struct {
	Op       Op
	Entity   kg.Entity   // of Entity
	Relation kg.Relation // of Project
	From     int         // of Load: the number of the instruction whose result is pushed
	Variable string      // of the question, whose set is complete after this; "" where it is none's
}

// Program is a postfix program: it leaves one set on the stack, the answer.
type Program struct {
	Code  []Instruction
	Depth int // the most sets that are ever on the stack

	// Inputs[i] are the numbers of the instructions whose results instruction i takes, Loads looked through.
	Inputs [][]int
	// LastUse[i] is the number of the last instruction that takes the result of i; len(Code) for the answer.
	LastUse []int

	final []bool
}

// Projections counts the relation steps, the only expensive instructions.
func (p *Program) Projections() int {
	n := 0
	for _, in := range p.Code {
		if in.Op == Project {
			n++
		}
	}
	return n
}

// Result is the number of the instruction that produces the answer.
func (p *Program) Result() int { return p.produced(len(p.Code) - 1) }

// Final tells whether the result of instruction i reaches the answer without another projection.
func (p *Program) Final(i int) bool { return p.final[i] }

// produced looks through Loads to the instruction that made a set.
func (p *Program) produced(i int) int {
	if p.Code[i].Op == Load {
		return p.Code[i].From
	}
	return i
}

// link runs the program on a stack of instruction numbers and fills in Depth, Inputs and LastUse.
func (p *Program) link() {
	p.Inputs, p.LastUse = make([][]int, len(p.Code)), make([]int, len(p.Code))
	var stack []int
	for i, in := range p.Code {
		taken := len(stack) - in.Op.operands()
		p.Inputs[i] = append([]int(nil), stack[taken:]...)
		for _, input := range p.Inputs[i] {
			p.LastUse[input] = i
		}
		stack = append(stack[:taken], p.produced(i))
		p.Depth = max(p.Depth, len(stack))
	}
	p.LastUse[p.Result()] = len(p.Code)
	p.markFinal()
}

// markFinal walks back from the answer and stops at projections.
func (p *Program) markFinal() {
	p.final = make([]bool, len(p.Code))
	p.final[p.Result()] = true
	for i := len(p.Code) - 1; i >= 0; i-- {
		if !p.final[i] || p.Code[i].Op == Project {
			continue
		}
		for _, input := range p.Inputs[i] {
			p.final[input] = true
		}
	}
}

// Listing prints the program, one numbered instruction a line, with readable names.
func (p *Program) Listing(v *kg.Vocabulary) string {
	var b strings.Builder
	for i := range p.Code {
		fmt.Fprintf(&b, "%3d  %s\n", i, p.Text(i, v))
	}
	return b.String()
}

// Text is instruction i as it stands in a listing: "project University".
func (p *Program) Text(i int, v *kg.Vocabulary) string {
	switch in := p.Code[i]; in.Op {
	case Entity:
		return fmt.Sprintf("%-8s %s", in.Op, v.Entity(in.Entity))
	case Project:
		return fmt.Sprintf("%-8s %s", in.Op, v.Relation(in.Relation))
	case Load:
		return fmt.Sprintf("%-8s %d", in.Op, in.From)
	default:
		return in.Op.String()
	}
}
