package explain

import (
	"strings"

	"github.com/lacuna-kg/lacuna/answer"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// Picture is a question as a graph: its variables and given entities as nodes, its links as edges. It is how a question is drawn whose
// variables form no tree, and with the values of a derivation why an answer answers.
type Picture struct {
	Nodes []Node        `json:"nodes"` // the answer variables first
	Edges []PictureEdge `json:"edges"`
}

// Node is a variable or a given entity.
type Node struct {
	Kind     string `json:"kind" enum:"answer,variable,given"`
	Variable string `json:"variable,omitempty"`
	Entity   string `json:"entity,omitempty"` // the given one, or the value of the variable in a derivation
	ID       string `json:"id,omitempty"`
}

// The kinds of nodes.
const (
	answerNode   = "answer"
	variableNode = "variable"
	givenNode    = "given"
)

// PictureEdge is a link, or "=" between two that have to be the same.
type PictureEdge struct {
	From     int    `json:"from"` // nodes, as the relation is stated
	To       int    `json:"to"`
	Relation string `json:"relation"`
	Negated  bool   `json:"negated,omitempty"`  // the question wants it not to be
	Optional bool   `json:"optional,omitempty"` // one of several alternatives
	Nested   bool   `json:"nested,omitempty"`   // the question negates it together with others, or with a variable
	// ClosesCycle marks a link between two nodes that earlier ones connect already.
	ClosesCycle bool `json:"closes_cycle,omitempty"`
	Link        *int `json:"link,omitempty"` // its number among the links of the explanation, where both ends have values

	triple   query.Link
	from, to query.Argument
}

// NewPicture draws a question.
func NewPicture(n *query.Normal, g *kg.Graph) *Picture {
	p := &drafter{picture: &Picture{Edges: []PictureEdge{}}, normal: n, graph: g, given: map[kg.Entity]int{}}
	for v, name := range n.Variables {
		kind := variableNode
		if v < n.Answers {
			kind = answerNode
		}
		p.picture.Nodes = append(p.picture.Nodes, Node{Kind: kind, Variable: name})
	}
	p.condition(n.Body, PictureEdge{})
	p.closeCycles()
	return p.picture
}

// asks tells whether the question has an answer variable.
func (p *Picture) asks() bool { return len(p.Nodes) > 0 && p.Nodes[0].Kind == answerNode }

// drafter collects the edges of a picture.
type drafter struct {
	picture *Picture
	normal  *query.Normal
	graph   *kg.Graph
	given   map[kg.Entity]int
}

// condition draws the links of a condition, of which is known what it is within.
func (p *drafter) condition(c query.Condition, within PictureEdge) {
	switch c := c.(type) {
	case query.Link:
		if c.Relation.IsInverse() {
			c = query.Link{Relation: c.Relation.Inverse(), From: c.To, To: c.From}
		}
		within.Relation, within.triple, within.from, within.to = p.graph.Relation(c.Relation), c, c.From, c.To
		p.edge(within)
	case query.Same:
		within.Relation, within.from, within.to = "=", c.A, c.B
		p.edge(within)
	case query.No:
		within.Negated = !within.Negated
		if _, some := c.Of.(query.Some); some {
			within.Nested = true
		}
	case query.Any:
		within.Optional = within.Optional || len(c.Of) > 1
	}
	for _, part := range query.Parts(c) {
		p.condition(part, within)
	}
}

func (p *drafter) edge(e PictureEdge) {
	e.From, e.To = p.node(e.from), p.node(e.to)
	p.picture.Edges = append(p.picture.Edges, e)
}

func (p *drafter) node(a query.Argument) int {
	if a.IsVariable {
		return a.Variable
	}
	at, known := p.given[a.Entity]
	if !known {
		at = len(p.picture.Nodes)
		p.given[a.Entity] = at
		p.picture.Nodes = append(p.picture.Nodes, Node{Kind: givenNode, Entity: p.graph.Entity(a.Entity), ID: p.graph.Entities.LabelledID(uint32(a.Entity))})
	}
	return at
}

// closeCycles marks the links that connect what is connected.
func (p *drafter) closeCycles() {
	group := make([]int, len(p.picture.Nodes))
	for i := range group {
		group[i] = i
	}
	for i := range p.picture.Edges {
		e := &p.picture.Edges[i]
		from, to := group[e.From], group[e.To]
		e.ClosesCycle = from == to
		for j := range group {
			if group[j] == to {
				group[j] = from
			}
		}
	}
}

// Derived is the best derivation of an answer.
type Derived struct {
	Normal *query.Normal
	Answer answer.Answer
	// Missing is the link without which nothing would be found, where nothing is found with it.
	Missing *query.Link
}

// Derive is the explanation of an answer; its links have no reasons yet.
func (r *Run) Derive(answer Member, d Derived) *Explanation {
	e := &Explanation{Query: r.Query.String(), Answer: answer, Derivation: NewPicture(d.Normal, r.Graph), Links: []Link{}, Others: max(0, d.Answer.Derivations-1)}
	for v := range d.Normal.Variables {
		if value, ok := d.Answer.Value(v); ok {
			e.Derivation.Nodes[v].Entity, e.Derivation.Nodes[v].ID = r.Graph.Entity(value), r.Graph.Entities.LabelledID(uint32(value))
		}
	}
	for i := range e.Derivation.Edges {
		r.deriveLink(e, &e.Derivation.Edges[i], d)
	}
	if d.Missing != nil {
		e.Missing = r.missing(*d.Missing, d)
	}
	return e
}

// deriveLink gives an edge its link, if the derivation has it.
func (r *Run) deriveLink(e *Explanation, edge *PictureEdge, d Derived) {
	if edge.Relation == "=" && edge.triple == (query.Link{}) {
		return
	}
	head, hasHead := valueOf(edge.from, d)
	tail, hasTail := valueOf(edge.to, d)
	if !hasHead || !hasTail {
		return
	}
	fact := kg.Triple{Head: head, Relation: edge.triple.Relation, Tail: tail}
	link := newLink(r.Graph, fact, 0, false)
	for _, l := range d.Answer.Links {
		if l.Fact == fact.Stated() {
			link = newLink(r.Graph, l.Fact, l.Probability, l.Stated)
			link.Implied = l.Implied
		}
	}
	number := len(e.Links)
	for i, other := range e.Links {
		if other.triple.Stated() == fact.Stated() {
			edge.Link = &i
			return
		}
	}
	edge.Link = &number
	e.Links = append(e.Links, link)
}

func valueOf(a query.Argument, d Derived) (kg.Entity, bool) {
	if a.IsVariable {
		return d.Answer.Value(a.Variable)
	}
	return a.Entity, true
}

// missing names the link that lacks, with the values that it would need.
func (r *Run) missing(l query.Link, d Derived) string {
	name := func(a query.Argument) string {
		if value, ok := valueOf(a, d); ok {
			return r.Graph.Entity(value)
		}
		return d.Normal.Variables[a.Variable]
	}
	if l.Relation.IsInverse() {
		l = query.Link{Relation: l.Relation.Inverse(), From: l.To, To: l.From}
	}
	return Fact{Head: name(l.From), Relation: r.Graph.Relation(l.Relation), Tail: name(l.To)}.String()
}

// derivation tells one from the answer down: the values of all variables, below them every link, in the order of the question.
func (e *Explanation) derivation() ChainLine {
	root := ChainLine{Text: strings.Join(e.Derivation.values(), ", "), Probability: e.Answer.Probability, Known: e.Answer.Known, Implied: e.Answer.Implied, Link: -1, Of: e.lines()}
	if !e.Derivation.asks() {
		verdict := map[bool]string{true: "yes", false: "no"}[e.Answers()]
		root.Text = strings.TrimSuffix(verdict+": "+root.Text, ": ")
	}
	return root
}

func (e *Explanation) lines() []ChainLine {
	var lines []ChainLine
	for _, edge := range e.Derivation.Edges {
		from, to := e.Derivation.Nodes[edge.From], e.Derivation.Nodes[edge.To]
		f := Fact{Head: from.label(), Relation: edge.Relation, Tail: to.label()}
		line := ChainLine{Text: f.String(), Negated: edge.Negated, Aside: edge.Optional, Link: -1}
		if edge.Relation == "=" {
			line.Text = from.label() + " = " + to.label()
		}
		f.Relation = ShortRelation(f.Relation)
		line.brief = f.String()
		if edge.Link != nil {
			l := e.Links[*edge.Link]
			line.Probability, line.Known, line.Implied, line.Link = l.Probability, l.Known, l.Implied, *edge.Link
		}
		if edge.ClosesCycle {
			line.Variable = "↺ closes a cycle"
		}
		lines = append(lines, line)
	}
	return lines
}

// label is the value of a node, or else its variable.
func (n Node) label() string {
	if n.Entity != "" {
		return n.Entity
	}
	return n.Variable
}

// values are the variables with their values, "x = Rome", the answers first.
func (p *Picture) values() []string {
	var all []string
	for _, n := range p.Nodes {
		if n.Variable != "" && n.Entity != "" {
			all = append(all, n.Variable+" = "+n.Entity)
		}
	}
	return all
}
