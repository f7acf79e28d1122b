package kg

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Fact is a triple by names: identifiers, or labels that only one identifier has.
type Fact struct {
	Head     string `json:"head"`
	Relation string `json:"relation"`
	Tail     string `json:"tail"`
	Graph    string `json:"graph,omitempty"`       // that states it; "" for the one without a name
	Said     Said   `json:"annotations,omitempty"` // what a statement of it says of it
}

func (f Fact) String() string {
	in := ""
	if f.Graph != "" {
		in = " in " + f.Graph
	}
	if f.Said != "" {
		in += " {" + f.Said.String() + "}"
	}
	return fmt.Sprintf("%s(%s, %s)%s", f.Relation, f.Head, f.Tail, in)
}

func (f Fact) compare(other Fact) int {
	return cmp.Or(cmp.Compare(f.Graph, other.Graph), cmp.Compare(f.Head, other.Head), cmp.Compare(f.Relation, other.Relation), cmp.Compare(f.Tail, other.Tail), cmp.Compare(f.Said, other.Said))
}

// resolver turns names into ids. The vocabulary it began with is never changed: the
// first new name makes a longer copy.
type resolver struct {
	entities, relations names
	labels              bool // are no facts, as they are in a graph of a table that states them so
}

func newResolver(v *Vocabulary) *resolver {
	_, asFacts := v.Relations.Names.Find(RDFSLabel)
	return &resolver{
		entities:  names{Dictionary: v.Entities, one: "entity", many: "entities"},
		relations: names{Dictionary: v.Relations, one: "relation", many: "relations"},
		labels:    v.Stated != nil || !asFacts,
	}
}

// names is a list of names that may grow.
type names struct {
	Dictionary
	one, many string    // what they are names of
	exactly   bool      // labels do not count
	grown     *Interner // nil while there is no new name
}

// vocabulary is the one of all names, the old one where nothing was new.
func (r *resolver) vocabulary(old *Vocabulary) *Vocabulary {
	if r.entities.grown == nil && r.relations.grown == nil {
		return old
	}
	return &Vocabulary{Entities: r.entities.dictionary(), Relations: r.relations.dictionary(), Stated: old.Stated, Prefixes: old.Prefixes}
}

// dictionary has the labels it had; those it gained have none.
func (n *names) dictionary() Dictionary {
	if n.grown == nil {
		return n.Dictionary
	}
	return Dictionary{Names: n.grown.Names(), Labels: n.Labels}
}

// added is the number of new names.
func (n *names) added() int {
	if n.grown == nil {
		return 0
	}
	return n.grown.Len() - n.Names.Len()
}

// triples resolves facts in order and with them the names that are new, if they may be.
// Otherwise a fact with an unknown name is left out. The list in words stands in errors.
func (r *resolver) triples(ctx context.Context, facts []Fact, list string, grow bool) ([]Triple, error) {
	triples := make([]Triple, 0, len(facts))
	for i, f := range facts {
		if i%(1<<12) == 0 && ctx.Err() != nil {
			return nil, changeStopped(ctx)
		}
		if r.labels && IsLabelFact(f.Relation, f.Tail) {
			continue
		}
		t, known, err := r.triple(f, grow)
		if err != nil {
			return nil, Errorf(KindOf(err), fmt.Sprintf("%s fact %d", list, i+1), "%v", err)
		}
		if known {
			triples = append(triples, t)
		}
	}
	return triples, nil
}

func (r *resolver) triple(f Fact, grow bool) (t Triple, known bool, err error) {
	var ids [3]uint32
	for i, part := range []struct {
		of   *names
		name string
	}{{&r.entities, f.Head}, {&r.relations, f.Relation}, {&r.entities, f.Tail}} {
		id, known, err := part.of.resolve(part.name)
		if err == nil && !known && grow {
			id, err = part.of.add(part.name)
			known = true
		}
		if err != nil || !known {
			return Triple{}, false, err
		}
		ids[i] = id
	}
	return Triple{Entity(ids[0]), Forward(ids[1]), Entity(ids[2])}, true, nil
}

// resolve finds a name to the letter: an identifier, else a label that is the only one of its kind.
func (n *names) resolve(name string) (id uint32, known bool, err error) {
	if id, known = n.Names.Find(name); known {
		return id, true, nil
	}
	if n.Labels != nil && !n.exactly {
		ids := n.Labels.exact(n.Labels.Find(name), name)
		if len(ids) > 1 {
			return 0, false, Errorf(Invalid, "", "%d %s have the label %q, such as %q and %q: give the identifier",
				len(ids), n.many, name, n.Names.At(ids[0]), n.Names.At(ids[1]))
		}
		if len(ids) == 1 {
			return ids[0], true, nil
		}
	}
	if n.grown != nil {
		id, known = n.grown.Find(name)
	}
	return id, known, nil
}

// add appends a name that resolve did not find.
func (n *names) add(name string) (uint32, error) {
	if err := n.checkNew(name); err != nil {
		return 0, err
	}
	if n.grown == nil {
		n.grown = n.Names.extend()
	}
	return n.grown.Intern([]byte(name)), nil
}

// checkNew holds a new name to what the readers take, and a relation to what a question can ask for.
func (n *names) checkNew(name string) error {
	switch {
	case name == "":
		return Errorf(Invalid, "", "the name of the %s is empty", n.one)
	case len(name) > MaxName:
		return Errorf(TooLarge, "", "a name of more than %d MiB", MaxName>>20)
	case !utf8.ValidString(name):
		return Errorf(Invalid, "", "the name %q is not valid UTF-8", name)
	case strings.IndexByte(name, 0) >= 0:
		return Errorf(Invalid, "", "a NUL byte in the name %q", name)
	case n.one == "relation" && strings.HasSuffix(name, InverseMark):
		return Errorf(Invalid, "", "the relation %q reads as an inverse: state the fact from its other end", name)
	case n.Names.Len()+n.added() >= maxNames:
		return Errorf(TooLarge, "", "more than %d names", maxNames)
	}
	return nil
}

// MaxName bounds the bytes of a name; the readers bound a line by it.
const MaxName = 64 << 20

// maxNames leaves room for the inverse of every relation and for id+1 in a slot.
const maxNames = 1<<31 - 1

// extend is an interner that goes on where the list ends, on copies of its arrays but for what is packed, which never changes.
func (n *Names) extend() *Interner {
	return &Interner{names: Names{
		packed: n.packed,

		text:  append(make([]byte, 0, len(n.text)+len(n.text)/8), n.text...),
		ends:  append(make([]uint64, 0, len(n.ends)+len(n.ends)/8), n.ends...),
		slots: append([]Slot(nil), n.slots...),
	}}
}
