package lacuna

import (
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
)

// Memory is about how many bytes the sets of entities take while the question is answered, at most. A join takes none.
func (q *Question) Memory() int64 { return q.memory }

// Bytes of a set: for every entity where it is written out over all of them, for every member where it is a list.
const (
	bytesOfEntity = 4
	bytesOfMember = 8
)

// memory is for a program by traversal and, with a model, once more by that.
func (e *Engine) memory(p *plan.Program, how Execution) int64 {
	whole := bytesOfEntity * int64(countSets(p)) * int64(e.Graph.NumEntities())
	stated := whole
	if e.Graph.NumEntities() > listedAbove {
		stated = bytesOfMember * e.members(p, reach{})
	}
	switch {
	case e.predictor(how) == nil:
		return stated
	case how.By == Links:
		return stated + bytesOfMember*e.members(p, e.links.reach())
	}
	return stated + whole
}

func countSets(p *plan.Program) (sets int) {
	for _, in := range p.Code {
		if in.Op != plan.Load {
			sets++
		}
	}
	return sets
}

// reach bounds what is predicted at a step: from so many members, so many links each.
type reach struct{ followed, links int }

func (l *linked) reach() reach {
	r := reach{l.options.Follow.Most, l.predictor.Cut()}
	if r.followed < 0 {
		r.followed = l.predictor.Graph.NumEntities()
	}
	if r.links == 0 {
		r.links = l.predictor.Graph.NumEntities()
	}
	return r
}

// members is how many all sets of a program have at most, where sets are lists. What is not in the list of a complement is in it.
func (e *Engine) members(p *plan.Program, predicted reach) (sum int64) {
	all := int64(e.Graph.NumEntities())
	members := make([]int64, len(p.Code))
	for i, in := range p.Code {
		for _, input := range p.Inputs[i] {
			members[i] += members[input]
		}
		switch in.Op {
		case plan.Load:
			continue
		case plan.Entity:
			members[i] = 1
		case plan.Project:
			from := p.Inputs[i][0]
			followed := int64(predicted.followed)
			if p.Code[from].Op == plan.Entity {
				followed = min(followed, 1)
			}
			members[i] = min(all, e.stated(p.Code[from], in.Relation)+followed*int64(predicted.links))
		}
		sum += min(all, members[i])
	}
	return sum
}

// stated is how many entities are reached at most from what an instruction gave by facts of a relation.
func (e *Engine) stated(from plan.Instruction, r kg.Relation) int64 {
	if from.Op == plan.Entity {
		return int64(len(e.Graph.Tails(from.Entity, r)))
	}
	return e.edges()[r]
}

// mostCounted bounds the edges that are looked at for how many each relation has: of a larger graph every so many stand for the rest.
const mostCounted = 1 << 18

// countEdges is about how many edges each relation has, in either direction.
func countEdges(g *kg.Graph) []int64 {
	edges := make([]int64, 2*g.Relations.Names.Len())
	stride := 1 + g.NumEdges()/mostCounted
	for i := 0; i < g.NumEdges(); i += stride {
		edges[g.EdgeAt(i).Relation] += int64(stride)
	}
	return edges
}
