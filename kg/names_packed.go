package kg

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash"
	"math/bits"
	"sync/atomic"

	"github.com/lacuna-kg/lacuna/internal/packed"
	"github.com/lacuna-kg/lacuna/internal/parallel"
)

// packedFrom is how many names a list has at least that is packed in a snapshot. Fewer are no burden, and
// their files can be read by releases that know of no packing.
const packedFrom = 1 << 16

// packedNames are many names in less than half the memory: their texts packed, and an index of four bytes a place.
// A place holds id+1 in its lower bits, as many as the largest id needs, and as much of the name's hash as there
// is room for above, so that a lookup compares hardly any name but its own.
//
// All methods take nil for no names.
type packedNames struct {
	texts *packed.Texts
	index []uint32 // open addressing with linear probes, 4/3 of the names long
}

// indexLen is the length of the index of so many names: a lookup of what is there meets 2.5 places on average.
func indexLen(names int) int { return names + names/3 + 1 }

// Len is the number of names.
func (p *packedNames) Len() int {
	if p == nil {
		return 0
	}
	return p.texts.Len()
}

func (p *packedNames) append(to []byte, id uint32) []byte { return p.texts.Append(to, int(id)) }

// home is the place where the probes of a hash begin, and shift the number of bits that an id takes.
func (p *packedNames) home(hash uint32) int { return int(uint64(hash) * uint64(len(p.index)) >> 32) }
func (p *packedNames) shift() int           { return bits.Len32(uint32(p.texts.Len())) }

// find gives the number of a name.
func (p *packedNames) find(hash uint32, name []byte) (id uint32, ok bool) {
	if p == nil {
		return 0, false
	}
	var room [256]byte
	codes := p.texts.Pack(room[:0], name)
	shift := p.shift()
	at := p.home(hash)
	for range p.index { // one that was not checked yet may have no empty place
		place := p.index[at]
		if place == 0 {
			return 0, false
		}
		id := place&(1<<shift-1) - 1
		if (place^hash<<shift)>>shift == 0 && bytes.Equal(p.texts.Codes(int(id)), codes) {
			return id, true
		}
		if at++; at == len(p.index) {
			at = 0
		}
	}
	return 0, false
}

// pack gives all names packed. It depends on nothing but the list.
func (n *Names) pack() *packedNames {
	if len(n.ends) == 0 && n.packed != nil {
		return n.packed
	}
	onAllCores := func(parts int, work func(part int)) { parallel.Each(context.Background(), parts, work) }
	p := &packedNames{texts: packed.Pack(n.Len(), n.textOf, onAllCores)}
	p.fill(n.hashes())
	return p
}

// Packed gives the same names in less memory, where they are many. Finding one takes longer.
func (n *Names) Packed() *Names {
	if n.Len() < packedFrom {
		return n
	}
	packed := &Names{packed: n.pack()}
	digest := n.Digest()
	packed.once.Do(func() { packed.digest = digest })
	return packed
}

// textOf is a name that nobody changes.
func (n *Names) textOf(i int) []byte {
	if id := uint32(i); id >= n.firstPlain() {
		return n.plain(id)
	}
	return n.packed.append(nil, uint32(i))
}

// fill makes the index.
func (p *packedNames) fill(hashes []uint32) {
	p.index = make([]uint32, indexLen(len(hashes)))
	shift := p.shift()
	for id, hash := range hashes {
		at := p.home(hash)
		for p.index[at] != 0 {
			if at++; at == len(p.index) {
				at = 0
			}
		}
		p.index[at] = hash<<shift | uint32(id+1)
	}
}

// names is the list of arrays, whose sizes agree.
func (a *PackedArrays) names() (*packedNames, error) {
	if a.Count < packedFrom || a.Count > maxNames {
		return nil, fmt.Errorf("%d of them are packed, expected %d to %d", a.Count, packedFrom, maxNames)
	}
	if len(a.Index) != indexLen(a.Count) {
		return nil, fmt.Errorf("an index of %d places for %d names, expected %d", len(a.Index), a.Count, indexLen(a.Count))
	}
	texts, err := packed.FromArrays(a.Arrays, a.Count)
	if err != nil {
		return nil, err
	}
	return &packedNames{texts, a.Index}, nil
}

