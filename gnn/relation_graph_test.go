package gnn_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
)

// naiveRelationGraph is the definition: for every pair of relations all pairs of their edges.
func naiveRelationGraph(t testing.TB, g *kernel.Graph, edges []kernel.Edge) *kernel.Graph {
	byRelation := make([][]kernel.Edge, g.Relations)
	for _, e := range edges {
		byRelation[e.Relation] = append(byRelation[e.Relation], e)
	}
	meet := func(i, j int, shared func(a, b kernel.Edge) bool) bool {
		for _, a := range byRelation[i] {
			for _, b := range byRelation[j] {
				if shared(a, b) {
					return true
				}
			}
		}
		return false
	}
	types := []func(a, b kernel.Edge) bool{
		func(a, b kernel.Edge) bool { return a.Head == b.Head },
		func(a, b kernel.Edge) bool { return a.Tail == b.Tail },
		func(a, b kernel.Edge) bool { return a.Head == b.Tail },
		func(a, b kernel.Edge) bool { return a.Tail == b.Head },
	}
	var found []kernel.Edge
	for i := range g.Relations {
		for j := range g.Relations {
			for kind, shared := range types {
				if meet(i, j, shared) {
					found = append(found, kernel.Edge{Head: int32(i), Relation: int32(kind), Tail: int32(j)})
				}
			}
		}
	}
	want, err := kernel.NewGraph(g.Relations, 4, found, nil)
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// Few relations over many entities, many over few (whose sets are kept as bits), none at
// all; with every inverse, and without, as dropout leaves it.
func TestRelationGraphAgainstNaive(t *testing.T) {
	for _, c := range []struct{ nodes, relations, edges int }{
		{1, 1, 0}, {1, 1, 1}, {5, 3, 0}, {30, 4, 60}, {40, 63, 50}, {9, 64, 300}, {6, 65, 300}, {50, 130, 200}, {3, 200, 900},
	} {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("%d-%d-%d-%d", c.nodes, c.relations, c.edges, seed), func(t *testing.T) {
				draw := rand.New(rand.NewPCG(seed, 9))
				set := map[kernel.Edge]bool{}
				for range c.edges {
					set[kernel.Edge{Head: draw.Int32N(int32(c.nodes)), Relation: draw.Int32N(int32(c.relations)), Tail: draw.Int32N(int32(c.nodes))}] = true
				}
				var edges []kernel.Edge
				for e := range set {
					edges = append(edges, e)
				}
				g, err := kernel.NewGraph(c.nodes, c.relations, edges, nil)
				if err != nil {
					t.Fatal(err)
				}
				got, err := gnn.RelationGraph(context.Background(), g)
				if err != nil {
					t.Fatal(err)
				}
				// Both adjacencies and the ids between them, so no order of edges is off either.
				if want := naiveRelationGraph(t, g, edges); !reflect.DeepEqual(got, want) {
					t.Errorf("%+v, expected %+v", got, want)
				}
			})
		}
	}
}

func TestRelationGraphStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := gnn.RelationGraph(ctx, toyGraph(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancel: %v", err)
	}
}
