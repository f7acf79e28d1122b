package kernel

import (
	"fmt"
	"slices"
)

// Incidence says which relations meet in which entities: r meets v where v is the head of an edge of r.
// A pair counts once, however many edges it has. Of the relation r⁻¹, which reads the edges of r from
// their tails, it says the same of the tails of r.
type Incidence struct {
	Entities, Relations int
	At                  []int32 // (V+1) where the pairs of an entity begin
	Relation            []int32 // (N) of each pair, ascending within an entity
	Facts               []int32 // (N) how many edges make the pair
	EntityAt            []int32 // (R+1) where those of a relation begin
	Entity              []int32 // (N) ascending within a relation
	Inverse             []int32 // (R) the relation that reads the same edges from their tails
	Ahead               any     // what Device.PrepareIncidence made of it, the device's own affair
}

// NewIncidence collects the pairs of a graph, whose relations must come in pairs: of those marked as
// inverse the k-th is that of the k-th that is not.
func NewIncidence(g *Graph) (*Incidence, error) {
	inverse, err := pairRelations(g)
	if err != nil {
		return nil, err
	}
	i := &Incidence{Entities: g.Nodes, Relations: g.Relations, At: make([]int32, 1, g.Nodes+1), Inverse: inverse}
	pairs := countPairs(g)
	i.Relation, i.Facts = make([]int32, 0, pairs), make([]int32, 0, pairs)
	for v := range g.Nodes {
		first := len(i.Relation)
		for _, r := range g.Out.Relation[g.Out.At[v]:g.Out.At[v+1]] { // which ascend
			if n := len(i.Relation); n > first && i.Relation[n-1] == r {
				i.Facts[n-1]++
				continue
			}
			i.Relation = append(i.Relation, r) // in two steps: both at once would write the places of both lists each time
			i.Facts = append(i.Facts, 1)
		}
		i.At = append(i.At, int32(len(i.Relation)))
	}
	i.transpose()
	return i, nil
}

// countPairs says how many pairs there will be: lists that grow would take twice the memory, gigabytes of a large graph.
func countPairs(g *Graph) (n int) {
	for v := range g.Nodes {
		before := int32(-1)
		for _, r := range g.Out.Relation[g.Out.At[v]:g.Out.At[v+1]] {
			if r != before {
				n++
			}
			before = r
		}
	}
	return n
}

func pairRelations(g *Graph) ([]int32, error) {
	var stated, inverse []int32
	for r, isInverse := range g.Inverse {
		if isInverse {
			inverse = append(inverse, int32(r))
		} else {
			stated = append(stated, int32(r))
		}
	}
	if len(stated) != len(inverse) || 2*len(stated) != g.Relations {
		return nil, fmt.Errorf("graph: of %d relations %d are marked as inverse, expected half of them", g.Relations, len(inverse))
	}
	of := make([]int32, g.Relations)
	for k := range stated {
		of[stated[k]], of[inverse[k]] = inverse[k], stated[k]
	}
	return of, nil
}

// transpose lists the pairs by relation.
func (i *Incidence) transpose() {
	i.EntityAt, i.Entity = make([]int32, i.Relations+1), make([]int32, len(i.Relation))
	for _, r := range i.Relation {
		i.EntityAt[r+1]++
	}
	prefixSum(i.EntityAt)
	next := slices.Clone(i.EntityAt[:i.Relations])
	for v := range i.Entities {
		for _, r := range i.Relation[i.At[v]:i.At[v+1]] {
			i.Entity[next[r]] = int32(v)
			next[r]++
		}
	}
}

// Thin is the incidence of g, whose own it is, without the edges of the given ids: a pair goes with its last edge.
func (i *Incidence) Thin(g *Graph, dropped []int32) *Incidence {
	t := &Incidence{Entities: i.Entities, Relations: i.Relations, Inverse: i.Inverse, Facts: slices.Clone(i.Facts)}
	for _, id := range dropped {
		head, r := g.In.Node[id], g.In.Relation[id]
		at, _ := slices.BinarySearch(i.Relation[i.At[head]:i.At[head+1]], r)
		t.Facts[int(i.At[head])+at]--
	}
	t.At, t.Relation = make([]int32, 1, len(i.At)), make([]int32, 0, len(i.Relation))
	kept := t.Facts[:0]
	for v := range i.Entities {
		for k := i.At[v]; k < i.At[v+1]; k++ {
			if t.Facts[k] > 0 {
				t.Relation, kept = append(t.Relation, i.Relation[k]), append(kept, t.Facts[k])
			}
		}
		t.At = append(t.At, int32(len(t.Relation)))
	}
	t.Facts = kept
	t.transpose()
	return t
}

// DeviceIncidence is an Incidence as its device holds it.
type DeviceIncidence interface {
	Entities() int
	Relations() int
}

// MeetInput is what relations tell each other through the entities they meet in, or the gradient of it.
type MeetInput struct {
	Width     int    // D
	Entities  Buffer // (B,V,D) states of entities; nil: all ones, without a gradient
	Relations Buffer // (B,R,D) states of relations
	Messages  Buffer // (B,R,2D) what a relation says to its heads, and what to its tails
}
