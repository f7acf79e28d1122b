package kg

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
)

// RDFSLabel is the relation whose statements about literals are labels.
const RDFSLabel = "http://www.w3.org/2000/01/rdf-schema#label"

// IsLabelFact tells whether a fact by names is a label: readable text for people, and not
// something about the world that a model should learn or predict.
func IsLabelFact(relation, tail string) bool {
	return relation == RDFSLabel && len(tail) > 0 && tail[0] == '"'
}

// LabelTriples are the statements of labels that the data makes, each with its language,
// where Labels has one readable name of each. They stand beside the facts: those who ask
// what the data states see them, and nobody learns or predicts them.
//
// A subject or literal that is an entity goes by its number; other names have numbers
// of their own from FirstExtra on, so that labels make no entities.
type LabelTriples struct {
	extra *Names

	// The statements twice, each pair of lists sorted by its first and then its second.
	subjects, literals []Entity
	stated, bearers    []Entity // the same by literal

	derived bool // see Derived
}

// FirstExtra is the number of the first name that only labels have; entities have smaller ones.
const FirstExtra Entity = 1 << 31

// LabelTriple is a statement of LabelTriples.
type LabelTriple struct{ Subject, Literal Entity }

// NewLabelTriples sorts statements whose names without facts are those of extra.
func NewLabelTriples(extra *Names, pairs []LabelTriple) *LabelTriples {
	pairs = slices.Clone(pairs)
	slices.SortFunc(pairs, LabelTriple.compare)
	pairs = slices.Compact(pairs)
	l := &LabelTriples{extra: extra}
	for _, p := range pairs {
		l.subjects, l.literals = append(l.subjects, p.Subject), append(l.literals, p.Literal)
	}
	slices.SortFunc(pairs, func(a, b LabelTriple) int {
		return cmp.Or(cmp.Compare(a.Literal, b.Literal), cmp.Compare(a.Subject, b.Subject))
	})
	for _, p := range pairs {
		l.stated, l.bearers = append(l.stated, p.Literal), append(l.bearers, p.Subject)
	}
	return l
}

func (p LabelTriple) compare(other LabelTriple) int {
	return cmp.Or(cmp.Compare(p.Subject, other.Subject), cmp.Compare(p.Literal, other.Literal))
}

// Len is the number of statements; nil has none.
func (l *LabelTriples) Len() int {
	if l == nil {
		return 0
	}
	return len(l.subjects)
}

// Extra has the names from FirstExtra on.
func (l *LabelTriples) Extra() *Names { return l.extra }

// Derived tells that no file stated them: they are the readable names of a graph whose
// labels came beside its data.
func (l *LabelTriples) Derived() bool { return l.derived }

// Of gives the literals that label a subject, sorted. The slice must not be changed.
func (l *LabelTriples) Of(subject Entity) []Entity { return matching(l.subjects, l.literals, subject) }

// Bearers gives the subjects that a literal labels, sorted. The slice must not be changed.
func (l *LabelTriples) Bearers(literal Entity) []Entity {
	return matching(l.stated, l.bearers, literal)
}

// matching gives the values beside a key in sorted keys.
func matching(keys, values []Entity, key Entity) []Entity {
	from, found := slices.BinarySearch(keys, key)
	if !found {
		return nil
	}
	to := from + 1
	for to < len(keys) && keys[to] == key {
		to++
	}
	return values[from:to]
}

// All runs over the statements, by subject and literal.
func (l *LabelTriples) All() iter.Seq[LabelTriple] {
	return func(yield func(LabelTriple) bool) {
		for i, subject := range l.subjects {
			if !yield(LabelTriple{subject, l.literals[i]}) {
				return
			}
		}
	}
}

// Name is that of a subject or literal.
func (l *LabelTriples) Name(entities *Names, e Entity) string {
	if e < FirstExtra {
		return entities.At(uint32(e))
	}
	return l.extra.At(uint32(e - FirstExtra))
}

// check makes sure that no number is out of range and both orders are sorted.
func (l *LabelTriples) check(entities int) error {
	if l == nil {
		return nil
	}
	if err := l.extra.check(); err != nil {
		return fmt.Errorf("names of labels: %w", err)
	}
	if len(l.literals) != len(l.subjects) || len(l.stated) != len(l.subjects) || len(l.bearers) != len(l.subjects) {
		return fmt.Errorf("label triples: lists of %d, %d, %d and %d", len(l.subjects), len(l.literals), len(l.stated), len(l.bearers))
	}
	for i := range l.subjects {
		forth, back := LabelTriple{l.subjects[i], l.literals[i]}, LabelTriple{l.stated[i], l.bearers[i]}
		if i > 0 && (LabelTriple{l.subjects[i-1], l.literals[i-1]}.compare(forth) >= 0 || LabelTriple{l.stated[i-1], l.bearers[i-1]}.compare(back) >= 0) {
			return fmt.Errorf("label triple %d is out of order", i)
		}
		for _, e := range []Entity{forth.Subject, forth.Literal, back.Subject, back.Literal} {
			if !l.holds(e, entities) {
				return fmt.Errorf("label triple %d holds number %d, which nothing has", i, e)
			}
		}
	}
	return nil
}

func (l *LabelTriples) holds(e Entity, entities int) bool {
	if e < FirstExtra {
		return int(e) < entities
	}
	return int(e-FirstExtra) < l.extra.Len()
}
