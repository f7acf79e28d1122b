package gnn

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
)

// Rows collected in blocks, the last one short, are those collected at once.
func TestRelationGraphInBlocks(t *testing.T) {
	const nodes, relations = 12, 150
	draw := rand.New(rand.NewPCG(4, 4))
	edges := map[kernel.Edge]bool{}
	for range 500 {
		edges[kernel.Edge{Head: draw.Int32N(nodes), Relation: draw.Int32N(relations), Tail: draw.Int32N(nodes)}] = true
	}
	var list []kernel.Edge
	for e := range edges {
		list = append(list, e)
	}
	g, err := kernel.NewGraph(nodes, relations, list, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := relationGraph(context.Background(), g)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range []int{1, 7, 64, relations - 1, relations} {
		got, err := collectRelations(context.Background(), g, block)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("blocks of %d rows: another graph", block)
		}
	}
}
