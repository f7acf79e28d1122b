package complete

import (
	"cmp"
	"slices"
)

// Match is a name found.
type Match struct {
	ID     uint32 // in the dictionary
	Weight int
	// kind is how it was found; a better kind comes first, whatever the weights.
	kind kind
}

// kind is how a name matches what was typed.
type kind uint8

// The kinds, the best first.
const (
	whole  kind = iota // the name itself, or its label, but for case
	prefix             // the beginning of a word
	edited             // the beginning of a word after one edit
)

// maxTyped is the length in bytes beyond which nothing is found: no name is looked for by so much text.
const maxTyped = 1 << 10

// Search gives at most limit names, the best first. Nothing typed gives the weightiest names of all.
func (x *Index) Search(typed string, limit int) []Match {
	query := folded(typed)
	if limit <= 0 || len(query) > maxTyped {
		return nil
	}
	found := &finds{limit: limit, seen: map[uint32]bool{}}
	for _, p := range x.parts {
		p.collectWhole(found, query)
	}
	found.close(whole, x.weigh)
	x.collect(found, prefix, func(p *part) []span { return []span{p.narrow(span{0, len(p.words)}, 0, query)} })
	if len(found.matches) < limit {
		x.collect(found, edited, func(p *part) []span { return p.oneEdit(query) })
	}
	return found.matches
}

// finds collects matches, each name once.
type finds struct {
	limit   int
	seen    map[uint32]bool
	matches []Match
	open    []scored // of the kind that is being collected
}

type scored struct {
	id    uint32
	score uint32
}

func (f *finds) add(id, score uint32) {
	if !f.seen[id] {
		f.seen[id] = true
		f.open = append(f.open, scored{id, score})
	}
}

// close puts what was collected as a kind behind the better ones.
func (f *finds) close(kind kind, weigh func(id uint32) int) {
	slices.SortStableFunc(f.open, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	for _, found := range f.open {
		f.matches = append(f.matches, Match{ID: found.id, Weight: weigh(found.id), kind: kind})
	}
	f.matches = f.matches[:min(f.limit, len(f.matches))]
	f.open = nil
}

// collect takes the weightiest words of spans of every part.
func (x *Index) collect(f *finds, kind kind, spans func(*part) []span) {
	for _, p := range x.parts {
		contest := newContest(p, spans(p)...)
		for wanted := len(f.open) + f.limit; len(f.open) < wanted; {
			w, weight, ok := contest.next()
			if !ok {
				break
			}
			f.add(w.id, weight)
		}
	}
	f.close(kind, x.weigh)
}

// wholeTries bounds the look for names that are the query itself among those that end with it.
const wholeTries = 1000

// collectWhole takes the names that are the query itself.
func (p *part) collectWhole(f *finds, query []byte) {
	if len(query) == 0 {
		return
	}
	ended := append(slices.Clone(query), 0)
	contest := newContest(p, p.narrow(span{0, len(p.words)}, 0, ended))
	wanted := len(f.open) + f.limit
	for range wholeTries {
		w, weight, ok := contest.next()
		if !ok || len(f.open) == wanted {
			return
		}
		if p.begins(w) {
			f.add(w.id, weight)
		}
	}
}
