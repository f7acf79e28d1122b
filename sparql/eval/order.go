package eval

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// order is how a pattern is matched where some of its variables are given: variable by variable,
// by all plain steps that lead to it at once; and other steps, which are followed.
type order struct {
	impossible bool // a relation is unknown, and nothing matches
	start      arrival
	levels     []level
}

// level gives a variable its values, or follows a step.
type level struct {
	variable int         // -1 if a step is followed
	lists    []int       // plain steps from what has values to the variable
	domain   []kg.Entity // the fewest nodes at which a plain step that has not begun could begin
	step     int
	arrival
	shown *Plan
}

// arrival is what there is to do when variables have got their values.
type arrival struct {
	fetches    []fetch
	checks     []int // plain steps whose ends both have values now, without having met in a list
	conditions []int
}

// fetch is the list of a plain step, by the end that has a value.
type fetch struct {
	step     int
	from     slot
	relation kg.Relation
}

// planner makes an order: from every place to begin it goes on greedily, always by what leaves the
// fewest rows, and the cheapest way is taken. What it reckons with are the
// counts of the relations, exact lists where a term is known, and samples of what else must hold of
// the nodes at hand: a walk of statistics over a graph of millions would take longer than a query.
type planner struct {
	*pattern
	in    row
	bound map[int]bool
}

// order decides for the variables that a row gives.
func (p *pattern) order(in row) *order {
	if p.impossible() {
		return &order{impossible: true}
	}
	first := p.planner(in)
	way, _ := first.cheapest()
	return first.assemble(way)
}

func (p *pattern) planner(in row) *planner {
	first := &planner{p, in, map[int]bool{}}
	for _, v := range p.vars {
		first.bound[v] = in[v] != unbound
	}
	return first
}

// cheapest is the best way from any place to begin, and how many rows it is expected to give.
func (p *planner) cheapest() (best []move, rows float64) {
	least := math.Inf(1)
	rows = 1
	for _, start := range p.moves() {
		if way, cost, found := p.walk(start); best == nil || cost < least {
			best, least, rows = way, cost, found
		}
	}
	return best, rows
}

// move is a level that could come next.
type move struct {
	variable int // -1 for a step
	step     int
	looked   float64 // nodes looked at for a row
	found    float64 // and how many of them go on
}

// walk goes on from a first move until all is bound.
func (p *planner) walk(start move) (way []move, cost, rows float64) {
	at := &planner{p.pattern, p.in, maps.Clone(p.bound)}
	rows = 1
	for next := start; ; {
		way = append(way, next)
		cost += rows * (next.looked + 1)
		rows *= next.found
		cost += rows
		at.take(next)
		moves := at.rest(way)
		if len(moves) == 0 {
			return way, cost, rows
		}
		next = slices.MinFunc(moves, func(a, b move) int {
			return cmp.Compare(a.found+a.looked/16, b.found+b.looked/16)
		})
	}
}

func (p *planner) take(m move) {
	if m.variable >= 0 {
		p.bound[m.variable] = true
		return
	}
	for _, v := range p.steps[m.step].mentioned() {
		p.bound[v] = true
	}
}

// rest are the moves left: those that are connected with what is bound, or all if none is.
func (p *planner) rest(way []move) []move {
	moves := slices.DeleteFunc(p.moves(), func(m move) bool {
		return m.variable < 0 && slices.ContainsFunc(way, func(done move) bool { return done.variable < 0 && done.step == m.step })
	})
	if connected := slices.DeleteFunc(slices.Clone(moves), func(m move) bool { return !p.connected(m) }); len(connected) > 0 {
		return connected
	}
	return moves
}

func (p *planner) connected(m move) bool {
	if m.variable < 0 {
		s := p.steps[m.step]
		return p.valued(s.subject) || p.valued(s.object) || s.predicate >= 0 && p.bound[s.predicate]
	}
	for _, s := range p.plainSteps(m.variable) {
		if !p.steps[s].loop() && p.valued(p.steps[s].other(m.variable)) {
			return true
		}
	}
	return false
}

func (p *planner) valued(s slot) bool { return s.variable < 0 || p.bound[s.variable] }

