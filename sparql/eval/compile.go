package eval

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// compiler turns a parsed query into operators over numbered variables and nodes.
type compiler struct {
	*dictionary
	numbers map[string]int
	names   []string
	err     error // what cannot be compiled
}

func newCompiler(g *kg.Graph) *compiler {
	return &compiler{dictionary: newDictionary(g), numbers: map[string]int{}}
}

func (c *compiler) variable(name string) int {
	v, known := c.numbers[name]
	if !known {
		v = len(c.names)
		c.numbers[name] = v
		c.names = append(c.names, name)
	}
	return v
}

// query gives the operators of the pattern, with the VALUES after it.
func (c *compiler) query(q *syntax.Query) op {
	o := c.group(q.Where)
	if q.Values != nil {
		o = newJoin([]op{o, c.table(q.Values)})
	}
	return o
}

// group follows section 18.2.2.6: elements are joined in their order, MINUS takes
// from what stands before it, and filters hold for the group as a whole.
func (c *compiler) group(g *syntax.Group) op {
	var parts []op
	var conditions []test
	for _, element := range g.Of {
		switch e := element.(type) {
		case syntax.Triple:
			parts = append(parts, c.triple(e))
		case *syntax.Group:
			parts = append(parts, c.group(e))
		case syntax.Union:
			parts = append(parts, c.union(e))
		case syntax.Minus:
			parts = []op{newMinus(newJoin(parts), c.group(e.Of))}
		case syntax.Filter:
			conditions = append(conditions, c.tests(e.Condition)...)
		case *syntax.Values:
			parts = append(parts, c.table(e))
		}
	}
	if len(conditions) == 0 {
		return newJoin(parts)
	}
	return newFilter(newJoin(parts), conditions)
}

func (c *compiler) union(u syntax.Union) op {
	of := make([]op, len(u.Of))
	for i, g := range u.Of {
		of[i] = c.group(g)
	}
	return newUnion(of)
}

func (c *compiler) table(v *syntax.Values) op {
	vars, rows := make([]int, len(v.Vars)), make([][]node, len(v.Rows))
	for i, name := range v.Vars {
		vars[i] = c.variable(name)
	}
	for i, terms := range v.Rows {
		rows[i] = make([]node, len(terms))
		for j, t := range terms {
			if t.Kind != term.Unbound {
				rows[i][j] = c.number(t)
			}
		}
	}
	return newTable(vars, rows)
}

func (c *compiler) slot(r syntax.Ref) slot {
	if r.Var != "" {
		return slot{variable: c.variable(r.Var)}
	}
	return slot{variable: -1, value: c.number(r.Term)}
}

func (c *compiler) triple(t syntax.Triple) op {
	s := step{subject: c.slot(t.Subject), object: c.slot(t.Object), predicate: -1}
	switch p, ok := t.Path.(syntax.Step); {
	case ok && p.Var != "":
		s.predicate = c.variable(p.Var)
	case term.IsLabel(c.graph.Vocabulary, syntax.Predicate(t.Path)):
		s.label = true
	default:
		s.forth, s.back = c.route(t.Path, false), c.route(t.Path, true)
	}
	return newBasic([]step{s})
}

// route compiles a path, or its inverse: ^(a/b) is ^b/^a, ^(a|b) is ^a|^b.
func (c *compiler) route(path syntax.Path, inverse bool) *route {
	switch path := path.(type) {
	case syntax.Step:
		c.refuseLabel(path)
		base, known := term.FindRelation(c.graph.Vocabulary, path.Term)
		r := kg.Forward(base)
		if inverse {
			r = r.Inverse()
		}
		return &route{kind: leaf, relation: r, known: known}
	case syntax.Inverse:
		return c.route(path.Of, !inverse)
	case syntax.Alternative:
		return &route{kind: alternative, of: c.routes(path.Of, inverse)}
	}
	of := c.routes(path.(syntax.Sequence).Of, inverse)
	if inverse {
		slices.Reverse(of)
	}
	return &route{kind: sequence, of: of}
}

func (c *compiler) routes(paths []syntax.Path, inverse bool) []*route {
	of := make([]*route, len(paths))
	for i, path := range paths {
		of[i] = c.route(path, inverse)
	}
	return of
}
