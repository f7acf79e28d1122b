package answer

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/join"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/reason"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/query"
)

// Judge settles how likely answers are. It is made for one call and used by one goroutine.
type Judge struct {
	rows   *links.Rows
	stated *links.Rows
	logic  fuzzy.Logic
	rules  *reason.Implied       // nil where the graph implies nothing
	read   map[kg.Triple]float32 // of facts, forwards
}

// NewJudge reads links from rows.
func NewJudge(rows *links.Rows, logic fuzzy.Logic) *Judge {
	return &Judge{rows.Exact(), links.New(rows.Graph(), nil, links.Options{}), logic, reason.Of(rows.Graph()), map[kg.Triple]float32{}}
}

// derivation is values for variables, and the events that they rest on.
type derivation struct {
	probability float64
	events      []event // each once, in order
	links       []Link
	values      map[int]kg.Entity
}

// Settle gives answers their probabilities and derivations: entities for some of the variables of a question. All that can be read at once is.
func (j *Judge) Settle(ctx context.Context, q *query.Normal, variables []int, answers []Answer) error {
	all := make([][]conjunction, len(answers))
	for i, a := range answers {
		values := make(map[int]kg.Entity, len(variables))
		for k, v := range variables {
			values[v] = a.Entities[k]
		}
		var err error
		if all[i], err = alternatives(q.Body, values); err != nil {
			return err
		}
	}
	if err := j.readAhead(ctx, slices.Concat(all...)); err != nil {
		return err
	}
	for i := range answers {
		found, err := j.derivations(ctx, all[i])
		if err != nil {
			return err
		}
		answers[i].Probability, answers[i].Derivations = j.probability(found), len(found)
		if len(found) > 0 {
			answers[i].Links, answers[i].values = found[0].links, found[0].values
		}
	}
	return nil
}

// readAhead reads the links between entities, and makes the rows that lead from entities to variables, of all conjunctions together.
func (j *Judge) readAhead(ctx context.Context, all []conjunction) error {
	var facts []kg.Triple
	var pairs []links.Pair
	for _, c := range all {
		ground, parts := c.parts()
		for _, l := range ground.links {
			facts = append(facts, fact(l))
		}
		for _, n := range ground.no {
			if l, isLink := n.(query.Link); isLink {
				l.From, l.To = of(c.is, l.From), of(c.is, l.To)
				facts = append(facts, fact(l).Stated())
			}
		}
		for _, part := range parts {
			if stated, err := j.isStated(ctx, part); err != nil {
				return err
			} else if !stated {
				pairs = append(pairs, part.pairs()...)
			}
		}
	}
	if _, err := j.rows.Get(ctx, pairs); err != nil {
		return err
	}
	_, err := j.probabilities(ctx, facts)
	return err
}

// isStated tells whether facts alone make a conjunction true that denies nothing.
func (j *Judge) isStated(ctx context.Context, c conjunction) (bool, error) {
	vars := c.variables()
	if len(c.no) > 0 || len(vars) == 0 {
		return false, nil
	}
	found, err := join.New(j.stated, c.asNormal(vars), join.Options{}).All(ctx, 1)
	return len(found) > 0, err
}

// pairs are the rows that lead from entities to variables.
func (c conjunction) pairs() (pairs []links.Pair) {
	for _, l := range c.links {
		switch {
		case !l.From.IsVariable && l.To.IsVariable:
			pairs = append(pairs, links.Pair{Head: l.From.Entity, Relation: l.Relation})
		case !l.To.IsVariable && l.From.IsVariable:
			pairs = append(pairs, links.Pair{Head: l.To.Entity, Relation: l.Relation.Inverse()})
		}
	}
	return pairs
}

// probabilities are those of facts, read once.
func (j *Judge) probabilities(ctx context.Context, facts []kg.Triple) ([]float32, error) {
	var unread []kg.Triple
	for _, f := range facts {
		if _, known := j.read[f]; !known {
			j.read[f] = 0
			unread = append(unread, f)
		}
	}
	read, err := j.rows.Probabilities(ctx, unread)
	if err != nil {
		return nil, err
	}
	for i, f := range unread {
		j.read[f] = read[i]
	}
	all := make([]float32, len(facts))
	for i, f := range facts {
		all[i] = j.read[f]
	}
	return all, nil
}

