package join

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
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
	return giveRows(heads, relations, part, func(h kg.Entity, r kg.Relation) []float32 { return m[links.Pair{Head: h, Relation: r}] })
}

// giveRows gives the rows of pairs as a links.Source does, one at a time.
func giveRows(heads []kg.Entity, relations []kg.Relation, part func(int, kernel.Device, kernel.Buffer, []kg.Entity) error, rowOf func(kg.Entity, kg.Relation) []float32) error {
	device := plain.New()
	for i, h := range heads {
		row := rowOf(h, relations[i])
		buffer := device.NewBuffer(len(row))
		device.Upload(buffer, row)
		if err := part(i, device, buffer, nil); err != nil {
			return err
		}
	}
	return nil
}

// naive evaluates formulas by their definition, over all assignments. Of the package it takes the ranks of the variables only, by which links
// are read from one end or the other.
type naive struct {
	rows  map[links.Pair]links.Row
	ranks map[string]int // by the names that numbered gives
	logic kernel.Logic
}

func newNaive(t *testing.T, rows *links.Rows, q *query.Normal, logic kernel.Logic) naive {
	n := naive{map[links.Pair]links.Row{}, map[string]int{}, logic}
	for v, rank := range ranksOf(q) {
		n.ranks[numberedName(v)] = rank
	}
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

// numberer gives every variable of a formula a name of its own, in the order in which they are bound.
type numberer struct {
	scope map[string]string
	next  int
}

func numberedName(v int) string { return fmt.Sprintf("v%d", v) }

// numbered is a query whose variables have names of their own, those of its normal form by number.
func numbered(q *query.Query) *query.Query {
	n := &numberer{map[string]string{}, 0}
	named := &query.Query{Answers: n.bind(q.Answers)}
	named.Body = n.formula(q.Body)
	return named
}

func (n *numberer) bind(vars []query.Variable) []query.Variable {
	named := make([]query.Variable, len(vars))
	for i, v := range vars {
		named[i].Name = numberedName(n.next)
		n.scope[v.Name] = named[i].Name
		n.next++
	}
	return named
}

func (n *numberer) formula(f query.Formula) query.Formula {
	switch f := f.(type) {
	case query.Atom:
		return query.Atom{Relation: f.Relation, From: n.term(f.From), To: n.term(f.To)}
	case query.Equals:
		return query.Equals{Left: n.term(f.Left), Right: n.term(f.Right)}
	case query.Among:
		return query.Among{Variable: query.Variable{Name: n.scope[f.Variable.Name]}, Entities: f.Entities}
	case query.And:
		return query.And{Of: n.formulas(f.Of)}
	case query.Or:
		return query.Or{Of: n.formulas(f.Of)}
	case query.Not:
		return query.Not{Of: n.formula(f.Of)}
	}
	some := f.(query.Exists)
	outside := maps.Clone(n.scope)
	named := query.Exists{Vars: n.bind(some.Vars)}
	named.Body = n.formula(some.Body)
	n.scope = outside
	return named
}

func (n *numberer) formulas(of []query.Formula) []query.Formula {
	all := make([]query.Formula, len(of))
	for i, f := range of {
		all[i] = n.formula(f)
	}
	return all
}

func (n *numberer) term(t query.Term) query.Term {
	if v, ok := t.(query.Variable); ok {
		return query.Variable{Name: n.scope[v.Name]}
	}
	return t
}

// values are the entities of variables by name.
type values map[string]kg.Entity

func (v values) of(t query.Term) kg.Entity {
	if variable, ok := t.(query.Variable); ok {
		return v[variable.Name]
	}
	return kg.Entity(t.(query.Constant).ID)
}

// link is the probability of a link, read from the end that comes first.
func (n naive) link(f query.Atom, v values) float64 {
	rank := func(t query.Term) int {
		if variable, ok := t.(query.Variable); ok {
			return n.ranks[variable.Name]
		}
		return -1
	}
	from, relation, to := f.From, kg.Relation(f.Relation.ID), f.To
	if f.Relation.Inverse {
		relation = relation.Inverse()
	}
	if rank(to) < rank(from) {
		from, relation, to = to, relation.Inverse(), from
	}
	row, tail := n.rows[links.Pair{Head: v.of(from), Relation: relation}], v.of(to)
	if slices.Contains(row.Stated, tail) {
		return 1
	}
	if i := slices.Index(row.Tails, tail); i >= 0 {
		return float64(row.Probabilities[i])
	}
	return 0
}

func (n naive) truth(f query.Formula, v values) float64 {
	switch f := f.(type) {
	case query.Atom:
		return n.link(f, v)
	case query.Equals:
		return map[bool]float64{true: 1}[v.of(f.Left) == v.of(f.Right)]
	case query.Among:
		return map[bool]float64{true: 1}[slices.Contains(f.Entities, v[f.Variable.Name])]
	case query.And:
		x := 1.0
		for _, part := range f.Of {
			x = plain.Apply(n.logic, kernel.And, x, n.truth(part, v))
		}
		return x
	case query.Or:
		x := 0.0
		for _, part := range f.Of {
			x = plain.Apply(n.logic, kernel.Or, x, n.truth(part, v))
		}
		return x
	case query.Not:
		return 1 - n.truth(f.Of, v)
	}
	some := f.(query.Exists)
	if len(some.Vars) == 0 {
		return n.truth(some.Body, v)
	}
	best := 0.0
	for e := range kg.Entity(entities) {
		v[some.Vars[0].Name] = e
		best = max(best, n.truth(query.Exists{Vars: some.Vars[1:], Body: some.Body}, v))
	}
	return best
}

// answers are the degrees of all tuples for the answer variables.
func (n naive) answers(q *query.Query) map[[3]kg.Entity]float64 {
	all := map[[3]kg.Entity]float64{}
	q = numbered(q)
	v := values{}
	var assign func(sofar []kg.Entity)
	assign = func(sofar []kg.Entity) {
		if len(sofar) == len(q.Answers) {
			if x := n.truth(q.Body, v); x > 0 {
				all[tuple(sofar)] = x
			}
			return
		}
		for e := range kg.Entity(entities) {
			v[q.Answers[len(sofar)].Name] = e
			assign(append(sofar, e))
		}
	}
	assign(nil)
	return all
}

func tuple(of []kg.Entity) (t [3]kg.Entity) {
	copy(t[:], of)
	return t
}
