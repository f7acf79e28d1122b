package read

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/internal/pickle"
	"github.com/lacuna-kg/lacuna/internal/sorted"
	"github.com/lacuna-kg/lacuna/kg"
)

// readBetaE reads a folder of the BetaE release: triples of numbers, and the names
// of the numbers in pickles. Relation 2i+1 is the inverse of 2i and every fact is
// written in both directions; here it is one fact, and the numbers of entities
// and relations stay what they are, so that query files fit.
func (l *loader) readBetaE(f *folder) error {
	files, err := f.need(BetaE, "train.txt", "id2ent.pkl|ent2id.pkl", "id2rel.pkl|rel2id.pkl")
	if err != nil {
		return err
	}
	triples := []string{files[0], f.find("valid.txt"), f.find("test.txt")}
	for _, name := range append(files[1:], triples...) {
		l.meter.total += f.sizes[name]
	}
	if err := l.readBetaENames(f, files[1], files[2]); err != nil {
		return err
	}
	for part, name := range triples {
		if name == "" {
			continue
		}
		err := l.within(f, name, func(in *input) error { return l.readBetaETriples(in, split(part)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// readBetaENames takes the maps in either direction, from numbers to names or back.
func (l *loader) readBetaENames(f *folder, entities, relations string) error {
	err := l.within(f, entities, func(in *input) error {
		names, err := decodeIDMap(in)
		if err != nil {
			return err
		}
		return internNumbered(in.name, names, &l.entities)
	})
	if err != nil {
		return err
	}
	return l.within(f, relations, func(in *input) error {
		names, err := decodeIDMap(in)
		if err != nil {
			return err
		}
		bases, err := baseRelations(in.name, names)
		if err != nil {
			return err
		}
		return internNumbered(in.name, bases, &l.relations)
	})
}

func decodeIDMap(in *input) (map[uint32]string, error) {
	value, err := pickle.Decode(in, pickle.Hooks{})
	if err != nil {
		return nil, pickleError(in.name, err)
	}
	// Reading to the end lets a damaged checksum of a packed file be noticed.
	if _, err := io.Copy(io.Discard, in); err != nil {
		return nil, err
	}
	dict, ok := value.(*pickle.Dict)
	if !ok {
		return nil, kg.Errorf(kg.Invalid, in.name, "expected a dict of names and numbers")
	}
	names := make(map[uint32]string, dict.Len())
	for i, key := range dict.Keys {
		id, name, ok := numberAndName(key, dict.Values[i])
		if !ok || id < 0 || id >= int64(dict.Len()) || name == "" {
			return nil, kg.Errorf(kg.Invalid, in.name, "entry %d is not a name with a number below %d", i, dict.Len())
		}
		if strings.ContainsRune(name, 0) || !utf8.ValidString(name) {
			return nil, kg.Errorf(kg.Invalid, in.name, "the name of %d is not valid UTF-8 without NUL", id)
		}
		if other, taken := names[uint32(id)]; taken {
			return nil, kg.Errorf(kg.Invalid, in.name, "number %d is that of %q and of %q", id, other, name)
		}
		names[uint32(id)] = name
	}
	return names, nil
}

// numberAndName takes the pair in either order.
func numberAndName(a, b any) (id int64, name string, ok bool) {
	if _, numberFirst := a.(int64); !numberFirst {
		a, b = b, a
	}
	id, isID := a.(int64)
	name, isName := b.(string)
	return id, name, isID && isName
}

func pickleError(name string, err error) error {
	if kg.KindOf(err) != kg.Failure {
		return err
	}
	return kg.Errorf(kg.Invalid, name, "%v", err)
}

// baseRelations checks that relations 2i and 2i+1 are named as inverse to each other, and gives the name both share.
func baseRelations(where string, names map[uint32]string) (map[uint32]string, error) {
	if len(names)%2 != 0 {
		return nil, kg.Errorf(kg.Invalid, where, "%s, expected an even number: each with its inverse", count.Of(len(names), "relation"))
	}
	bases := make(map[uint32]string, len(names)/2)
	for id := uint32(0); id < uint32(len(names)); id += 2 {
		base, ok := baseName(names[id], names[id+1])
		if !ok {
			return nil, kg.Errorf(kg.Invalid, where, "relations %d %q and %d %q are not named as inverse to each other", id, names[id], id+1, names[id+1])
		}
		bases[id/2] = base
	}
	return bases, nil
}

// baseName knows both namings of the release: +r and -r in FB15k, r and r_reverse in NELL.
func baseName(forward, inverse string) (base string, ok bool) {
	if base, ok = strings.CutPrefix(forward, "+"); ok && inverse == "-"+base {
		return base, base != ""
	}
	return forward, inverse == forward+"_reverse" && forward != ""
}

func (l *loader) readBetaETriples(in *input, part split) error {
	x := newIDs(in, l.entities.Len(), 2*l.relations.Len())
	order := columns{head: 0, relation: 1, tail: 2}
	var fold twins
	err := x.lines.each(func(line int, text []byte) error {
		if len(text) == 0 {
			return nil
		}
		t, err := x.triple(line, text, order)
		if err != nil {
			return err
		}
		fold.add(t)
		return nil
	})
	l.facts[part] = fold.facts()
	return err
}

// twins folds each fact and its inverse twin into one. A fact that stands n times
// in one direction and m times in the other counts max(n, m) times: twins are no
// duplicates, real duplicates remain, and a twin that lacks is implied.
type twins struct {
	paired   []kg.Triple
	open     kg.Triple // the line before, where it has no twin yet
	hasOpen  bool
	lone     []kg.Triple // those whose twin was not on the next line, forward ones
	inverted []kg.Triple // and those that stand inverted, as stated
}

// add expects a twin on the line after its fact, where the release has it.
func (w *twins) add(t kg.Triple) {
	if w.hasOpen && t == w.open.Inverse() {
		w.paired = append(w.paired, t.Stated())
		w.hasOpen = false
		return
	}
	w.flush()
	w.open, w.hasOpen = t, true
}

func (w *twins) flush() {
	if !w.hasOpen {
		return
	}
	if w.open.Relation.IsInverse() {
		w.inverted = append(w.inverted, w.open.Stated())
	} else {
		w.lone = append(w.lone, w.open)
	}
	w.hasOpen = false
}

// facts merges what had no twin beside it.
func (w *twins) facts() []kg.Triple {
	w.flush()
	slices.SortFunc(w.lone, kg.Triple.Compare)
	slices.SortFunc(w.inverted, kg.Triple.Compare)
	return sorted.UnionFunc(w.paired, w.lone, w.inverted, kg.Triple.Compare)
}
