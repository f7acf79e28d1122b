package syntax

import (
	"fmt"
	"strings"
)

// String writes the query so that Parse gives it back. IRIs are whole, each triple has a line.
func (q *Query) String() string {
	p := &printer{}
	switch {
	case q.Ask:
		p.write("ASK ")
	case q.Distinct:
		p.write("SELECT DISTINCT ")
	default:
		p.write("SELECT ")
	}
	if q.Star {
		p.write("* ")
	}
	for _, s := range q.Select {
		p.write(s.String() + " ")
	}
	if !q.Ask {
		p.write("WHERE ")
	}
	p.group(q.Where)
	p.write("\n")
	p.modifiers(q)
	return p.String()
}

func (s Projection) String() string {
	if s.Count == nil {
		return "?" + s.Var
	}
	of := "*"
	if s.Count.Of != "" {
		of = "?" + s.Count.Of
	}
	if s.Count.Distinct {
		of = "DISTINCT " + of
	}
	return fmt.Sprintf("(COUNT(%s) AS ?%s)", of, s.Var)
}

func (r Ref) String() string {
	switch {
	case isAnonymous(r.Var):
		return r.Var
	case r.Var != "":
		return "?" + r.Var
	}
	return r.Term.String()
}

type printer struct {
	strings.Builder
	depth int
}

func (p *printer) write(text string) { p.WriteString(text) }

// line begins a new line at the depth of the group.
func (p *printer) line() { p.write("\n" + strings.Repeat("  ", p.depth)) }

func (p *printer) modifiers(q *Query) {
	if len(q.OrderBy) > 0 {
		p.write("ORDER BY")
		for _, key := range q.OrderBy {
			direction := "ASC"
			if key.Descending {
				direction = "DESC"
			}
			p.write(fmt.Sprintf(" %s(?%s)", direction, key.Var))
		}
		p.write("\n")
	}
	if q.Limit >= 0 {
		p.write(fmt.Sprintf("LIMIT %d\n", q.Limit))
	}
	if q.Offset > 0 {
		p.write(fmt.Sprintf("OFFSET %d\n", q.Offset))
	}
	if q.Values != nil {
		p.values(q.Values)
		p.write("\n")
	}
}

func (p *printer) group(g *Group) {
	p.write("{")
	p.depth++
	for _, element := range g.Of {
		p.line()
		p.element(element)
	}
	p.depth--
	if len(g.Of) > 0 {
		p.line()
	}
	p.write("}")
}

func (p *printer) element(element Pattern) {
	switch e := element.(type) {
	case Triple:
		p.write(e.Subject.String() + " " + FormatPath(e.Path) + " " + e.Object.String() + " .")
	case *Group:
		p.group(e)
	case Union:
		for i, g := range e.Of {
			if i > 0 {
				p.write(" UNION ")
			}
			p.group(g)
		}
	case Minus:
		p.write("MINUS ")
		p.group(e.Of)
	case Filter:
		p.write("FILTER ")
		if _, bare := e.Condition.(Exists); bare {
			p.condition(e.Condition)
			return
		}
		p.write("(")
		p.condition(e.Condition)
		p.write(")")
	case *Values:
		p.values(e)
	}
}

func (p *printer) values(v *Values) {
	p.write("VALUES (")
	for i, name := range v.Vars {
		if i > 0 {
			p.write(" ")
		}
		p.write("?" + name)
	}
	p.write(") {")
	for _, row := range v.Rows {
		cells := make([]string, len(row))
		for i, t := range row {
			cells[i] = t.String()
		}
		p.write(" (" + strings.Join(cells, " ") + ")")
	}
	p.write(" }")
}

// FormatPath writes a path as it stands in a triple.
func FormatPath(path Path) string { return formatPath(path, false) }

// formatPath writes a path, in parentheses where it is part of another and not a single step.
func formatPath(path Path, within bool) string {
	var text string
	switch path := path.(type) {
	case Step:
		return path.String()
	case Inverse:
		text = "^" + formatPath(path.Of, true)
	case Sequence:
		text = joinPaths(path.Of, "/")
	case Alternative:
		text = joinPaths(path.Of, "|")
	}
	if within {
		return "(" + text + ")"
	}
	return text
}

func joinPaths(of []Path, sign string) string {
	parts := make([]string, len(of))
	for i, path := range of {
		parts[i] = formatPath(path, true)
	}
	return strings.Join(parts, sign)
}

func (p *printer) condition(c Condition) {
	switch c := c.(type) {
	case Compare:
		sign := " = "
		if c.Differ {
			sign = " != "
		}
		p.write(c.Left.String() + sign + c.Right.String())
	case In:
		list := make([]string, len(c.List))
		for i, ref := range c.List {
			list[i] = ref.String()
		}
		sign := " IN ("
		if c.Not {
			sign = " NOT IN ("
		}
		p.write(c.Left.String() + sign + strings.Join(list, ", ") + ")")
	case And:
		p.joined(c.Of, " && ")
	case Or:
		p.joined(c.Of, " || ")
	case Not:
		p.write("!")
		p.joined([]Condition{c.Of}, "")
	case Exists:
		if c.Not {
			p.write("NOT ")
		}
		p.write("EXISTS ")
		p.group(c.Of)
	}
}

// joined writes conditions with parentheses around each, so that no rule of precedence is needed.
func (p *printer) joined(of []Condition, sign string) {
	for i, c := range of {
		if i > 0 {
			p.write(sign)
		}
		p.write("(")
		p.condition(c)
		p.write(")")
	}
}
