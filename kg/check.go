package kg

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/lacuna-kg/lacuna/internal/parallel"
)

// Check holds a graph to all that the rest of the package takes for granted, so
// that no index made from its arrays can fall outside of them. What Build and
// Change make is sound; what comes from a file is not until it was checked.
func (g *Graph) Check() error {
	entities, relations := g.Entities, g.Relations
	return parallel.FirstError(
		func() error { return g.checkEdges() },
		func() error { return entities.check("entity") },
		func() error { return relations.check("relation") },
		func() error { return g.Stated.check(entities.Names.Len()) },
		func() error { return g.named.check(g) },
		func() error { return g.annotations.check(g) },
		func() error { return g.checkDenied() },
	)
}

// checkFit is as much of Check as takes no time on many facts and packed names.
func (g *Graph) checkFit() error {
	if err := g.Entities.Names.checkPlain(); err != nil {
		return fmt.Errorf("entity names: %w", err)
	}
	if err := g.Relations.Names.checkPlain(); err != nil {
		return fmt.Errorf("relation names: %w", err)
	}
	if g.Stated != nil {
		if err := g.Stated.extra.checkPlain(); err != nil {
			return fmt.Errorf("names of labels: %w", err)
		}
	}
	if err := g.annotations.checkFit(); err != nil {
		return err
	}
	if err := g.checkSizes(); err != nil {
		return err
	}
	if last := g.first[len(g.first)-1]; last != uint64(len(g.tails)) {
		return fmt.Errorf("rows: the last ends at byte %d of %d", last, len(g.tails))
	}
	return nil
}

func (d Dictionary) check(of string) error {
	if err := d.Names.check(); err != nil {
		return fmt.Errorf("%s names: %w", of, err)
	}
	if d.Labels == nil {
		return nil
	}
	if err := d.Labels.check(d.Names.Len()); err != nil {
		return fmt.Errorf("%s labels: %w", of, err)
	}
	return nil
}

// checkEnds makes sure that the entries between ends are a partition of a text.
func checkEnds(ends []uint64, length int) error {
	last := uint64(0)
	for i, end := range ends {
		if end < last {
			return fmt.Errorf("number %d ends at byte %d, before it begins at %d", i, end, last)
		}
		last = end
	}
	if last != uint64(length) {
		return fmt.Errorf("the last ends at byte %d of %d", last, length)
	}
	return nil
}

func (n *Names) check() error {
	if err := n.packed.check(); err != nil {
		return err
	}
	return n.checkPlain()
}

// checkPlain checks the names that are not packed.
func (n *Names) checkPlain() error {
	// Twice as many relations as names must have numbers, and id+1 must fit into a slot.
	if uint64(n.Len()) >= 1<<31 {
		return fmt.Errorf("%d of them, expected less than 2^31", n.Len())
	}
	if err := checkEnds(n.ends, len(n.text)); err != nil {
		return err
	}
	slots := len(n.slots)
	if slots&(slots-1) != 0 || slots <= len(n.ends) && len(n.ends) > 0 {
		return fmt.Errorf("an index of %d slots for %d names, expected a larger power of two", slots, len(n.ends))
	}
	if n.hasSoundIndex() {
		return nil
	}
	return n.checkSlots(n.hashes()[n.firstPlain():]) // which says what is wrong
}

// hasSoundIndex tells whether every name stands in the index once and is found there, on all cores: as many slots are taken as
// there are names, and a lookup of each name ends at its own number.
func (n *Names) hasSoundIndex() bool {
	var taken, wrong atomic.Int64
	parallel.Shares(context.Background(), len(n.slots), func(from, to int) {
		count := int64(0)
		for _, s := range n.slots[from:to] {
			if s == 0 {
				continue
			}
			if count++; s.empty() || !n.isPlain(s.id()) {
				wrong.Add(1)
			}
		}
		taken.Add(count)
	})
	if wrong.Load() > 0 || taken.Load() != int64(len(n.ends)) { // so that some slot is empty, and lookups end
		return false
	}
	first := int(n.firstPlain())
	parallel.Shares(context.Background(), len(n.ends), func(from, to int) {
		if !n.findsThemselves(first+from, first+to) {
			wrong.Add(1)
		}
	})
	return wrong.Load() == 0
}

// lookedUpTogether is how many lookups wait for memory at the same time.
const lookedUpTogether = 64

// findsThemselves looks some names up.
func (n *Names) findsThemselves(from, to int) bool {
	var hashes [lookedUpTogether]uint32
	var first [lookedUpTogether]Slot
	mask := uint32(len(n.slots) - 1)
	for ; from < to; from += lookedUpTogether {
		some := min(lookedUpTogether, to-from)
		for i := range some {
			hashes[i] = hashName(n.plain(uint32(from + i)))
		}
		for i := range some {
			first[i] = n.slots[hashes[i]&mask]
		}
		for i := range some {
			own := newSlot(hashes[i], uint32(from+i))
			if first[i] != own && n.slots[n.probe(hashes[i], n.plain(uint32(from+i)))] != own {
				return false
			}
		}
	}
	return true
}

// hashes gives the hash of each name. Reading the text in order and the hashes at
// random is a multiple faster than reading the text at random.
func (n *Names) hashes() []uint32 {
	hashes := make([]uint32, n.Len())
	parallel.Shares(context.Background(), len(hashes), func(from, to int) {
		var name []byte
		for id := from; id < to; id++ {
			name = n.Append(name[:0], uint32(id))
			hashes[id] = hashName(name)
		}
	})
	return hashes
}

