package kg

import "encoding/binary"

// Names is an immutable list of distinct names, numbered from 0 in the order in
// which they were first seen, with a hash index for the way back. Its three flat
// arrays are stored in a snapshot as they are, so that opening a graph of
// millions of names builds nothing.
type Names struct {
	text  []byte   // all names, end to end
	ends  []uint64 // name i is text[ends[i-1]:ends[i]]
	slots []uint32 // open addressing, a power of two long: id+1, or 0 for empty
}

// Len is the number of names.
func (n *Names) Len() int { return len(n.ends) }

// At is the name numbered id.
func (n *Names) At(id uint32) string { return string(n.bytes(id)) }

func (n *Names) bytes(id uint32) []byte {
	start := uint64(0)
	if id > 0 {
		start = n.ends[id-1]
	}
	return n.text[start:n.ends[id]]
}

// Find gives the number of a name.
func (n *Names) Find(name string) (id uint32, ok bool) {
	if len(n.slots) == 0 {
		return 0, false
	}
	slot := n.slot([]byte(name))
	if n.slots[slot] == 0 {
		return 0, false
	}
	return n.slots[slot] - 1, true
}

// slot is the place of name in the index: the one that holds it, or the empty one where it belongs.
func (n *Names) slot(name []byte) int {
	mask := len(n.slots) - 1
	for i := int(hashName(name)) & mask; ; i = (i + 1) & mask {
		if id := n.slots[i]; id == 0 || string(n.bytes(id-1)) == string(name) {
			return i
		}
	}
}

// Interner collects names into Names.
type Interner struct{ names Names }

// Intern gives the number of name, a new one at its first appearance.
func (in *Interner) Intern(name []byte) uint32 {
	n := &in.names
	if 2*len(n.ends) >= len(n.slots) {
		n.grow()
	}
	slot := n.slot(name)
	if n.slots[slot] == 0 {
		n.text = append(n.text, name...)
		n.ends = append(n.ends, uint64(len(n.text)))
		n.slots[slot] = uint32(len(n.ends))
	}
	return n.slots[slot] - 1
}

// Names gives what was interned. The interner must not be used afterwards.
func (in *Interner) Names() *Names { return &in.names }

// grow doubles the index, which stays at most half full so that probes are short.
func (n *Names) grow() {
	n.slots = make([]uint32, max(16, 2*len(n.slots)))
	for id := range n.ends {
		n.slots[n.slot(n.bytes(uint32(id)))] = uint32(id + 1)
	}
}

// hashName is part of the snapshot format: it must never change within a version.
// It folds eight bytes at a time by multiply and xor-shift (the finaliser of
// MurmurHash3, Austin Appleby), as names are short and speed on them is what counts.
func hashName(name []byte) uint64 {
	h := uint64(len(name)) * 0x9e3779b97f4a7c15
	for ; len(name) >= 8; name = name[8:] {
		h = mix(h ^ binary.LittleEndian.Uint64(name))
	}
	var last [8]byte
	copy(last[:], name)
	return mix(h ^ binary.LittleEndian.Uint64(last[:]))
}

func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
