package algebra

import "slices"

// VarSet is a set of variables by number.
type VarSet []uint64

// Has tells whether a variable is in the set.
func (s VarSet) Has(v int) bool { return v >= 0 && v/64 < len(s) && s[v/64]>>(v%64)&1 != 0 }

// add adds a variable; as sets are shared, to a copy; the number of a constant, -1, adds nothing.
func (s *VarSet) add(v int) {
	if v < 0 {
		return
	}
	*s = slices.Clone(*s)
	for len(*s) <= v/64 {
		*s = append(*s, 0)
	}
	(*s)[v/64] |= 1 << (v % 64)
}

// Members are the variables of the set, in order.
func (s VarSet) Members() []int {
	var all []int
	for v := range 64 * len(s) {
		if s.Has(v) {
			all = append(all, v)
		}
	}
	return all
}

// Include adds the members of another set. The sets of operators are shared, so that it works on a copy.
func (s *VarSet) Include(t VarSet) {
	both := make(VarSet, max(len(*s), len(t)))
	copy(both, *s)
	for i, word := range t {
		both[i] |= word
	}
	*s = both
}

func (s VarSet) and(t VarSet) VarSet {
	both := make(VarSet, min(len(s), len(t)))
	for i := range both {
		both[i] = s[i] & t[i]
	}
	return both
}

// without has the members of s that t lacks.
func (s VarSet) without(t VarSet) VarSet {
	rest := slices.Clone(s)
	for i := range min(len(s), len(t)) {
		rest[i] &^= t[i]
	}
	return rest
}

// Intersects tells whether two sets share a member.
func (s VarSet) Intersects(t VarSet) bool {
	for i := range min(len(s), len(t)) {
		if s[i]&t[i] != 0 {
			return true
		}
	}
	return false
}
