// Package complete finds entities and relations by what a user has typed so far: the
// beginning of a name or of a word in it, one typing error forgiven, the names with
// most facts first. It serves the editor of the page, the HTTP API and language models.
//
// An Index is a sorted array of all words of all names (index.go); a prefix is a range
// of it, and a tournament tree gives the weightiest of a range without looking at the
// rest (range.go). Errors are found by trying every single edit against the array as
// if it were a trie (fuzzy.go).
package complete

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"runtime"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Index finds the names of a dictionary. It is immutable and may be used concurrently.
type Index struct {
	dictionary kg.Dictionary
	weigh      func(id uint32) int
	parts      []*part // of ascending ids
}

// part is the index of the names numbered first … end-1.
type part struct {
	first, end uint32
	text       []byte // folded names and labels, each ended by a zero
	words      []word // sorted by the text they begin
	best       tournament
}

// word is the beginning of a word in the text, and whose it is.
type word struct{ at, id uint32 }

// New makes the index of a dictionary. Names of a higher weight, such as the number of
// an entity's facts, are found first.
func New(ctx context.Context, d kg.Dictionary, weigh func(id uint32) int) (*Index, error) {
	p, err := newPart(ctx, d, weigh, 0, uint32(d.Names.Len()))
	if err != nil {
		return nil, err
	}
	return &Index{d, weigh, []*part{p}}, nil
}

// Extend gives the index of a dictionary that has the same names and more after them.
// The cost is that of the new names: parts are merged only with others of their size.
func (x *Index) Extend(ctx context.Context, d kg.Dictionary, weigh func(id uint32) int) (*Index, error) {
	parts := slices.Clone(x.parts)
	first, end := uint32(x.dictionary.Names.Len()), uint32(d.Names.Len())
	if first == end {
		return &Index{d, weigh, parts}, nil
	}
	for len(parts) > 0 && parts[len(parts)-1].end-parts[len(parts)-1].first <= end-first {
		first = parts[len(parts)-1].first
		parts = parts[:len(parts)-1]
	}
	p, err := newPart(ctx, d, weigh, first, end)
	if err != nil {
		return nil, err
	}
	return &Index{d, weigh, append(parts, p)}, nil
}

func newPart(ctx context.Context, d kg.Dictionary, weigh func(uint32) int, first, end uint32) (*part, error) {
	p := &part{first: first, end: end}
	for id := first; id < end; id++ {
		if id%(1<<16) == 0 && ctx.Err() != nil {
			return nil, kg.Errorf(kg.Cancelled, "", "indexing names: %v", context.Cause(ctx))
		}
		name := d.Names.At(id)
		p.add(name, id)
		if d.Labels != nil {
			if label := d.Labels.At(id); label != name {
				p.add(label, id)
			}
		}
	}
	p.sort()
	p.best = newTournament(len(p.words), func(i int) int { return score(weigh(p.words[i].id), p.begins(p.words[i])) })
	return p, nil
}

// startBonus is how much more the first word of a name counts than one inside: who types
// dog means the entry that begins so, and not each that speaks of dogs; but who types
// obama means the president rather than his family.
const startBonus = 8

// score is the weight by which a word of a name is found.
func score(weight int, begins bool) int {
	if begins {
		return min(startBonus*weight+1, math.MaxInt32)
	}
	return min(weight, math.MaxInt32)
}

// begins tells whether a word is the first of its name.
func (p *part) begins(w word) bool { return w.at == 0 || p.text[w.at-1] == 0 }

// maxText keeps positions in the text within 32 bits; names beyond it are not indexed.
const maxText = 1<<32 - 1<<16

// add notes every word of a name.
func (p *part) add(name string, id uint32) {
	if uint64(len(p.text))+2*uint64(len(name)) > maxText { // an int may have 32 bits
		return
	}
	from := len(p.text)
	p.text = append(append(p.text, folded(name)...), 0)
	for i := from; i < len(p.text)-1; i++ {
		if p.text[i] != ' ' && (i == from || p.text[i-1] == ' ') {
			p.words = append(p.words, word{uint32(i), id})
		}
	}
}

// rest is the text from a word on to the end of its name.
func (p *part) rest(w word) []byte {
	text := p.text[w.at:]
	return text[:bytes.IndexByte(text, 0)]
}

// keyed is a word with its first eight bytes, which decide most comparisons without a look at the text.
type keyed struct {
	key uint64
	word
}

// sort orders the words by their text, in pieces by all cores which are then merged.
func (p *part) sort() {
	all := make([]keyed, len(p.words))
	for i, w := range p.words {
		var first [8]byte
		copy(first[:], p.rest(w))
		all[i] = keyed{binary.BigEndian.Uint64(first[:]), w}
	}
	order := func(a, b keyed) int {
		return cmp.Or(cmp.Compare(a.key, b.key), bytes.Compare(p.rest(a.word), p.rest(b.word)), cmp.Compare(a.id, b.id))
	}
	for i, w := range sortAll(all, order, runtime.GOMAXPROCS(0)) {
		p.words[i] = w.word
	}
}

// sortAll sorts by merging halves, each sorted by half of the workers.
func sortAll(all []keyed, order func(a, b keyed) int, workers int) []keyed {
	if workers < 2 || len(all) < 1<<12 {
		slices.SortFunc(all, order)
		return all
	}
	half := len(all) / 2
	var left, right []keyed
	var wait parallel.Group
	wait.Go(func() { left = sortAll(all[:half], order, workers/2) })
	right = sortAll(all[half:], order, workers-workers/2)
	wait.Wait()
	merged := make([]keyed, 0, len(all))
	for len(left) > 0 && len(right) > 0 {
		if order(left[0], right[0]) <= 0 {
			merged, left = append(merged, left[0]), left[1:]
		} else {
			merged, right = append(merged, right[0]), right[1:]
		}
	}
	return append(append(merged, left...), right...)
}
