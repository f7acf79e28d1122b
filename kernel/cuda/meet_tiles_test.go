package cuda

import (
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
)

// similar has many entities of few relations, so that tiles are worth it.
func similar(t *testing.T) *kernel.Incidence {
	t.Helper()
	var edges []kernel.Edge
	for v := range int32(900) {
		for k := range v%4 + 1 {
			edges = append(edges, kernel.Edge{Head: v, Relation: 2 * ((v%3 + k) % 5), Tail: (v*7 + k) % 900})
			edges = append(edges, kernel.Edge{Head: (v*7 + k) % 900, Relation: 2*((v%3+k)%5) + 1, Tail: v})
		}
	}
	inverse := make([]bool, 10)
	for r := range inverse {
		inverse[r] = r%2 == 1
	}
	g, err := kernel.NewGraph(900, 10, edges, inverse)
	if err != nil {
		t.Fatal(err)
	}
	i, err := kernel.NewIncidence(g)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// Every pair of an entity and a relation is in one slot of its tile, and the slots of a relation have its rows.
func TestTiling(t *testing.T) {
	i := similar(t)
	tiling := newTiling(i)
	if tiling == nil {
		t.Fatal("tiles of entities that are alike are not worth it")
	}
	counts := countSlots(i, alikeEntities(i))
	for k, tile := range tiling.list {
		if counts[k] != int(tile[3]) {
			t.Errorf("tile %d has %d slots, counted %d", k, tile[3], counts[k])
		}
	}
	type pair struct{ entity, relation int32 }
	seen, rows := map[pair]int{}, map[int32]bool{}
	for _, tile := range tiling.list {
		for _, slot := range tiling.slots[tile[2] : tile[2]+tile[3]] {
			r := int32(0)
			for tiling.first[r+1] <= slot[0] {
				r++
			}
			if rows[slot[0]] {
				t.Errorf("two slots have row %d", slot[0])
			}
			rows[slot[0]] = true
			for _, word := range tiling.words[slot[1]:slot[2]] {
				for k := range 4 {
					if local := int32(word >> (8 * k) & 255); local != tileEntities {
						seen[pair{tiling.entities[tile[0]+local][0], r}]++
					}
				}
			}
		}
	}
	pairs := 0
	for v := range int32(i.Entities) {
		for _, r := range i.Relation[i.At[v]:i.At[v+1]] {
			pairs++
			if seen[pair{v, r}] != 1 {
				t.Errorf("entity %d and relation %d are in %d slots", v, r, seen[pair{v, r}])
			}
		}
	}
	if len(seen) != pairs || len(rows) != int(tiling.first[i.Relations]) {
		t.Errorf("%d pairs in slots of %d, %d rows of %d", len(seen), pairs, len(rows), tiling.first[i.Relations])
	}
}

// Where every entity has relations of its own, nothing is gained.
func TestTilingIsRefused(t *testing.T) {
	i := &kernel.Incidence{Entities: 100, Relations: 100, At: []int32{0}, EntityAt: make([]int32, 101)}
	for v := range int32(100) {
		i.Relation, i.At = append(i.Relation, v), append(i.At, v+1)
	}
	if newTiling(i) != nil {
		t.Error("tiles that leave a row for every pair were made")
	}
}
