package eval

import (
	"context"
	"iter"
	"slices"

	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/function"
	"github.com/lacuna-kg/lacuna/sparql/limit"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// row is a solution on its way: the value of every variable, unbound (0) where it has none.
type row []node

// evaluator runs operators on a graph. It streams: a row is valid until the next one is asked for.
type evaluator struct {
	*dictionary
	*limit.Meter // Err is what stopped the evaluation
	ctx          context.Context
	limits       Limits
	graph        *store // that patterns are matched in; the dictionary's has the names of all
	data         Dataset

	query *algebra.Query
	shown *Plan // where the plan of the operator being made belongs; nil unless somebody wants to see it

	env      function.Env
	requests *int                 // to other servers
	blanks   map[string]term.Term // nodes made for the solution at hand, by their labels
}

func (e *evaluator) table(t algebra.Table) operator {
	rows := make([][]node, len(t.Rows))
	for i, terms := range t.Rows {
		if !e.Keep(bytesOfRow(len(terms))) {
			break
		}
		rows[i] = make([]node, len(terms))
		for j, t := range terms {
			if t.Kind != term.Unbound {
				rows[i][j] = e.number(t)
			}
		}
	}
	return func(in row) iter.Seq[row] {
		return func(yield func(row) bool) {
			r := make(row, len(in))
			for _, values := range rows {
				copy(r, in)
				if !e.Spend(1) {
					return
				}
				if extend(r, t.Vars, values) && !yield(r) {
					return
				}
			}
		}
	}
}

// extend puts values into a row; false means that they contradict it.
func extend(r row, vars []int, values []node) bool {
	for i, v := range vars {
		if values[i] == unbound {
			continue
		}
		if r[v] != unbound && r[v] != values[i] {
			return false
		}
		r[v] = values[i]
	}
	return true
}

func (e *evaluator) union(u algebra.Union) operator {
	of := make([]operator, len(u.Of))
	for i, o := range u.Of {
		of[i] = e.operator(o)
	}
	return func(in row) iter.Seq[row] {
		return func(yield func(row) bool) {
			for _, run := range of {
				for r := range run(in) {
					if !yield(r) {
						return
					}
				}
			}
		}
	}
}

func (e *evaluator) filter(f algebra.Filter) operator {
	pins := e.pins(f)
	if b, ok := f.Of.(algebra.Basic); ok {
		return e.byValue(f, e.pinned(e.basic(b, f.Conditions, pins), pins))
	}
	run, holds := e.pinned(e.operator(f.Of), pins), e.every(f.Conditions)
	if len(f.Conditions) == 0 {
		return run
	}
	return func(in row) iter.Seq[row] { return meeting(run(in), holds) }
}

func (e *evaluator) pins(f algebra.Filter) []slot {
	pins := make([]slot, len(f.Pins))
	for i, p := range f.Pins {
		pins[i] = slot{variable: p.Var, value: e.number(p.Term)}
	}
	return pins
}

// pinned runs an operator with values given that its solutions must have.
func (e *evaluator) pinned(run operator, pins []slot) operator {
	if len(pins) == 0 {
		return run
	}
	return func(in row) iter.Seq[row] {
		return func(yield func(row) bool) {
			pinned := slices.Clone(in)
			for _, p := range pins {
				if !extend(pinned, []int{p.variable}, []node{p.value}) {
					return
				}
			}
			for r := range run(pinned) {
				if !yield(r) {
					return
				}
			}
		}
	}
}
