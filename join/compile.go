package join

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// node is a condition ready to be evaluated: every link knows the end it is read from, and
// every node the variables that it depends on.
type node struct {
	kind       kind
	free       []int          // sorted
	head, tail query.Argument // of a link in its reading, or the two sides of an equation
	relation   kg.Relation    // from head to tail
	of         []*node
	vars       []int       // of an ∃
	members    []kg.Entity // of a list: what head is one of

	inner *levels             // of an ∃: how its variables are searched for
	memo  map[string]float64  // of an ∃: its truth by the values of its free variables
	lists map[string][]member // of an alternative: its support, by variable and values
}

type kind uint8

const (
	linkNode kind = iota
	sameNode
	memberNode
	allNode
	anyNode
	noNode
	someNode
)

// form is a question as nodes.
type form struct {
	root      *node // an ∃ of no or more variables
	ranks     []int
	variables int
}

// compile makes the nodes of a question.
func compile(q *query.Normal) *form {
	f := &form{ranks: ranksOf(q), variables: len(q.Variables)}
	f.root = f.node(q.Body)
	if f.root.kind != someNode {
		f.root = newSome(nil, f.root)
	}
	return f
}

func newSome(vars []int, of *node) *node {
	free := slices.DeleteFunc(slices.Clone(of.free), func(v int) bool { return slices.Contains(vars, v) })
	return &node{kind: someNode, vars: vars, free: free, of: []*node{of}, memo: map[string]float64{}}
}

func (f *form) node(c query.Condition) *node {
	switch c := c.(type) {
	case query.Link:
		return f.link(c)
	case query.Same:
		return &node{kind: sameNode, head: c.A, tail: c.B, free: freeOf(c.A, c.B)}
	case query.Member:
		return &node{kind: memberNode, head: c.Of, members: c.Entities, free: freeOf(c.Of)}
	case query.All:
		return f.parts(allNode, c.Of)
	case query.Any:
		return f.parts(anyNode, c.Of)
	case query.No:
		return f.parts(noNode, []query.Condition{c.Of})
	}
	some := c.(query.Some)
	return newSome(some.Vars, f.node(some.Of))
}

func (f *form) parts(k kind, of []query.Condition) *node {
	n := &node{kind: k}
	for _, c := range of {
		part := f.node(c)
		n.of, n.free = append(n.of, part), append(n.free, part.free...)
	}
	slices.Sort(n.free)
	n.free = slices.Compact(n.free)
	return n
}

// link turns a link so that it is read from a given entity, or else from the variable of lower rank.
func (f *form) link(c query.Link) *node {
	n := &node{kind: linkNode, head: c.From, tail: c.To, relation: c.Relation, free: freeOf(c.From, c.To)}
	if f.rank(c.To) < f.rank(c.From) {
		n.head, n.tail, n.relation = c.To, c.From, c.Relation.Inverse()
	}
	return n
}

func (f *form) rank(a query.Argument) int {
	if !a.IsVariable {
		return -1
	}
	return f.ranks[a.Variable]
}

func freeOf(arguments ...query.Argument) []int {
	var free []int
	for _, a := range arguments {
		if a.IsVariable {
			free = append(free, a.Variable)
		}
	}
	slices.Sort(free)
	return slices.Compact(free)
}

// conjuncts are the parts of the body of an ∃ that have to be true together.
func (n *node) conjuncts() []*node {
	body := n.of[0]
	if body.kind == allNode {
		return body.of
	}
	return []*node{body}
}

// eachLink visits the links at and under a node.
func (n *node) eachLink(visit func(*node)) {
	if n.kind == linkNode {
		visit(n)
	}
	for _, part := range n.of {
		part.eachLink(visit)
	}
}

func is(a query.Argument, v int) bool { return a.IsVariable && a.Variable == v }
