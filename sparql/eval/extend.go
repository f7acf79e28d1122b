package eval

import (
	"iter"

	"github.com/lacuna-kg/lacuna/sparql/algebra"
)

// extend computes expressions. A variable that is given already must have the same value.
func (e *evaluator) extendBy(x algebra.Extend) operator {
	run := e.operator(x.Of)
	values := make([]func(row) node, len(x.Bindings))
	for i, b := range x.Bindings {
		values[i] = e.computed(b.Of)
	}
	return func(in row) iter.Seq[row] {
		return func(yield func(row) bool) {
			extended := make(row, len(in))
			for r := range run(in) {
				copy(extended, r)
				clear(e.blanks) // the labels of BNODE are local to a solution
				agrees := true
				for i, b := range x.Bindings {
					value := values[i](extended)
					agrees = agrees && (in[b.Var] == unbound || value == in[b.Var])
					if value != unbound {
						extended[b.Var] = value
					}
				}
				if e.Err != nil || agrees && !yield(extended) {
					return
				}
			}
		}
	}
}
