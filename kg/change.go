package kg

import (
	"cmp"
	"context"
	"slices"
)

// ChangeReport tells what a change came to.
type ChangeReport struct {
	Added        int `json:"added"`         // facts that the graph did not state before
	Removed      int `json:"removed"`       // facts that it states no more
	Known        int `json:"known"`         // to be added, but stated already or given twice
	Unknown      int `json:"unknown"`       // to be removed, but not stated or given twice
	NewEntities  int `json:"new_entities"`  // appended to the vocabulary
	NewRelations int `json:"new_relations"` // the same
}

// Change gives the graph without the facts of remove and with those of add; a fact in
// both is stated afterwards. g stays as it is. Every entity and relation keeps its id,
// those that add names for the first time get the next ones; an entity that loses its
// last fact stays. To add what is known or to remove what is not is no error, but counted.
//
// Names are taken to the letter: an identifier, else a label, else a new name. A label
// that several have is refused, and so is a new name that no reader would accept.
// A fact whose relation has a mark (Denial) is known to be false: it is counted as others are, and what it denies goes.
// A fact that is a label (IsLabelFact) is counted as others are, but changes what the graph
// states of labels and what its names are called, and makes no entity.
//
// It takes time in proportion to the graph, most of it for copying: changes that come
// together should be made together. A fact that stays keeps its annotations, and one that goes
// takes them along; a fact that says something of itself is added with it, and where it is removed
// with it, that goes and the fact stays. Where g lies in a snapshot's file, so do the names of
// the new graph, and each of the two is closed on its own.
func (g *Graph) Change(ctx context.Context, add, remove []Fact) (*Graph, ChangeReport, error) {
	return g.change(ctx, false, add, remove)
}

// ChangeExactly is Change where names are identifiers only, never labels: for facts that a
// program has, as a label may become that of another entity.
func (g *Graph) ChangeExactly(ctx context.Context, add, remove []Fact) (*Graph, ChangeReport, error) {
	return g.change(ctx, true, add, remove)
}

func (g *Graph) change(ctx context.Context, exactly bool, add, remove []Fact) (*Graph, ChangeReport, error) {
	if slices.ContainsFunc(add, hasSaid) || slices.ContainsFunc(remove, hasSaid) {
		return g.changeSaid(add, remove, exactly, func(add, remove []Fact) (*Graph, ChangeReport, error) {
			return g.change(ctx, exactly, add, remove)
		})
	}
	if slices.ContainsFunc(add, Fact.IsDenial) || slices.ContainsFunc(remove, Fact.IsDenial) {
		return g.changeDenied(ctx, exactly, add, remove)
	}
	if g.named != nil || slices.ContainsFunc(add, inNamed) || slices.ContainsFunc(remove, inNamed) {
		return g.changeNamed(ctx, exactly, add, remove)
	}
	names := newResolver(g.Vocabulary)
	names.entities.exactly, names.relations.exactly = exactly, exactly
	return g.changeUnion(ctx, names, add, remove)
}

// changeUnion is a change of facts, whoever states them.
func (g *Graph) changeUnion(ctx context.Context, names *resolver, add, remove []Fact) (*Graph, ChangeReport, error) {
	// What is to go is looked up first: names that are only about to be added are unknown to it.
	gone, err := names.triples(ctx, remove, "removed", false)
	if err != nil {
		return nil, ChangeReport{}, err
	}
	wanted, err := names.triples(ctx, add, "added", true)
	if err != nil {
		return nil, ChangeReport{}, err
	}
	labels, err := names.labelChange(g.Vocabulary, add, remove)
	if err != nil {
		return nil, ChangeReport{}, err
	}
	wanted, gone = distinctTriples(wanted), distinctTriples(gone)
	added := slices.DeleteFunc(slices.Clone(wanted), g.states)
	gone = slices.DeleteFunc(gone, func(t Triple) bool { return !g.states(t) })
	report := ChangeReport{
		Added: len(added) + labels.added, Unknown: len(remove) - len(gone) - labels.found,
		NewEntities: names.entities.added(), NewRelations: names.relations.added(),
	}
	gone = slices.DeleteFunc(gone, func(t Triple) bool {
		_, stays := slices.BinarySearchFunc(wanted, t, Triple.Compare)
		return stays
	})
	report.Known, report.Removed = len(add)-report.Added, len(gone)+labels.removed
	changed, err := g.replace(ctx, labels.apply(names.vocabulary(g.Vocabulary), g.Vocabulary), added, gone)
	if err != nil {
		return nil, ChangeReport{}, err
	}
	return changed, report, nil
}

// Without gives the graph without some of its facts, in either reading, over the same
// vocabulary; what it does not state is passed over. It is closed as one of Change is.
func (g *Graph) Without(ctx context.Context, facts []Triple) (*Graph, error) {
	gone := make([]Triple, 0, len(facts))
	for _, t := range facts {
		if t = t.Stated(); g.states(t) {
			gone = append(gone, t)
		}
	}
	return g.replace(ctx, g.Vocabulary, nil, distinctTriples(gone))
}

