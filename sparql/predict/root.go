package predict

import (
	"errors"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// constantsOf are the entities of a formula's atoms outside negations, each once.
func constantsOf(f query.Formula) []query.Constant {
	var all []query.Constant
	seen := map[uint32]bool{}
	add := func(t query.Term) {
		if c, ok := t.(query.Constant); ok && !seen[c.ID] {
			seen[c.ID] = true
			all = append(all, c)
		}
	}
	var visit func(query.Formula)
	visit = func(f query.Formula) {
		switch f := f.(type) {
		case query.Atom:
			add(f.From)
			add(f.To)
		case query.And:
			for _, part := range f.Of {
				visit(part)
			}
		case query.Or:
			for _, part := range f.Of {
				visit(part)
			}
		case query.Exists:
			visit(f.Body)
		}
	}
	visit(f)
	return all
}

// generalised puts a variable in the place of a constant, in every atom.
func generalised(f query.Formula, c query.Constant, v query.Variable) query.Formula {
	term := func(t query.Term) query.Term {
		if same, ok := t.(query.Constant); ok && same.ID == c.ID {
			return v
		}
		return t
	}
	return query.Map(f, func(f query.Formula) query.Formula {
		if atom, ok := f.(query.Atom); ok {
			atom.From, atom.To = term(atom.From), term(atom.To)
			return atom
		}
		return f
	})
}

// translated puts an error of package query, which speaks of formulas, into the
// place of the text, and says what to do about it.
func translated(err error) error {
	var e *kg.Error
	if !errors.As(err, &e) {
		return err
	}
	at := e.Place
	if at.Name == query.Source {
		at.Name = syntax.Source
	}
	if e.Kind != kg.Invalid {
		return kg.ErrorAt(e.Kind, at, "%s", e.What)
	}
	return kg.ErrorAt(e.Kind, at, "%s; mode=exact has no such limit", e.What)
}
