package eval

import (
	"cmp"
	"maps"
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
	twins    *twins      // nil unless those of the domain are wanted that equal another variable
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

// planner makes an order: from some places to begin it goes on greedily, always by what leaves the
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

// cheapest is the best way from any place to begin, and what is expected of it. Of
// many places the likeliest are tried, and of a very large pattern one.
func (p *planner) cheapest() (best []move, expected reckoning) {
	const few, large = 6, 40
	open := p.moves()
	starts := slices.SortedFunc(maps.Values(open), func(m, n move) int { return m.compare(n, 1) })
	starts = starts[:min(len(starts), few)]
	if len(open) > large {
		starts = starts[:1]
	}
	expected.rows = 1
	for _, start := range starts {
		if way, cost, found := p.walk(start, maps.Clone(open)); best == nil || cost < expected.cost {
			best, expected = way, reckoning{cost, found}
		}
	}
	return best, expected
}

// move is a level that could come next.
type move struct {
	variable int // -1 for a step
	step     int
	looked   float64 // nodes looked at for a row
	found    float64 // and how many of them go on
	once     float64 // looked at beforehand, for all rows together
}

// place tells moves apart.
func (m move) place() int {
	if m.variable >= 0 {
		return m.variable
	}
	return -1 - m.step
}

// compare puts first what leaves the fewest of some rows; looking is cheaper than keeping.
func (m move) compare(n move, rows float64) int {
	weight := func(m move) float64 { return m.found + (m.looked+m.once/max(rows, 1))/16 }
	return cmp.Or(cmp.Compare(weight(m), weight(n)), cmp.Compare(m.place(), n.place()))
}

// walk goes on from a first move until none is open, and reckons what that costs.
func (p *planner) walk(start move, open map[int]move) (way []move, cost, rows float64) {
	at := &planner{p.pattern, p.in, maps.Clone(p.bound)}
	reached := map[int]bool{} // places that are connected with what is bound
	for place, m := range open {
		reached[place] = at.connected(m)
	}
	maps.DeleteFunc(reached, func(_ int, is bool) bool { return !is })
	rows = 1
	for next := start; ; {
		way = append(way, next)
		cost += rows*(next.looked+1) + next.once
		rows *= next.found
		cost += rows
		at.take(next, open, reached)
		if len(open) == 0 {
			return way, cost, rows
		}
		if p.ctx.Err() != nil { // of a large pattern: half of an order is none
			p.Err = kg.Stopped(p.ctx)
			return way, cost, rows
		}
		next = nearest(open, reached, rows)
	}
}

// nearest is the best of the moves that are connected, or of all where none is.
func nearest(open map[int]move, reached map[int]bool, rows float64) (best move) {
	found := false
	consider := func(m move) {
		if !found || m.compare(best, rows) < 0 {
			best, found = m, true
		}
	}
	for place := range reached {
		consider(open[place])
	}
	if !found {
		for _, m := range open {
			consider(m)
		}
	}
	return best
}

// take makes a move: its variables are bound, and what lies beside them is reckoned anew.
func (p *planner) take(m move, open map[int]move, reached map[int]bool) {
	bound := []int{m.variable}
	if m.variable < 0 {
		bound = p.steps[m.step].mentioned()
	}
	close := func(place int) {
		delete(open, place)
		delete(reached, place)
	}
	close(m.place())
	for _, v := range bound {
		p.bound[v] = true
		close(v)
	}
	for _, v := range bound {
		for _, place := range p.beside[v] {
			if _, is := open[place]; is {
				open[place] = p.move(place)
				if p.connected(open[place]) { // and not by a condition only
					reached[place] = true
				}
			}
		}
	}
}

func (p *planner) connected(m move) bool {
	if m.variable < 0 {
		s := p.steps[m.step]
		return p.valued(s.subject) || p.valued(s.object) || s.predicate >= 0 && p.bound[s.predicate]
	}
	for _, s := range p.plainAt[m.variable] {
		if !p.steps[s].loop() && p.valued(p.steps[s].other(m.variable)) {
			return true
		}
	}
	return false
}

func (p *planner) valued(s slot) bool { return s.variable < 0 || p.bound[s.variable] }

// moves are all that could come first, by their places.
func (p *planner) moves() map[int]move {
	all := map[int]move{}
	for _, v := range p.vars {
		if !p.bound[v] && len(p.plainAt[v]) > 0 {
			all[v] = p.move(v)
		}
	}
	for i, s := range p.steps {
		if !s.plain() {
			all[-1-i] = p.move(-1 - i)
		}
	}
	return all
}

func (p *planner) move(place int) move {
	if place >= 0 {
		return p.toVariable(place)
	}
	return p.alongStep(-1 - place)
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
	for _, s := range p.plainAt[v] {
		switch step := p.steps[s]; {
		case step.loop():
			l.checks = append(l.checks, s)
		case p.valued(step.other(v)):
			l.lists = append(l.lists, s)
		default:
			l.fetches = append(l.fetches, fetch{s, slot{variable: v}, step.from(v)})
		}
	}
	if other, ok := p.equated(v); ok && len(l.lists) == 0 {
		l.twins = &twins{of: other}
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
		for _, s := range p.plainAt[v] {
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
	for i, s := range p.plainAt[v] {
		if heads := p.graph.heads(p.steps[s].from(v)); i == 0 || len(heads) < len(shortest) {
			shortest = heads
		}
	}
	return shortest
}
