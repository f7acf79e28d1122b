// Package inwords answers questions in words without a language model: it looks for the name of an entity and for words that name relations,
// and walks from one along the others. It is a floor: what a language model with Lacuna's tools has to beat.
package inwords

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/lacuna-kg/lacuna/browse"
	"github.com/lacuna-kg/lacuna/kg"
)

// Reader reads questions on a graph.
type Reader struct {
	graph   *kg.Graph
	meaning map[string][]kg.Relation // of words, as far as they were met
}

// NewReader reads questions on a graph.
func NewReader(g *kg.Graph) *Reader { return &Reader{g, map[string][]kg.Relation{}} }

// Reading is how a question was understood: from an entity along relations, each forwards, backwards or by the step before it.
type Reading struct {
	Entity kg.Entity
	Steps  []kg.Relation // none read backwards, the first next to the entity
}

// Read finds the longest name in a question and the relations that its other words name, those next to the name first. Brackets are
// taken for blanks: MetaQA puts them around the name.
func (r *Reader) Read(question string) (reading Reading, ok bool) {
	tokens := strings.Fields(strings.NewReplacer("[", " ", "]", " ").Replace(question))
	from, to, entity, ok := r.longestName(tokens)
	if !ok {
		return reading, false
	}
	type mention struct {
		relation kg.Relation
		distance int
	}
	var mentions []mention
	for i, token := range tokens {
		if i >= from && i < to {
			continue
		}
		distance := max(from-i, i-to+1)
		for _, relation := range r.relation(token) {
			mentions = append(mentions, mention{relation, distance})
		}
	}
	slices.SortStableFunc(mentions, func(a, b mention) int { return cmp.Compare(a.distance, b.distance) })
	reading.Entity = entity
	for _, m := range mentions {
		if n := len(reading.Steps); n == 0 || reading.Steps[n-1] != m.relation { // release dates are one relation, in two words
			reading.Steps = append(reading.Steps, m.relation)
		}
	}
	return reading, len(reading.Steps) > 0
}

// longestName is the longest run of words that is an entity's name, the first of these.
func (r *Reader) longestName(tokens []string) (from, to int, e kg.Entity, ok bool) {
	for length := len(tokens); length > 0; length-- {
		for from := 0; from+length <= len(tokens); from++ {
			text := strings.Join(tokens[from:from+length], " ")
			for _, name := range []string{text, strings.TrimRight(text, "?.,")} {
				if id, known := r.graph.Entities.Names.Find(name); known {
					return from, from + length, kg.Entity(id), true
				}
			}
		}
	}
	return 0, 0, 0, false
}

// asides are words of questions that name no relation, though they stand in relations' names.
var asides = map[string]bool{"has": true, "have": true, "had": true, "in": true, "by": true, "of": true, "is": true, "the": true, "with": true, "was": true, "were": true, "a": true, "for": true, "did": true, "does": true, "do": true, "to": true}

// relation is the one relation that a word names, none where several or none have it.
func (r *Reader) relation(word string) []kg.Relation {
	word = strings.ToLower(strings.TrimFunc(word, func(c rune) bool { return !unicode.IsLetter(c) }))
	if asides[word] || len(word) < 3 {
		return nil
	}
	found, known := r.meaning[word]
	if !known {
		found = browse.RelationsLike(r.graph, word, 2)
		r.meaning[word] = found
	}
	return found[:min(1, len(found))]
}

// Answers walks from the entity along the steps, and gives what is reached with the number of ways there, the entity itself left out.
func (r *Reader) Answers(reading Reading) map[kg.Entity]int {
	at := map[kg.Entity]int{reading.Entity: 1}
	for i, relation := range reading.Steps {
		next := r.along(at, relation)
		if len(next) == 0 && i > 0 { // a director has no genre, but the films have that lead to the director
			next = r.along(r.along(at, reading.Steps[i-1].Inverse()), relation)
		}
		if len(next) == 0 {
			next = r.along(at, relation.Inverse())
		}
		at = next
	}
	delete(at, reading.Entity)
	return at
}

func (r *Reader) along(from map[kg.Entity]int, relation kg.Relation) map[kg.Entity]int {
	reached := map[kg.Entity]int{}
	for e, ways := range from {
		for _, t := range r.graph.Tails(e, relation) {
			reached[t] += ways
		}
	}
	return reached
}

// First is the answer that most ways lead to, the first by its number of several.
func First(answers map[kg.Entity]int) (first kg.Entity, ok bool) {
	most := 0
	for e, ways := range answers {
		if ways > most || ways == most && e < first {
			first, most = e, ways
		}
	}
	return first, most > 0
}
