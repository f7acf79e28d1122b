package worlds

import "slices"

// rules draws some relations at random and derives others from them. A rule need not hold always.
func (w *world) rules() {
	given, derived := w.someRelations(2, 10), w.someRelations(1, 15)
	share := (w.full - len(w.known)) / (len(given) + len(derived))
	for _, r := range given {
		w.full = len(w.known) + share
		w.give(r)
	}
	for _, r := range derived {
		w.full = len(w.known) + share
		w.derive(r, w.between(0.5, 1), given)
	}
}

// give states a relation between some entities and some others: of each head as many facts as the relation has on average, one
// where it is a function. Some tails are more popular.
func (w *world) give(relation int) {
	order := w.random.Perm(w.entities)
	heads := order[:w.some()]
	tails := order[w.entities-w.some():]
	each := 1 + max(0, w.random.IntN(6)-2)
	popular := w.between(1, 3)
	for _, head := range heads {
		for range each {
			w.state(head, relation, tails[w.early(len(tails), popular)])
		}
	}
}

// some is a number of entities, at least two.
func (w *world) some() int { return evenly(w.random, 2, w.entities) }

// derive states what follows by a random rule from two of the relations given, as often as it holds.
func (w *world) derive(relation int, holds float64, given []int) {
	first := w.shuffled(given[w.random.IntN(len(given))])
	second := given[w.random.IntN(len(given))]
	rule := w.rule()
	for _, f := range first {
		for _, follows := range rule(f, second) {
			if w.random.Float64() < holds {
				w.state(follows[0], relation, follows[1])
			}
		}
	}
}

// rule draws one: the pairs that follow from a fact and a second relation.
func (w *world) rule() func(f fact, second int) [][2]int {
	return []func(f fact, second int) [][2]int{
		func(f fact, _ int) [][2]int { return [][2]int{{f.tail, f.head}} },
		func(f fact, _ int) [][2]int { return [][2]int{{f.head, f.tail}} },
		func(f fact, _ int) [][2]int { return [][2]int{{f.head, f.tail}, {f.tail, f.head}} },
		w.chained, w.chained, w.chained,
		w.siblings, w.siblings,
	}[w.random.IntN(8)]
}

// chained: who the tail relates to by the second relation.
func (w *world) chained(f fact, second int) (pairs [][2]int) {
	for _, g := range w.facts[second] {
		if g.head == f.tail {
			pairs = append(pairs, [2]int{f.head, g.tail})
		}
	}
	return pairs
}

// siblings: who relates by the second relation to the same tail.
func (w *world) siblings(f fact, second int) (pairs [][2]int) {
	for _, g := range w.facts[second] {
		if g.tail == f.tail {
			pairs = append(pairs, [2]int{f.head, g.head})
		}
	}
	return pairs
}

// shuffled are a relation's facts in random order.
func (w *world) shuffled(relation int) []fact {
	list := slices.Clone(w.facts[relation])
	w.random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
