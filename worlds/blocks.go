package worlds

import "math"

// blocks divides the entities into kinds; which relation holds between two entities depends on their kinds alone, as the names of
// relatives depend on sex, generation and clan, or what may be done to what on what it is. In half of the worlds each relation has its
// answer in the other direction, as whom one calls uncle calls one nephew.
func (w *world) blocks() {
	kinds := w.kinds()
	relations := w.someRelations(2, 40)
	answers, answered := w.random.Perm(len(relations)), w.random.IntN(2) == 0
	density := w.between(0.1, 1)
	ways := 1
	if w.exclusion == none {
		ways += w.random.IntN(3)
	}
	for _, pair := range w.random.Perm(len(kinds) * len(kinds)) {
		heads, tails := kinds[pair/len(kinds)], kinds[pair%len(kinds)]
		for range ways {
			r := w.random.IntN(len(relations))
			w.relate(heads, relations[r], tails, density)
			if answered {
				w.relate(tails, relations[answers[r]], heads, density)
			}
		}
		if w.isFull() {
			return
		}
	}
}

// kinds divides the entities, some kinds being larger than others.
func (w *world) kinds() [][]int {
	kinds := make([][]int, evenly(w.random, 2, min(40, 1+w.entities/3)))
	skew := w.between(1, 3)
	for e := range w.entities {
		kind := w.early(len(kinds), skew)
		kinds[kind] = append(kinds[kind], e)
	}
	return kinds
}

// relate states a relation between all heads and all tails, or as many of the pairs as the density says.
func (w *world) relate(heads []int, relation int, tails []int, density float64) {
	for _, head := range heads {
		for _, tail := range tails {
			if w.random.Float64() < density {
				w.state(head, relation, tail)
			}
		}
	}
}

// early draws a number below n: the higher the skew the more often an early one.
func (w *world) early(n int, skew float64) int {
	return min(n-1, int(float64(n)*math.Pow(w.random.Float64(), skew)))
}
