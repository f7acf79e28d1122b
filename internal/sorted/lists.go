// Package sorted has the set operations on sorted lists of distinct members. Each appends
// its result to a list that the caller may keep for the next time.
package sorted

import (
	"cmp"
	"slices"
)

// gallopRatio is how much longer one list must be than the other for searches in
// it to beat a walk through both.
const gallopRatio = 16

// Intersection appends to dst what both lists hold.
func Intersection[T cmp.Ordered](dst, a, b []T) []T {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a)*gallopRatio < len(b) {
		for _, e := range a {
			at, found := Gallop(b, e)
			if found {
				dst = append(dst, e)
			}
			b = b[at:]
		}
		return dst
	}
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			dst = append(dst, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return dst
}

// Difference appends to dst what a holds and b lacks.
func Difference[T cmp.Ordered](dst, a, b []T) []T {
	search := len(a)*gallopRatio < len(b)
	for _, e := range a {
		if search {
			at, _ := Gallop(b, e)
			b = b[at:]
		} else {
			for len(b) > 0 && b[0] < e {
				b = b[1:]
			}
		}
		if len(b) == 0 || b[0] != e {
			dst = append(dst, e)
		}
	}
	return dst
}

// Union appends to dst what either list holds, once.
func Union[T cmp.Ordered](dst, a, b []T) []T {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			dst = append(dst, a[0])
			a = a[1:]
		case a[0] > b[0]:
			dst = append(dst, b[0])
			b = b[1:]
		default:
			dst = append(dst, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return append(append(dst, a...), b...)
}

// UnionFunc is Union of lists in the order of a comparison.
func UnionFunc[T any](dst, a, b []T, compare func(a, b T) int) []T {
	for len(a) > 0 && len(b) > 0 {
		order := compare(a[0], b[0])
		if order <= 0 {
			dst, a = append(dst, a[0]), a[1:]
		} else {
			dst = append(dst, b[0])
		}
		if order >= 0 {
			b = b[1:]
		}
	}
	return append(append(dst, a...), b...)
}

// CountCommon counts what both lists hold.
func CountCommon[T cmp.Ordered](a, b []T) int {
	common := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			common++
			a, b = a[1:], b[1:]
		}
	}
	return common
}

// Gallop gives the place of e in a list and whether it is there, in time
// logarithmic in that place: what is sought usually lies near the front.
func Gallop[T cmp.Ordered](list []T, e T) (at int, found bool) {
	step := 1
	for step <= len(list) && list[step-1] < e {
		step *= 2
	}
	from := step / 2
	at, found = slices.BinarySearch(list[from:min(step, len(list))], e)
	return from + at, found
}
