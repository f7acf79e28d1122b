package explain

import (
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// Variables names the variables of a question by the instructions of its program: entry
// i is the variable whose set is complete after instruction i, "" where it is none's. The
// query must be resolved, and the program compiled from it after the given rewrites.
//
// The operator form has forgotten the variables. So the question is decomposed a second
// time with every atom under a relation of its own, which tells the atom, and with it
// the variable, that a projection came from.
func Variables(q *query.Query, passes []query.Pass, p *plan.Program) ([]string, error) {
	expr, err := query.Decompose(q)
	if err != nil {
		return nil, err
	}
	n := namer{program: p, names: make([]string, len(p.Code)), seen: make([]bool, len(p.Code))}
	marked, err := query.Decompose(&query.Query{Answer: q.Answer, Body: query.Map(q.Body, n.mark)})
	if err != nil {
		return nil, err
	}
	n.walk(p.Result(), query.Rewrite(expr, passes...), query.Rewrite(marked, passes...), q.Answer.Name)
	return n.names, nil
}

type namer struct {
	program *plan.Program
	atoms   []query.Atom // by the base relation that marks them
	names   []string
	seen    []bool
}

// mark gives every atom a relation of its own.
func (n *namer) mark(f query.Formula) query.Formula {
	atom, ok := f.(query.Atom)
	if !ok {
		return f
	}
	n.atoms = append(n.atoms, atom)
	atom.Relation.ID = uint32(kg.Forward(uint32(len(n.atoms) - 1)))
	return atom
}

// operand is the variable that a marked projection projects, "" for a constant.
func (n *namer) operand(mark kg.Relation) string {
	atom := n.atoms[mark.Base()]
	term := atom.From
	if mark.IsInverse() {
		term = atom.To
	}
	if v, ok := term.(query.Variable); ok {
		return v.Name
	}
	return ""
}

// walk goes over the program and both expressions, which are of one form. An instruction
// that several parts share is named by the first; equal parts may differ in their
// order, where the names after the first would be guesses.
func (n *namer) walk(i int, e, marked query.Expr, name string) {
	if n.seen[i] {
		return
	}
	n.seen[i] = true
	n.names[i] = name
	in, inputs := n.program.Code[i], n.program.Inputs[i]
	switch in.Op {
	case plan.Project:
		p, ok := e.(query.Projection)
		m, same := marked.(query.Projection)
		if ok && same && p.Relation == in.Relation {
			n.walk(inputs[0], p.Of, m.Of, n.operand(m.Relation))
		}
	case plan.Not:
		c, ok := e.(query.Complement)
		m, same := marked.(query.Complement)
		if ok && same {
			n.walk(inputs[0], c.Of, m.Of, "")
		}
	case plan.And, plan.Or:
		n.fold(i, query.Operands(e), query.Operands(marked))
	}
}

// fold follows a chain of ∧ or ∨ that was made of several operands, from the last.
func (n *namer) fold(i int, of, marked []query.Expr) {
	last := len(of) - 1
	if last < 1 || len(marked) != len(of) {
		return
	}
	inputs := n.program.Inputs[i]
	if last == 1 {
		n.walk(inputs[0], of[0], marked[0], "")
	} else if !n.seen[inputs[0]] {
		n.seen[inputs[0]] = true
		n.fold(inputs[0], of[:last], marked[:last])
	}
	n.walk(inputs[1], of[last], marked[last], "")
}
