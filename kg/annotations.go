package kg

import (
	"cmp"
	"fmt"
	"slices"
)

// What data says of a fact itself, such as since when it holds or who says so: the properties of an edge, the qualifiers of
// Wikidata, the annotations of RDF 1.2. They are kept beside the facts under names of their own, so that neither entities nor
// relations have more of them, models see none, and a graph without any has none of it and costs nothing more.
//
// To read those of a fact: for _, statement := range g.Annotations().Of(t) { for _, a := range statement { a.Relation, a.Value } }.
// A fact that is stated several times has several statements: married from 1990 until 1995, and again from 1999 on.

// Annotation is what a statement says of its fact. Value is a name as those of entities are, a literal in the form of
// N-Triples; it need not be an entity of the graph.
type Annotation struct {
	Relation string `json:"relation"`
	Value    string `json:"value"`
}

// Reifies is the relation by which a statement has a name, its value, as RDF 1.2 calls what names one.
const Reifies = "http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies"

// InGraph is the relation by which a statement says in which graph it stands, where several state its fact.
const InGraph = "urn:lacuna:in-graph"

// Annotations are those of all facts of a graph. Nil has none.
type Annotations struct {
	facts     []Triple // of each statement that has any, in order; one that several have follows itself
	first     []uint64 // those of statement i are numbers first[i] … first[i+1]-1
	names     *Names   // of relations and values
	relations []uint32
	values    []uint32
}

// AnnotationBuilder collects annotations.
type AnnotationBuilder struct {
	names Interner
	all   []annotated
	pairs []namePair
}

// namePair is an annotation by the numbers of its names.
type namePair struct{ relation, value uint32 }

// annotated is a statement; its pairs are sorted.
type annotated struct {
	Triple
	from, to uint64
}

func (p namePair) compare(q namePair) int {
	return cmp.Or(cmp.Compare(p.relation, q.relation), cmp.Compare(p.value, q.value))
}

// Add takes what a statement of a fact says of it. The same of the same fact is one statement.
func (b *AnnotationBuilder) Add(t Triple, of []Annotation) {
	if len(of) == 0 {
		return
	}
	from := len(b.pairs)
	for _, a := range of {
		b.pairs = append(b.pairs, namePair{b.names.Intern([]byte(a.Relation)), b.names.Intern([]byte(a.Value))})
	}
	slices.SortFunc(b.pairs[from:], namePair.compare)
	b.pairs = b.pairs[:from+len(slices.Compact(b.pairs[from:]))]
	b.all = append(b.all, annotated{t.Stated(), uint64(from), uint64(len(b.pairs))})
}

// Renumber gives the facts of what was added so far other numbers.
func (b *AnnotationBuilder) Renumber(to func(Triple) Triple) {
	for i := range b.all {
		b.all[i].Triple = to(b.all[i].Triple)
	}
}

// Annotations gives what was added, nil where that is nothing. The builder must not be used afterwards.
func (b *AnnotationBuilder) Annotations() *Annotations {
	if len(b.all) == 0 {
		return nil
	}
	pairs := func(s annotated) []namePair { return b.pairs[s.from:s.to] }
	order := func(x, y annotated) int {
		return cmp.Or(x.Compare(y.Triple), slices.CompareFunc(pairs(x), pairs(y), namePair.compare))
	}
	slices.SortFunc(b.all, order)
	b.all = slices.CompactFunc(b.all, func(x, y annotated) bool { return order(x, y) == 0 })
	a := &Annotations{first: make([]uint64, 1, len(b.all)+1), names: b.names.Names()}
	for _, s := range b.all {
		a.facts = append(a.facts, s.Triple)
		for _, p := range pairs(s) {
			a.relations, a.values = append(a.relations, p.relation), append(a.values, p.value)
		}
		a.first = append(a.first, uint64(len(a.values)))
	}
	return a
}

// Annotations are those of the graph's facts, nil where there are none.
func (g *Graph) Annotations() *Annotations { return g.annotations }

