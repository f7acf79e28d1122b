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
// taken one after the other, as SPARQL does, and those within one after it was matched.

// optional is an OPTIONAL of the outermost group, or of another's.
type optional struct {
	pattern
	adds   names // the variables that it may bind, those within it too
	within []optional
	pos    syntax.Pos
}

// takeOptionals gives a query without the OPTIONALs of its outermost group, and these.
func (m *mapper) takeOptionals(q *syntax.Query) (*syntax.Query, []optional, error) {
	rest := *q
	var taken []optional
	var err error
	rest.Where, taken, err = m.takeFrom(q.Where, names{})
	return &rest, taken, err
}

// takeFrom gives a group without its OPTIONALs, and these; before are the variables that stand before it.
func (m *mapper) takeFrom(g *syntax.Group, before names) (rest *syntax.Group, taken []optional, err error) {
	before = eitherOf(before, nil)
	rest = &syntax.Group{Pos: g.Pos}
	for _, element := range g.Of {
		if err := apart(element, taken); err != nil {
			return nil, nil, err
		}
		o, isOptional := element.(syntax.Optional)
		if !isOptional {
			rest.Of = append(rest.Of, element)
			if _, isFilter := element.(syntax.Filter); !isFilter {
				syntax.EachVar(&syntax.Group{Of: []syntax.Pattern{element}}, func(name string) { before.add(name) })
			}
			continue
		}
		of, err := m.optional(o, before)
		if err != nil {
			return nil, nil, err
		}
		taken = append(taken, of)
	}
	return rest, taken, nil
}

// optional maps an OPTIONAL with those within it.
func (m *mapper) optional(o syntax.Optional, before names) (optional, error) {
	rest, within, err := m.takeFrom(o.Of, before)
	if err != nil {
		return optional{}, err
	}
	of, err := m.group(rest, names{})
	adds := names{}
	for name := range of.possible {
		if !before[name] {
			adds.add(name)
		}
	}
	for _, inner := range within {
		adds.include(inner.adds)
	}
	return optional{of, adds, within, o.Pos}, err
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
	needed := shared(p.optionals, selected)
	base := slices.DeleteFunc(slices.Clone(needed), func(name string) bool {
		return slices.ContainsFunc(p.optionals, func(o optional) bool { return o.adds[name] })
	})
	all, err := p.assignments(ctx, base)
	if err != nil {
		return nil, err
	}
	rows := make([]extended, len(all))
	for i, a := range all {
		rows[i].assignment = a
	}
	if rows, err = p.extend(ctx, rows, p.optionals, needed); err != nil {
		return nil, err
	}
	all = all[:0]
	for _, r := range rows {
		all = append(all, r.assignment)
	}
	return projected(all, selected), nil
}

// shared are the selected variables and those that OPTIONALs have in common with what is around them.
func shared(optionals []optional, selected []string) []string {
	for _, o := range optionals {
		for _, name := range slices.Sorted(maps.Keys(o.possible)) {
			if !o.adds[name] {
				selected = appendNew(slices.Clip(selected), name)
			}
		}
		for _, inner := range o.within {
			for _, name := range slices.Sorted(maps.Keys(inner.possible)) {
				if !inner.adds[name] {
					selected = appendNew(slices.Clip(selected), name)
				}
			}
		}
		selected = shared(o.within, selected)
	}
	return selected
}

// extended is a solution with the OPTIONALs that were matched. Those with the same have the same variables.
type extended struct {
	assignment
	matched []pattern
	places  string // of these OPTIONALs in the text
}

