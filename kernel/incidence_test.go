package kernel

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// pairedGraph has every edge with its inverse twin, some pairs by several edges.
func pairedGraph(t *testing.T) *Graph {
	t.Helper()
	draw := rand.New(rand.NewPCG(3, 9))
	used := map[Edge]bool{}
	for range 60 {
		h, r, tail := draw.Int32N(9), draw.Int32N(3), draw.Int32N(9)
		used[Edge{h, r, tail}], used[Edge{tail, r + 3, h}] = true, true
	}
	var edges []Edge
	for e := range used {
		edges = append(edges, e)
	}
	g, err := NewGraph(10, 6, edges, []bool{false, false, false, true, true, true})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestIncidence(t *testing.T) {
	g := pairedGraph(t)
	i, err := NewIncidence(g)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int32{3, 4, 5, 0, 1, 2}; !slices.Equal(i.Inverse, want) {
		t.Errorf("inverse relations %v, expected %v", i.Inverse, want)
	}
	for v := range g.Nodes {
		counts := map[int32]int32{}
		for _, r := range g.Out.Relation[g.Out.At[v]:g.Out.At[v+1]] {
			counts[r]++
		}
		got := map[int32]int32{}
		for k := i.At[v]; k < i.At[v+1]; k++ {
			r := i.Relation[k]
			got[r] = i.Facts[k]
			if !slices.Contains(i.Entity[i.EntityAt[r]:i.EntityAt[r+1]], int32(v)) {
				t.Errorf("entity %d meets relation %d, but not the other way round", v, r)
			}
		}
		if !reflect.DeepEqual(got, counts) {
			t.Errorf("entity %d meets %v, expected %v", v, got, counts)
		}
	}
}

// Thinning the incidence of a graph gives that of the thinned graph.
func TestThinIncidence(t *testing.T) {
	g := pairedGraph(t)
	i, err := NewIncidence(g)
	if err != nil {
		t.Fatal(err)
	}
	for _, every := range []int32{1, 2, 5} {
		var dropped []int32
		for id := int32(0); id < int32(g.Edges()); id += every {
			dropped = append(dropped, id)
		}
		want, err := NewIncidence(g.Thin(dropped))
		if err != nil {
			t.Fatal(err)
		}
		got := i.Thin(g, dropped)
		if !slices.Equal(got.At, want.At) || !slices.Equal(got.Relation, want.Relation) || !slices.Equal(got.Facts, want.Facts) ||
			!slices.Equal(got.EntityAt, want.EntityAt) || !slices.Equal(got.Entity, want.Entity) {
			t.Errorf("every %d-th edge dropped: %+v, expected %+v", every, got, want)
		}
	}
}

func TestIncidenceWantsPairs(t *testing.T) {
	for _, inverse := range [][]bool{nil, {false, false, true}} {
		g, err := NewGraph(2, 3, nil, inverse)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewIncidence(g); err == nil || !strings.Contains(err.Error(), "expected half of them") {
			t.Errorf("marks %v: %v", inverse, err)
		}
	}
}
