package kg

import (
	"slices"
	"strings"
	"testing"
)

// TestUnsoundIndexIsRefused changes the hash index of names, which a lookup trusts to end.
func TestUnsoundIndexIsRefused(t *testing.T) {
	occupied := func(slots []Slot) int { return slices.IndexFunc(slots, func(s Slot) bool { return !s.empty() }) }
	tests := []struct {
		name   string
		change func(n *Names)
		says   string
	}{
		{"full", func(n *Names) {
			for i := range n.slots {
				n.slots[i] = n.slots[occupied(n.slots)]
			}
		}, "have the same name"},
		{"twice", func(n *Names) {
			at := occupied(n.slots)
			for !n.slots[at].empty() {
				at++
			}
			n.slots[at] = n.slots[at-1]
		}, "twice or under a wrong hash"},
		{"out of range", func(n *Names) { n.slots[occupied(n.slots)] = newSlot(1, 5) }, "holds number 5 of 5"},
		{"hash without number", func(n *Names) { n.slots[slices.Index(n.slots, 0)] = 1 << 32 }, "of the index holds number"},
		{"missing", func(n *Names) { n.slots[occupied(n.slots)] = 0 }, "in the index"},
		{"wrong hash", func(n *Names) { n.slots[occupied(n.slots)] ^= 1 << 40 }, "under a wrong hash"},
		{"out of reach", func(n *Names) {
			from, to := occupied(n.slots), slices.Index(n.slots, 0)
			n.slots[from], n.slots[to] = n.slots[to], n.slots[from]
		}, "out of reach"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := numberedNames("e", 5)
			test.change(n)
			if err := n.check(); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v, want %q", err, test.says)
			}
		})
	}
}

func TestEqualNamesAreRefused(t *testing.T) {
	n := &Names{text: []byte("aa"), ends: []uint64{1, 2}, slots: make([]Slot, 16)}
	hash := hashName([]byte("a"))
	n.slots[hash&15], n.slots[(hash+1)&15] = newSlot(hash, 0), newSlot(hash, 1)
	if err := n.check(); err == nil || !strings.Contains(err.Error(), "have the same name") {
		t.Errorf("%v", err)
	}
}
