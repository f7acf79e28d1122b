package sparql

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
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
func (c *compiler) query(q *Query) op {
	o := c.group(q.Where)
	if q.Values != nil {
		o = newJoin([]op{o, c.table(q.Values)})
	}
	return o
}

// group follows section 18.2.2.6: elements are joined in their order, MINUS takes
// from what stands before it, and filters hold for the group as a whole.
func (c *compiler) group(g *Group) op {
	var parts []op
	var conditions []test
	for _, element := range g.Of {
		switch e := element.(type) {
		case Triple:
			parts = append(parts, c.triple(e))
		case *Group:
			parts = append(parts, c.group(e))
		case Union:
			parts = append(parts, c.union(e))
		case Minus:
			parts = []op{newMinus(newJoin(parts), c.group(e.Of))}
		case Filter:
			conditions = append(conditions, c.tests(e.Condition)...)
		case *Values:
			parts = append(parts, c.table(e))
		}
	}
	if len(conditions) == 0 {
		return newJoin(parts)
	}
	return newFilter(newJoin(parts), conditions)
}

func (c *compiler) union(u Union) op {
	of := make([]op, len(u.Of))
	for i, g := range u.Of {
		of[i] = c.group(g)
	}
	return newUnion(of)
}

func (c *compiler) table(v *Values) op {
	vars, rows := make([]int, len(v.Vars)), make([][]node, len(v.Rows))
	for i, name := range v.Vars {
		vars[i] = c.variable(name)
	}
	for i, terms := range v.Rows {
		rows[i] = make([]node, len(terms))
		for j, term := range terms {
			if term.Kind != Unbound {
				rows[i][j] = c.number(term)
			}
		}
	}
	return newTable(vars, rows)
}

func (c *compiler) slot(r Ref) slot {
	if r.Var != "" {
		return slot{variable: c.variable(r.Var)}
	}
	return slot{variable: -1, value: c.number(r.Term)}
}

func (c *compiler) triple(t Triple) op {
	s := step{subject: c.slot(t.Subject), object: c.slot(t.Object), predicate: -1}
	switch p, ok := t.Path.(Step); {
	case ok && p.Var != "":
		s.predicate = c.variable(p.Var)
	case isLabel(t.Path, c.graph.Vocabulary):
		s.label = true
	default:
		s.forth, s.back = c.route(t.Path, false), c.route(t.Path, true)
	}
	return newBasic([]step{s})
}

// route compiles a path, or its inverse: ^(a/b) is ^b/^a, ^(a|b) is ^a|^b.
func (c *compiler) route(path Path, inverse bool) *route {
	switch path := path.(type) {
	case Step:
		c.refuseLabel(path)
		base, known := findRelation(c.graph.Vocabulary, path.Term)
		r := kg.Forward(base)
		if inverse {
			r = r.Inverse()
		}
		return &route{kind: leaf, relation: r, known: known}
	case Inverse:
		return c.route(path.Of, !inverse)
	case Alternative:
		return &route{kind: alternative, of: c.routes(path.Of, inverse)}
	}
	of := c.routes(path.(Sequence).Of, inverse)
	if inverse {
		slices.Reverse(of)
	}
	return &route{kind: sequence, of: of}
}

func (c *compiler) routes(paths []Path, inverse bool) []*route {
	of := make([]*route, len(paths))
	for i, path := range paths {
		of[i] = c.route(path, inverse)
	}
	return of
}
