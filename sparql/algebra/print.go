package algebra

import (
	"fmt"
	"strings"

	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// String writes the operators by their names, inner ones in parentheses, and what is made
// of their rows around them. What a pass has found stands behind a bar:
// "filter(… | ?x is <a>)", "minus(… | by lookup)".
func (q *Query) String() string {
	p := printer{q.Names}
	text := p.op(q.Pattern)
	if q.Ask {
		return "ask(" + text + ")"
	}
	if len(q.OrderBy) > 0 {
		text = "order(" + listed(q.OrderBy, p.key) + ", " + text + ")"
	}
	text = "project(" + listed(q.Columns, p.column) + ", " + text + ")"
	if q.Distinct {
		text = "distinct(" + text + ")"
	}
	if q.Offset > 0 || q.Limit >= 0 {
		text = fmt.Sprintf("slice(%d, %d, %s)", q.Offset, q.Limit, text)
	}
	return text
}

type printer struct{ names []string }

func (p printer) key(k Key) string {
	if k.Descending {
		return "descending " + p.variable(k.Var)
	}
	return p.variable(k.Var)
}

func (p printer) column(c Column) string {
	if c.Count == nil {
		return "?" + c.Name
	}
	of := "all"
	if !c.Count.All {
		of = p.variable(c.Count.Vars[0])
	}
	if c.Count.Distinct {
		of = "distinct " + of
	}
	return "?" + c.Name + " = count(" + of + ")"
}

func (p printer) op(o Op) string {
	switch o := o.(type) {
	case Basic:
		return "basic(" + listed(o.Triples, p.triple) + ")"
	case Table:
		return "table(" + p.table(o) + ")"
	case Join:
		return "join(" + listed(o.Of, p.op) + ")"
	case Union:
		return "union(" + listed(o.Of, p.op) + ")"
	case Minus:
		return p.minus(o)
	}
	return p.filter(o.(Filter))
}

func (p printer) minus(m Minus) string {
	how := ""
	if m.ByLookup {
		how = " | by lookup"
	}
	return "minus(" + p.op(m.Left) + ", " + p.op(m.Right) + how + ")"
}

func (p printer) filter(f Filter) string {
	pins := ""
	for _, s := range f.Pins {
		pins += " | " + p.variable(s.Var) + " is " + s.Term.String()
	}
	return "filter(" + listed(f.Conditions, p.condition) + ", " + p.op(f.Of) + pins + ")"
}

func (p printer) triple(t Triple) string {
	path := ""
	if t.Predicate >= 0 {
		path = p.variable(t.Predicate)
	} else {
		path = syntax.FormatPath(t.Path)
	}
	return p.slot(t.Subject) + " " + path + " " + p.slot(t.Object)
}

func (p printer) table(t Table) string {
	rows := []string{strings.Join(mapped(t.Vars, p.variable), " ")}
	for _, row := range t.Rows {
		rows = append(rows, strings.Join(mapped(row, term.Term.String), " "))
	}
	return strings.Join(rows, ", ")
}

func (p printer) slot(s Slot) string {
	if s.Var >= 0 {
		return p.variable(s.Var)
	}
	return s.Term.String()
}

func (p printer) variable(v int) string {
	if v < 0 {
		return "nothing" // a variable that the pattern lacks
	}
	return syntax.Ref{Var: p.names[v]}.String()
}

func (p printer) condition(c Condition) string {
	switch c := c.(type) {
	case Equal:
		return p.slot(c.Left) + " = " + p.slot(c.Right)
	case Every:
		return "every(" + listed(c.Of, p.condition) + ")"
	case Some:
		return "some(" + listed(c.Of, p.condition) + ")"
	case Not:
		return "not(" + p.condition(c.Of) + ")"
	}
	return "exists(" + p.op(c.(Exists).Of) + ")"
}

func listed[T any](all []T, text func(T) string) string {
	return strings.Join(mapped(all, text), ", ")
}
