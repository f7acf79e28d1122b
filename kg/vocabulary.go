package kg

import (
	"cmp"
	"slices"
	"strings"
)

// InverseMark follows a relation's name where it is read from tail to head.
const InverseMark = "^-1"

// Vocabulary names the entities and the base relations of a graph. Graphs that
// are to be compared, such as the training and the test graph of a benchmark, share one.
type Vocabulary struct {
	Entities  Dictionary
	Relations Dictionary // base relations; the inverse of each is implied
}

// Dictionary is a list of identifiers and, where there are any, their readable labels.
type Dictionary struct {
	Names  *Names
	Labels *Labels // nil without labels
}

// NumRelations counts relations with their inverses.
func (v *Vocabulary) NumRelations() int { return 2 * v.Relations.Names.Len() }

// Entity is the readable name of e: its label, or its identifier where it has none.
func (v *Vocabulary) Entity(e Entity) string { return v.Entities.Readable(uint32(e)) }

// Relation is the readable name of r, marked where r is an inverse.
func (v *Vocabulary) Relation(r Relation) string {
	name := v.Relations.Readable(r.Base())
	if r.IsInverse() {
		name += InverseMark
	}
	return name
}

// Readable is the label of id if it has one, else its name.
func (d Dictionary) Readable(id uint32) string {
	if d.Labels != nil {
		if label := d.Labels.At(id); label != "" {
			return label
		}
	}
	return d.Names.At(id)
}

// Find gives the ids that a user may mean by name, best kind of match first and
// only that kind: the identifier itself, a label, either in another case. More
// than one id means that the name is ambiguous.
func (d Dictionary) Find(name string) []uint32 {
	if id, ok := d.Names.Find(name); ok {
		return []uint32{id}
	}
	if d.Labels != nil {
		folded := d.Labels.Find(name)
		if exact := d.Labels.exact(folded, name); len(exact) > 0 {
			return exact
		}
		if len(folded) > 0 {
			return folded
		}
	}
	return d.Names.findFolded(name)
}

// findFolded scans all names, as a name in the wrong case is rare and an index of folded names is not.
func (n *Names) findFolded(name string) []uint32 {
	var found []uint32
	for id := range n.ends {
		if candidate := n.bytes(uint32(id)); len(candidate) == len(name) && strings.EqualFold(string(candidate), name) {
			found = append(found, uint32(id))
		}
	}
	return found
}

// Labels gives readable names to some of the ids of a list of Names. Unlike names they need not be distinct.
type Labels struct {
	text  []byte
	ends  []uint64 // label of id is text[ends[id-1]:ends[id]], empty where it has none
	order []uint32 // the ids that have labels, sorted by folded label, then id
}

// NewLabels makes labels for ids 0 … len(labels)-1; an empty string means none.
func NewLabels(labels []string) *Labels {
	l := &Labels{ends: make([]uint64, len(labels))}
	for id, label := range labels {
		l.text = append(l.text, label...)
		l.ends[id] = uint64(len(l.text))
		if label != "" {
			l.order = append(l.order, uint32(id))
		}
	}
	slices.SortFunc(l.order, func(a, b uint32) int {
		return cmp.Or(strings.Compare(foldLabel(labels[a]), foldLabel(labels[b])), cmp.Compare(a, b))
	})
	return l
}

// At is the label of id, or "" where it has none.
func (l *Labels) At(id uint32) string {
	if int(id) >= len(l.ends) {
		return ""
	}
	start := uint64(0)
	if id > 0 {
		start = l.ends[id-1]
	}
	return string(l.text[start:l.ends[id]])
}

// Find gives all ids whose label is the given one in any case, in the order of ids.
func (l *Labels) Find(label string) []uint32 {
	folded := foldLabel(label)
	at, _ := slices.BinarySearchFunc(l.order, folded, func(id uint32, want string) int {
		return strings.Compare(foldLabel(l.At(id)), want)
	})
	end := at
	for end < len(l.order) && foldLabel(l.At(l.order[end])) == folded {
		end++
	}
	return slices.Clone(l.order[at:end])
}

func (l *Labels) exact(ids []uint32, label string) []uint32 {
	var found []uint32
	for _, id := range ids {
		if l.At(id) == label {
			found = append(found, id)
		}
	}
	return found
}

func foldLabel(label string) string { return strings.ToLower(label) }
