package predict

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// UNION whose sides bind different variables: one formula would have to say what the others are. Each side is a question of its own then, in which
// the variables that it does not speak of are unbound, and the solutions are put together, of equal ones the likeliest.

// mostCases bounds the questions that UNIONs beside each other come to.
const mostCases = 64

// cases are the patterns of the sides of the outermost UNIONs, where the pattern as a whole does not bind all selected variables and each side binds or leaves out each.
func (p *prediction) cases(selected []string) ([]pattern, error) {
	if !slices.ContainsFunc(selected, func(name string) bool { return p.pattern.possible[name] && !p.pattern.certain[name] }) {
		return nil, nil
	}
	groups, err := split(p.linked.Where)
	if err != nil || len(groups) == 1 {
		return nil, err
	}
	var all []pattern
	for _, g := range groups {
		side := *p.linked
		side.Where = g
		of, err := p.mapper.query(&side)
		if err != nil {
			return nil, err
		}
		all = append(all, of)
	}
	return all, nil
}

// split gives a group with one side of each of its UNIONs, for all choices.
func split(g *syntax.Group) ([]*syntax.Group, error) {
	all := []*syntax.Group{{Pos: g.Pos}}
	for _, element := range g.Of {
		sides := []syntax.Pattern{element}
		if u, isUnion := element.(syntax.Union); isUnion {
			sides = nil
			for _, side := range u.Of {
				sides = append(sides, side)
			}
		}
		if len(all)*len(sides) > mostCases {
			return nil, kg.Errorf(kg.TooLarge, "sparql", "more than %d cases of UNIONs that bind different variables: mode=exact answers it", mostCases)
		}
		var next []*syntax.Group
		for _, sofar := range all {
			for _, side := range sides {
				next = append(next, &syntax.Group{Pos: g.Pos, Of: append(slices.Clip(sofar.Of), side)})
			}
		}
		all = next
	}
	return all, nil
}

// mayBind tells whether the pattern or an OPTIONAL speaks of a variable.
func (p *prediction) mayBind(name string) bool {
	return p.pattern.possible[name] || slices.ContainsFunc(p.optionals, func(o optional) bool { return o.adds[name] })
}
