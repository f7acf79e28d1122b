package sparqltest

import (
	"slices"

	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// end is one of the two ends of a path: a term, or open.
type end struct {
	term.Term
	fixed bool
}

func (e end) may(be term.Term) bool { return !e.fixed || e.Term == be }

func endOf(r syntax.Ref, given row) end {
	if r.Var == "" {
		return end{r.Term, true}
	}
	value, fixed := given[r.Var]
	return end{value, fixed}
}

// triple are the rows of a triple pattern.
func (p *Plain) triple(t syntax.Triple, given row) (out []row) {
	from, to := endOf(t.Subject, given), endOf(t.Object, given)
	if step, is := t.Path.(syntax.Step); is && step.Var != "" {
		by := endOf(step.Ref, given)
		for _, each := range p.triples {
			if from.may(each[0]) && by.may(each[1]) && to.may(each[2]) {
				out = appendRow(out, [3]syntax.Ref{t.Subject, step.Ref, t.Object}, [3]end{from, by, to}, each)
			}
		}
		return out
	}
	for _, pair := range p.path(t.Path, from, to) {
		out = appendRow(out, [3]syntax.Ref{t.Subject, {}, t.Object}, [3]end{from, {fixed: true}, to}, [3]term.Term{pair[0], {}, pair[1]})
	}
	return out
}

// appendRow adds the row in which open ends have values, unless a variable would have two.
func appendRow(rows []row, refs [3]syntax.Ref, ends [3]end, values [3]term.Term) []row {
	r := row{}
	for i, ref := range refs {
		if ends[i].fixed {
			continue
		}
		if before, known := r[ref.Var]; known && before != values[i] {
			return rows
		}
		r[ref.Var] = values[i]
	}
	return append(rows, r)
}

// path are the pairs that a path leads between, as often as it does (18.4).
func (p *Plain) path(of syntax.Path, from, to end) (pairs [][2]term.Term) {
	switch of := of.(type) {
	case syntax.Step:
		return p.steps(from, to, false, func(by term.Term) bool { return by == of.Term })
	case syntax.Inverse:
		return turned(p.path(of.Of, to, from))
	case syntax.Alternative:
		for _, part := range of.Of {
			pairs = append(pairs, p.path(part, from, to)...)
		}
		return pairs
	case syntax.Negated:
		return p.others(of, from, to)
	case syntax.Repeated:
		return p.repeated(of, from, to)
	}
	return p.sequence(of.(syntax.Sequence).Of, from, to)
}

func turned(pairs [][2]term.Term) [][2]term.Term {
	for i, pair := range pairs {
		pairs[i] = [2]term.Term{pair[1], pair[0]}
	}
	return pairs
}

// steps are the triples of some predicates, or those against their direction.
func (p *Plain) steps(from, to end, inverse bool, by func(term.Term) bool) (pairs [][2]term.Term) {
	for _, t := range p.triples {
		if inverse {
			t[0], t[2] = t[2], t[0]
		}
		if by(t[1]) && from.may(t[0]) && to.may(t[2]) {
			pairs = append(pairs, [2]term.Term{t[0], t[2]})
		}
	}
	return pairs
}

// sequence is a join by a variable that nobody can name.
func (p *Plain) sequence(of []syntax.Path, from, to end) (pairs [][2]term.Term) {
	if len(of) == 1 {
		return p.path(of[0], from, to)
	}
	rest := p.sequence(of[1:], end{}, to)
	for _, first := range p.path(of[0], from, end{}) {
		for _, second := range rest {
			if p.work--; p.work <= 0 {
				return nil
			}
			if first[1] == second[0] {
				pairs = append(pairs, [2]term.Term{first[0], second[1]})
			}
		}
	}
	return pairs
}

// others are the steps by any predicate that a negated set lacks, forwards and backwards apart.
func (p *Plain) others(n syntax.Negated, from, to end) (pairs [][2]term.Term) {
	for _, inverse := range []bool{false, true} {
		var excluded []term.Term
		for _, s := range n.Of {
			if s.Inverse == inverse {
				excluded = append(excluded, s.Step.Term)
			}
		}
		if len(excluded) > 0 || !inverse && len(n.Of) == 0 {
			pairs = append(pairs, p.steps(from, to, inverse, func(by term.Term) bool { return !slices.Contains(excluded, by) })...)
		}
	}
	return pairs
}

// repeated gives every pair once. Where one end is a term it begins there, for it need not be a node of the graph.
func (p *Plain) repeated(of syntax.Repeated, from, to end) (pairs [][2]term.Term) {
	if !from.fixed && to.fixed {
		return turned(p.repeated(syntax.Repeated{Of: syntax.Inverse{Of: of.Of}, Mark: of.Mark}, to, from))
	}
	starts := p.nodes
	if from.fixed {
		starts = []term.Term{from.Term}
	}
	for _, start := range starts {
		for _, stop := range p.reached(of, start) {
			if to.may(stop) {
				pairs = append(pairs, [2]term.Term{start, stop})
			}
		}
	}
	return pairs
}

// reached are the ends of a path that repeats: ALP of section 18.4, but for "?" one step at most.
func (p *Plain) reached(of syntax.Repeated, start term.Term) (ends []term.Term) {
	next := func(at term.Term) {
		for _, pair := range p.path(of.Of, end{at, true}, end{}) {
			if p.work--; !slices.Contains(ends, pair[1]) {
				ends = append(ends, pair[1])
			}
		}
	}
	if of.Mark != "+" {
		ends = append(ends, start)
	}
	if of.Mark != "*" {
		next(start)
	}
	for i := 0; of.Mark != "?" && i < len(ends) && p.work > 0; i++ {
		next(ends[i])
	}
	return ends
}
