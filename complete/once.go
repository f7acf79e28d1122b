package complete

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Once is New and one Search of it, for those who ask nothing more: instead of sorting all words of all
// names it looks at each, and makes an index of the few that match.
func Once(ctx context.Context, d kg.Dictionary, weigh func(id uint32) int, typed string, limit int) ([]Match, error) {
	query := folded(typed)
	if len(query) == 0 || len(query) > maxTyped || limit <= 0 {
		return nil, nil
	}
	candidates := candidatesOf(ctx, d, query)
	if ctx.Err() != nil {
		return nil, kg.Stopped(ctx)
	}
	few, err := New(ctx, subset(d, candidates), func(i uint32) int { return weigh(candidates[i]) })
	if err != nil {
		return nil, err
	}
	matches := few.Search(typed, limit)
	for i := range matches {
		matches[i].ID = candidates[matches[i].ID]
	}
	return matches, nil
}

// candidatesOf are the names with a word that goes on as the query does, but for one edit, by their numbers.
func candidatesOf(ctx context.Context, d kg.Dictionary, query []byte) (ids []uint32) {
	var mutex sync.Mutex
	parallel.Shares(ctx, d.Names.Len(), func(from, to int) {
		var found []uint32
		var text []byte
		for id := uint32(from); id < uint32(to); id++ {
			text = fold(text[:0], d.Names.At(id))
			matches := hasWord(text, query)
			if !matches && d.Labels != nil {
				text = fold(text[:0], d.Labels.At(id))
				matches = hasWord(text, query)
			}
			if matches {
				found = append(found, id)
			}
		}
		mutex.Lock()
		defer mutex.Unlock()
		ids = append(ids, found...)
	})
	slices.Sort(ids)
	return ids
}

// subset is the dictionary of some names, numbered anew.
func subset(d kg.Dictionary, ids []uint32) kg.Dictionary {
	var names kg.Interner
	var labels []string
	for _, id := range ids {
		names.Intern([]byte(d.Names.At(id)))
		if d.Labels != nil {
			labels = append(labels, d.Labels.At(id))
		}
	}
	few := kg.Dictionary{Names: names.Names()}
	if d.Labels != nil {
		few.Labels = kg.NewLabels(labels)
	}
	return few
}

// hasWord tells whether some word of a folded name begins as the query does, but for one edit behind its first character.
func hasWord(text, query []byte) bool {
	for i := 0; i < len(text); i++ {
		if text[i] == query[0] && (i == 0 || text[i-1] == ' ') && nearlyBegins(text[i:], query) {
			return true
		}
	}
	return false
}

// nearlyBegins tells whether text begins with the query after one edit at most: it is enough to try the edits
// where they first differ, as an edit before would change what agrees.
func nearlyBegins(text, query []byte) bool {
	same := 0
	for same < len(text) && same < len(query) && text[same] == query[same] {
		same++
	}
	for same > 0 && same < len(query) && !utf8.RuneStart(query[same]) {
		same-- // to where the character begins
	}
	switch {
	case same == len(query):
		return true
	case same == 0 || utf8.RuneCount(query) < leastFuzzy:
		return false
	}
	here, wanted := text[same:], query[same:]
	_, size := utf8.DecodeRune(wanted)
	if bytes.HasPrefix(here, wanted[size:]) { // one too many
		return true
	}
	if len(here) == 0 {
		return false
	}
	_, other := utf8.DecodeRune(here)
	wrong, missing := bytes.HasPrefix(here[other:], wanted[size:]), bytes.HasPrefix(here[other:], wanted)
	return wrong || missing || swapped(here, wanted, size)
}

// swapped tells whether text begins with the query when its first two characters, the first of a size, change places.
func swapped(text, query []byte, size int) bool {
	first, rest := query[:size], query[size:]
	_, next := utf8.DecodeRune(rest)
	after, found := bytes.CutPrefix(text, rest[:next])
	if !found || next == 0 {
		return false
	}
	after, found = bytes.CutPrefix(after, first)
	return found && bytes.HasPrefix(after, rest[next:])
}
