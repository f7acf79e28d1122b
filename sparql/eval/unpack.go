package eval

import (
	"iter"
	"slices"

	"github.com/lacuna-kg/lacuna/sparql/algebra"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// unpack gives variables the parts of triple terms. Where all parts are given, so is the triple term, which then is looked up.
func (e *evaluator) unpack(u algebra.Unpack) operator {
	run := e.operator(u.Of)
	parts := [3]slot{e.slot(u.Parts[0]), e.slot(u.Parts[1]), e.slot(u.Parts[2])}
	return func(in row) iter.Seq[row] {
		return func(yield func(row) bool) {
			given, possible := e.packed(u.Var, parts, in)
			if !possible {
				return
			}
			out := make(row, len(in))
			for r := range run(given) {
				copy(out, r)
				if e.unpacked(r[u.Var], parts, out) && !yield(out) || e.Err != nil {
					return
				}
			}
		}
	}
}

// packed is a row with the triple term that its parts make, if it has all of them.
func (e *evaluator) packed(variable int, parts [3]slot, in row) (given row, possible bool) {
	var terms [3]term.Term
	for i, p := range parts {
		value := p.of(in)
		if value == unbound {
			return in, true
		}
		terms[i] = e.term(value)
	}
	t, ok := e.triple(terms)
	if !ok {
		return in, false
	}
	given = slices.Clone(in)
	given[variable] = e.remembered(t)
	return given, in[variable] == unbound || in[variable] == given[variable]
}

// triple makes a triple term, which counts as a text does.
func (e *evaluator) triple(parts [3]term.Term) (term.Term, bool) {
	passing := e.Passing()
	defer e.Settle(passing)
	length := 32
	for _, p := range parts {
		length += 2 * bytesOfText(p)
	}
	if !e.Text(length) {
		return term.Term{}, false
	}
	return term.TripleOf(parts[0], parts[1], parts[2])
}

// unpacked puts the parts of a triple term into a row; false means that they contradict it.
func (e *evaluator) unpacked(of node, parts [3]slot, r row) bool {
	t := e.term(of)
	if t.Kind != term.Triple || !e.Spend(1) || !e.SpendOn(len(t.Value)) {
		return false
	}
	terms, ok := t.Parts()
	for i := 0; ok && i < len(terms); i++ {
		value := e.remembered(terms[i])
		switch before := parts[i].of(r); {
		case before == unbound:
			r[parts[i].variable] = value
		case before != value:
			ok = false
		}
	}
	return ok
}
