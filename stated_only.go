package lacuna

import (
	"fmt"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// statedOnly says of which relations of a question nothing is predicted, as they lead to numbers or dates, a line for people each: silence
// would read as if the model knew of no more.
func (e *Engine) statedOnly(q *Question) (lines []string) {
	if e.predictor(q.Asking.Execution) == nil || q.Asking.Literals {
		return nil
	}
	for _, base := range relationsOf(q) {
		if r := kg.Forward(base); e.links.ranges.LeadsToValues(r) {
			lines = append(lines, fmt.Sprintf("%s leads to numbers or dates: what the graph states of it counts, and nothing is predicted unless literals are asked for", e.Graph.Relation(r)))
		}
	}
	return lines
}

// relationsOf are the base relations of a question, each once.
func relationsOf(q *Question) []uint32 {
	var all []uint32
	if q.IsTree() {
		all = relationsOfTree(q.Expr)
	} else {
		all = relationsOfJoin(q.Normal.Body)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func relationsOfTree(e query.Expr) (all []uint32) {
	if p, isProjection := e.(query.Projection); isProjection {
		all = append(all, p.Relation.Base())
	}
	for _, operand := range query.Operands(e) {
		all = append(all, relationsOfTree(operand)...)
	}
	return all
}

func relationsOfJoin(c query.Condition) (all []uint32) {
	if link, isLink := c.(query.Link); isLink {
		all = append(all, link.Relation.Base())
	}
	for _, part := range query.Parts(c) {
		all = append(all, relationsOfJoin(part)...)
	}
	return all
}
