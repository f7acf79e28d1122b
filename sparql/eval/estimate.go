package eval

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// What an estimate takes for granted where nothing is known.
const (
	samples      = 48  // nodes that are looked at
	fewest       = .01 // share of them that is assumed to pass where none did
	passing      = .3  // share of rows that meets a condition on several variables
	repeatedFold = 16  // ends of a repeated path, by those of one step
	checked      = .5  // share of rows for which a step between two known ends holds
	indexed      = 20  // what it takes to find a node by its value, by what it takes to look at one
)

// toVariable reckons with the shortest list that leads to a variable, and asks a sample of it
// whether the other steps and conditions hold.
func (p *planner) toVariable(v int) move {
	m := move{variable: v}
	list, exact, length := p.domain(v), false, 0.0
	length = float64(len(list))
	driver := -1
	steps := p.plainAt[v]
	for _, s := range steps {
		step := p.steps[s]
		if step.loop() || !p.valued(step.other(v)) {
			continue
		}
		known, expected, isExact := p.expected(step, v)
		if expected < length || driver < 0 && expected <= length {
			length, driver, exact = expected, s, isExact
			if list = p.graph.heads(step.from(v)); isExact {
				list = known
			}
		}
	}
	if _, isEqual := p.equated(v); isEqual && driver < 0 {
		m.once = indexed * length
		length = min(length, 1) // of different nodes hardly any have one value
	}
	m.looked, m.found = length, length
	sample := sampleOf(list)
	for _, s := range steps {
		if s != driver {
			m.found *= p.share(sample, p.steps[s], v)
		}
	}
	if driver >= 0 && !exact && len(list) == 0 {
		m.found = 0
	}
	m.found *= p.meeting(sample, v)
	return m
}

// expected is how many nodes a step leads to from its other end, with the list itself where that is known.
func (p *planner) expected(s step, v int) (list []kg.Entity, length float64, exact bool) {
	relation := s.from(v).Inverse()
	if at, known := p.constant(s.other(v)); known {
		entity, ok := at.entity()
		if !ok {
			return nil, 0, true
		}
		list := p.graph.Tails(entity, relation)
		return list, float64(len(list)), true
	}
	return nil, p.mean(relation), false
}

// constant is a value that is the same in every run.
func (p *planner) constant(s slot) (node, bool) {
	if s.variable < 0 {
		return s.value, true
	}
	at, known := p.known[s.variable]
	return at, known
}

// mean is how many edges of a relation a node has that has some.
func (p *planner) mean(r kg.Relation) float64 {
	return float64(p.graph.count(r)) / float64(max(1, len(p.graph.heads(r))))
}

// share is how many of a sample pass a step that is not the one they came by.
func (p *planner) share(sample []kg.Entity, s step, v int) float64 {
	relation := s.from(v)
	target, exact := p.constant(s.other(v))
	passed := 0.0
	for _, at := range sample {
		tails := p.graph.Tails(at, relation)
		switch entity, _ := target.entity(); {
		case len(tails) == 0:
		case s.loop():
			passed += one(contains(tails, at))
		case exact:
			passed += one(contains(tails, entity))
		case p.valued(s.other(v)): // one of as many as the relation leads to
			passed += min(1, float64(len(tails))/float64(max(1, len(p.graph.heads(relation.Inverse())))))
		default:
			passed++
		}
	}
	return portion(passed, len(sample))
}

func contains(list []kg.Entity, e kg.Entity) bool {
	_, found := slices.BinarySearch(list, e)
	return found
}

func one(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

func portion(passed float64, of int) float64 {
	if of == 0 {
		return 1
	}
	return max(passed, fewest) / float64(of)
}

// meeting is the share of a sample that meets the conditions which a variable completes.
func (p *planner) meeting(sample []kg.Entity, v int) float64 {
	share := 1.0
	for _, c := range p.conditions {
		if !slices.Contains(c.vars, v) || slices.ContainsFunc(c.vars, func(w int) bool { return w != v && !p.bound[w] }) {
			continue
		}
		if len(c.vars) > 1 || !c.alone {
			share *= passing
			continue
		}
		passed := 0.0
		r := slices.Clone(p.in)
		for _, at := range sample {
			r[v] = entityNode(at)
			passed += one(c.holds(r) == yes)
		}
		share *= portion(passed, len(sample))
	}
	return share
}

// sampleOf are some of a list, at even distances.
func sampleOf(list []kg.Entity) []kg.Entity {
	if len(list) <= samples {
		return list
	}
	some := make([]kg.Entity, samples)
	for i := range some {
		some[i] = list[i*len(list)/samples]
	}
	return some
}

// alongStep reckons with what a path or a variable predicate leads to.
func (p *planner) alongStep(i int) move {
	s := p.steps[i]
	m := move{variable: -1, step: i}
	from, to := p.valued(s.subject), p.valued(s.object)
	fanOut, all := p.ends(s, false), float64(p.graph.numNodes())
	if to && !from {
		fanOut = p.ends(s, true)
	}
	m.looked, m.found = fanOut, fanOut
	switch {
	case from && to:
		m.found = checked
	case !from && !to:
		m.looked, m.found = fanOut*all, fanOut*all
		if s.predicate >= 0 && p.bound[s.predicate] {
			m.looked, m.found = all, all
		}
	}
	return m
}

// ends is how many nodes a step leads to from one.
func (p *planner) ends(s step, back bool) float64 {
	switch {
	case s.forth == nil && p.bound[s.predicate]:
		return repeatedFold
	case s.forth == nil:
		return float64(p.graph.numEdges()) / float64(max(1, p.graph.numNodes()))
	case back:
		return p.routeEnds(s.back)
	}
	return p.routeEnds(s.forth)
}

func (p *planner) routeEnds(r *route) float64 {
	all := float64(p.graph.numNodes())
	switch r.kind {
	case leaf:
		if !r.known {
			return 0
		}
		return p.mean(r.relation)
	case sequence:
		product := 1.0
		for _, part := range r.of {
			product *= p.routeEnds(part)
		}
		return min(product, all)
	case alternative:
		sum := 0.0
		for _, part := range r.of {
			sum += p.routeEnds(part)
		}
		return min(sum, all)
	case repetition:
		if r.mark == "?" {
			return 1 + p.routeEnds(r.of[0])
		}
		return min(1+repeatedFold*p.routeEnds(r.of[0]), all)
	}
	return float64(p.graph.numEdges()) / max(1, all)
}