// closed is the probability of a condition all of whose free variables have values.
func (j *Judge) closed(ctx context.Context, c query.Condition, values map[int]kg.Entity) (float64, error) {
	all, err := alternatives(c, values)
	if err != nil {
		return 0, err
	}
	found, err := j.derivations(ctx, all)
	return j.probability(found), err
}

// derivations are the likeliest of alternatives, the best first.
func (j *Judge) derivations(ctx context.Context, all []conjunction) (found []derivation, err error) {
	for _, c := range all {
		for _, one := range c.merged() {
			some, err := j.conjunction(ctx, one)
			if err != nil {
				return nil, err
			}
			if found = likeliest(append(found, some...)); len(found) > 0 && found[0].probability == 1 {
				return found[:1], nil
			}
		}
	}
	return found, nil
}

// conjunction are the likeliest derivations of conditions that have to hold together.
func (j *Judge) conjunction(ctx context.Context, c conjunction) ([]derivation, error) {
	ground, parts := c.parts()
	whole := []derivation{{probability: 1, values: map[int]kg.Entity{}}}
	facts := make([]kg.Triple, len(ground.links))
	for i, l := range ground.links {
		facts[i] = fact(l)
	}
	if err := j.add(ctx, &whole[0], facts, ground, nil); err != nil {
		return nil, err
	}
	for _, part := range parts {
		if len(whole) == 0 || whole[0].probability == 0 {
			return nil, nil
		}
		some, err := j.search(ctx, part)
		if err != nil {
			return nil, err
		}
		var next []derivation
		for _, a := range whole {
			for _, b := range some {
				next = append(next, j.together(a, b))
			}
		}
		whole = likeliest(next)
	}
	for _, d := range whole {
		for v := range c.is {
			if a := of(c.is, query.Argument{IsVariable: true, Variable: v}); !a.IsVariable {
				d.values[v] = a.Entity
			} else if e, found := d.values[a.Variable]; found {
				d.values[v] = e
			}
		}
	}
	return likeliest(whole), nil
}

// together is two derivations that hold together.
func (j *Judge) together(a, b derivation) derivation {
	all := derivation{probability: a.probability, events: slices.Clone(a.events), links: slices.Clone(a.links), values: maps.Clone(a.values)}
	maps.Copy(all.values, b.values)
	for _, e := range b.events {
		j.rest(&all, e)
	}
	for _, l := range b.links {
		if !slices.Contains(all.links, l) {
			all.links = append(all.links, l)
		}
	}
	return all
}

// add takes facts, and what must not be under some values, into a derivation.
func (j *Judge) add(ctx context.Context, d *derivation, facts []kg.Triple, c conjunction, values map[int]kg.Entity) error {
	read, err := j.probabilities(ctx, facts)
	if err != nil {
		return err
	}
	for i, f := range facts {
		l := Link{Fact: f, Probability: read[i], Stated: read[i] == 1 && j.rows.Graph().Has(f), Implied: j.rules.Rule(f)}
		if !slices.Contains(d.links, l) {
			d.links = append(d.links, l)
		}
		if !l.Stated {
			j.rest(d, event{fact: f, probability: float64(read[i])})
		}
	}
	for _, n := range c.no {
		if d.probability == 0 {
			break
		}
		if err := j.deny(ctx, d, n, c, values); err != nil {
			return err
		}
	}
	return nil
}

// deny takes in what must not be. A variable that nothing else says anything of can be something else.
func (j *Judge) deny(ctx context.Context, d *derivation, n query.Condition, c conjunction, values map[int]kg.Entity) error {
	given := maps.Clone(values)
	if given == nil {
		given = map[int]kg.Entity{}
	}
	for v := range query.FreeVariables(n) {
		a := of(c.is, query.Argument{IsVariable: true, Variable: v})
		e, found := values[a.Variable]
		if !a.IsVariable {
			e, found = a.Entity, true
		}
		if !found {
			return nil
		}
		given[v] = e
	}
	p, err := j.closed(ctx, n, given)
	if err != nil {
		return err
	}
	if l, isLink := n.(query.Link); isLink {
		f := kg.Triple{Head: valueOf(l.From, given), Relation: l.Relation, Tail: valueOf(l.To, given)}.Stated()
		d.links = append(d.links, Link{Fact: f, Probability: float32(p), Stated: j.rows.Graph().Has(f), Implied: j.rules.Rule(f), Negated: true})
		j.rest(d, event{fact: f, isNot: true, probability: 1 - p})
		return nil
	}
	j.rest(d, event{not: fmt.Sprint(n, given), probability: 1 - p})
	return nil
}

