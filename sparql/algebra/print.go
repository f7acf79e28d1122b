package algebra

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// String writes the operators by their names, inner ones in parentheses. What a pass has
// found stands behind a bar: "filter(… | ?x is <a>)", "minus(… | by lookup)".
func (q *Query) String() string {
	p := printer{q.Names}
	text := p.op(q.Pattern)
	switch q.Form {
	case syntax.AskForm:
		return "ask(" + text + ")"
	case syntax.ConstructForm:
		return "construct(" + listed(q.Template, p.triple) + ", " + text + ")"
	case syntax.DescribeForm:
		return "describe(" + listed(q.Describe, p.slot) + ", " + text + ")"
	}
	return text
}

// Head writes an operator without its operands.
func (q *Query) Head(o Op) string {
	p := printer{q.Names}
	switch o := o.(type) {
	case Basic:
		return fmt.Sprintf("basic: %s", count.Of(len(o.Triples), "triple"))
	case Table:
		return fmt.Sprintf("table: %s, %s", strings.Join(mapped(o.Vars, p.variable), " "), count.Of(len(o.Rows), "row"))
	case Join:
		return "join"
	case LeftJoin:
		return p.leftJoinHead(o)
	case Union:
		return "union"
	case Minus:
		return "minus" + map[bool]string{true: ": by lookup"}[o.ByLookup]
	case Filter:
		return "filter: " + listed(o.Conditions, p.expression)
	case GraphOf:
		return "graph: " + p.slot(o.Name)
	case Service:
		return "service: " + p.slot(o.Name)
	case Unpack:
		return "unpack: " + p.unpacked(o)
	case Extend:
		return "extend: " + listed(o.Bindings, p.binding)
	}
	return p.modifierHead(o)
}

func (p printer) leftJoinHead(j LeftJoin) string {
	name := map[bool]string{false: "leftjoin", true: "missing"}[len(j.Missing) > 0]
	if len(j.Conditions) == 0 {
		return name
	}
	return name + ": " + listed(j.Conditions, p.expression)
}

func (p printer) modifierHead(o Op) string {
	switch o := o.(type) {
	case Group:
		return "group: " + strings.Join(append(mapped(o.Keys, p.variable), mapped(o.Aggregates, p.aggregate)...), ", ")
	case Order:
		return "order: " + listed(o.Keys, p.key)
	case Project:
		return "project: " + strings.Join(mapped(o.Vars, p.variable), " ")
	case Distinct:
		return "distinct"
	}
	s := o.(Slice)
	if s.Limit < 0 {
		return fmt.Sprintf("slice: from %d on", s.Offset)
	}
	return fmt.Sprintf("slice: %d from %d on", s.Limit, s.Offset)
}

// TripleText writes a triple pattern.
func (q *Query) TripleText(t Triple) string { return printer{q.Names}.triple(t) }

type printer struct{ names []string }

func (p printer) unpacked(u Unpack) string {
	return p.variable(u.Var) + " = <<( " + p.slot(u.Parts[0]) + " " + p.slot(u.Parts[1]) + " " + p.slot(u.Parts[2]) + " )>>"
}

func (p printer) op(o Op) string {
	switch o := o.(type) {
	case Basic:
		return "basic(" + listed(o.Triples, p.triple) + ")"
	case Table:
		return "table(" + p.table(o) + ")"
	case Join:
		return "join(" + listed(o.Of, p.op) + ")"
	case LeftJoin:
		missing := map[bool]string{true: " | missing"}[len(o.Missing) > 0]
		return "leftjoin(" + strings.Join(append([]string{p.op(o.Left), p.op(o.Right)}, mapped(o.Conditions, p.expression)...), ", ") + missing + ")"
	case Union:
		return "union(" + listed(o.Of, p.op) + ")"
	case Minus:
		return p.minus(o)
	case Filter:
		return p.filter(o)
	case GraphOf:
		return "graph(" + p.slot(o.Name) + ", " + p.op(o.Of) + ")"
	case Unpack:
		return "unpack(" + p.unpacked(o) + ", " + p.op(o.Of) + ")"
	case Service:
		return "service(" + map[bool]string{true: "silent "}[o.Silent] + p.slot(o.Name) + ", " + strings.Join(strings.Fields(o.Group), " ") + ")"
	case Extend:
		return "extend(" + listed(o.Bindings, p.binding) + ", " + p.op(o.Of) + ")"
	}
	return p.modifier(o)
}

func (p printer) modifier(o Op) string {
	switch o := o.(type) {
	case Group:
		parts := append(mapped(o.Keys, p.variable), mapped(o.Aggregates, p.aggregate)...)
		return "group(" + strings.Join(append(parts, p.op(o.Of)), ", ") + ")"
	case Order:
		first := ""
		if o.First > 0 {
			first = fmt.Sprintf(" | first %d", o.First)
		}
		return "order(" + listed(o.Keys, p.key) + ", " + p.op(o.Of) + first + ")"
	case Project:
		return "project(" + strings.Join(append(mapped(o.Vars, p.variable), p.op(o.Of)), ", ") + ")"
	case Distinct:
		return "distinct(" + p.op(o.Of) + ")"
	}
	s := o.(Slice)
	return fmt.Sprintf("slice(%d, %d, %s)", s.Offset, s.Limit, p.op(s.Of))
}

func (p printer) key(k Key) string {
	if k.Descending {
		return "descending " + p.expression(k.Of)
	}
	return p.expression(k.Of)
}

func (p printer) binding(b Binding) string { return p.variable(b.Var) + " = " + p.expression(b.Of) }

func (p printer) aggregate(a Aggregate) string {
	of := "all"
	if a.Of != nil {
		of = p.expression(a.Of)
	}
	if a.Distinct {
		of = "distinct " + of
	}
	return p.variable(a.Var) + " = " + strings.ToLower(a.Name) + "(" + of + ")"
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
	return "filter(" + listed(f.Conditions, p.expression) + ", " + p.op(f.Of) + pins + ")"
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

func (p printer) variable(v int) string { return syntax.Ref{Var: p.names[v]}.String() }

func (p printer) expression(e Expr) string {
	switch e := e.(type) {
	case Slot:
		return p.slot(e)
	case Every:
		return "every(" + listed(e.Of, p.expression) + ")"
	case Some:
		return "some(" + listed(e.Of, p.expression) + ")"
	case Not:
		return "not(" + p.expression(e.Of) + ")"
	case In:
		return p.expression(e.Of) + " in (" + listed(e.List, p.expression) + ")"
	case Exists:
		return "exists(" + p.op(e.Of) + ")"
	case Bound:
		return "bound(" + p.variable(e.Var) + ")"
	case If:
		return "if(" + listed([]Expr{e.Condition, e.Then, e.Else}, p.expression) + ")"
	case Coalesce:
		return "coalesce(" + listed(e.Of, p.expression) + ")"
	}
	return p.apply(e.(Apply))
}

func (p printer) apply(a Apply) string {
	if len(a.Of) == 2 && !unicode.IsLetter(rune(a.Name[0])) {
		return p.expression(a.Of[0]) + " " + a.Name + " " + p.expression(a.Of[1])
	}
	return a.Name + "(" + listed(a.Of, p.expression) + ")"
}

func listed[T any](all []T, text func(T) string) string {
	return strings.Join(mapped(all, text), ", ")
}
