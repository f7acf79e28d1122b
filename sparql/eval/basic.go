package eval

import (
	"iter"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/algebra"
)

// pattern is a basic graph pattern made ready, with the conditions of the filter around it, which
// are tested as soon as their variables have values.
type pattern struct {
	*evaluator
	steps      []step
	vars       []int         // of the steps, in order
	plainAt    map[int][]int // by variable: the plain steps at it
	beside     map[int][]int // by variable: the places of moves that its value matters to
	conditions []condition
	known      map[int]node // variables that a filter pins
	orders     map[string]*order
	idle       []*matcher // their memory serves the next run
	shown      *Plan      // nil unless somebody wants to see the plan
	texts      []string   // of the steps, for who does
}

// condition is one of a filter.
type condition struct {
	vars  []int // those of the pattern that it mentions
	alone bool  // it mentions no other ones
	equal bool  // it is ?x = ?y
	holds test
}

// step is a triple pattern whose predicate is a route or a variable.
type step struct {
	subject, object slot
	forth, back     *route // nil if it is not that
	stayWays        int    // see route.stays
	predicate       int    // the variable, -1 otherwise
}

// plain tells that a step is one relation: it leads from a node to a sorted list.
func (s step) plain() bool { return s.forth != nil && s.forth.kind == leaf }

// other is the end of a step that is not the given variable; a loop has none.
func (s step) other(variable int) slot {
	if s.subject.variable == variable {
		return s.object
	}
	return s.subject
}

// from is the relation by which a step leads on from one of its ends.
func (s step) from(variable int) kg.Relation {
	if s.subject.variable == variable {
		return s.forth.relation
	}
	return s.back.relation
}

func (s step) loop() bool { return s.subject.variable >= 0 && s.subject.variable == s.object.variable }

// mentioned are the variables of a step.
func (s step) mentioned() []int {
	var vars []int
	for _, v := range []int{s.subject.variable, s.predicate, s.object.variable} {
		if v >= 0 && !slices.Contains(vars, v) {
			vars = append(vars, v)
		}
	}
	return vars
}

func (e *evaluator) step(t algebra.Triple) step {
	s := step{subject: e.slot(t.Subject), object: e.slot(t.Object), predicate: t.Predicate}
	if t.Predicate < 0 {
		s.forth, s.back = e.route(t.Path, false), e.route(t.Path, true)
		s.stayWays = s.forth.stays()
	}
	return s
}

// basic matches a basic graph pattern whose solutions meet some conditions.
func (e *evaluator) basic(b algebra.Basic, conditions []algebra.Expr, pins []slot) operator {
	p := e.pattern(b, conditions, pins)
	return func(in row) iter.Seq[row] {
		return func(yield func(row) bool) { p.run(in, yield) }
	}
}

func (e *evaluator) pattern(b algebra.Basic, conditions []algebra.Expr, pins []slot) *pattern {
	p := &pattern{evaluator: e, known: map[int]node{}, orders: map[string]*order{}, shown: e.shown}
	for _, t := range b.Triples {
		p.steps = append(p.steps, e.step(t))
	}
	p.vars = b.Possible.Members()
	for _, c := range conditions {
		p.conditions = append(p.conditions, p.condition(c))
	}
	p.connect()
	for _, pin := range pins {
		p.known[pin.variable] = pin.value
	}
	if e.shown != nil {
		for _, t := range b.Triples {
			p.texts = append(p.texts, e.query.TripleText(t))
		}
	}
	return p
}

// connect lists what lies at a variable and beside it.
func (p *pattern) connect() {
	p.plainAt, p.beside = map[int][]int{}, map[int][]int{}
	for i, s := range p.steps {
		vars := s.mentioned()
		for _, v := range vars {
			if s.plain() {
				p.plainAt[v] = append(p.plainAt[v], i)
			} else {
				p.beside[v] = append(p.beside[v], -1-i)
			}
			p.neighbours(v, vars)
		}
	}
	const few = 8 // one that mentions many says little of each
	for _, c := range p.conditions {
		for _, v := range c.vars {
			if len(c.vars) <= few {
				p.neighbours(v, c.vars)
			}
		}
	}
}

func (p *pattern) neighbours(v int, vars []int) {
	for _, w := range vars {
		if w != v {
			p.beside[v] = append(p.beside[v], w)
		}
	}
}

// impossible tells that a relation is unknown, so that nothing matches.
func (p *pattern) impossible() bool {
	return slices.ContainsFunc(p.steps, func(s step) bool { return s.forth != nil && !s.forth.possible() && !s.mayStay() })
}

func (p *pattern) condition(of algebra.Expr) condition {
	c := condition{holds: p.test(of), alone: true}
	_, _, c.equal = algebra.Equation(of)
	for _, v := range algebra.VariablesOf([]algebra.Expr{of}).Members() {
		if slices.Contains(p.vars, v) {
			c.vars = append(c.vars, v)
		} else {
			c.alone = false
		}
	}
	return c
}

// run matches under a row. Which variables are given decides the order, which is made once for each choice.
func (p *pattern) run(in row, yield func(row) bool) {
	given := make([]byte, len(p.vars))
	for i, v := range p.vars {
		if in[v] != unbound {
			given[i] = 1
		}
	}
	o := p.orders[string(given)]
	if o == nil {
		o = p.order(in)
		p.orders[string(given)] = o
	}
	if o.impossible || !p.Spend(1) {
		return
	}
	m := p.matcher(len(in))
	copy(m.r, in)
	m.order, m.yield = o, yield
	if m.arrive(&o.start) {
		m.level(0)
	}
	p.idle = append(p.idle, m)
}

func (p *pattern) matcher(width int) *matcher {
	if last := len(p.idle) - 1; last >= 0 {
		m := p.idle[last]
		p.idle = p.idle[:last]
		return m
	}
	return &matcher{pattern: p, r: make(row, width), lists: make([][]kg.Entity, len(p.steps))}
}