// WithAnnotations gives a graph its annotations; those of facts that it does not state are left out. It is for who has just built it.
func (g *Graph) WithAnnotations(a *Annotations) *Graph {
	g.annotations = a.keptBy(g)
	return g
}

// Len is how many statements have annotations.
func (a *Annotations) Len() int {
	if a == nil {
		return 0
	}
	return len(a.facts)
}

// At is statement number i, in the order of facts.
func (a *Annotations) At(i int) (Triple, []Annotation) {
	var of []Annotation
	for at := a.first[i]; at < a.first[i+1]; at++ {
		of = append(of, Annotation{a.names.At(a.relations[at]), a.names.At(a.values[at])})
	}
	return a.facts[i], of
}

// Of gives what each statement of a fact says of it, nil where none says anything.
func (a *Annotations) Of(t Triple) (statements [][]Annotation) {
	if a == nil {
		return nil
	}
	t = t.Stated()
	for i, _ := slices.BinarySearchFunc(a.facts, t, Triple.Compare); i < len(a.facts) && a.facts[i] == t; i++ {
		_, of := a.At(i)
		statements = append(statements, of)
	}
	return statements
}

// keptBy are those whose facts a graph over the same numbers states.
func (a *Annotations) keptBy(g *Graph) *Annotations {
	lost := func(t Triple) bool { return !g.states(t) }
	if a == nil || !slices.ContainsFunc(a.facts, lost) {
		return a
	}
	var b AnnotationBuilder
	for i, t := range a.facts {
		if !lost(t) {
			_, of := a.At(i)
			b.Add(t, of)
		}
	}
	return b.Annotations()
}

// check makes sure that annotations are of facts of the graph, in order, and their names are there.
func (a *Annotations) check(g *Graph) error {
	if a == nil {
		return nil
	}
	if err := a.checkFit(); err != nil {
		return err
	}
	if err := checkEnds(a.first, len(a.values)); err != nil {
		return fmt.Errorf("annotations: %w", err)
	}
	for i, t := range a.facts {
		if i > 0 && a.facts[i-1].Compare(t) > 0 {
			return fmt.Errorf("annotations: fact (%d, %d, %d) is out of order", t.Head, t.Relation, t.Tail)
		}
		if t.Relation.IsInverse() || !g.states(t) {
			return fmt.Errorf("annotations: (%d, %d, %d) is no fact of the graph", t.Head, t.Relation, t.Tail)
		}
	}
	for i := range a.values {
		if names := uint32(a.names.Len()); a.relations[i] >= names || a.values[i] >= names {
			return fmt.Errorf("annotations: number %d has a name that is not there", i)
		}
	}
	return nil
}

// checkFit is as much of check as takes no time on many facts.
func (a *Annotations) checkFit() error {
	if a == nil {
		return nil
	}
	if len(a.first) != len(a.facts)+1 || len(a.relations) != len(a.values) || a.first[0] != 0 {
		return fmt.Errorf("annotations: %d beginnings for %d facts, %d relations for %d values", len(a.first), len(a.facts), len(a.relations), len(a.values))
	}
	if err := a.names.checkPlain(); err != nil {
		return fmt.Errorf("names of annotations: %w", err)
	}
	return nil
}

// AnnotationArrays are those of Annotations.
type AnnotationArrays struct {
	Facts             []Triple
	First             []uint64
	Relations, Values []uint32
	Text              []byte
	Ends              []uint64
	Slots             []Slot
}

func (a *Annotations) arrays() *AnnotationArrays {
	if a == nil {
		return nil
	}
	return &AnnotationArrays{a.facts, a.first, a.relations, a.values, a.names.text, a.names.ends, a.names.slots}
}

// annotations puts the arrays where they belong.
func (a *AnnotationArrays) annotations() *Annotations {
	if a == nil {
		return nil
	}
	return &Annotations{a.Facts, a.First, &Names{text: a.Text, ends: a.Ends, slots: a.Slots}, a.Relations, a.Values}
}
