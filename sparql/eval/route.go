package eval

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// route is a property path with its inverses carried to the single steps.
type route struct {
	kind     routeKind
	relation kg.Relation // of a leaf, if known
	known    bool
	of       []*route // one of a repetition
	mark     string   // of a repetition
	excluded map[kg.Relation]bool
	forwards bool // of a negated set: it goes along facts, and
	backward bool // against them
}

type routeKind uint8

const (
	leaf routeKind = iota
	sequence
	alternative
	repetition
	negatedSet
)

// route makes a route of a path, or of its inverse: ^(a/b) is ^b/^a, ^(a|b) is ^a|^b, ^(a*) is (^a)*.
func (e *evaluator) route(path syntax.Path, inverse bool) *route {
	switch path := path.(type) {
	case syntax.Step:
		return e.leaf(path, inverse)
	case syntax.Inverse:
		return e.route(path.Of, !inverse)
	case syntax.Alternative:
		return &route{kind: alternative, of: e.routes(path.Of, inverse)}
	case syntax.Repeated:
		return &route{kind: repetition, mark: path.Mark, of: []*route{e.route(path.Of, inverse)}}
	case syntax.Negated:
		return e.negated(path, inverse)
	}
	of := e.routes(path.(syntax.Sequence).Of, inverse)
	if inverse {
		slices.Reverse(of)
	}
	return &route{kind: sequence, of: of}
}

func (e *evaluator) routes(paths []syntax.Path, inverse bool) []*route {
	of := make([]*route, len(paths))
	for i, path := range paths {
		of[i] = e.route(path, inverse)
	}
	return of
}

func (e *evaluator) leaf(s syntax.Step, inverse bool) *route {
	base, known := e.graph.relation(s.Term)
	return &route{kind: leaf, relation: directed(base, inverse), known: known}
}

func directed(base uint32, inverse bool) kg.Relation {
	if inverse {
		return kg.Forward(base).Inverse()
	}
	return kg.Forward(base)
}

// negated goes the way of a fact if some of what is excluded does, or nothing is excluded.
func (e *evaluator) negated(n syntax.Negated, inverse bool) *route {
	r := &route{kind: negatedSet, excluded: map[kg.Relation]bool{}}
	for _, s := range n.Of {
		against := s.Inverse != inverse
		r.forwards = r.forwards || !against
		r.backward = r.backward || against
		if base, known := e.graph.relation(s.Step.Term); known {
			r.excluded[directed(base, against)] = true
		}
	}
	if len(n.Of) == 0 {
		r.forwards, r.backward = !inverse, inverse
	}
	return r
}

// possible is false where a route needs a relation that the graph lacks.
func (r *route) possible() bool {
	switch r.kind {
	case leaf:
		return r.known
	case sequence:
		return !slices.ContainsFunc(r.of, func(part *route) bool { return !part.possible() })
	case repetition:
		return r.mark != "+" || r.of[0].possible()
	case negatedSet:
		return true
	}
	return slices.ContainsFunc(r.of, (*route).possible)
}

// manyWays are more than anybody waits for.
const manyWays = 1 << 31

// stays is in how many ways a route leads from a term to itself without a step, which holds
// also for terms that the graph lacks.
func (r *route) stays() int {
	switch r.kind {
	case sequence:
		product := 1
		for _, part := range r.of {
			product = min(product*part.stays(), manyWays)
		}
		return product
	case alternative:
		sum := 0
		for _, part := range r.of {
			sum = min(sum+part.stays(), manyWays)
		}
		return sum
	case repetition:
		if r.mark != "+" {
			return 1
		}
		return min(1, r.of[0].stays())
	}
	return 0
}

// fanOut estimates how many edges a route has from an entity: exactly for its first step, by a guess for more.
func (m *matcher) fanOut(r *route, from kg.Entity) int {
	const guess = 4
	switch r.kind {
	case leaf:
		return len(m.graph.Tails(from, r.relation))
	case sequence:
		return m.fanOut(r.of[0], from) * guess
	case repetition:
		return 1 + guess*guess*m.fanOut(r.of[0], from)
	case negatedSet:
		return m.graph.degree(from)
	}
	sum := 0
	for _, part := range r.of {
		if part.possible() {
			sum += m.fanOut(part, from)
		}
	}
	return sum
}

// follow calls each for the end of every way along a route: as often as there are
// ways, since a sequence is a join and an alternative a union of bags (section 18.4); but
// where a part repeats, once for every end.
func (m *matcher) follow(r *route, from kg.Entity, each func(kg.Entity) bool) bool {
	switch r.kind {
	case leaf:
		if !r.known {
			return true
		}
		for _, to := range m.graph.Tails(from, r.relation) {
			if !m.Spend(1) || !each(to) {
				return false
			}
		}
		return true
	case alternative:
		for _, part := range r.of {
			if !m.follow(part, from, each) {
				return false
			}
		}
		return true
	case repetition:
		return m.repeat(r, from, each)
	case negatedSet:
		return m.followOthers(r, from, each)
	}
	return m.followAll(r.of, from, each)
}

func (m *matcher) followAll(of []*route, from kg.Entity, each func(kg.Entity) bool) bool {
	if len(of) == 1 {
		return m.follow(of[0], from, each)
	}
	return m.follow(of[0], from, func(to kg.Entity) bool { return m.followAll(of[1:], to, each) })
}

// repeat visits every end once, nearest first.
func (m *matcher) repeat(r *route, from kg.Entity, each func(kg.Entity) bool) bool {
	held := m.Hold()
	defer held.Release()
	seen := map[kg.Entity]bool{}
	var queue []kg.Entity
	visit := func(to kg.Entity) bool {
		if seen[to] {
			return true
		}
		seen[to] = true
		if r.mark != "?" {
			queue = append(queue, to)
		}
		return held.Keep(bytesOfVisit) && m.Spend(1) && each(to)
	}
	if r.mark != "+" && !visit(from) {
		return false
	}
	if r.mark != "*" && !m.follow(r.of[0], from, visit) {
		return false
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if !m.follow(r.of[0], at, visit) {
			return false
		}
	}
	return true
}

// reaches tells whether a route that repeats leads from one node to another, from the end that has fewer
// edges: each end comes once, so that the first time is enough.
func (m *matcher) reaches(forth, back *route, from, to kg.Entity) bool {
	if m.fanOut(back, to) < m.fanOut(forth, from) {
		forth, from, to = back, to, from
	}
	found := false
	m.repeat(forth, from, func(at kg.Entity) bool {
		found = at == to
		return !found
	})
	return found
}

// followOthers takes every step that a negated set does not exclude.
func (m *matcher) followOthers(r *route, from kg.Entity, each func(kg.Entity) bool) bool {
	for relation, to := range m.graph.edges(from) {
		if !m.Spend(1) {
			return false
		}
		if r.excluded[relation] || relation.IsInverse() && !r.backward || !relation.IsInverse() && !r.forwards {
			continue
		}
		if !each(to) {
			return false
		}
	}
	return true
}
