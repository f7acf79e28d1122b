package browse

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// Lacking says that the graph has no fact of a relation at an entity.
func Lacking(g *kg.Graph, e kg.Entity, r kg.Relation) string {
	relation := g.Relation(kg.Forward(r.Base()))
	if r.IsInverse() {
		return fmt.Sprintf("no %s fact in the graph leads to %s", relation, g.Entity(e))
	}
	return fmt.Sprintf("no %s fact of %s in the graph", relation, g.Entity(e))
}

// LackingOfSome says the same of several entities.
func LackingOfSome(g *kg.Graph, entities int, r kg.Relation) string {
	relation := g.Relation(kg.Forward(r.Base()))
	if r.IsInverse() {
		return fmt.Sprintf("no %s fact in the graph leads to any of the %s before it", relation, count.Of(entities, "entity"))
	}
	return fmt.Sprintf("no %s fact in the graph of any of the %s before it", relation, count.Of(entities, "entity"))
}

// NoneTogether is why there is no answer where each condition by itself has some.
const NoneTogether = "nothing in the graph fulfils all conditions together"

// LackingLinks are the links of a question that lead from or to a given entity and that the graph has no fact of, a line for people each.
// Those under a negation need none.
func LackingLinks(c query.Condition, g *kg.Graph) (lines []string) {
	switch c := c.(type) {
	case query.No:
		return nil
	case query.Link:
		if !c.From.IsVariable && len(g.Tails(c.From.Entity, c.Relation)) == 0 {
			lines = append(lines, Lacking(g, c.From.Entity, c.Relation))
		}
		if !c.To.IsVariable && len(g.Tails(c.To.Entity, c.Relation.Inverse())) == 0 {
			lines = append(lines, Lacking(g, c.To.Entity, c.Relation.Inverse()))
		}
		return lines
	}
	for _, part := range query.Parts(c) {
		lines = append(lines, LackingLinks(part, g)...)
	}
	return lines
}
