package sparqltest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/sparql/function"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// selected are the rows of a SELECT, by the sequence of 18.2.4: groups, HAVING, VALUES, expressions, projection, DISTINCT.
func (p *Plain) selected(q *syntax.Query, given row) []row {
	rows := p.group(q.Where, given)
	groups := make([]*members, len(rows))
	if q.Grouped() {
		rows, groups = p.grouped(q, rows, given)
	}
	if q.Values != nil {
		rows, groups = p.joinTable(rows, groups, table(q.Values, given))
	}
	for i, r := range rows {
		for _, s := range q.Select {
			if s.Of != nil {
				p.extend(r, s.Var, p.ofGroup(s.Of, groups[i]), given)
			}
		}
	}
	rows = projected(rows, q.Columns())
	if q.Distinct {
		rows = distinct(rows)
	}
	return rows
}

func projected(rows []row, columns []string) []row {
	out := make([]row, len(rows))
	for i, r := range rows {
		out[i] = row{}
		for _, name := range columns {
			if value, ok := r[name]; ok {
				out[i][name] = value
			}
		}
	}
	return out
}

func distinct(rows []row) (out []row) {
	seen := map[string]bool{}
	for _, r := range rows {
		if key := fmt.Sprint(r); !seen[key] {
			seen[key] = true
			out = append(out, r)
		}
	}
	return out
}

// joinTable joins the rows of groups with a table; each stays with its group.
func (p *Plain) joinTable(rows []row, groups []*members, with []row) (out []row, of []*members) {
	for i, r := range rows {
		for _, joined := range p.join([]row{r}, with) {
			out, of = append(out, joined), append(of, groups[i])
		}
	}
	return out, of
}

// members are the rows of a group.
type members struct {
	rows    []row
	given   row
	visible []string // the variables that COUNT(DISTINCT *) looks at
}

// grouped makes one row of the keys of each group, without those that HAVING drops.
func (p *Plain) grouped(q *syntax.Query, rows []row, given row) (out []row, groups []*members) {
	byKey := map[string]*members{}
	for _, r := range rows {
		keys := p.keys(q.GroupBy, r, given)
		name := fmt.Sprint(keys)
		if byKey[name] == nil {
			byKey[name] = &members{given: given, visible: q.Visible()}
			out, groups = append(out, keys), append(groups, byKey[name])
		}
		byKey[name].rows = append(byKey[name].rows, r)
	}
	if len(out) == 0 && len(q.GroupBy) == 0 {
		out, groups = []row{{}}, []*members{{given: given}}
	}
	for i := len(out) - 1; i >= 0; i-- {
		having := make([]syntax.Expr, len(q.Having))
		for j, e := range q.Having {
			having[j] = p.ofGroup(e, groups[i])
		}
		if !p.hold(having, out[i], given) {
			out, groups = slices.Delete(out, i, i+1), slices.Delete(groups, i, i+1)
		}
	}
	for _, r := range out {
		maps.DeleteFunc(r, func(name string, _ term.Term) bool { return strings.HasPrefix(name, "(") })
	}
	return out, groups
}

// keys are the values to group by; one without a name has its place for one. A row with AS gets the value, too.
func (p *Plain) keys(by []syntax.GroupKey, r, given row) row {
	keys := row{}
	for i, k := range by {
		name := k.Var
		if ref, is := k.Of.(syntax.Ref); is && ref.Var != "" && name == "" {
			name = ref.Var
		}
		if name == "" {
			name = fmt.Sprintf("(%d)", i)
		}
		if value, ok := p.value(k.Of, r, given); ok {
			keys[name] = value
			r[name] = value
		}
	}
	return keys
}

// ofGroup puts the values of a group in the place of the aggregates of an expression.
func (p *Plain) ofGroup(e syntax.Expr, g *members) syntax.Expr {
	all := func(list []syntax.Expr) []syntax.Expr {
		out := make([]syntax.Expr, len(list))
		for i, each := range list {
			out[i] = p.ofGroup(each, g)
		}
		return out
	}
	switch e := e.(type) {
	case syntax.Aggregate:
		if value, ok := p.aggregate(e, g); ok {
			return syntax.Ref{Term: value}
		}
		return syntax.Ref{Var: "(error)"}
	case syntax.Compare:
		e.Left, e.Right = p.ofGroup(e.Left, g), p.ofGroup(e.Right, g)
		return e
	case syntax.Arithmetic:
		e.Left, e.Right = p.ofGroup(e.Left, g), p.ofGroup(e.Right, g)
		return e
	case syntax.Signed:
		e.Of = p.ofGroup(e.Of, g)
		return e
	case syntax.Not:
		return syntax.Not{Of: p.ofGroup(e.Of, g)}
	case syntax.And:
		return syntax.And{Of: all(e.Of)}
	case syntax.Or:
		return syntax.Or{Of: all(e.Of)}
	case syntax.In:
		e.Left, e.List = p.ofGroup(e.Left, g), all(e.List)
		return e
	case syntax.Call:
		e.Args = all(e.Args)
		return e
	case syntax.FunctionCall:
		e.Args = all(e.Args)
		return e
	}
	return e
}

// aggregate is a set function of 18.5.1; ok is false for an error.
func (p *Plain) aggregate(a syntax.Aggregate, g *members) (term.Term, bool) {
	if a.Of == nil {
		rows := g.rows
		if a.Distinct {
			rows = distinct(projected(rows, g.visible))
		}
		return term.Integer(len(rows)), true
	}
	var values []term.Term
	errors := 0
	for _, r := range g.rows {
		value, ok := p.value(a.Of, r, g.given)
		switch {
		case !ok:
			errors++
		case !a.Distinct || !slices.Contains(values, value):
			values = append(values, value)
		}
	}
	switch {
	case a.Name == "COUNT":
		return term.Integer(len(values)), true
	case a.Name == "SAMPLE":
		return first(values)
	case errors > 0:
		return term.Term{}, false
	}
	return folded(a, values)
}

func first(values []term.Term) (term.Term, bool) {
	if len(values) == 0 {
		return term.Term{}, false
	}
	return values[0], true
}

// folded is a set function of values that are no errors.
func folded(a syntax.Aggregate, values []term.Term) (term.Term, bool) {
	switch a.Name {
	case "MIN":
		slices.SortStableFunc(values, term.Compare)
		return first(values)
	case "MAX":
		slices.SortStableFunc(values, func(x, y term.Term) int { return term.Compare(y, x) })
		return first(values)
	case "GROUP_CONCAT":
		texts := make([]string, len(values))
		for i, value := range values {
			texts[i] = value.Value
		}
		return term.Typed(strings.Join(texts, a.Separator), ""), true
	}
	sum, ok := term.Integer(0), true
	for _, value := range values {
		if sum, ok = function.Arithmetic("+", sum, value); !ok {
			return sum, false
		}
	}
	if a.Name == "AVG" && len(values) > 0 {
		return function.Arithmetic("/", sum, term.Integer(len(values)))
	}
	return sum, true
}
