package dataset

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// numbering turns the numbers of a release into ids of the graph. The public
// folders number their entities and relations in pickles of their own; whichever
// graph is used, it is by these names that the two are brought together, as a graph
// with another numbering would give wrong answers in silence.
type numbering struct {
	within    bounds
	entities  []kg.Entity   // by number; nil if number and id are the same
	relations []kg.Relation // by number; nil if number and id are the same
}

func (n numbering) entity(number int64) (kg.Entity, error) {
	if n.entities != nil && number >= 0 && number < int64(len(n.entities)) {
		return n.entities[number], nil
	}
	if n.entities != nil || number < 0 || uint64(number) >= n.within.entities {
		return 0, fmt.Errorf("entity %d is none of the graph's %d", number, n.within.entities)
	}
	return kg.Entity(number), nil
}

func (n numbering) relation(value any) (kg.Relation, error) {
	number, ok := value.(int64)
	if !ok {
		return 0, fmt.Errorf("expected the number of a relation, found %s", describe(value))
	}
	if n.relations != nil && number >= 0 && number < int64(len(n.relations)) {
		return n.relations[number], nil
	}
	if n.relations != nil || number < 0 || uint64(number) >= n.within.relations {
		return 0, fmt.Errorf("relation %d is none of the graph's %d", number, n.within.relations)
	}
	return kg.Relation(number), nil
}

// nameFiles are the pickles that name the numbers of a release. The first of each list that exists is taken.
type nameFiles struct{ entities, relations []string }

var (
	betaeNames     = nameFiles{[]string{"id2ent.pkl", "ent2id.pkl"}, []string{"id2rel.pkl", "rel2id.pkl"}}
	query2boxNames = nameFiles{[]string{"ind2ent.pkl", "ent2ind.pkl"}, []string{"ind2rel.pkl", "rel2ind.pkl"}}
)

// readNumbering brings a folder's numbers together with a graph's ids. A folder
// without names is taken to number things as the graph does.
func readNumbering(dir string, files nameFiles, v *kg.Vocabulary) (numbering, error) {
	n := numbering{within: bounds{uint64(v.Entities.Names.Len()), uint64(v.NumRelations())}}
	entities, relations, err := readNames(dir, files)
	if err != nil {
		return n, err
	}
	if n.entities, err = matchEntities(entities, v); err != nil {
		return n, kg.Errorf(kg.Invalid, filepath.Join(dir, files.entities[0]), "%v", err)
	}
	if n.relations, err = matchRelations(relations, v); err != nil {
		return n, kg.Errorf(kg.Invalid, filepath.Join(dir, files.relations[0]), "%v", err)
	}
	return n, nil
}

// readNames gives the names of a folder by number, nil where it has none.
func readNames(dir string, files nameFiles) (entities, relations []string, err error) {
	if entities, err = readNameList(dir, files.entities); err != nil {
		return nil, nil, err
	}
	relations, err = readNameList(dir, files.relations)
	return entities, relations, err
}

func readNameList(dir string, files []string) ([]string, error) {
	for _, file := range files {
		path := filepath.Join(dir, file)
		if exists(path) {
			return readNumberedNames(path)
		}
	}
	return nil, nil
}

// readNumberedNames reads a dict of numbers and names, in either direction, into a list.
func readNumberedNames(path string) ([]string, error) {
	dict, err := readDict(path)
	if err != nil {
		return nil, err
	}
	names := make([]string, dict.Len())
	for i, key := range dict.Keys {
		value := dict.Values[i]
		if _, isText := key.(string); isText {
			key, value = value, key
		}
		number, isNumber := key.(int64)
		name, isText := value.(string)
		if !isNumber || !isText || number < 0 || number >= int64(len(names)) || names[number] != "" {
			return nil, kg.Errorf(kg.Invalid, path, "expected each number from 0 to %d with its name, found %s with %s", len(names)-1, describe(key), describe(value))
		}
		names[number] = name
	}
	return names, nil
}

// matchEntities finds the id of every name; nil means that it is the number itself.
func matchEntities(names []string, v *kg.Vocabulary) ([]kg.Entity, error) {
	known := v.Entities.Names
	find := func(name string) (kg.Entity, bool) {
		id, ok := known.Find(name)
		return kg.Entity(id), ok
	}
	return match("entity", names, find, find)
}

// matchRelations is the same for relations, whose inverses the releases mark in different ways.
func matchRelations(names []string, v *kg.Vocabulary) ([]kg.Relation, error) {
	known := map[string]kg.Relation{}
	for base := range uint32(v.Relations.Names.Len()) {
		name, inverse := splitDirection(v.Relations.Names.At(base))
		known[name] = directed(kg.Forward(base), inverse)
	}
	return match("relation", names, func(full string) (kg.Relation, bool) {
		name, inverse := splitDirection(full)
		r, ok := known[name]
		return directed(r, inverse), ok
	}, func(digits string) (kg.Relation, bool) {
		base, ok := v.Relations.Names.Find(digits)
		return kg.Forward(base), ok
	})
}

// match finds the id of every name or, as a graph read without names knows things
// by the digits of their number, of every number.
func match[ID kg.Entity | kg.Relation](what string, names []string, byName, byDigits func(string) (ID, bool)) ([]ID, error) {
	ids := make([]ID, len(names))
	missing := -1
	for number, name := range names {
		var ok bool
		if ids[number], ok = byName(name); !ok {
			missing = number
			break
		}
	}
	for number := 0; missing >= 0 && number < len(names); number++ {
		var ok bool
		if ids[number], ok = byDigits(strconv.Itoa(number)); !ok {
			return nil, fmt.Errorf("%s %d is %q, which the graph does not know", what, missing, names[missing])
		}
	}
	for number, id := range ids {
		if int(id) != number {
			return ids, nil
		}
	}
	return nil, nil
}

func directed(r kg.Relation, inverse bool) kg.Relation {
	if inverse {
		return r.Inverse()
	}
	return r
}

// splitDirection takes the mark of an inverse off a name: +film and -film in
// BetaE's Freebase, film and film_reverse elsewhere.
func splitDirection(name string) (base string, inverse bool) {
	if base, ok := strings.CutSuffix(name, "_reverse"); ok {
		return base, true
	}
	if base, ok := strings.CutPrefix(name, "-"); ok {
		return base, true
	}
	return strings.TrimPrefix(name, "+"), false
}
