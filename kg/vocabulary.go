package kg

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// InverseMark follows a relation's name where it is read from tail to head.
const InverseMark = "^-1"

// Vocabulary names the entities and the base relations of a graph. Graphs that
// are to be compared, such as the training and the test graph of a benchmark, share one.
type Vocabulary struct {
	Entities  Dictionary
	Relations Dictionary    // base relations; the inverse of each is implied
	Stated    *LabelTriples // the labels that the data states; nil without
	Prefixes  []Prefix      // of the data's file, by their names

	derive  sync.Once
	derived *LabelTriples // see LabelTriples
}

// Prefix is a short name for the beginning of IRIs, as files declare them: the IRI of
// ex:director begins with that of ex.
type Prefix struct {
	Name string `json:"name"`
	IRI  string `json:"iri"`
}

// Dictionary is a list of identifiers and, where there are any, their readable labels.
type Dictionary struct {
	Names  *Names
	Labels *Labels // nil without labels
}

// NumRelations counts relations with their inverses.
func (v *Vocabulary) NumRelations() int { return 2 * v.Relations.Names.Len() }

// Hash identifies the vocabulary by its names and their numbers, whatever their
// labels: equal for equal vocabularies, on every machine and in every version.
// Files whose numbers mean something only together with a graph carry it.
func (v *Vocabulary) Hash() [sha256.Size]byte {
	entities, relations := v.Entities.Names.Digest(), v.Relations.Names.Digest()
	return sha256.Sum256(append(entities[:], relations[:]...))
}

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

// LabelledID is the name of id where Readable gives its label, "" where that gives the name itself.
func (d Dictionary) LabelledID(id uint32) string {
	if name := d.Names.At(id); name != d.Readable(id) {
		return name
	}
	return ""
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

// Alike gives other ids that a user may mean by a name that was found to be one: their identifier or label is the same, or differs in case.
// Identifiers are looked for in the usual cases alone, as there is no index of folded ones.
func (d Dictionary) Alike(name string, taken uint32) []uint32 {
	var found []uint32
	if d.Labels != nil {
		found = d.Labels.Find(name)
	}
	for _, written := range []string{name, strings.ToLower(name), strings.ToUpper(name), capitalised(name), capitalised(strings.ToLower(name))} {
		if id, ok := d.Names.Find(written); ok {
			found = append(found, id)
		}
	}
	slices.Sort(found)
	return slices.DeleteFunc(slices.Compact(found), func(id uint32) bool { return id == taken })
}

// capitalised is a text with a large first letter.
func capitalised(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 || first == utf8.RuneError {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// findFolded scans all names, as a name in the wrong case is rare and an index of folded names is not.
func (n *Names) findFolded(name string) []uint32 {
	var found []uint32
	var one []byte
	for id := range uint32(n.Len()) {
		if one = n.Append(one[:0], id); bytes.EqualFold(one, []byte(name)) {
			found = append(found, id)
		}
	}
	return found
}
