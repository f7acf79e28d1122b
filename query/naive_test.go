package query

import (
	"math/rand/v2"

	"github.com/lacuna-kg/lacuna/kg"
)

// model is a tiny graph to evaluate formulas and expressions on by definition.
type model struct {
	size  int
	facts map[kg.Triple]bool // by forward relation
}

func randomModel(rng *rand.Rand, size, relations int) model {
	m := model{size, map[kg.Triple]bool{}}
	for h := range size {
		for t := range size {
			for r := range relations {
				if rng.IntN(3) == 0 {
					m.facts[kg.Triple{Head: kg.Entity(h), Relation: kg.Forward(uint32(r)), Tail: kg.Entity(t)}] = true
				}
			}
		}
	}
	return m
}

func (m model) holds(h kg.Entity, r kg.Relation, t kg.Entity) bool {
	return m.facts[kg.Triple{Head: h, Relation: r, Tail: t}.Stated()]
}

// truth is Tarski's definition: all assignments are tried.
func (m model) truth(f Formula, values map[string]kg.Entity) bool {
	value := func(t Term) kg.Entity {
		if v, ok := t.(Variable); ok {
			return values[v.Name]
		}
		return kg.Entity(t.(Constant).ID)
	}
	switch f := f.(type) {
	case Atom:
		return m.holds(value(f.From), f.Relation.directed(), value(f.To))
	case Equals:
		return value(f.Left) == value(f.Right)
	case And:
		for _, g := range f.Of {
			if !m.truth(g, values) {
				return false
			}
		}
		return true
	case Or:
		for _, g := range f.Of {
			if m.truth(g, values) {
				return true
			}
		}
		return false
	case Not:
		return !m.truth(f.Of, values)
	}
	return m.exists(f.(Exists), values)
}

func (m model) exists(f Exists, values map[string]kg.Entity) bool {
	if len(f.Vars) == 0 {
		return m.truth(f.Body, values)
	}
	name := f.Vars[0].Name
	outer, shadows := values[name]
	defer func() {
		if shadows {
			values[name] = outer
		} else {
			delete(values, name)
		}
	}()
	for e := range m.size {
		values[name] = kg.Entity(e)
		if m.exists(Exists{f.Vars[1:], f.Body}, values) {
			return true
		}
	}
	return false
}

func (m model) answers(q *Query) []bool {
	set := make([]bool, m.size)
	for e := range set {
		set[e] = m.truth(q.Body, map[string]kg.Entity{q.Answers[0].Name: kg.Entity(e)})
	}
	return set
}

// logic is a fuzzy logic with 1-x for negation; crisp is one on {0, 1}.
type logic struct {
	name    string
	and, or func(x, y float64) float64
}

var logics = []logic{
	{"product", func(x, y float64) float64 { return x * y }, func(x, y float64) float64 { return x + y - x*y }},
	{"Gödel", func(x, y float64) float64 { return min(x, y) }, func(x, y float64) float64 { return max(x, y) }},
	{"Łukasiewicz", func(x, y float64) float64 { return max(x+y-1, 0) }, func(x, y float64) float64 { return min(x+y, 1) }},
}

var crisp = logics[1]

// set evaluates e; weight is the truth of (h, r, t), and a projection takes the best head.
func (l logic) set(e Expr, size int, weight func(h kg.Entity, r kg.Relation, t kg.Entity) float64) []float64 {
	set := make([]float64, size)
	switch e := e.(type) {
	case Anchor:
		set[e.Entity] = 1
	case Universe:
		for i := range set {
			set[i] = 1
		}
	case Projection:
		of := l.set(e.Of, size, weight)
		for t := range set {
			for h := range of {
				set[t] = max(set[t], of[h]*weight(kg.Entity(h), e.Relation, kg.Entity(t)))
			}
		}
	case Complement:
		for i, x := range l.set(e.Of, size, weight) {
			set[i] = 1 - x
		}
	case Intersection:
		l.fold(set, 1, e.Of, l.and, weight)
	case Union:
		l.fold(set, 0, e.Of, l.or, weight)
	}
	return set
}

func (l logic) fold(set []float64, start float64, of []Expr, op func(x, y float64) float64, weight func(kg.Entity, kg.Relation, kg.Entity) float64) {
	for i := range set {
		set[i] = start
	}
	for _, operand := range of {
		for i, x := range l.set(operand, len(set), weight) {
			set[i] = op(set[i], x)
		}
	}
}

// crispSet evaluates e on the model.
func (m model) crispSet(e Expr) []bool {
	set := make([]bool, m.size)
	for i, x := range crisp.set(e, m.size, func(h kg.Entity, r kg.Relation, t kg.Entity) float64 {
		if m.holds(h, r, t) {
			return 1
		}
		return 0
	}) {
		set[i] = x > 0.5
	}
	return set
}