// plainSteps are those at a variable.
func (p *planner) plainSteps(v int) (all []int) {
	for i, s := range p.steps {
		if s.plain() && (s.subject.variable == v || s.object.variable == v) {
			all = append(all, i)
		}
	}
	return all
}

// moves are all that could come next.
func (p *planner) moves() (all []move) {
	for _, v := range p.vars {
		if !p.bound[v] && len(p.plainSteps(v)) > 0 {
			all = append(all, p.toVariable(v))
		}
	}
	for i, s := range p.steps {
		if !s.plain() {
			all = append(all, p.alongStep(i))
		}
	}
	return all
}

// assemble makes the levels of a way.
func (p *planner) assemble(way []move) *order {
	o := &order{start: p.departure()}
	rows := 1.0
	for _, m := range way {
		l := level{variable: m.variable, step: m.step}
		if m.variable >= 0 {
			p.meetAt(&l)
		} else {
			p.follow(&l)
		}
		rows *= m.found
		if p.shown != nil {
			l.shown = p.shown.level(p.describe(&l), rows)
		}
		o.levels = append(o.levels, l)
	}
	return o
}

// departure is what there is to do before the first level: constants and given variables have values.
func (p *planner) departure() (a arrival) {
	for i, s := range p.steps {
		if !s.plain() {
			continue
		}
		from, to := p.valued(s.subject), p.valued(s.object)
		switch {
		case from && to:
			a.checks = append(a.checks, i)
		case from:
			a.fetches = append(a.fetches, fetch{i, s.subject, s.forth.relation})
		case to:
			a.fetches = append(a.fetches, fetch{i, s.object, s.back.relation})
		}
	}
	for i := range p.conditions {
		if p.isReady(i) {
			a.conditions = append(a.conditions, i)
		}
	}
	return a
}

// meetAt fills in the level of a variable.
func (p *planner) meetAt(l *level) {
	v := l.variable
	l.domain = p.domain(v)
	for _, s := range p.plainSteps(v) {
		switch step := p.steps[s]; {
		case step.loop():
			l.checks = append(l.checks, s)
		case p.valued(step.other(v)):
			l.lists = append(l.lists, s)
		default:
			l.fetches = append(l.fetches, fetch{s, slot{variable: v}, step.from(v)})
		}
	}
	p.bound[v] = true
	l.conditions = p.ready([]int{v})
}

// follow fills in the level of another step.
func (p *planner) follow(l *level) {
	var new []int
	for _, v := range p.steps[l.step].mentioned() {
		if !p.bound[v] {
			new = append(new, v)
		}
	}
	for _, v := range new {
		p.bound[v] = true
		for _, s := range p.plainSteps(v) {
			step := p.steps[s]
			switch {
			case !step.loop() && !p.valued(step.other(v)):
				l.fetches = append(l.fetches, fetch{s, slot{variable: v}, step.from(v)})
			case !slices.Contains(l.checks, s):
				l.checks = append(l.checks, s)
			}
		}
	}
	// A step between two of them was to be looked up from the first: the check does it.
	l.fetches = slices.DeleteFunc(l.fetches, func(f fetch) bool { return slices.Contains(l.checks, f.step) })
	l.conditions = p.ready(new)
}

// ready are the conditions that can be tested now that some variables have values, and could not before.
func (p *planner) ready(new []int) (all []int) {
	for i, c := range p.conditions {
		here := slices.ContainsFunc(c.vars, func(v int) bool { return slices.Contains(new, v) })
		if here && p.isReady(i) {
			all = append(all, i)
		}
	}
	return all
}

func (p *planner) isReady(condition int) bool {
	return !slices.ContainsFunc(p.conditions[condition].vars, func(v int) bool { return !p.bound[v] })
}

// domain is the shortest list of nodes at which a step of a variable may begin.
func (p *planner) domain(v int) (shortest []kg.Entity) {
	for i, s := range p.plainSteps(v) {
		if heads := p.graph.heads(p.steps[s].from(v)); i == 0 || len(heads) < len(shortest) {
			shortest = heads
		}
	}
	return shortest
}
