package kg

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"
	"slices"
	"sync"

	"github.com/lacuna-kg/lacuna/internal/parallel"
)

// Names is an immutable list of distinct names, numbered from 0 in the order in
// which they were first seen, with a hash index for the way back. It is flat
// arrays, stored in a snapshot as they are, so that opening a graph of
// millions of names builds nothing.
type Names struct {
	packed *packedNames // the first names, where they come from a snapshot of many; the others follow them

	text  []byte   // names, end to end
	ends  []uint64 // name i of them is text[ends[i-1]:ends[i]]
	slots []Slot   // open addressing with linear probes, a power of two long

	once   sync.Once
	digest [sha256.Size]byte // see Digest
}

// Slot is a place of the index of Names. It holds id+1 in its lower half, so that an empty slot is 0, and the name's
// hash in its upper half. With the hash at hand a probe looks at the text of
// the name it wants and at hardly any other, and growing looks at no text at all.
type Slot uint64

func newSlot(hash, id uint32) Slot { return Slot(hash)<<32 | Slot(id+1) }

func (s Slot) empty() bool  { return uint32(s) == 0 }
func (s Slot) id() uint32   { return uint32(s) - 1 }
func (s Slot) hash() uint32 { return uint32(s >> 32) }

// Len is the number of names.
func (n *Names) Len() int { return n.packed.Len() + len(n.ends) }

// At is the name numbered id.
func (n *Names) At(id uint32) string {
	if id < n.firstPlain() {
		var room [256]byte // for most names
		return string(n.packed.append(room[:0], id))
	}
	return string(n.plain(id))
}

// Append adds the name numbered id to a slice: who looks at many names needs no memory for each.
func (n *Names) Append(to []byte, id uint32) []byte {
	if id < n.firstPlain() {
		return n.packed.append(to, id)
	}
	return append(to, n.plain(id)...)
}

// firstPlain is the number of the first name that is not packed.
func (n *Names) firstPlain() uint32 { return uint32(n.packed.Len()) }

// plain is a name that is not packed, where it lies.
func (n *Names) plain(id uint32) []byte { return entry(n.text, n.ends, id-n.firstPlain()) }

// Begins tells whether the name numbered id begins with a byte, without making a string of it.
func (n *Names) Begins(id uint32, with byte) bool {
	var room [256]byte
	name := n.Append(room[:0], id)
	return len(name) > 0 && name[0] == with
}

// entry is text number id of those that end at ends.
func entry(text []byte, ends []uint64, id uint32) []byte {
	start := uint64(0)
	if id > 0 {
		start = ends[id-1]
	}
	return text[start:ends[id]]
}

// Find gives the number of a name.
func (n *Names) Find(name string) (id uint32, ok bool) {
	hash := hashName([]byte(name))
	if id, ok = n.packed.find(hash, []byte(name)); ok || len(n.slots) == 0 {
		return id, ok
	}
	found := n.slots[n.probe(hash, []byte(name))]
	return found.id(), !found.empty()
}

// probe gives the place of a name that is not packed in the index: the one that holds it, or the empty one where it belongs.
func (n *Names) probe(hash uint32, name []byte) int {
	mask := len(n.slots) - 1
	for i := int(hash) & mask; ; i = (i + 1) & mask {
		s := n.slots[i]
		if s.empty() || s.hash() == hash && string(n.plain(s.id())) == string(name) {
			return i
		}
	}
}

// Digest is a hash of all names in their order: equal for equal lists, on every
// machine and in every version. It is computed at the first call.
func (n *Names) Digest() [sha256.Size]byte {
	n.once.Do(func() {
		h := sha256.New()
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n.Len())))
		packed := n.packed.writeEnds(h)
		writeNumbers(h, packed, n.ends)
		n.packed.writeText(h)
		h.Write(n.text)
		h.Sum(n.digest[:0])
	})
	return n.digest
}

// writeNumbers writes numbers and something more in little-endian order, some at a time: that is fast, and takes little memory.
func writeNumbers(to hash.Hash, more uint64, numbers []uint64) {
	var block []byte
	for some := range slices.Chunk(numbers, 1<<12) {
		block = block[:0]
		for _, x := range some {
			block = binary.LittleEndian.AppendUint64(block, x+more)
		}
		_, _ = to.Write(block)
	}
}

// Interner collects names into Names.
type Interner struct {
	names  Names
	hashes []uint32 // of InternAll, kept for the next call
}

// Intern gives the number of name, a new one at its first appearance.
func (in *Interner) Intern(name []byte) uint32 {
	return in.intern(hashName(name), name)
}

func (in *Interner) intern(hash uint32, name []byte) uint32 {
	n := &in.names
	if id, ok := n.packed.find(hash, name); ok {
		return id
	}
	if len(n.slots) == 0 {
		n.grow()
	}
	at := n.probe(hash, name)
	if n.slots[at].empty() {
		return in.add(at, hash, name)
	}
	return n.slots[at].id()
}

