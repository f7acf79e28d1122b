package query

import (
	"bytes"
	"cmp"
	"context"
	"math/bits"
	"runtime"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kg"
)

// maxSuggestions is how many names a message proposes.
const maxSuggestions = 3

// Suggest gives the names of a dictionary that are nearest to one it lacks, at
// most three and the best first: by edit distance, then names that begin with it,
// then names that contain it as words, then names that it contains as words. It scans all names, as a typo in a query is
// rare and an index for it is not.
func Suggest(dictionary kg.Dictionary, name string) []string {
	count := dictionary.Names.Len()
	parts := min(runtime.GOMAXPROCS(0), 1+count/50000)
	found := make([][]suggestion, parts)
	parallel.Each(context.Background(), parts, func(i int) {
		found[i] = scan(dictionary, name, count*i/parts, count*(i+1)/parts)
	})
	var best []suggestion
	for _, suggestions := range found {
		for _, s := range suggestions {
			best = insertSuggestion(best, s)
		}
	}
	var names []string
	for _, s := range best {
		if s.score <= wordScore || best[0].score > wordScore { // what it contains counts where nothing is nearer
			names = append(names, s.text)
		}
	}
	return names
}

type suggestion struct {
	text  string
	score int // less is better
	id    uint32
}

func scan(dictionary kg.Dictionary, name string, from, to int) (best []suggestion) {
	m := newMatcher(name)
	consider := func(text string, id uint32) {
		if score, ok := m.score(text); ok {
			best = insertSuggestion(best, suggestion{text, score, id})
		}
	}
	for id := uint32(from); id < uint32(to); id++ {
		if dictionary.Labels != nil {
			if label := dictionary.Labels.At(id); label != "" { // which would be near every short name
				consider(label, id)
			}
		}
		consider(dictionary.Names.At(id), id)
	}
	return best
}

// insertSuggestion keeps the best few in order, each text once.
func insertSuggestion(best []suggestion, s suggestion) []suggestion {
	if slices.ContainsFunc(best, func(b suggestion) bool { return b.text == s.text }) {
		return best
	}
	at, _ := slices.BinarySearchFunc(best, s, func(a, b suggestion) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(len(a.text), len(b.text)), cmp.Compare(a.id, b.id))
	})
	if at == maxSuggestions {
		return best
	}
	return slices.Insert(best, at, s)[:min(len(best)+1, maxSuggestions)]
}

// matcher compares names with one that is wanted, in bytes and without regard to
// the case of ASCII letters: a letter beyond ASCII counts as two or three.
type matcher struct {
	want   []byte
	letter uint64 // which letters occur in want, folded to 64 kinds
	limit  int    // the largest edit distance of interest
	folded []byte // the candidate at hand
	rows   [3][]int
}

func newMatcher(name string) *matcher {
	m := &matcher{limit: 3}
	m.want, m.letter = fold(nil, name)
	switch {
	case len(name) <= 5:
		m.limit = 1
	case len(name) <= 9:
		m.limit = 2
	}
	for i := range m.rows {
		m.rows[i] = make([]int, len(m.want)+1)
	}
	return m
}

func fold(to []byte, name string) (folded []byte, letters uint64) {
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		to = append(to, c)
		letters |= 1 << (c % 64)
	}
	return to, letters
}

const (
	distanceScore = 10 // for each edit
	prefixScore   = 15
	wordScore     = 25
	// containedScore is of a name that is whole words of the one wanted, less a point for each letter: who writes
	// Federico Fellini may mean Fellini.
	containedScore = 60
	leastContained = 4
)

func (m *matcher) score(candidate string) (int, bool) {
	var letters uint64
	m.folded, letters = fold(m.folded[:0], candidate)
	longer := len(m.folded) - len(m.want)
	// An edit brings in or takes away at most one kind of letter.
	if max(longer, -longer) <= m.limit &&
		bits.OnesCount64(m.letter&^letters) <= m.limit && bits.OnesCount64(letters&^m.letter) <= m.limit {
		if d := m.distance(); d <= m.limit {
			return d * distanceScore, true
		}
	}
	if longer < 0 && len(m.folded) >= leastContained && letters&^m.letter == 0 && isWords(m.want, m.folded) {
		return containedScore - min(len(m.folded), containedScore-wordScore-1), true
	}
	if longer <= 0 || len(m.want) < 3 || m.letter&^letters != 0 {
		return 0, false
	}
	switch at := bytes.Index(m.folded, m.want); {
	case at == 0:
		return prefixScore, true
	case at > 0 && !isAlphanumeric(m.folded[at-1]):
		return wordScore, true
	}
	return 0, false
}

// isWords tells whether a text has part as whole words.
func isWords(text, part []byte) bool {
	at := bytes.Index(text, part)
	if at < 0 {
		return false
	}
	end := at + len(part)
	return (at == 0 || !isAlphanumeric(text[at-1])) && (end == len(text) || !isAlphanumeric(text[end]))
}

func isAlphanumeric(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c >= 0x80 }

// distance is the optimal string alignment distance of the candidate from want
// (insert, delete, replace, swap neighbours), or anything over the limit. Cells
// further than the limit from the diagonal can not matter, and once two rows in a row exceed it, nothing can.
func (m *matcher) distance() int {
	a, b, limit := m.folded, m.want, m.limit
	beyond := limit + 1
	before, last, row := m.rows[0], m.rows[1], m.rows[2]
	for j := range last {
		last[j] = min(j, beyond)
	}
	lastBest := 0
	for i := 1; i <= len(a); i++ {
		from, to := max(1, i-limit), min(len(b), i+limit)
		row[from-1] = beyond
		if from == 1 {
			row[0] = min(i, beyond)
		}
		best := row[from-1]
		for j := from; j <= to; j++ {
			cost := last[j-1]
			if a[i-1] != b[j-1] {
				cost++
			}
			cost = min(cost, row[j-1]+1)
			if j < i+limit {
				cost = min(cost, last[j]+1)
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cost = min(cost, before[j-2]+1)
			}
			row[j] = min(cost, beyond)
			best = min(best, row[j])
		}
		if best > limit && lastBest > limit {
			return beyond
		}
		before, last, row, lastBest = last, row, before, best
	}
	return last[len(b)]
}
