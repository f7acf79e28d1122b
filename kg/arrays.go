package kg

import (
	"crypto/sha256"
	"sync"
	"sync/atomic"
)

// Arrays is a graph as it lies in memory: flat arrays without pointers, which a file
// can hold as they are and give back without anything being built. They are the
// graph's own and must not be changed.
type Arrays struct {
	Entities, Relations DictionaryArrays

	First         []uint64 // row of entity e is edges First[e] … First[e+1]-1
	EdgeRelations []Relation
	EdgeTails     []Entity
	Duplicates    int

	LabelTriples *LabelTripleArrays // nil where the data states no labels
	Prefixes     []Prefix
}

// LabelTripleArrays are those of LabelTriples.
type LabelTripleArrays struct {
	Extra              NameArrays
	Subjects, Literals []Entity
	Stated, Bearers    []Entity
}

// DictionaryArrays are those of a Dictionary.
type DictionaryArrays struct {
	Names  NameArrays
	Labels *LabelArrays // nil without labels
}

// NameArrays are those of Names, with their digest, which takes longer to compute than all other checks.
type NameArrays struct {
	Text   []byte
	Ends   []uint64
	Slots  []Slot
	Digest [sha256.Size]byte
}

// LabelArrays are those of Labels.
type LabelArrays struct {
	Text  []byte
	Ends  []uint64
	Order []uint32
}

// Arrays gives the arrays of the graph.
func (g *Graph) Arrays() Arrays {
	a := Arrays{
		Entities: g.Entities.arrays(), Relations: g.Relations.arrays(),
		First: g.first, EdgeRelations: g.relations, EdgeTails: g.tails, Duplicates: g.duplicates,
		Prefixes: g.Prefixes,
	}
	if l := g.Stated; l != nil {
		a.LabelTriples = &LabelTripleArrays{l.extra.arrays(), l.subjects, l.literals, l.stated, l.bearers}
	}
	return a
}

func (n *Names) arrays() NameArrays {
	return NameArrays{Text: n.text, Ends: n.ends, Slots: n.slots, Digest: n.Digest()}
}

func (d Dictionary) arrays() DictionaryArrays {
	a := DictionaryArrays{Names: d.Names.arrays()}
	if l := d.Labels; l != nil {
		a.Labels = &LabelArrays{Text: l.text, Ends: l.ends, Order: l.order}
	}
	return a
}

// FromArrays is the graph of arrays that may come from anywhere: they are checked,
// but for the digests, which are taken as they stand. release is called when the
// graph and all that Change made of it are closed; where the arrays are refused it is not.
func FromArrays(a Arrays, release func() error) (*Graph, error) {
	g := &Graph{
		Vocabulary: &Vocabulary{Entities: a.Entities.dictionary(), Relations: a.Relations.dictionary(), Stated: a.LabelTriples.triples(), Prefixes: a.Prefixes},
		first:      a.First,
		relations:  a.EdgeRelations,
		tails:      a.EdgeTails,
		duplicates: a.Duplicates,
	}
	if err := g.Check(); err != nil {
		return nil, err
	}
	g.use(&sharedMemory{release: release})
	return g, nil
}

func (a DictionaryArrays) dictionary() Dictionary {
	d := Dictionary{Names: a.Names.names()}
	if l := a.Labels; l != nil {
		d.Labels = &Labels{text: l.Text, ends: l.Ends, order: l.Order}
	}
	return d
}

func (a NameArrays) names() *Names {
	n := &Names{text: a.Text, ends: a.Ends, slots: a.Slots}
	n.once.Do(func() { n.digest = a.Digest })
	return n
}

func (a *LabelTripleArrays) triples() *LabelTriples {
	if a == nil {
		return nil
	}
	return &LabelTriples{extra: a.Extra.names(), subjects: a.Subjects, literals: a.Literals, stated: a.Stated, bearers: a.Bearers}
}

// sharedMemory is what the arrays of several graphs lie in: it is kept until the last of them is closed.
type sharedMemory struct {
	release func() error
	users   atomic.Int64
}

// Share gives the same graph once more, to be closed on its own.
func (g *Graph) Share() *Graph {
	same := &Graph{Vocabulary: g.Vocabulary, first: g.first, relations: g.relations, tails: g.tails, duplicates: g.duplicates}
	if g.memory != nil {
		same.use(g.memory)
	}
	return same
}

// use makes g one of the users of the memory until it is closed, once or more often.
func (g *Graph) use(m *sharedMemory) {
	m.users.Add(1)
	g.memory = m
	g.release = sync.OnceValue(func() error {
		if m.users.Add(-1) > 0 {
			return nil
		}
		return m.release()
	})
}