// check makes sure that every text is whole, stands in the index once and is found there.
func (p *packedNames) check() error {
	if p == nil {
		return nil
	}
	err := parallel.CheckShares((p.Len()+checkedTogether-1)/checkedTogether, func(from, to int) error {
		return p.texts.Check(from*checkedTogether, min(to*checkedTogether, p.Len()))
	})
	if err != nil {
		return err
	}
	var taken atomic.Int64
	shift := p.shift()
	err = parallel.CheckShares(len(p.index), func(from, to int) error {
		count := int64(0)
		for i, place := range p.index[from:to] {
			if id := place & (1<<shift - 1); id > uint32(p.Len()) || id == 0 && place != 0 {
				return fmt.Errorf("place %d of the index holds number %d of %d", from+i, int64(id)-1, p.Len())
			} else if id > 0 {
				count++
			}
		}
		taken.Add(count)
		return nil
	})
	if err == nil && taken.Load() != int64(p.Len()) {
		err = fmt.Errorf("%d places of the index are taken by %d names", taken.Load(), p.Len())
	}
	if err != nil {
		return err
	}
	return parallel.CheckShares(p.Len(), p.checkLookups)
}

// checkedTogether is a whole number of blocks of texts.
const checkedTogether = 1 << 10

// checkLookups makes sure that lookups of names end at their numbers. As many places are taken as there are names, so that each
// that is found stands there once. The first places of many names are read before any is looked at: those waits for memory overlap.
func (p *packedNames) checkLookups(from, to int) error {
	var name, codes []byte
	var hashes, first [lookedUpTogether]uint32
	for ; from < to; from += lookedUpTogether {
		some := min(lookedUpTogether, to-from)
		for i := range some {
			name = p.append(name[:0], uint32(from+i))
			hashes[i] = hashName(name)
			if codes = p.texts.Pack(codes[:0], name); !bytes.Equal(p.texts.Codes(from+i), codes) {
				return fmt.Errorf("number %d is packed otherwise than a lookup packs it", from+i)
			}
		}
		for i := range some {
			first[i] = p.index[p.home(hashes[i])]
		}
		for i := range some {
			id := uint32(from + i)
			if first[i] != p.place(hashes[i], id) && !p.leadsTo(hashes[i], id) {
				return fmt.Errorf("number %d is out of reach in the index, or has the name of another", id)
			}
		}
	}
	return nil
}

// place is what the index holds of a name.
func (p *packedNames) place(hash, id uint32) uint32 { return hash<<p.shift() | (id + 1) }

// leadsTo tells whether a lookup of a name comes to its number before it comes to an empty place or to another of the same name.
func (p *packedNames) leadsTo(hash, id uint32) bool {
	own, shift := p.place(hash, id), p.shift()
	at := p.home(hash)
	for range p.index {
		place := p.index[at]
		switch {
		case place == own:
			return true
		case place == 0:
			return false
		case (place^own)>>shift == 0 && bytes.Equal(p.texts.Codes(int(place&(1<<shift-1)-1)), p.texts.Codes(int(id))):
			return false
		}
		if at++; at == len(p.index) {
			at = 0
		}
	}
	return false
}

// writeEnds writes where the names end when they lie one behind the other, and gives the last end.
func (p *packedNames) writeEnds(to hash.Hash) (end uint64) {
	var name, block []byte
	for id := range uint32(p.Len()) {
		name = p.append(name[:0], id)
		end += uint64(len(name))
		if block = binary.LittleEndian.AppendUint64(block, end); len(block) >= 1<<15 {
			_, _ = to.Write(block)
			block = block[:0]
		}
	}
	_, _ = to.Write(block)
	return end
}

// writeText writes all names.
func (p *packedNames) writeText(to hash.Hash) {
	var block []byte
	for id := range uint32(p.Len()) {
		if block = p.append(block, id); len(block) >= 1<<15 {
			_, _ = to.Write(block)
			block = block[:0]
		}
	}
	_, _ = to.Write(block)
}
