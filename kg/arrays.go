package kg

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/lacuna-kg/lacuna/internal/packed"
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
	Named        *NamedArrays      // nil where no graph has a name
	Annotations  *AnnotationArrays // nil where no fact has any
	Denied       []Triple          // facts known to be false
}

// NamedArrays are those of Named.
type NamedArrays struct {
	Names       []string
	First       []uint64
	Facts, Only []Triple
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

// NameArrays are those of Names, with their digest, which takes longer to compute than all other checks. Many names are
// packed, and the first three are empty then.
type NameArrays struct {
	Text   []byte
	Ends   []uint64
	Slots  []Slot
	Packed *PackedArrays // nil for few names
	Digest [sha256.Size]byte
}

// PackedArrays are names that are packed, and their index.
type PackedArrays struct {
	packed.Arrays
	Index []uint32
	Count int
}

// LabelArrays are those of Labels.
type LabelArrays struct {
	Text  []byte
	Ends  []uint64
	Order []uint32
}

// Arrays gives the arrays of the graph. Many names are packed first, which takes time.
func (g *Graph) Arrays() Arrays {
	a := Arrays{
		Entities: g.Entities.arrays(), Relations: g.Relations.arrays(),
		First: g.first, EdgeRelations: g.relations, EdgeTails: g.tails, Duplicates: g.duplicates,
		Prefixes: g.Prefixes, Annotations: g.annotations.arrays(), Denied: g.Denied(),
	}
	if l := g.Stated; l != nil {
		a.LabelTriples = &LabelTripleArrays{l.extra.arrays(), l.subjects, l.literals, l.stated, l.bearers}
	}
	if n := g.named; n != nil {
		a.Named = &NamedArrays{First: n.first, Facts: n.facts, Only: n.only}
		for graph := range uint32(n.Len()) {
			a.Named.Names = append(a.Named.Names, n.names.At(graph))
		}
	}
	return a
}

// named puts the arrays where they belong.
func (a *NamedArrays) named() (*Named, error) {
	if a == nil {
		return nil, nil
	}
	names := new(Interner)
	for _, name := range a.Names {
		names.Intern([]byte(name))
	}
	n := &Named{names: names.Names(), first: a.First, facts: a.Facts, only: a.Only}
	if n.Len() != len(a.Names) || len(n.first) != n.Len()+1 || n.Len() == 0 {
		return nil, fmt.Errorf("%d different names of graphs, %d in all and %d beginnings of their facts", n.Len(), len(a.Names), len(n.first))
	}
	return n, checkEnds(n.first, len(n.facts))
}

func (n *Names) arrays() NameArrays {
	if n.Len() < packedFrom {
		return NameArrays{Text: n.text, Ends: n.ends, Slots: n.slots, Digest: n.Digest()}
	}
	p := n.pack()
	return NameArrays{Packed: &PackedArrays{p.texts.Arrays(), p.index, p.Len()}, Digest: n.Digest()}
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
	g, err := a.graph()
	if err == nil {
		err = g.Check()
	}
	if err != nil {
		return nil, err
	}
	g.use(&sharedMemory{release: release})
	return g, nil
}

// FromArraysUnchecked is FromArrays for many arrays, whose check takes seconds: it looks at no more than whether they fit together, and at
// names that are not packed, lookups of which may never end otherwise. The caller calls Check meanwhile. Where the arrays are unsound,
// answers are wrong until then, or an index falls outside of an array, which panics.
func FromArraysUnchecked(a Arrays, release func() error) (*Graph, error) {
	g, err := a.graph()
	if err == nil {
		err = g.checkFit()
	}
	if err != nil {
		return nil, err
	}
	g.use(&sharedMemory{release: release})
	return g, nil
}

// graph puts the arrays where they belong.
func (a Arrays) graph() (g *Graph, err error) {
	v := &Vocabulary{Prefixes: a.Prefixes}
	if v.Entities, err = a.Entities.dictionary(); err != nil {
		return nil, fmt.Errorf("entity names: %w", err)
	}
	if v.Relations, err = a.Relations.dictionary(); err != nil {
		return nil, fmt.Errorf("relation names: %w", err)
	}
	if v.Stated, err = a.LabelTriples.triples(); err != nil {
		return nil, fmt.Errorf("names of labels: %w", err)
	}
	named, err := a.Named.named()
	if err != nil {
		return nil, fmt.Errorf("named graphs: %w", err)
	}
	return &Graph{
		Vocabulary: v, first: a.First, relations: a.EdgeRelations, tails: a.EdgeTails, duplicates: a.Duplicates,
		named: named, annotations: a.Annotations.annotations(), denied: bothReadings(a.Denied),
	}, nil
}

func (a DictionaryArrays) dictionary() (Dictionary, error) {
	names, err := a.Names.names()
	d := Dictionary{Names: names}
	if l := a.Labels; l != nil {
		d.Labels = &Labels{text: l.Text, ends: l.Ends, order: l.Order}
	}
	return d, err
}

func (a NameArrays) names() (*Names, error) {
	n := &Names{text: a.Text, ends: a.Ends, slots: a.Slots}
	n.once.Do(func() { n.digest = a.Digest })
	if a.Packed == nil {
		return n, nil
	}
	var err error
	n.packed, err = a.Packed.names()
	return n, err
}

func (a *LabelTripleArrays) triples() (*LabelTriples, error) {
	if a == nil {
		return nil, nil
	}
	extra, err := a.Extra.names()
	return &LabelTriples{extra: extra, subjects: a.Subjects, literals: a.Literals, stated: a.Stated, bearers: a.Bearers}, err
}

// sharedMemory is what the arrays of several graphs lie in: it is kept until the last of them is closed.
type sharedMemory struct {
	release func() error
	forget  func() // nil where nothing is to be gained
	users   atomic.Int64
}

// Forget lets go of the memory that looking at the edges of a large graph took, where these lie in a file of their own:
// they are read again when they are needed.
func (g *Graph) Forget() {
	if g.memory != nil && g.memory.forget != nil {
		g.memory.forget()
	}
}

// Share gives the same graph once more, to be closed on its own.
func (g *Graph) Share() *Graph {
	same := &Graph{
		Vocabulary: g.Vocabulary, first: g.first, relations: g.relations, tails: g.tails, duplicates: g.duplicates,
		named: g.named, annotations: g.annotations, denied: g.denied,
	}
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
