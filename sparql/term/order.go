package term

import (
	"cmp"
	"strings"
)

// Compare is the order of ORDER BY (section 15.1): no value, blank nodes,
// IRIs, literals. What the recommendation leaves open is settled so that the order
// is total: numbers, truth values, points in time, durations, strings, texts by language, then other types by
// type and lexical form.
func Compare(a, b Term) int {
	k, l := SortKeyOf(a), SortKeyOf(b)
	return k.Compare(&l)
}

// SortKey is a term whose meaning is read once, for many comparisons.
type SortKey struct {
	term  Term
	value *value // nil for what is no literal: keys are many, and most have none
}

// SortKeyOf reads the meaning of a term.
func SortKeyOf(t Term) SortKey {
	if t.Kind != Literal {
		return SortKey{term: t}
	}
	v := valueOf(t)
	return SortKey{t, &v}
}

// Bytes is how long the texts of the term are.
func (k *SortKey) Bytes() int { return len(k.term.Value) + len(k.term.Datatype) + len(k.term.Language) }

// Reader reads terms one after the other into the same place.
type Reader struct {
	key   SortKey
	value value
}

// Read gives the key of a term, which is valid until the next one is read.
func (r *Reader) Read(t Term) *SortKey {
	r.key = SortKey{term: t}
	if t.Kind == Literal {
		r.value.read(t)
		r.key.value = &r.value
	}
	return &r.key
}

// Compare is the order of the keys' terms.
func (k *SortKey) Compare(l *SortKey) int {
	a, b, x, y := &k.term, &l.term, k.value, l.value
	if a.Kind != b.Kind {
		return cmp.Compare(a.Kind, b.Kind)
	}
	if a.Kind == Triple {
		x, _ := a.Parts()
		y, _ := b.Parts()
		return CompareLists(x[:], y[:], func(int) bool { return false })
	}
	if a.Kind != Literal {
		return strings.Compare(a.Value, b.Value)
	}
	if x.class != y.class {
		return cmp.Compare(x.class, y.class)
	}
	byValue := 0
	switch x.class {
	case numeric:
		byValue = x.number.Compare(y.number)
	case boolean:
		byValue = compareTruth(x.truth, y.truth)
	case dateTime, date, timeOfDay:
		byValue = x.moment.total(y.moment)
	case duration:
		byValue, _ = x.span.compare(y.span)
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