// replace makes the graph with facts that it lacks and without facts that it states.
func (g *Graph) replace(ctx context.Context, v *Vocabulary, added, gone []Triple) (*Graph, error) {
	m := &merger{from: g, to: g.larger(v, len(added)-len(gone))}
	if err := m.merge(ctx, edits(added, gone)); err != nil {
		return nil, err
	}
	m.to.annotations, m.to.denied = g.annotations.keptBy(m.to), g.denied
	if len(g.denied) > 0 {
		m.to.denied = withoutTriples(g.denied, bothReadings(added))
	}
	if g.memory != nil {
		m.to.use(g.memory)
	}
	return m.to, nil
}

// states is Has for a triple that may have new names.
func (g *Graph) states(t Triple) bool { return int(t.Head) < g.NumEntities() && g.Has(t) }

func distinctTriples(triples []Triple) []Triple {
	slices.SortFunc(triples, Triple.Compare)
	return slices.Compact(triples)
}

// larger is a graph with room for so many facts more.
func (g *Graph) larger(v *Vocabulary, facts int) *Graph {
	edges := g.NumEdges() + 2*facts
	return &Graph{
		Vocabulary: v,
		first:      make([]uint64, v.Entities.Names.Len()+1),
		relations:  make([]Relation, edges),
		tails:      make([]Entity, edges),
		duplicates: g.duplicates,
	}
}

// edit is one edge that a row gains or loses.
type edit struct {
	row  Entity
	edge edge
	gone bool
}

// edits are the changes of facts in both readings, in the order of rows and edges.
func edits(added, gone []Triple) []edit {
	list := make([]edit, 0, 2*(len(added)+len(gone)))
	for _, change := range []struct {
		facts []Triple
		gone  bool
	}{{added, false}, {gone, true}} {
		for _, t := range change.facts {
			list = append(list, edit{t.Head, packEdge(t.Relation, t.Tail), change.gone},
				edit{t.Tail, packEdge(t.Relation.Inverse(), t.Head), change.gone})
		}
	}
	slices.SortFunc(list, func(a, b edit) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.edge, b.edge)) })
	return list
}

// merger copies a graph row by row. Stretches of rows that stay as they are take one
// copy, so that a small change of a large graph costs little more than moving its memory.
type merger struct {
	from, to      *Graph
	row           Entity // the next one
	read, written uint64 // edges of from and to so far
}

func (m *merger) merge(ctx context.Context, list []edit) error {
	for len(list) > 0 {
		if ctx.Err() != nil {
			return changeStopped(ctx)
		}
		row, length := list[0].row, 1
		for length < len(list) && list[length].row == row {
			length++
		}
		m.copyUntil(row)
		m.mergeRow(list[:length])
		list = list[length:]
	}
	m.copyUntil(Entity(len(m.to.first) - 1))
	m.to.first[m.row] = m.written
	return nil
}

func changeStopped(ctx context.Context) error {
	return Errorf(Cancelled, "", "the graph was not changed: %v", context.Cause(ctx))
}

// copyUntil copies the rows before one; those of new entities are empty.
func (m *merger) copyUntil(row Entity) {
	shift := m.written - m.read // perhaps below zero, which wraps around and back
	old := min(row, Entity(m.from.NumEntities()))
	for ; m.row < old; m.row++ {
		m.to.first[m.row] = m.from.first[m.row] + shift
	}
	if end := m.from.first[old]; end > m.read {
		copy(m.to.relations[m.written:], m.from.relations[m.read:end])
		copy(m.to.tails[m.written:], m.from.tails[m.read:end])
		m.read, m.written = end, end+shift
	}
	for ; m.row < row; m.row++ {
		m.to.first[m.row] = m.written
	}
}

// mergeRow writes the next row with its edits; an edge that is to go is there.
func (m *merger) mergeRow(list []edit) {
	m.to.first[m.row] = m.written
	end := m.read
	if int(m.row) < m.from.NumEntities() {
		end = m.from.first[m.row+1]
	}
	for _, e := range list {
		for m.read < end && m.next() < e.edge {
			m.put(m.next())
			m.read++
		}
		if e.gone {
			m.read++
		} else {
			m.put(e.edge)
		}
	}
	for ; m.read < end; m.read++ {
		m.put(m.next())
	}
	m.row++
}

// next is the edge of the old graph that is to be copied next.
func (m *merger) next() edge { return packEdge(m.from.relations[m.read], m.from.tails[m.read]) }

func (m *merger) put(e edge) {
	m.to.relations[m.written], m.to.tails[m.written] = e.relation(), e.tail()
	m.written++
}
