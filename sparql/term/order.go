package term

import (
	"cmp"
	"strings"
)

// Compare is the order of ORDER BY (section 15.1): no value, blank nodes,
// IRIs, literals. What the recommendation leaves open is settled so that the order
// is total: numbers, truth values, strings, texts by language, then other types by
// type and lexical form.
func Compare(a, b Term) int {
	if a.Kind != b.Kind {
		return cmp.Compare(a.Kind, b.Kind)
	}
	if a.Kind != Literal {
		return strings.Compare(a.Value, b.Value)
	}
	x, y := valueOf(a), valueOf(b)
	if x.class != y.class {
		return cmp.Compare(x.class, y.class)
	}
	byValue := 0
	switch x.class {
	case numeric:
		byValue = compareNumbers(x, y)
	case boolean:
		byValue = compareTruth(x.truth, y.truth)
	case unknown:
		byValue = strings.Compare(a.Datatype, b.Datatype)
	}
	return cmp.Or(byValue, strings.Compare(a.Value, b.Value), strings.Compare(a.Language, b.Language), strings.Compare(a.Datatype, b.Datatype))
}

// CompareLists is the order of two lists of as many terms: that of the first that differ,
// turned around where descending says so.
func CompareLists(a, b []Term, descending func(i int) bool) int {
	for i := range a {
		order := Compare(a[i], b[i])
		if order != 0 && descending(i) {
			return -order
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

func compareNumbers(x, y value) int {
	if x.precision == 0 && y.precision == 0 {
		return x.exact.Cmp(y.exact)
	}
	return cmp.Compare(x.asFloat(), y.asFloat())
}

// compareTruth puts false before true.
func compareTruth(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return 1
	}
	return -1
}
