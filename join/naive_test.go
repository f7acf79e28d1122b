package join

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/lacuna-kg/lacuna/internal/synth"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/query"
)

const entities, relations = 5, 2

func randomGraph(rng *rand.Rand) *kg.Graph { return synth.Random(rng, entities, relations, 8) }

// model is a model of random numbers, some of them 0, 1 and ties.
type model map[links.Pair][]float32

func randomModel(rng *rand.Rand) model {
	m := model{}
	for h := range kg.Entity(entities) {
		for q := range kg.Relation(2 * relations) {
			row := make([]float32, entities)
			for i := range row {
				row[i] = rng.Float32()
				if rng.IntN(3) == 0 {
					row[i] = float32(rng.IntN(3)) / 2
				}
			}
			m[links.Pair{Head: h, Relation: q}] = row
		}
	}
	return m
}

// Tails implements links.Source.
func (m model) Tails(_ context.Context, heads []kg.Entity, relations []kg.Relation, part func(int, kernel.Device, kernel.Buffer, []kg.Entity) error) error {
	device := plain.New()
	for i, h := range heads {
		buffer := device.NewBuffer(entities)
		device.Upload(buffer, m[links.Pair{Head: h, Relation: relations[i]}])
		if err := part(i, device, buffer, nil); err != nil {
			return err
		}
	}
	return nil
}

// naive evaluates conditions by their definition, over all assignments.
type naive struct {
	rows  map[links.Pair]links.Row
	ranks []int
	logic kernel.Logic
}

func newNaive(t *testing.T, rows *links.Rows, q *query.Normal, logic kernel.Logic) naive {
	n := naive{map[links.Pair]links.Row{}, ranksOf(q), logic}
	for h := range kg.Entity(entities) {
		for r := range kg.Relation(2 * relations) {
			p := links.Pair{Head: h, Relation: r}
			got, err := rows.Get(t.Context(), []links.Pair{p})
			if err != nil {
				t.Fatal(err)
			}
			n.rows[p] = got[0]
		}
	}
	return n
}

// link is the probability of a link, read from the end that comes first.
func (n naive) link(c query.Link, values []kg.Entity) float64 {
	rank := func(a query.Argument) int {
		if a.IsVariable {
			return n.ranks[a.Variable]
		}
		return -1
	}
	from, relation, to := c.From, c.Relation, c.To
	if rank(to) < rank(from) {
		from, relation, to = to, relation.Inverse(), from
	}
	row, tail := n.rows[links.Pair{Head: value(from, values), Relation: relation}], value(to, values)
	for _, e := range row.Stated {
		if e == tail {
			return 1
		}
	}
	for i, e := range row.Tails {
		if e == tail {
			return float64(row.Probabilities[i])
		}
	}
	return 0
}

func value(a query.Argument, values []kg.Entity) kg.Entity {
	if a.IsVariable {
		return values[a.Variable]
	}
	return a.Entity
}

func (n naive) truth(c query.Condition, values []kg.Entity) float64 {
	switch c := c.(type) {
	case query.Link:
		return n.link(c, values)
	case query.Same:
		return map[bool]float64{true: 1}[value(c.A, values) == value(c.B, values)]
	case query.All:
		x := 1.0
		for _, part := range c.Of {
			x = plain.Apply(n.logic, kernel.And, x, n.truth(part, values))
		}
		return x
	case query.Any:
		x := 0.0
		for _, part := range c.Of {
			x = plain.Apply(n.logic, kernel.Or, x, n.truth(part, values))
		}
		return x
	case query.No:
		return 1 - n.truth(c.Of, values)
	}
	some := c.(query.Some)
	if len(some.Vars) == 0 {
		return n.truth(some.Of, values)
	}
	best := 0.0
	for e := range kg.Entity(entities) {
		values[some.Vars[0]] = e
		best = max(best, n.truth(query.Some{Vars: some.Vars[1:], Of: some.Of}, values))
	}
	return best
}

// answers are the degrees of all tuples for the answer variables.
func (n naive) answers(q *query.Normal) map[[3]kg.Entity]float64 {
	all := map[[3]kg.Entity]float64{}
	values := make([]kg.Entity, len(q.Variables))
	var assign func(v int)
	assign = func(v int) {
		if v == q.Answers {
			if x := n.truth(q.Body, values); x > 0 {
				all[tuple(values[:q.Answers])] = x
			}
			return
		}
		for e := range kg.Entity(entities) {
			values[v] = e
			assign(v + 1)
		}
	}
	assign(0)
	return all
}

func tuple(of []kg.Entity) (t [3]kg.Entity) {
	copy(t[:], of)
	return t
}

// drawer draws formulas of all kinds.
type drawer struct{ *rand.Rand }

func (d drawer) query() *query.Query {
	names := []string{"x", "y", "z"}[:d.IntN(4)]
	q := &query.Query{}
	for _, name := range names {
		q.Answers = append(q.Answers, query.Variable{Name: name})
	}
	q.Body = d.formula(1+d.IntN(4), names)
	return q
}

func (d drawer) formula(depth int, scope []string) query.Formula {
	if depth <= 1 {
		return d.leaf(scope)
	}
	inner := func() query.Formula { return d.formula(depth-1-d.IntN(2), scope) }
	switch d.IntN(14) {
	case 0:
		return query.Not{Of: inner()}
	case 1, 2:
		return query.Or{Of: []query.Formula{inner(), inner()}}
	case 3, 4, 5:
		if len(scope) > 4 {
			return d.leaf(scope)
		}
		name := string(rune('a' + d.IntN(3)))
		return query.Exists{Vars: []query.Variable{{Name: name}}, Body: d.formula(depth-1, append(scope[:len(scope):len(scope)], name))}
	}
	return query.And{Of: []query.Formula{inner(), inner(), inner()}[:2+d.IntN(2)]}
}

func (d drawer) leaf(scope []string) query.Formula {
	if d.IntN(10) == 0 {
		return query.Equals{Left: d.term(scope), Right: d.term(scope)}
	}
	relation := query.RelationName{Name: query.Name{ID: uint32(d.IntN(2 * relations)), ByID: true}}
	return query.Atom{Relation: relation, From: d.term(scope), To: d.term(scope)}
}

func (d drawer) term(scope []string) query.Term {
	if len(scope) > 0 && d.IntN(3) > 0 {
		return query.Variable{Name: scope[d.IntN(len(scope))]}
	}
	return query.Constant{Name: query.Name{ID: uint32(d.IntN(entities)), ByID: true}}
}
