package kg

import (
	"slices"

	"github.com/lacuna-kg/lacuna/internal/rdf"
)

// LabelBuilder collects statements of labels by their names.
type LabelBuilder struct {
	entities *Names
	extra    *Interner
	pairs    []LabelTriple
}

// NewLabelBuilder begins with no statement about a list of entities.
func NewLabelBuilder(entities *Names) *LabelBuilder {
	return &LabelBuilder{entities: entities, extra: new(Interner)}
}

// Add states that a literal labels a subject.
func (b *LabelBuilder) Add(subject, literal string) {
	b.AddNumbers(b.Number(subject), b.Number(literal))
}

// AddNumbers is Add by what Number gives.
func (b *LabelBuilder) AddNumbers(subject, literal Entity) {
	b.pairs = append(b.pairs, LabelTriple{subject, literal})
}

// Number is that of an entity, or one from FirstExtra on.
func (b *LabelBuilder) Number(name string) Entity {
	if id, isEntity := b.entities.Find(name); isEntity {
		return Entity(id)
	}
	return FirstExtra + Entity(b.extra.Intern([]byte(name)))
}

// Triples gives all statements, nil where there are none.
func (b *LabelBuilder) Triples() *LabelTriples {
	if len(b.pairs) == 0 {
		return nil
	}
	return NewLabelTriples(b.extra.Names(), b.pairs)
}

// LabelTriples are the labels that the data states or, where it states none, those that
// came beside it, as strings without a language. Nil for a graph without labels, and for
// one whose labels are facts because its file was a table.
func (v *Vocabulary) LabelTriples() *LabelTriples {
	if v.Stated != nil {
		return v.Stated
	}
	v.derive.Do(func() { v.derived = v.deriveLabels() })
	return v.derived
}

func (v *Vocabulary) deriveLabels() *LabelTriples {
	if _, asFacts := v.Relations.Names.Find(RDFSLabel); asFacts || v.Entities.Labels == nil {
		return nil
	}
	b := NewLabelBuilder(v.Entities.Names)
	for id := range uint32(v.Entities.Names.Len()) {
		if label := v.Entities.Labels.At(id); label != "" && !v.Entities.Names.Begins(id, '"') { // a literal is the subject of nothing
			b.Add(v.Entities.Names.At(id), rdf.Quoted(label))
		}
	}
	l := b.Triples()
	if l != nil {
		l.derived = true
	}
	return l
}

// relabelled is what becomes of the labels when statements are added and removed, and names
// that only labels had become entities.
func relabelled(old *LabelTriples, v *Vocabulary, known int, add, remove []Fact) *LabelTriples {
	moved := newlyEntities(old, v.Entities.Names, known)
	if len(moved)+len(add)+len(remove) == 0 {
		return old
	}
	b := NewLabelBuilder(v.Entities.Names)
	if old != nil {
		b.extra = old.extra.extend()
		b.pairs = make([]LabelTriple, 0, old.Len()+len(add))
	}
	gone := map[LabelTriple]bool{}
	for _, f := range remove {
		gone[LabelTriple{b.Number(f.Head), b.Number(f.Tail)}] = true
	}
	if old != nil {
		for p := range old.All() {
			if p = (LabelTriple{moved.of(p.Subject), moved.of(p.Literal)}); !gone[p] {
				b.pairs = append(b.pairs, p)
			}
		}
	}
	for _, f := range add {
		b.Add(f.Head, f.Tail)
	}
	return b.Triples()
}

// movedNames are names that only labels had, by the entities that they have become.
type movedNames map[Entity]Entity

func (m movedNames) of(e Entity) Entity {
	if to, moved := m[e]; moved {
		return to
	}
	return e
}

func newlyEntities(old *LabelTriples, entities *Names, known int) movedNames {
	moved := movedNames{}
	if old == nil {
		return moved
	}
	for id := known; id < entities.Len(); id++ {
		if extra, ok := old.extra.Find(entities.At(uint32(id))); ok {
			moved[FirstExtra+Entity(extra)] = Entity(id)
		}
	}
	return moved
}

// states tells whether a label is stated, by the names of its parts.
func (l *LabelTriples) states(entities *Names, f Fact) bool {
	if l == nil {
		return false
	}
	subject, known := l.find(entities, f.Head)
	literal, stated := l.find(entities, f.Tail)
	if !known || !stated {
		return false
	}
	_, found := slices.BinarySearch(l.Of(subject), literal)
	return found
}

// Find gives the number of a subject or literal by its name.
func (l *LabelTriples) Find(entities *Names, name string) (Entity, bool) {
	return l.find(entities, name)
}

func (l *LabelTriples) find(entities *Names, name string) (Entity, bool) {
	if id, isEntity := entities.Find(name); isEntity {
		return Entity(id), true
	}
	id, known := l.extra.Find(name)
	return FirstExtra + Entity(id), known
}
