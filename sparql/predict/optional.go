package predict

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// OPTIONAL in the predict mode: a solution of the rest is extended by what the OPTIONAL gives with it at or above the threshold, each
// extension as likely as both together; where there is none, it stays as it is, as likely as the rest, and the OPTIONAL's variables are unbound. Several are
// taken one after the other, as SPARQL does.

// optional is an OPTIONAL of the outermost group.
type optional struct {
	pattern
	adds names // the variables that it may bind
	pos  syntax.Pos
}

// takeOptionals gives a query without the OPTIONALs of its outermost group, and these.
func (m *mapper) takeOptionals(q *syntax.Query) (*syntax.Query, []optional, error) {
	rest := *q
	rest.Where = &syntax.Group{Pos: q.Where.Pos}
	var taken []optional
	before := names{}
	for _, element := range q.Where.Of {
		o, isOptional := element.(syntax.Optional)
		if !isOptional {
			rest.Where.Of = append(rest.Where.Of, element)
			if err := apart(element, taken); err != nil {
				return nil, nil, err
			}
			if _, isFilter := element.(syntax.Filter); !isFilter {
				syntax.EachVar(&syntax.Group{Of: []syntax.Pattern{element}}, func(name string) { before.add(name) })
			}
			continue
		}
		of, err := m.group(o.Of, names{})
		if err != nil {
			return nil, nil, err
		}
		if err := apart(o.Of, taken); err != nil {
			return nil, nil, err
		}
		adds := names{}
		for name := range of.possible {
			if !before[name] {
				adds.add(name)
			}
		}
		taken = append(taken, optional{of, adds, o.Pos})
	}
	return &rest, taken, nil
}

// apart refuses a part of a pattern that speaks of a variable which an OPTIONAL before it may leave unbound.
func apart(element syntax.Pattern, taken []optional) (err error) {
	syntax.EachVar(&syntax.Group{Of: []syntax.Pattern{element}}, func(name string) {
		for _, o := range taken {
			if o.adds[name] && err == nil {
				err = syntax.Errorf(o.pos, "?%s may be left unbound by OPTIONAL and is asked of elsewhere, which cannot be predicted: mode=exact answers it", name)
			}
		}
	})
	return err
}

// withOptionals finds values for the selected variables, those of OPTIONALs where they have some.
func (p *prediction) withOptionals(ctx context.Context, selected []string) ([]assignment, error) {
	var base []string
	for _, name := range selected {
		if !slices.ContainsFunc(p.optionals, func(o optional) bool { return o.adds[name] }) {
			base = append(base, name)
		}
	}
	for _, o := range p.optionals {
		for _, name := range slices.Sorted(maps.Keys(o.possible)) {
			if !o.adds[name] {
				base = appendNew(base, name)
			}
		}
	}
	all, err := p.ofRest(ctx, base)
	if err != nil {
		return nil, err
	}
	var extended []assignment
	for _, a := range all {
		more, err := p.extend(ctx, a, selected)
		if err != nil {
			return nil, err
		}
		extended = append(extended, more...)
	}
	return projected(extended, selected), nil
}

// ofRest are the solutions without the OPTIONALs, at most as many as can be extended.
func (p *prediction) ofRest(ctx context.Context, base []string) ([]assignment, error) {
	if len(base) == 0 {
		return p.joined(ctx, nil, 1)
	}
	all, err := p.assignments(ctx, base)
	if err != nil {
		return nil, err
	}
	return p.best(all, base[len(base)-1])
}

// extend takes the OPTIONALs one after the other.
func (p *prediction) extend(ctx context.Context, a assignment, selected []string) ([]assignment, error) {
	all, matched := []assignment{a}, [][]pattern{nil}
	for _, o := range p.optionals {
		adds := slices.DeleteFunc(slices.Clone(selected), func(name string) bool { return !o.adds[name] })
		if len(adds) == 0 {
			continue // it changes no row
		}
		var next []assignment
		var nextMatched [][]pattern
		for i, row := range all {
			with := append(slices.Clone(matched[i]), o.pattern)
			found, err := p.extension(ctx, row, with, adds)
			if err != nil {
				return nil, err
			}
			if len(found) == 0 {
				next, nextMatched = append(next, row), append(nextMatched, matched[i])
			}
			for _, f := range found {
				next, nextMatched = append(next, f), append(nextMatched, with)
			}
		}
		all, matched = next, nextMatched
	}
	return all, nil
}

// extension are the values that some OPTIONALs give together with a solution.
func (p *prediction) extension(ctx context.Context, row assignment, with []pattern, adds []string) ([]assignment, error) {
	whole := pattern{certain: maps.Clone(p.pattern.certain), possible: maps.Clone(p.pattern.possible)}
	of := []query.Formula{p.pattern.formula}
	for _, o := range with {
		of = append(of, o.formula)
		whole.certain.include(o.certain)
		whole.possible.include(o.possible)
	}
	for _, name := range slices.Sorted(maps.Keys(row.values)) {
		of = append(of, query.Equals{Left: query.Variable{Name: name}, Right: query.Constant{Name: query.Name{ID: uint32(row.values[name]), ByID: true}}})
	}
	whole.formula = query.And{Of: of}
	sub := *p
	sub.pattern = whole
	found, err := sub.joined(ctx, adds, p.limits.Solutions)
	for i := range found {
		for name, e := range row.values {
			found[i].values[name] = e
		}
	}
	return found, err
}

// projected keeps the selected variables, of equal rows the likeliest.
func projected(all []assignment, selected []string) []assignment {
	at := map[string]int{}
	var distinct []assignment
	for _, a := range all {
		values := map[string]kg.Entity{}
		var key strings.Builder
		for _, name := range selected {
			if e, bound := a.values[name]; bound {
				values[name] = e
				fmt.Fprintf(&key, "%s=%d ", name, e)
			}
		}
		i, known := at[key.String()]
		switch {
		case !known:
			at[key.String()] = len(distinct)
			distinct = append(distinct, assignment{values, a.degree, a.known})
		case a.degree > distinct[i].degree:
			distinct[i] = assignment{values, a.degree, a.known}
		}
	}
	return distinct
}
