package kg

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"sort"
	"unicode"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/parallel"
)

// Labels gives readable names to some of the ids of a list of Names. Unlike names they need not be distinct.
type Labels struct {
	text  []byte
	ends  []uint64 // label of id is text[ends[id-1]:ends[id]], empty where it has none
	order []uint32 // the ids that have labels, sorted by folded label, then id
}

// NewLabels makes labels for ids 0 … len(labels)-1; an empty string means none.
func NewLabels(labels []string) *Labels {
	return MakeLabels(len(labels), func(to []byte, id uint32) []byte { return append(to, labels[id]...) })
}

// MakeLabels makes labels for ids 0 … n-1: label appends that of an id, nothing where it has none.
func MakeLabels(n int, label func(to []byte, id uint32) []byte) *Labels {
	l := &Labels{ends: make([]uint64, n)}
	for id := range l.ends {
		l.text = label(l.text, uint32(id))
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

// sortOrder parts the ids by the first byte of their folded labels and sorts each part by itself, so that many labels
// need little memory beside their own.
func (l *Labels) sortOrder() {
	var begins [257]int
	for id := range uint32(len(l.ends)) {
		if label := l.bytes(id); len(label) > 0 {
			begins[firstFolded(label)+1]++
		}
	}
	for i := range 256 {
		begins[i+1] += begins[i]
	}
	l.order = make([]uint32, begins[256])
	next := begins
	for id := range uint32(len(l.ends)) {
		if label := l.bytes(id); len(label) > 0 {
			first := firstFolded(label)
			l.order[next[first]] = id
			next[first]++
		}
	}
	parallel.Each(context.Background(), 256, func(i int) { l.sortPart(l.order[begins[i]:begins[i+1]]) })
}

// sortPart sorts ids by folded label, then id.
func (l *Labels) sortPart(ids []uint32) {
	keys := make([]sortKey, len(ids))
	var folded []byte
	for i, id := range ids {
		label := l.bytes(id)
		folded = appendFolded(folded[:0], label[:wholeRunes(label, 8)])
		keys[i] = sortKey{prefixOf(folded), id}
	}
	slices.SortFunc(keys, func(a, b sortKey) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return cmp.Or(compareFolded(l.bytes(a.id), l.bytes(b.id)), cmp.Compare(a.id, b.id))
	})
	for i, key := range keys {
		ids[i] = key.id
	}
}

// firstFolded is the first byte of the lower-case form of a text.
func firstFolded(text []byte) byte {
	if text[0] < utf8.RuneSelf {
		folded, _ := foldedRune(text)
		return byte(folded)
	}
	var room [utf8.UTFMax]byte
	folded, _ := foldedRune(text)
	utf8.EncodeRune(room[:], folded)
	return room[0]
}

// wholeRunes is the length of the first so many runes of a text.
func wholeRunes(text []byte, most int) int {
	length := 0
	for range most {
		if length == len(text) {
			break
		}
		_, size := utf8.DecodeRune(text[length:])
		length += size
	}
	return length
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
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	for same > 0 && (same == len(a) || same == len(b) || !utf8.RuneStart(a[same]) || !utf8.RuneStart(b[same])) {
		same-- // to the beginning of a rune
	}
	a, b = a[same:], b[same:]
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
