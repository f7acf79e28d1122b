package query

// components groups conjuncts that share variables other than v, in the order of
// their first conjuncts. What speaks of v alone is a component of its own.
func (d *decomposer) components(parts []*clause, v int) [][]*clause {
	forest := forest{d.leader}
	for _, c := range parts {
		forest.join(c.free, v)
	}
	var groups [][]*clause
	group := make(map[int]int)
	for _, c := range parts {
		first := c.free[0]
		if first == v {
			if len(c.free) == 1 {
				groups = append(groups, []*clause{c})
				continue
			}
			first = c.free[1]
		}
		at, known := group[forest.find(first)]
		if !known {
			at = len(groups)
			group[forest.find(first)] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], c)
	}
	for _, c := range parts {
		forest.clear(c.free)
	}
	return groups
}

// forest is a union-find structure over variables. The array is that of the
// decomposer, all -1 between uses: most calls touch few of many variables.
type forest struct{ leader []int }

// join puts variables into one set, v aside.
func (f forest) join(vars []int, v int) {
	first := -1
	for _, x := range vars {
		if x == v {
			continue
		}
		if f.leader[x] < 0 {
			f.leader[x] = x
		}
		if first < 0 {
			first = f.find(x)
		}
		f.leader[f.find(x)] = first
	}
}

func (f forest) find(x int) int {
	for f.leader[x] != x {
		f.leader[x] = f.leader[f.leader[x]]
		x = f.leader[x]
	}
	return x
}

func (f forest) clear(vars []int) {
	for _, x := range vars {
		f.leader[x] = -1
	}
}
