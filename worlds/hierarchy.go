package worlds

// hierarchy grows a tree; what is said of a node holds for all below it, as in an ontology. Mostly the tree itself is stated, too.
func (w *world) hierarchy() {
	below := w.tree()
	relations := w.someRelations(2, 40)
	density := w.between(0.3, 1)
	for attempt := 0; !w.isFull() && attempt < 50*len(relations); attempt++ {
		heads, tails := below[w.random.IntN(w.entities)], below[w.random.IntN(w.entities)]
		if len(heads)*len(tails) > 1+w.full/4 {
			continue
		}
		w.relate(heads, relations[w.random.IntN(len(relations))], tails, density)
	}
}

// tree gives each entity but the first a parent among those before it, and returns for each itself and all below it.
func (w *world) tree() [][]int {
	parents := make([]int, w.entities)
	stated, isa := w.random.IntN(4) > 0, w.relation()
	bushy := w.between(1, 3)
	for e := 1; e < w.entities; e++ {
		parents[e] = w.early(e, bushy)
		if stated {
			w.state(e, isa, parents[e])
		}
	}
	below := make([][]int, w.entities)
	for e := w.entities - 1; e >= 0; e-- {
		below[e] = append(below[e], e)
		if e > 0 {
			below[parents[e]] = append(below[parents[e]], below[e]...)
		}
	}
	return below
}