func valueOf(a query.Argument, values map[int]kg.Entity) kg.Entity {
	if a.IsVariable {
		return values[a.Variable]
	}
	return a.Entity
}

// follow is how many rows of a relation are looked at in the search for derivations.
const follow = 16

// search finds the likeliest derivations of conditions that share variables: the first by one end of their links, read from both. Where facts alone
// are enough, that is it.
func (j *Judge) search(ctx context.Context, c conjunction) ([]derivation, error) {
	vars := c.variables()
	if len(vars) == 0 { // only what must not be speaks of them
		return []derivation{{probability: 1, values: map[int]kg.Entity{}}}, nil
	}
	normal := c.asNormal(vars)
	if len(c.no) == 0 {
		found, err := join.New(j.stated, normal, join.Options{}).All(ctx, 1)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 || !j.rows.Predicts() {
			return j.derive(ctx, c, vars, found)
		}
	}
	found, err := join.New(j.rows, normal, join.Options{Logic: j.logic, Bounds: true, Follow: links.Follow{Most: follow}}).All(ctx, mostDerivations)
	if err != nil {
		return nil, err
	}
	return j.derive(ctx, c, vars, found)
}

// derive makes derivations of what a search found, their links read from both ends.
func (j *Judge) derive(ctx context.Context, c conjunction, vars []int, found []join.Answer) (all []derivation, err error) {
	facts := make([][]kg.Triple, len(found))
	values := make([]map[int]kg.Entity, len(found))
	for i, a := range found {
		values[i] = make(map[int]kg.Entity, len(vars))
		for k, v := range vars {
			values[i][v] = a.Entities[k]
		}
		for _, l := range c.links {
			facts[i] = append(facts[i], kg.Triple{Head: valueOf(l.From, values[i]), Relation: l.Relation, Tail: valueOf(l.To, values[i])})
		}
	}
	if _, err := j.probabilities(ctx, slices.Concat(facts...)); err != nil {
		return nil, err
	}
	for i := range found {
		d := derivation{probability: 1, values: values[i]}
		if err := j.add(ctx, &d, facts[i], c, values[i]); err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return likeliest(all), nil
}

// variables are those of links and lists, ascending.
func (c conjunction) variables() []int {
	var arguments []query.Argument
	for _, l := range c.links {
		arguments = append(arguments, l.From, l.To)
	}
	for _, m := range c.members {
		arguments = append(arguments, m.Of)
	}
	return variables(arguments...)
}

// variables are those among arguments, ascending, each once.
func variables(arguments ...query.Argument) (vars []int) {
	for _, a := range arguments {
		if a.IsVariable {
			vars = append(vars, a.Variable)
		}
	}
	slices.Sort(vars)
	return slices.Compact(vars)
}

// asNormal is the question for all variables of a conjunction. Of what must not be it has single links, equations and lists.
func (c conjunction) asNormal(vars []int) *query.Normal {
	q := &query.Normal{Variables: make([]string, len(vars)), Answers: len(vars)}
	number := func(a query.Argument) (query.Argument, bool) {
		a = of(c.is, a)
		if !a.IsVariable {
			return a, true
		}
		at, known := slices.BinarySearch(vars, a.Variable)
		a.Variable = at
		return a, known
	}
	var all query.All
	for _, l := range c.links {
		l.From, _ = number(l.From)
		l.To, _ = number(l.To)
		all.Of = append(all.Of, l)
	}
	for _, m := range c.members {
		m.Of, _ = number(m.Of)
		all.Of = append(all.Of, m)
	}
	for _, n := range c.no {
		var knownA, knownB bool
		switch one := n.(type) {
		case query.Link:
			one.From, knownA = number(one.From)
			one.To, knownB = number(one.To)
			n = one
		case query.Same:
			one.A, knownA = number(one.A)
			one.B, knownB = number(one.B)
			n = one
		case query.Member:
			one.Of, knownA = number(one.Of)
			n, knownB = one, true
		}
		if knownA && knownB {
			all.Of = append(all.Of, query.No{Of: n})
		}
	}
	q.Body = all
	return q
}
