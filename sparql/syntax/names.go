package syntax

// Role is what a term of a pattern is to the graph.
type Role uint8

// The roles of terms.
const (
	NodeRole Role = iota
	PredicateRole
	GraphRole
)

// EachName calls a function with every term that the patterns of a query name, those of its VALUES and of EXISTS included, but
// not with what another server is asked.
func (q *Query) EachName(each func(r Ref, role Role)) {
	n := namer(each)
	for _, r := range q.Describe {
		n.ref(r, NodeRole)
	}
	if q.Where != nil {
		n.group(q.Where)
	}
	n.values(q.Values)
	for _, s := range q.Select {
		n.expression(s.Of)
	}
	for _, e := range q.Having {
		n.expression(e)
	}
}

type namer func(r Ref, role Role)

// ref tells a term; one that is made of others, those.
func (n namer) ref(r Ref, role Role) {
	for _, leaf := range r.Leaves() {
		if leaf.Var == "" {
			n(leaf, role)
		}
	}
}

func (n namer) group(g *Group) {
	for _, element := range g.Of {
		n.element(element)
	}
}

func (n namer) element(element Pattern) {
	switch e := element.(type) {
	case Triple:
		n.ref(e.Subject, NodeRole)
		n.path(e.Path)
		n.ref(e.Object, NodeRole)
	case *Group:
		n.group(e)
	case Union:
		for _, g := range e.Of {
			n.group(g)
		}
	case Optional:
		n.group(e.Of)
	case Minus:
		n.group(e.Of)
	case Filter:
		n.expression(e.Condition)
	case Bind:
		n.expression(e.Of)
	case *Values:
		n.values(e)
	case SubSelect:
		e.Query.EachName(n)
	case Graph:
		n.ref(e.Name, GraphRole)
		n.group(e.Of)
	}
}

func (n namer) path(path Path) {
	switch path := path.(type) {
	case Step:
		n.ref(path.Ref, PredicateRole)
	case Sequence:
		for _, part := range path.Of {
			n.path(part)
		}
	case Alternative:
		for _, part := range path.Of {
			n.path(part)
		}
	case Inverse:
		n.path(path.Of)
	case Repeated:
		n.path(path.Of)
	}
}

func (n namer) values(v *Values) {
	if v == nil {
		return
	}
	for _, row := range v.Rows {
		for _, t := range row {
			n(Ref{Term: t, Pos: v.Pos}, NodeRole)
		}
	}
}

// expression looks into the patterns of EXISTS. Constants of an expression need not be in the graph.
func (n namer) expression(e Expr) {
	Walk(e, func(e Expr) bool {
		if exists, is := e.(Exists); is {
			n.group(exists.Of)
		}
		return true
	})
}
