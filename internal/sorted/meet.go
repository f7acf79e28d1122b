package sorted

import "cmp"

// Meet calls each for everything that all lists have. It leaps: where one list lacks what another has, that one goes
// on to what the first has next, so that the time is that of the shortest list. It returns false if each did.
// Exact SPARQL and the join of predicted questions both find the values of a variable by it.
func Meet[T cmp.Ordered](lists [][]T, each func(T) bool) bool {
	if len(lists) == 1 {
		for _, at := range lists[0] {
			if !each(at) {
				return false
			}
		}
		return true
	}
	var few [4]int
	at := append(few[:0], make([]int, len(lists))...)
	for {
		if at[0] == len(lists[0]) {
			return true
		}
		wanted := lists[0][at[0]]
		agreed := true
		for i := 1; i < len(lists); i++ {
			at[i] = leap(lists[i], at[i], wanted)
			if at[i] == len(lists[i]) {
				return true
			}
			if next := lists[i][at[i]]; next != wanted {
				at[0] = leap(lists[0], at[0], next)
				agreed = false
				break
			}
		}
		if !agreed {
			continue
		}
		if !each(wanted) {
			return false
		}
		at[0]++
	}
}

// leap is the first place from a given one on whose value is not below the one wanted:
// by ever longer steps, then by halves.
func leap[T cmp.Ordered](list []T, from int, wanted T) int {
	if from == len(list) || list[from] >= wanted {
		return from
	}
	step := 1
	for from+step < len(list) && list[from+step] < wanted {
		from += step
		step *= 2
	}
	low, high := from+1, min(from+step, len(list))
	for low < high {
		if middle := int(uint(low+high) >> 1); list[middle] < wanted {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}
