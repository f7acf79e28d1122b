package browse

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// Example is a question that a graph answers.
type Example struct {
	Title    string `json:"title"`
	Question string `json:"question"`
	Why      string `json:"why"` // what it shows
}

// Of a question there are to be some answers, but few enough to read.
const (
	fewestAnswers = 2
	mostAnswers   = 12
)

// Examples are questions on a graph, of different kinds, as far as it has facts for them. The same graph gives the same.
func Examples(g *kg.Graph) []Example {
	c := chooser{g: g, with: frequencies(g)}
	var examples []Example
	for _, kind := range []struct {
		title, why string
		choose     func(kg.Entity) (query.Expr, int)
	}{
		{"One step", "What the graph states about one entity, and what may be missing.", c.step},
		{"Two steps", "Through entities in between; each step may be stated or predicted.", c.chain},
		{"Both", "What two conditions have in common.", c.both},
		{"Not", "What one condition leaves of another: what the graph does not state is not thereby false.", c.not},
	} {
		if e, found := c.best(kind.choose); found {
			examples = append(examples, Example{kind.title, query.FromExpr(e, g.Vocabulary).String(), kind.why})
		}
	}
	return examples
}

// chooser tries entities for questions.
type chooser struct {
	g    *kg.Graph
	with []int
}

// tried bounds how many entities are tried.
const tried = 400

// best is the question with the number of answers that is nearest to what is read well, the best known entities first.
func (c chooser) best(choose func(kg.Entity) (query.Expr, int)) (best query.Expr, found bool) {
	score := -1
	for _, e := range c.wellKnown() {
		if expr, answers := choose(e); expr != nil && answers >= 1 {
			quality := 0
			if answers >= fewestAnswers && answers <= mostAnswers {
				quality = 1
			}
			if quality > score {
				best, found, score = expr, true, quality
			}
		}
		if score == 1 {
			break
		}
	}
	return best, found
}

// wellKnown are entities with most relations, literals left out.
func (c chooser) wellKnown() []kg.Entity {
	type weighed struct {
		e kg.Entity
		n int
	}
	var all []weighed
	step := max(1, c.g.NumEntities()/100_000) // of millions not all
	for e := 0; e < c.g.NumEntities(); e += step {
		if !c.isValue(kg.Entity(e)) {
			all = append(all, weighed{kg.Entity(e), len(relationsOf(c.g, kg.Entity(e)))})
		}
	}
	slices.SortStableFunc(all, func(a, b weighed) int { return cmp.Compare(b.n, a.n) })
	var entities []kg.Entity
	for _, w := range all[:min(tried, len(all))] {
		entities = append(entities, w.e)
	}
	return entities
}

func (c chooser) isValue(e kg.Entity) bool {
	return strings.HasPrefix(c.g.Entities.Names.At(uint32(e)), `"`)
}

// relations are those of an entity that lead to entities, the rarest last: frequent ones are those that people know.
func (c chooser) relations(e kg.Entity) []kg.Relation {
	relations := slices.DeleteFunc(relationsOf(c.g, e), func(r kg.Relation) bool { return c.isValue(c.g.Tails(e, r)[0]) })
	slices.SortStableFunc(relations, func(a, b kg.Relation) int { return cmp.Compare(c.with[b], c.with[a]) })
	return relations
}

func (c chooser) step(e kg.Entity) (query.Expr, int) {
	for _, r := range c.relations(e) {
		if n := len(c.g.Tails(e, r)); n >= fewestAnswers && n <= mostAnswers && !r.IsInverse() {
			return query.Projection{Relation: r, Of: query.Anchor{Entity: e}}, n
		}
	}
	for _, r := range c.relations(e) {
		return query.Projection{Relation: r, Of: query.Anchor{Entity: e}}, len(c.g.Tails(e, r))
	}
	return nil, 0
}

func (c chooser) chain(e kg.Entity) (best query.Expr, answers int) {
	for _, r := range c.relations(e) {
		first := c.g.Tails(e, r)
		if len(first) > mostAnswers {
			continue
		}
		for _, q := range c.relations(first[0]) {
			if q == r.Inverse() {
				continue // back to where it came from
			}
			reached := map[kg.Entity]bool{}
			for _, middle := range first {
				for _, t := range c.g.Tails(middle, q) {
					reached[t] = true
				}
			}
			if n := len(reached); n >= fewestAnswers && n <= mostAnswers {
				return query.Projection{Relation: q, Of: query.Projection{Relation: r, Of: query.Anchor{Entity: e}}}, n
			}
		}
	}
	return nil, 0
}

// both asks for what an entity has in common with others: two of its facts, read from their tails.
func (c chooser) both(e kg.Entity) (query.Expr, int) {
	sides := c.sides(e)
	for i, a := range sides {
		for _, b := range sides[i+1:] {
			n := len(common(c.g, a, b))
			if a.Relation != b.Relation && n >= fewestAnswers && n <= mostAnswers && n < max(len(c.of(a)), len(c.of(b))) {
				return query.Intersection{Of: []query.Expr{a, b}}, n
			}
		}
	}
	return nil, 0
}

func (c chooser) not(e kg.Entity) (query.Expr, int) {
	sides := c.sides(e)
	for i, a := range sides {
		for _, b := range sides[i+1:] {
			n := len(c.of(a)) - len(common(c.g, a, b))
			if a.Relation != b.Relation && n >= fewestAnswers && n <= mostAnswers && n < len(c.of(a)) {
				return query.Intersection{Of: []query.Expr{a, query.Complement{Of: b}}}, n
			}
		}
	}
	return nil, 0
}

// sidesOf bounds the facts of an entity that are combined.
const sidesOf = 30

// sides are the sets that an entity is in by its own facts, each the projection of a tail.
func (c chooser) sides(e kg.Entity) (sides []query.Projection) {
	for _, r := range c.relations(e) {
		for _, t := range c.g.Tails(e, r) {
			if len(sides) < sidesOf && len(c.g.Tails(t, r.Inverse())) >= fewestAnswers {
				sides = append(sides, query.Projection{Relation: r.Inverse(), Of: query.Anchor{Entity: t}})
			}
		}
	}
	return sides
}

func (c chooser) of(p query.Projection) []kg.Entity {
	return c.g.Tails(p.Of.(query.Anchor).Entity, p.Relation)
}

func common(g *kg.Graph, a, b query.Projection) (both []kg.Entity) {
	others := g.Tails(b.Of.(query.Anchor).Entity, b.Relation)
	for _, e := range g.Tails(a.Of.(query.Anchor).Entity, a.Relation) {
		if _, found := slices.BinarySearch(others, e); found {
			both = append(both, e)
		}
	}
	return both
}