// extend takes OPTIONALs one after the other; needed are the variables whose values count.
func (p *prediction) extend(ctx context.Context, all []extended, optionals []optional, needed []string) ([]extended, error) {
	for _, o := range optionals {
		adds := slices.DeleteFunc(slices.Clone(needed), func(name string) bool { return !o.adds[name] })
		if len(adds) == 0 {
			continue // it changes no row
		}
		adds = slices.DeleteFunc(adds, func(name string) bool { return !o.possible[name] })
		find := p.extensions
		if len(all) > p.limits.Assignments {
			find = p.extensionsOfAll
		}
		found, err := find(ctx, all, o.pattern, adds)
		if err != nil {
			return nil, err
		}
		var next []extended
		for i, row := range all {
			if len(found[i]) == 0 {
				next = append(next, row)
				continue
			}
			matched, places := append(slices.Clip(row.matched), o.pattern), fmt.Sprint(row.places, o.pos)
			some := make([]extended, len(found[i]))
			for k, a := range found[i] {
				some[k] = extended{a, matched, places}
			}
			if some, err = p.extend(ctx, some, o.within, needed); err != nil {
				return nil, err
			}
			next = append(next, some...)
		}
		all = next
	}
	return all, nil
}

// extensions are the values that an OPTIONAL gives together with each of some solutions.
func (p *prediction) extensions(ctx context.Context, all []extended, o pattern, adds []string) ([][]assignment, error) {
	found := make([][]assignment, len(all))
	for i, row := range all {
		whole := p.with(append(slices.Clip(row.matched), o)...)
		of := []query.Formula{whole.pattern.formula}
		for _, name := range slices.Sorted(maps.Keys(row.values)) {
			of = append(of, query.Equals{Left: query.Variable{Name: name}, Right: query.Constant{Name: query.Name{ID: uint32(row.values[name]), ByID: true}}})
		}
		whole.pattern.formula = query.And{Of: of}
		some, err := whole.asked(ctx, adds, p.limits.Solutions)
		if err != nil {
			return nil, err
		}
		for _, a := range some {
			maps.Copy(a.values, row.values)
		}
		found[i] = some
	}
	return found, nil
}

// extensionsOfAll is extensions where there are many solutions: all are looked for together, and told apart by their values.
func (p *prediction) extensionsOfAll(ctx context.Context, all []extended, o pattern, adds []string) ([][]assignment, error) {
	found := make([][]assignment, len(all))
	of := map[string][]assignment{} // by OPTIONALs and values
	for i, row := range all {
		names := slices.Sorted(maps.Keys(row.values))
		if _, asked := of[row.places]; !asked {
			of[row.places] = nil
			some, err := p.with(append(slices.Clip(row.matched), o)...).asked(ctx, appendNew(slices.Clone(names), adds...), p.limits.Solutions+1)
			if err != nil {
				return nil, err
			}
			if len(some) > p.limits.Solutions {
				return nil, p.tooMany()
			}
			for _, a := range some {
				key := row.places + valuesKey(a, names)
				of[key] = append(of[key], a)
			}
		}
		found[i] = of[row.places+valuesKey(row.assignment, names)]
	}
	return found, nil
}

// valuesKey writes the values of some variables, to be found by; variables without one are left out.
func valuesKey(a assignment, of []string) string {
	var key strings.Builder
	for _, name := range of {
		if e, bound := a.values[name]; bound {
			fmt.Fprintf(&key, " %s=%d", name, e)
		}
	}
	return key.String()
}

// with is the prediction of the pattern and some OPTIONALs together.
func (p *prediction) with(optionals ...pattern) *prediction {
	whole := pattern{certain: maps.Clone(p.pattern.certain), possible: maps.Clone(p.pattern.possible)}
	of := []query.Formula{p.pattern.formula}
	for _, o := range optionals {
		of = append(of, o.formula)
		whole.certain.include(o.certain)
		whole.possible.include(o.possible)
	}
	whole.formula = query.And{Of: of}
	together := *p
	together.pattern = whole
	return &together
}

// projected keeps the selected variables, of equal rows the likeliest.
func projected(all []assignment, selected []string) []assignment {
	at := map[string]int{}
	var distinct []assignment
	for _, a := range all {
		values := map[string]kg.Entity{}
		for _, name := range selected {
			if e, bound := a.values[name]; bound {
				values[name] = e
			}
		}
		key := valuesKey(a, selected)
		i, known := at[key]
		switch {
		case !known:
			at[key] = len(distinct)
			distinct = append(distinct, assignment{values, a.degree, a.known, a.rules})
		case a.degree > distinct[i].degree:
			distinct[i] = assignment{values, a.degree, a.known, a.rules}
		}
	}
	return distinct
}
