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
	return Arrays{
		Entities: g.Entities.arrays(), Relations: g.Relations.arrays(),
		First: g.first, EdgeRelations: g.relations, EdgeTails: g.tails, Duplicates: g.duplicates,
	}
}

func (d Dictionary) arrays() DictionaryArrays {
	a := DictionaryArrays{Names: NameArrays{Text: d.Names.text, Ends: d.Names.ends, Slots: d.Names.slots, Digest: d.Names.Digest()}}
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
		Vocabulary: &Vocabulary{Entities: a.Entities.dictionary(), Relations: a.Relations.dictionary()},
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
	d := Dictionary{Names: &Names{text: a.Names.Text, ends: a.Names.Ends, slots: a.Names.Slots}}
	d.Names.once.Do(func() { d.Names.digest = a.Names.Digest })
	if l := a.Labels; l != nil {
		d.Labels = &Labels{text: l.Text, ends: l.Ends, order: l.Order}
	}
	return d
}

// sharedMemory is what the arrays of several graphs lie in: it is kept until the last of them is closed.
type sharedMemory struct {
	release func() error
	users   atomic.Int64
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