// checkSlots makes sure that every name stands in the index once and is found there. It uses up the hashes.
func (n *Names) checkSlots(hashes []uint32) error {
	count := 0
	for i, s := range n.slots {
		switch {
		case s == 0:
			continue
		case s.empty() || !n.isPlain(s.id()):
			return fmt.Errorf("slot %d of the index holds number %d of %d", i, int64(s.id()), n.Len())
		case s.hash() != hashes[s.id()-n.firstPlain()]:
			return fmt.Errorf("number %d stands in the index twice or under a wrong hash", s.id())
		}
		hashes[s.id()-n.firstPlain()] = ^s.hash() // matches no second slot of the same name
		count++
		if err := n.checkProbe(i); err != nil {
			return err
		}
	}
	if count != len(n.ends) {
		return fmt.Errorf("%d of %d stand in the index", count, len(n.ends))
	}
	return nil
}

// checkProbe walks the way of a lookup to slot i: no gap and no equal name may stop it before.
func (n *Names) checkProbe(i int) error {
	mask := len(n.slots) - 1
	want := n.slots[i]
	for j := int(want.hash()) & mask; j != i; j = (j + 1) & mask {
		other := n.slots[j]
		if other.empty() {
			return fmt.Errorf("number %d is out of reach in the index", want.id())
		}
		// Slots behind i are unchecked as yet where the walk wraps around.
		if n.isPlain(other.id()) && other.hash() == want.hash() && bytes.Equal(n.plain(other.id()), n.plain(want.id())) {
			return fmt.Errorf("numbers %d and %d have the same name", other.id(), want.id())
		}
	}
	return nil
}

// isPlain tells whether a number is that of a name that is not packed.
func (n *Names) isPlain(id uint32) bool {
	return id >= n.firstPlain() && uint64(id) < uint64(n.Len())
}

// check leaves out whether the order is sorted. Comparing five million labels would
// take longer than all other checks, and a wrong order harms no more than a wrong
// label would: a search ends, and finds less.
func (l *Labels) check(names int) error {
	if len(l.ends) > names {
		return fmt.Errorf("%d of them for %d names", len(l.ends), names)
	}
	if err := checkEnds(l.ends, len(l.text)); err != nil {
		return err
	}
	labelled := 0
	for id := range l.ends {
		if len(l.bytes(uint32(id))) > 0 {
			labelled++
		}
	}
	if len(l.order) != labelled {
		return fmt.Errorf("%d of them in order, expected %d", len(l.order), labelled)
	}
	for i, id := range l.order {
		if uint64(id) >= uint64(len(l.ends)) {
			return fmt.Errorf("place %d of the order holds number %d of %d", i, id, len(l.ends))
		}
	}
	return nil
}

// checkSizes makes sure that the arrays of edges are as long as they should.
func (g *Graph) checkSizes() error {
	if len(g.first) != g.Entities.Names.Len()+1 {
		return fmt.Errorf("%d rows for %d entities", len(g.first)-1, g.Entities.Names.Len())
	}
	if len(g.relations) != len(g.tails) {
		return fmt.Errorf("%d relations and %d tails of edges", len(g.relations), len(g.tails))
	}
	if g.first[0] != 0 {
		return fmt.Errorf("the first row begins at edge %d", g.first[0])
	}
	return nil
}

func (g *Graph) checkEdges() error {
	if err := g.checkSizes(); err != nil {
		return err
	}
	if err := checkEnds(g.first, len(g.tails)); err != nil {
		return fmt.Errorf("rows: %w", err)
	}
	return g.checkRows()
}

// checkRows makes sure that rows are sorted and that every fact stands in both
// rows it belongs to. For the latter it compares a sum over the facts read from
// head to tail with that over the facts read the other way: looking each up would
// take longer than building the graph anew.
func (g *Graph) checkRows() error {
	var forward, inverse atomic.Uint64
	err := parallel.CheckShares(g.NumEntities(), func(from, to int) error {
		var sums [2]uint64
		for h := from; h < to; h++ {
			if err := g.checkRow(Entity(h), &sums); err != nil {
				return err
			}
		}
		g.Forget()
		forward.Add(sums[0])
		inverse.Add(sums[1])
		return nil
	})
	if err == nil && forward.Load() != inverse.Load() {
		err = fmt.Errorf("the facts of the rows of their heads are not those of the rows of their tails")
	}
	return err
}

// checkRow adds the facts of a row to the sums, one a reading. It picks by index,
// as a processor would guess the reading of an edge wrong half of the time.
func (g *Graph) checkRow(h Entity, sums *[2]uint64) error {
	relations, tails := g.Edges(h)
	entities, numRelations := uint64(g.NumEntities()), uint64(g.NumRelations())
	next := edge(0)
	for i, r := range relations {
		t := tails[i]
		e := packEdge(r, t)
		if e < next || uint64(r) >= numRelations || uint64(t) >= entities {
			return fmt.Errorf("edge %d of entity %d is (%d, %d), out of order or out of range", i, h, r, t)
		}
		next = e + 1
		ends, reading := [2]Entity{h, t}, r%2
		sums[reading] += hashFact(ends[reading], r.Base(), ends[1-reading])
	}
	return nil
}

// hashFact folds the product of two words, which is enough to tell facts apart
// and takes a third of the time of a thorough hash.
func hashFact(head Entity, base uint32, tail Entity) uint64 {
	high, low := bits.Mul64((uint64(head)<<32|uint64(tail))^0x9e3779b97f4a7c15, uint64(base)+0xd6e8feb86659fd93)
	return high ^ low
}
