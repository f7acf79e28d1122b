package train

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kg"
)

// A foundation model learns from few graphs, however large, what must hold on any other. Parts
// make many of few: connected pieces of a graph, small or large, thin or dense, of few
// relations or many, each a graph of its own. They also take a device less time.
const (
	leastFacts      = 1.25 // of an entity: nothing follows from a tree
	fewestRelations = 2
)

// partSize is how many entities a part may have.
type partSize struct{ least, most int }

// sizeOf reads a setting of two numbers.
func sizeOf(setting []int) partSize {
	if len(setting) == 2 {
		return partSize{setting[0], setting[1]}
	}
	return partSize{30, 2000}
}

// Parts cuts a configuration's random parts out of a graph, fewer where it does not yield so many. Which
// ones depends on the graph and the seed alone.
func Parts(ctx context.Context, g *kg.Graph, c Config) ([]*kg.Graph, error) {
	return c.cutOut(ctx, g, c.Parts, sizeOf(c.PartEntities), partStream)
}

func (c Config) cutOut(ctx context.Context, g *kg.Graph, n int, size partSize, stream uint64) ([]*kg.Graph, error) {
	if n == 0 || g.NumTriples() == 0 {
		return nil, nil
	}
	facts := slices.Collect(g.Triples())
	var parts []*kg.Graph
	for attempt := 0; len(parts) < n && attempt < 8*n; {
		tried := make([]*kg.Graph, n-len(parts))
		parallel.Each(ctx, len(tried), func(i int) {
			random := rand.New(rand.NewPCG(c.Seed^stream, uint64(attempt+i)))
			p := newPart(g, facts, size, random)
			p.grow()
			tried[i] = c.retell(p.graph(), random)
		})
		if err := kg.Stopped(ctx); err != nil {
			return nil, err
		}
		attempt += len(tried)
		for _, part := range tried {
			if float64(part.NumTriples()) > leastFacts*float64(part.NumEntities()) {
				parts = append(parts, part)
			}
		}
	}
	return parts, nil
}

// retell says some of the parts otherwise than the graph does.
func (c Config) retell(part *kg.Graph, random *rand.Rand) *kg.Graph {
	switch kind := random.Float64(); {
	case kind < c.PartsSplit:
		return splitRelations(part, random)
	case kind < c.PartsSplit+c.PartsApart/2:
		return joinedOnce(part, random)
	case kind < c.PartsSplit+c.PartsApart:
		return joinedOnceEachWay(part, random)
	}
	return part
}

// partStream keeps the parts apart from what else is drawn from the same seed.
const partStream = 0x706172747321

// part is a set of entities that grows along edges of some of the relations.
type part struct {
	whole     *kg.Graph
	facts     []kg.Triple // of the whole
	random    *rand.Rand
	size      int
	greed     float64 // how often the next is the best connected of a few: the density
	relations []bool  // base relations to follow
	members   map[kg.Entity]bool
	border    []kg.Entity       // neighbours of the members
	links     map[kg.Entity]int // of those: edges to members
}

func newPart(g *kg.Graph, facts []kg.Triple, size partSize, random *rand.Rand) *part {
	p := &part{whole: g, facts: facts, random: random, members: map[kg.Entity]bool{}, links: map[kg.Entity]int{}}
	p.size = evenly(random, size.least, size.most)
	p.greed = random.Float64()
	p.relations = make([]bool, g.NumRelations()/2)
	keep := len(p.relations)
	if random.IntN(2) == 0 {
		keep = evenly(random, min(fewestRelations, keep), keep)
	}
	for _, r := range random.Perm(len(p.relations))[:keep] {
		p.relations[r] = true
	}
	return p
}

// evenly draws a number whose logarithm is uniform: as many tens as hundreds.
func evenly(random *rand.Rand, least, most int) int {
	low, high := math.Log(float64(least)), math.Log(float64(most)+1)
	return min(most, int(math.Exp(low+random.Float64()*(high-low))))
}

// grow adds entities until there are enough. Where a component ends it goes on in another,
// a limited number of times: relations may hold between few.
func (p *part) grow() {
	for starts := 0; len(p.members) < p.size && starts < p.size; {
		if len(p.border) == 0 {
			starts++
			if t := p.facts[p.random.IntN(len(p.facts))]; p.follows(t.Relation) && !p.members[t.Head] {
				p.add(t.Head)
			}
			continue
		}
		p.add(p.takeNext())
	}
}

func (p *part) follows(r kg.Relation) bool { return p.relations[r.Base()] }

func (p *part) add(e kg.Entity) {
	p.members[e] = true
	relations, tails := p.whole.Edges(e)
	for i, tail := range tails {
		if p.members[tail] || !p.follows(relations[i]) {
			continue
		}
		if p.links[tail]++; p.links[tail] == 1 {
			p.border = append(p.border, tail)
		}
	}
}

// takeNext takes an entity from the border: any, or in greed the best connected of eight.
func (p *part) takeNext() kg.Entity {
	at := p.random.IntN(len(p.border))
	if p.random.Float64() < p.greed {
		for range 7 {
			if other := p.random.IntN(len(p.border)); p.links[p.border[other]] > p.links[p.border[at]] {
				at = other
			}
		}
	}
	e, last := p.border[at], len(p.border)-1
	p.border[at] = p.border[last]
	p.border = p.border[:last]
	delete(p.links, e)
	return e
}

// graph is the facts among the members, with a vocabulary of just what they name.
func (p *part) graph() *kg.Graph {
	var entities, relations kg.Interner
	var triples []kg.Triple
	for _, t := range p.facts {
		if !p.follows(t.Relation) || !p.members[t.Head] || !p.members[t.Tail] {
			continue
		}
		triples = append(triples, kg.Triple{
			Head:     kg.Entity(entities.Intern([]byte(p.whole.Entities.Names.At(uint32(t.Head))))),
			Relation: kg.Forward(relations.Intern([]byte(p.whole.Relations.Names.At(t.Relation.Base())))),
			Tail:     kg.Entity(entities.Intern([]byte(p.whole.Entities.Names.At(uint32(t.Tail))))),
		})
	}
	v := &kg.Vocabulary{Entities: kg.Dictionary{Names: entities.Names()}, Relations: kg.Dictionary{Names: relations.Names()}}
	return kg.Build(v, triples)
}
