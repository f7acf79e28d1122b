package links

import (
	"sync"

	"github.com/lacuna-kg/lacuna/kg"
)

// Rows leave out what is unlikely, and without more a link that is left out counts as none: then an entity that two rows of an intersection
// speak for, and a third leaves out, ties with those that no row mentions. Nobody is shown either. But who ranks
// all entities, as an evaluation does, lets an unseen link count for a tenth of the least that rows have (docs/lab/ranking.md).

// unseen is what links count that rows leave out.
type unseen struct {
	probability float32
	graph       *kg.Graph
	mutex       sync.Mutex
	tails       map[kg.Relation][]kg.Entity // that a relation is stated to lead to
}

// unseenShare is the share of the least probability that rows have.
const unseenShare = 0.1

// LeastRanked is a least probability of rows for those who rank all entities and compute the rows anyhow: what is below DefaultLeast is in order too.
const LeastRanked = 1e-5

// Ranking is the executor for those who rank all entities, however unlikely: links that rows leave out count. Above what they count it gives the same degrees.
func (x Executor) Ranking() Executor {
	if p := x.rows.Unseen(); p > 0 {
		x.unseen = &unseen{probability: p, graph: x.rows.graph, tails: map[kg.Relation][]kg.Entity{}}
	}
	return x
}

// Unseen is what a link counts that rows leave out, for those who rank: 0 where they leave none out.
func (r *Rows) Unseen() float32 {
	if r.source == nil {
		return 0
	}
	return unseenShare * r.options.Least
}

// along follows what is stated from all the entities of a degree that no member of a set is below: to whatever the relation leads to.
func (u *unseen) along(out *reached, degree float32, q kg.Relation) {
	if degree == 0 {
		return
	}
	for _, t := range u.tailsOf(q) {
		out.at(t, degree)
	}
}

func (u *unseen) tailsOf(q kg.Relation) []kg.Entity {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	known, found := u.tails[q]
	if !found {
		for e := range kg.Entity(u.graph.NumEntities()) {
			if len(u.graph.Tails(e, q.Inverse())) > 0 {
				known = append(known, e)
			}
		}
		u.tails[q] = known
	}
	return known
}

// firm is a set without its rest, where nobody of that is likely enough to be followed.
func (p *pool) firm(s set) set {
	if p.unseen != nil && s.rest < p.follow.Weight {
		s.rest = 0
	}
	return s
}

// unlisted is the degree of the entities that the rows of those that are followed leave out.
func (p *pool) unlisted(all []followed) (degree float32) {
	if p.unseen == nil {
		return 0
	}
	for _, f := range all {
		degree = max(degree, p.and(f.degree, p.unseen.probability))
	}
	return degree
}
