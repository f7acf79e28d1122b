package sparqltest

import (
	"slices"

	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Update does operations one after the other, each as section 3.1.3 of Update has it: all solutions first, then what they delete,
// then what they insert. Templates must not have blank nodes. It gives the triples after it, as rows; ok is false where that takes too long.
func (p *Plain) Update(u *syntax.Update) (s Solutions, ok bool) {
	for _, o := range u.Operations {
		solutions := []row{{}}
		if o.Where != nil {
			solutions = p.group(o.Where, nil)
		}
		removed, added := filled(o.Delete, solutions), filled(o.Insert, solutions)
		left := slices.DeleteFunc(p.triples, func(t [3]term.Term) bool { return slices.Contains(removed, t) })
		for _, t := range added {
			if !slices.Contains(left, t) {
				left = append(left, t)
			}
		}
		work := p.work
		*p = *plainOf(left)
		p.work = work
	}
	s = Solutions{Vars: []string{"subject", "predicate", "object"}}
	for _, t := range p.triples {
		s.Rows = append(s.Rows, row{"subject": t[0], "predicate": t[1], "object": t[2]})
	}
	return s, p.work > 0
}

// filled are the triples of a template under all solutions; what is no triple of RDF is passed over.
func filled(template []syntax.Triple, solutions []row) (triples [][3]term.Term) {
	for _, r := range solutions {
		for _, t := range template {
			subject, first := valueOf(t.Subject, r, nil)
			predicate, second := valueOf(t.Path.(syntax.Step).Ref, r, nil)
			object, third := valueOf(t.Object, r, nil)
			if first && second && third && subject.Kind != term.Literal && predicate.Kind == term.IRI {
				triples = append(triples, [3]term.Term{subject, predicate, object})
			}
		}
	}
	return triples
}
