package cpu_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/cpu"
)

// A row is the same to the bit alone and in any batch: files of links do not depend on who made them together, nor reports on how many ranks there were.
func TestRowsInBatches(t *testing.T) {
	const nodes, relations, rows = 200, 12, 24
	rng := rand.New(rand.NewPCG(3, 4))
	edges, inverse := make([]kernel.Edge, 3000), make([]bool, relations)
	for i := range edges {
		edges[i] = kernel.Edge{Head: rng.Int32N(nodes), Relation: rng.Int32N(relations), Tail: rng.Int32N(nodes)}
	}
	for r := range inverse {
		inverse[r] = r%2 == 1
	}
	g, err := kernel.NewGraph(nodes, relations, edges, inverse)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range cpu.Instructions() {
		for _, config := range []gnn.Config{gnn.DefaultAlternating(), gnn.Default(), gnn.DefaultUltra()} {
			device, _, graph := modelOn(t, cpu.Options{Instructions: set, Threads: 2}, config, g)
			alone := rowsInBatches(t, device, graph, rows, 1)
			for _, size := range []int{3, 8, 24} {
				if got := rowsInBatches(t, device, graph, rows, size); !slices.Equal(got, alone) {
					t.Errorf("%s, %s: rows in batches of %d differ from rows alone", set, config.Kind, size)
				}
			}
		}
	}
}

// rowsInBatches are rows of the first nodes, so many at once.
func rowsInBatches(t *testing.T, device *cpu.Device, graph *gnn.Graph, rows, size int) (all []float32) {
	nodes := graph.Nodes()
	for from := 0; from < rows; from += size {
		in, out, relations := device.NewBuffer(size*nodes), device.NewBuffer(size*nodes), make([]int32, size)
		for i := range size {
			relations[i] = int32((from + i) % 12)
			device.Singletons(in, nodes, []int32{int32(i)}, []int32{int32(from + i)})
		}
		if err := graph.Project(t.Context(), out, in, relations); err != nil {
			t.Fatal(err)
		}
		values := make([]float32, size*nodes)
		device.Download(values, out)
		all = append(all, values...)
	}
	return all
}
