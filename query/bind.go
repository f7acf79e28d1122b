package query

import (
	"errors"
	"strconv"
	"strings"
	"unicode"

	"github.com/lacuna-kg/lacuna/kg"
)

// Bind looks up the names of a query in a vocabulary and decomposes it into set operations.
func Bind(q *Query, vocabulary *kg.Vocabulary) (Expr, error) {
	resolved, err := Resolve(q, vocabulary)
	if err != nil {
		return nil, err
	}
	return Decompose(resolved)
}

// Resolve gives the query with ids for all names. A name that the vocabulary
// lacks is a kg.NotFound error with suggestions; one that several entities have in
// common is kg.Invalid and lists them.
func Resolve(q *Query, vocabulary *kg.Vocabulary) (*Query, error) {
	r := resolver{vocabulary: vocabulary}
	body := Map(q.Body, r.leaf)
	if r.err != nil {
		return nil, r.err
	}
	return &Query{q.Answers, body}, nil
}

type resolver struct {
	vocabulary *kg.Vocabulary
	err        error // the first; leaves after it stay as they are
}

func (r *resolver) leaf(f Formula) Formula {
	if r.err != nil {
		return f
	}
	switch f := f.(type) {
	case Atom:
		return r.atom(f)
	case Equals:
		return r.equation(f)
	}
	return f
}

func (r *resolver) equation(f Equals) Equals {
	if f.Left, r.err = r.term(f.Left); r.err != nil {
		return f
	}
	f.Right, r.err = r.term(f.Right)
	return f
}

func (r *resolver) atom(f Atom) Atom {
	if f.Relation, r.err = r.relation(f.Relation); r.err != nil {
		return f
	}
	if f.From, r.err = r.term(f.From); r.err != nil {
		return f
	}
	f.To, r.err = r.term(f.To)
	return f
}

func (r *resolver) term(t Term) (Term, error) {
	if c, ok := t.(Constant); ok {
		return r.constant(c)
	}
	return t, nil
}

func (r *resolver) constant(c Constant) (Constant, error) {
	entities := r.vocabulary.Entities
	if c.ByID {
		return c, checkID(c.Name, "entity", entities.Names.Len())
	}
	id, err := lookUp(c.Name, "entity", entities, r.vocabulary.Prefixes)
	if err != nil && kg.KindOf(err) == kg.NotFound && looksLikeVariable(c.Text) {
		err = kg.ErrorAt(kg.NotFound, place(c.Pos), "no entity %q, and no variable of that name is bound: write ∃%s or quote it", c.Text, c.Text)
	}
	c.ID, c.ByID = id, true
	return c, err
}

// looksLikeVariable tells a short word in small letters, perhaps numbered.
func looksLikeVariable(text string) bool {
	const longest = 3
	runes := []rune(text)
	return len(runes) <= longest && isVariable(text) && unicode.IsLower(runes[0]) && strings.ToLower(text) == text
}

// relation resolves to the id of a relation with its direction.
func (r *resolver) relation(n RelationName) (RelationName, error) {
	if n.ByID {
		if err := checkID(n.Name, "relation", r.vocabulary.NumRelations()); err != nil {
			return n, err
		}
		n.ID, n.Inverse = uint32(n.directed()), false
		return n, nil
	}
	base, err := lookUp(n.Name, "relation", r.vocabulary.Relations, r.vocabulary.Prefixes)
	if err != nil {
		return n, err
	}
	n.ID, n.ByID = uint32(kg.Forward(base)), true
	n.ID, n.Inverse = uint32(n.directed()), false
	return n, nil
}

func checkID(n Name, kind string, count int) error {
	if int64(n.ID) < int64(count) {
		return nil
	}
	return kg.ErrorAt(kg.NotFound, place(n.Pos), "no %s #%d: there are %d, numbered from 0", kind, n.ID, count)
}

// lookUp finds the one id that a name means.
func lookUp(n Name, kind string, dictionary kg.Dictionary, prefixes []kg.Prefix) (uint32, error) {
	found := find(dictionary, n.Text)
	if len(found) == 0 {
		found = findIRI(dictionary, prefixes, n.Text)
	}
	switch len(found) {
	case 0:
		return 0, kg.ErrorAt(kg.NotFound, place(n.Pos), "no %s %q%s", kind, n.display(), didYouMean(dictionary, n.Text))
	case 1:
		return found[0], nil
	}
	return 0, newAmbiguous(n, kind, dictionary, found)
}

// FindEntity finds the one entity that a name means where it stands by itself, by the rules
// for names in formulas. An entity that is called #12 goes before the one of that number.
func FindEntity(name string, vocabulary *kg.Vocabulary) (kg.Entity, error) {
	id, err := lookUp(Name{Text: name}, "entity", vocabulary.Entities, vocabulary.Prefixes)
	if n := nameOf(name, Pos{}); n.ByID && kg.KindOf(err) == kg.NotFound {
		id, err = n.ID, checkID(n, "entity", vocabulary.Entities.Names.Len())
	}
	var user *kg.Error
	if errors.As(err, &user) {
		user.Place = kg.Place{} // there is no formula to have a place in
	}
	return kg.Entity(id), err
}

// FindRelation finds the one relation that a name means where it stands by itself, R^-1 for its inverse.
func FindRelation(name string, vocabulary *kg.Vocabulary) (kg.Relation, error) {
	id, err := lookUp(Name{Text: name}, "relation", vocabulary.Relations, vocabulary.Prefixes)
	base, isInverse := strings.CutSuffix(name, kg.InverseMark)
	if isInverse && kg.KindOf(err) == kg.NotFound {
		id, err = lookUp(Name{Text: base}, "relation", vocabulary.Relations, vocabulary.Prefixes)
	}
	if n := nameOf(base, Pos{}); n.ByID && kg.KindOf(err) == kg.NotFound {
		id, err = n.ID, checkID(n, "relation", vocabulary.Relations.Names.Len())
	}
	var user *kg.Error
	if errors.As(err, &user) {
		user.Place = kg.Place{}
	}
	r := kg.Forward(id)
	if isInverse {
		r = r.Inverse()
	}
	return r, err
}

// find also looks for an address with its angle brackets on or off, as graphs keep it either way.
func find(dictionary kg.Dictionary, name string) []uint32 {
	if found := dictionary.Find(name); len(found) > 0 {
		return found
	}
	other := "<" + name + ">"
	if inside, ok := strings.CutPrefix(name, "<"); ok {
		other = strings.TrimSuffix(inside, ">")
	}
	if id, ok := dictionary.Names.Find(other); ok {
		return []uint32{id}
	}
	return nil
}

// didYouMean lists the names nearest to one that was not found, ready to end a message.
func didYouMean(dictionary kg.Dictionary, name string) string {
	names := Suggest(dictionary, name)
	if len(names) == 0 {
		return ""
	}
	for i, n := range names {
		names[i] = strconv.Quote(n)
	}
	last := len(names) - 1
	list := names[last]
	if last > 0 {
		list = strings.Join(names[:last], ", ") + " or " + list
	}
	return " (did you mean " + list + "?)"
}
