package syntax

import (
	"fmt"
	"strings"
)

// String writes the query so that Parse gives it back. IRIs are whole, each triple has a line.
func (q *Query) String() string {
	p := &printer{}
	if q.Base != "" {
		p.write("BASE <" + q.Base + ">\n")
	}
	p.query(q)
	p.write("\n")
	return p.String()
}

// query writes a query, or a SELECT within a pattern, without the end of its last line.
func (p *printer) query(q *Query) {
	p.form(q)
	for _, f := range q.From {
		named := ""
		if f.Named {
			named = "NAMED "
		}
		p.write("FROM " + named + "<" + f.IRI + "> ")
	}
	if q.Where != nil {
		if q.Form != AskForm {
			p.write("WHERE ")
		}
		p.group(q.Where)
	}
	p.modifiers(q)
}

// form writes what comes before the pattern.
func (p *printer) form(q *Query) {
	switch q.Form {
	case AskForm:
		p.write("ASK ")
	case ConstructForm:
		p.write("CONSTRUCT ")
		p.template(q.Template)
	case DescribeForm:
		p.write("DESCRIBE ")
		for _, r := range q.Describe {
			p.write(r.String() + " ")
		}
	default:
		p.write("SELECT ")
		switch {
		case q.Distinct:
			p.write("DISTINCT ")
		case q.Reduced:
			p.write("REDUCED ")
		}
	}
	if q.Star {
		p.write("* ")
	}
	for _, s := range q.Select {
		if s.Of == nil {
			p.write("?" + s.Var + " ")
			continue
		}
		p.aliased(s.Of, s.Var)
		p.write(" ")
	}
}

// String writes the group with its braces, so that it stands in any query.
func (g *Group) String() string {
	p := &printer{}
	p.group(g)
	return p.String()
}

func (p *printer) template(triples []Triple) {
	all := &Group{}
	for _, t := range triples {
		all.Of = append(all.Of, t)
	}
	p.group(all)
	p.write(" ")
}

// aliased writes (expression AS ?x).
func (p *printer) aliased(e Expr, name string) {
	p.write("(")
	p.expression(e, weakest)
	p.write(" AS ?" + name + ")")
}

func (r Ref) String() string {
	switch {
	case r.Of != nil:
		return "<<( " + r.Of[0].String() + " " + r.Of[1].String() + " " + r.Of[2].String() + " )>>"
	case IsAnonymous(r.Var):
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

// modifiers writes what follows the pattern, each on a line.
func (p *printer) modifiers(q *Query) {
	if len(q.GroupBy) > 0 {
		p.line()
		p.write("GROUP BY")
		for _, k := range q.GroupBy {
			p.write(" ")
			p.groupKey(k)
		}
	}
	if len(q.Having) > 0 {
		p.line()
		p.write("HAVING")
		for _, e := range q.Having {
			p.write(" ")
			p.parenthesised(e)
		}
	}
	if len(q.OrderBy) > 0 {
		p.line()
		p.write("ORDER BY")
		for _, key := range q.OrderBy {
			p.write(map[bool]string{false: " ASC", true: " DESC"}[key.Descending])
			p.parenthesised(key.Of)
		}
	}
	if q.Limit >= 0 {
		p.line()
		p.write(fmt.Sprintf("LIMIT %d", q.Limit))
	}
	if q.Offset > 0 {
		p.line()
		p.write(fmt.Sprintf("OFFSET %d", q.Offset))
	}
	if q.Values != nil {
		p.line()
		p.values(q.Values)
	}
}

func (p *printer) groupKey(k GroupKey) {
	ref, isRef := k.Of.(Ref)
	switch {
	case k.Var != "":
		p.aliased(k.Of, k.Var)
	case isRef && ref.Var != "":
		p.write(ref.String())
	default:
		p.parenthesised(k.Of)
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
			p.expression(e.Condition, weakest)
			return
		}
		p.parenthesised(e.Condition)
	case Optional:
		p.write("OPTIONAL ")
		p.group(e.Of)
	case Bind:
		p.write("BIND ")
		p.aliased(e.Of, e.Var)
	case *Values:
		p.values(e)
	case SubSelect:
		p.query(e.Query)
	case Graph:
		p.write("GRAPH " + e.Name.String() + " ")
		p.group(e.Of)
	case Service:
		p.write("SERVICE " + map[bool]string{true: "SILENT "}[e.Silent] + e.Name.String() + " ")
		p.group(e.Of)
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
	case Repeated:
		text = formatPath(path.Of, true) + path.Mark
	case Negated:
		text = "!(" + strings.Join(negatedSteps(path), "|") + ")"
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

func negatedSteps(n Negated) []string {
	parts := make([]string, len(n.Of))
	for i, s := range n.Of {
		if s.Inverse {
			parts[i] = "^"
		}
		parts[i] += s.Step.String()
	}
	return parts
}
