package fit

import (
	"math/rand/v2"

	"github.com/lacuna-kg/lacuna/kg"
)

// How well the values of a relation can be told at all is known from all of its facts, by counting, which takes no network: entities that share a fact
// tend to share others, and a value is often that of another relation. A network finds about as many as such patterns do. Rows tell the same of each relation
// by a dozen facts, and a dozen may all be lucky.

const (
	patternFacts  = 150    // of a relation are asked for
	patternsOfAll = 10_000 // of all relations together
	patternOthers = 24     // facts of a head say what it is like
	patternAlike  = 64     // entities that share one
	patternHeads  = 2000   // tell how often two relations have one value
	patternsHeld  = 5      // facts, for which the mean of all relations stands
)

// patterns is what share of the values of each relation a pattern finds first, in log-odds. With few facts it is near that of all together. A
// graph that links are predicted on cuts of has too many relations to count for each.
func (o Options) patterns() map[kg.Relation]float64 {
	if len(o.Held) > 0 || o.Model.CutOf(o.Graph) > 0 {
		return nil
	}
	relations := o.Graph.Relations.Names.Len()
	of, all := make([]asked, relations), asked{}
	for base := range of {
		of[base] = newPattern(o.Graph, kg.Forward(uint32(base))).ask(max(1, min(patternFacts, patternsOfAll/relations)), o.Seed)
		all.first, all.facts = all.first+of[base].first, all.facts+of[base].facts
	}
	shares, mean := map[kg.Relation]float64{}, (all.first+1)/(all.facts+2)
	for base, f := range of {
		shares[kg.Forward(uint32(base))] = logit((f.first + patternsHeld*mean) / (f.facts + patternsHeld))
	}
	return shares
}

// asked is how many facts were asked for, and how many of these a pattern finds first.
type asked struct{ first, facts float64 }

// ask asks for some facts, each as if it were not stated, among heads that have one value.
func (p pattern) ask(most int, seed uint64) (a asked) {
	random := rand.New(rand.NewPCG(seed, 0x9a77e7+uint64(p.relation)))
	heads := p.graph.ByRelation().Heads(p.relation)
	for _, i := range random.Perm(len(heads)) {
		if a.facts >= float64(most) {
			break
		}
		if tails := p.graph.Tails(heads[i], p.relation); len(tails) == 1 {
			if a.facts++; p.likeliest(heads[i]) == tails[0] {
				a.first++
			}
		}
	}
	return a
}

// pattern tells a value of a relation from what else is stated of a head.
type pattern struct {
	graph    *kg.Graph
	relation kg.Relation
	same     map[kg.Relation]float64 // how often the value is that of another relation
}

func newPattern(g *kg.Graph, q kg.Relation) pattern {
	p := pattern{g, q, map[kg.Relation]float64{}}
	heads, has := g.ByRelation().Heads(q), map[kg.Relation]float64{}
	for i := 0; i < len(heads); i += 1 + len(heads)/patternHeads {
		relations, tails := g.Edges(heads[i])
		for k, r := range relations {
			if r == q {
				continue
			}
			has[r]++
			if g.Has(kg.Triple{Head: heads[i], Relation: q, Tail: tails[k]}.Stated()) {
				p.same[r]++
			}
		}
	}
	for r, n := range p.same {
		p.same[r] = n / (has[r] + 2)
	}
	return p
}

// likeliest is the value that the strongest pattern has: the commonest among the entities that share a fact with the head, or the value of another relation.
func (p pattern) likeliest(head kg.Entity) (best kg.Entity) {
	relations, tails := p.graph.Edges(head)
	most := 0.0
	stride := 1 + len(relations)/patternOthers
	for i := 0; i < len(relations); i += stride {
		if relations[i] == p.relation {
			continue
		}
		if share := p.same[relations[i]]; share > most {
			best, most = tails[i], share
		}
		if value, share := p.commonest(head, p.graph.Tails(tails[i], relations[i].Inverse())); share > most {
			best, most = value, share
		}
	}
	return best
}

// commonest is the value that most of some entities have, without the head, and its share of those that have one.
func (p pattern) commonest(head kg.Entity, alike []kg.Entity) (best kg.Entity, share float64) {
	counts, has := map[kg.Entity]int{}, 0
	for i := 0; i < len(alike); i += 1 + len(alike)/patternAlike {
		values := p.graph.Tails(alike[i], p.relation)
		if alike[i] == head || len(values) == 0 {
			continue
		}
		has++
		for _, v := range values {
			if counts[v]++; counts[v] > counts[best] || counts[v] == counts[best] && v < best {
				best = v
			}
		}
	}
	return best, float64(counts[best]) / float64(has+2)
}
