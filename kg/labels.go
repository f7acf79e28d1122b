package kg

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"sort"
	"unicode"
	"unicode/utf8"
)

// Labels gives readable names to some of the ids of a list of Names. Unlike names they need not be distinct.
type Labels struct {
	text  []byte
	ends  []uint64 // label of id is text[ends[id-1]:ends[id]], empty where it has none
	order []uint32 // the ids that have labels, sorted by folded label, then id
}

// NewLabels makes labels for ids 0 … len(labels)-1; an empty string means none.
func NewLabels(labels []string) *Labels {
	l := &Labels{ends: make([]uint64, len(labels))}
	for id, label := range labels {
		l.text = append(l.text, label...)
		l.ends[id] = uint64(len(l.text))
	}
	l.sortOrder()
	return l
}

// sortKey holds the first bytes of a folded label, which settle most comparisons
// without a look at the labels, wherever they are in memory.
type sortKey struct {
	prefix uint64
	id     uint32
}

// sortOrder folds every label once, where comparing them as they are would fold each some twenty times.
func (l *Labels) sortOrder() {
	folded := Labels{text: make([]byte, 0, len(l.text)), ends: make([]uint64, len(l.ends))}
	var keys []sortKey
	for id := range uint32(len(l.ends)) {
		folded.text = appendFolded(folded.text, l.bytes(id))
		folded.ends[id] = uint64(len(folded.text))
		if label := folded.bytes(id); len(label) > 0 {
			keys = append(keys, sortKey{prefixOf(label), id})
		}
	}
	slices.SortFunc(keys, func(a, b sortKey) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return cmp.Or(bytes.Compare(folded.bytes(a.id), folded.bytes(b.id)), cmp.Compare(a.id, b.id))
	})
	l.order = make([]uint32, len(keys))
	for i, key := range keys {
		l.order[i] = key.id
	}
}

// prefixOf gives the first eight bytes as a number of the same order, zeros behind a shorter text.
func prefixOf(text []byte) uint64 {
	var first [8]byte
	copy(first[:], text)
	return binary.BigEndian.Uint64(first[:])
}

// At is the label of id, or "" where it has none.
func (l *Labels) At(id uint32) string {
	if int(id) >= len(l.ends) {
		return ""
	}
	return string(l.bytes(id))
}

func (l *Labels) bytes(id uint32) []byte { return entry(l.text, l.ends, id) }

// Find gives all ids whose label is the given one in any case, in the order of ids.
func (l *Labels) Find(label string) []uint32 {
	compareAt := func(i int) int { return compareFolded(l.bytes(l.order[i]), []byte(label)) }
	from := sort.Search(len(l.order), func(i int) bool { return compareAt(i) >= 0 })
	length := sort.Search(len(l.order)-from, func(i int) bool { return compareAt(from+i) > 0 })
	return slices.Clone(l.order[from : from+length])
}

func (l *Labels) exact(ids []uint32, label string) []uint32 {
	var found []uint32
	for _, id := range ids {
		if string(l.bytes(id)) == label {
			found = append(found, id)
		}
	}
	return found
}

// compareFolded orders texts by their lower-case runes, which is also the order
// of the bytes of their lower-case forms, without making these.
func compareFolded(a, b []byte) int {
	for len(a) > 0 && len(b) > 0 {
		x, xBytes := foldedRune(a)
		y, yBytes := foldedRune(b)
		if x != y {
			return cmp.Compare(x, y)
		}
		a, b = a[xBytes:], b[yBytes:]
	}
	return cmp.Compare(len(a), len(b))
}

// appendFolded adds the lower-case form of text.
func appendFolded(to, text []byte) []byte {
	for len(text) > 0 {
		r, size := foldedRune(text)
		to, text = utf8.AppendRune(to, r), text[size:]
	}
	return to
}

func foldedRune(text []byte) (folded rune, size int) {
	if c := text[0]; c < utf8.RuneSelf {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		return rune(c), 1
	}
	r, size := utf8.DecodeRune(text)
	return unicode.ToLower(r), size
}
