package kg

import "slices"

// EdgeAt is one edge by its number, below NumEdges: edges are numbered by the rows that they stand in. Those who draw facts of a large
// graph draw numbers, and need no list.
func (g *Graph) EdgeAt(i int) Triple {
	next, _ := slices.BinarySearch(g.first, uint64(i)+1) // the first row that begins after it
	return Triple{Entity(next - 1), g.relations[i], g.tails[i]}
}
