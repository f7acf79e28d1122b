package read

import "github.com/lacuna-kg/lacuna/kg"

// recentCells are cells of a column that were seen not long ago, with what they state. Most columns have few values: finding
// one here takes no look at all names, which lie too far apart for the processor's caches.
type recentCells []recentCell

// recentCell is a short text and its entity.
type recentCell struct {
	length uint8 // of the text, 0 for a place that is free
	text   [recentLength]byte
	entity kg.Entity
}

const (
	recentLength = 27
	recentPlaces = 1 << 9
)

// place is where a text would be, nil for one that is too long.
func (r *recentCells) place(text []byte) *recentCell {
	if len(text) > recentLength || len(text) == 0 {
		return nil
	}
	if *r == nil {
		*r = make([]recentCell, recentPlaces)
	}
	hash := uint32(2166136261) // FNV-1a
	for _, b := range text {
		hash = (hash ^ uint32(b)) * 16777619
	}
	return &(*r)[(hash^hash>>16)%recentPlaces]
}

func (c *recentCell) is(text []byte) bool {
	return int(c.length) == len(text) && string(c.text[:c.length]) == string(text)
}

func (c *recentCell) put(text []byte, entity kg.Entity) {
	c.length, c.entity = uint8(copy(c.text[:], text)), entity
}