// InternAll is Intern for many names, to ids, in their order. All cores look for those that are there; the others are numbered one after the other.
func (in *Interner) InternAll(names [][]byte, ids []uint32) {
	if len(in.names.slots) == 0 {
		in.names.grow()
	}
	in.hashes = slices.Grow(in.hashes[:0], len(names))[:len(names)]
	parallel.Each(context.Background(), (len(names)+lookedForTogether-1)/lookedForTogether, func(part int) {
		from := part * lookedForTogether
		to := min(from+lookedForTogether, len(names))
		in.names.lookFor(names[from:to], in.hashes[from:to], ids[from:to])
	})
	for i, name := range names {
		if ids[i] == unnumbered {
			ids[i] = in.intern(in.hashes[i], name)
		}
	}
}

// unnumbered is the number of no name.
const unnumbered = math.MaxUint32

// lookedForTogether is how many names wait for memory at the same time: few enough that what one has waited for is still at hand when it is read.
const lookedForTogether = 64

// lookFor hashes names and gives the numbers of those that are there. A lookup waits for memory three times, at its slot, where its text begins, and its
// text: here those waits of many names overlap, as each is for all of them before the next.
func (n *Names) lookFor(names [][]byte, hashes, ids []uint32) {
	for i, name := range names {
		hashes[i] = hashName(name)
	}
	n.touch(hashes)
	for i, name := range names {
		ids[i] = unnumbered
		if id, found := n.packed.find(hashes[i], name); found {
			ids[i] = id
		} else if s := n.slots[n.probe(hashes[i], name)]; !s.empty() {
			ids[i] = s.id()
		}
	}
}

// touch loads what the lookups of at most lookedForTogether names are going to need. What it finds does not matter, but it must be read.
//
//go:noinline
func (n *Names) touch(hashes []uint32) (sum byte) {
	var begins [lookedForTogether]uint64
	mask, first := uint32(len(n.slots)-1), n.firstPlain()
	var found [lookedForTogether]Slot
	for i, hash := range hashes {
		found[i] = n.slots[hash&mask]
	}
	for i := range hashes {
		if s := found[i]; !s.empty() && s.id() > first {
			begins[i] = n.ends[s.id()-first-1]
		}
	}
	if len(n.text) == 0 {
		return 0
	}
	last := uint64(len(n.text) - 1)
	for i := range hashes {
		sum += n.text[min(begins[i], last)]
	}
	return sum
}

// add stores a new name. The index grows here only, never at a lookup, so that
// its layout depends on nothing but the list of names; at most three quarters are
// full, so that probes stay within a cache line or two.
func (in *Interner) add(at int, hash uint32, name []byte) uint32 {
	n := &in.names
	id := uint32(n.Len())
	n.text = append(n.text, name...)
	n.ends = append(n.ends, uint64(len(n.text)))
	n.slots[at] = newSlot(hash, id)
	if 4*len(n.ends) > 3*len(n.slots) {
		n.grow()
	}
	return id
}

// Len is the number of names so far.
func (in *Interner) Len() int { return in.names.Len() }

// Find gives the number of a name that was interned.
func (in *Interner) Find(name string) (id uint32, ok bool) { return in.names.Find(name) }

// At is a name that was interned, by its number.
func (in *Interner) At(id uint32) string { return in.names.At(id) }

// Drop takes some names away and gives the numbers that the others have now, in the same order.
func (in *Interner) Drop(gone func(id uint32) bool) []uint32 {
	numbers, left := make([]uint32, in.Len()), new(Interner)
	for id := range numbers {
		if !gone(uint32(id)) {
			numbers[id] = left.Intern([]byte(in.At(uint32(id))))
		}
	}
	in.names.packed, in.names.text, in.names.ends, in.names.slots = nil, left.names.text, left.names.ends, left.names.slots
	return numbers
}

// Names gives what was interned. The interner must not be used afterwards.
func (in *Interner) Names() *Names { return &in.names }

// grow doubles the index.
func (n *Names) grow() {
	old := n.slots
	n.slots = make([]Slot, max(16, 2*len(old)))
	mask := len(n.slots) - 1
	for _, s := range old {
		if s.empty() {
			continue
		}
		i := int(s.hash()) & mask
		for !n.slots[i].empty() {
			i = (i + 1) & mask
		}
		n.slots[i] = s
	}
}

// hashName is part of the snapshot format: it must never change within a version.
// It folds eight bytes at a time by multiply and xor-shift (the finaliser of
// MurmurHash3, Austin Appleby), as names are short and speed on them is what counts.
func hashName(name []byte) uint32 {
	h := uint64(len(name)) * 0x9e3779b97f4a7c15
	for ; len(name) >= 8; name = name[8:] {
		h = mix(h ^ binary.LittleEndian.Uint64(name))
	}
	var last [8]byte
	copy(last[:], name)
	return uint32(mix(h ^ binary.LittleEndian.Uint64(last[:])))
}

func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
