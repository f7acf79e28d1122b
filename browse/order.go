package browse

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// Swapped finds where a question most likely has the ends of a relation in the wrong order: an entity stands at an
// end of a relation at which no fact has it, and facts have it at the other. Each finding is a line for people.
func Swapped(e query.Expr, g *kg.Graph) (lines []string) {
	for _, operand := range query.Operands(e) {
		lines = append(lines, Swapped(operand, g)...)
	}
	p, isProjection := e.(query.Projection)
	if !isProjection {
		return lines
	}
	anchor, isEntity := p.Of.(query.Anchor)
	if !isEntity || len(g.Tails(anchor.Entity, p.Relation)) > 0 || len(g.Tails(anchor.Entity, p.Relation.Inverse())) == 0 {
		return lines
	}
	relation, name := g.Relation(kg.Forward(p.Relation.Base())), g.Entity(anchor.Entity)
	asked, meant := relation+"("+name+", …)", relation+"(…, "+name+")"
	if p.Relation.IsInverse() {
		asked, meant = meant, asked
	}
	return append(lines, fmt.Sprintf("no fact reads %s, but some read %s: did you mean that?", asked, meant))
}
