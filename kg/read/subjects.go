package read

import "math/bits"

// subjects are the entities that the rows of a table are about, and those that other
// tables refer to as such: what the plan supposes is counted on all rows.
type subjects struct {
	rows     []uint64 // a bit for each entity
	referred []uint64
}

func (l *loader) subjectsOf(table string) *subjects {
	if l.tables == nil {
		l.tables = map[string]*subjects{}
	}
	if l.tables[table] == nil {
		l.tables[table] = &subjects{}
	}
	return l.tables[table]
}

// add notes the entity of a row, and tells whether it is the first of it.
func (s *subjects) add(entity uint32) bool {
	before := set(&s.rows, entity)
	return !before
}

func (s *subjects) refer(entity uint32) { set(&s.referred, entity) }

// set sets a bit and tells whether it was set.
func set(words *[]uint64, bit uint32) bool {
	at := int(bit / 64)
	if at >= len(*words) {
		grown := make([]uint64, max(2*len(*words), at+1))
		copy(grown, *words)
		*words = grown
	}
	was := (*words)[at]>>(bit%64)&1 != 0
	(*words)[at] |= 1 << (bit % 64)
	return was
}

// lost counts what is referred to and is no row.
func (s *subjects) lost() (n int) {
	for i, word := range s.referred {
		if i < len(s.rows) {
			word &^= s.rows[i]
		}
		n += bits.OnesCount64(word)
	}
	return n
}

func isSet(words []uint64, bit uint32) bool {
	at := int(bit / 64)
	return at < len(words) && words[at]>>(bit%64)&1 != 0
}
