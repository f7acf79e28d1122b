package kg

import (
	"context"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A fact that is known to be false is written with an exclamation mark before its relation, !treats(a, b), wherever facts are: in files, in
// changes, in exports. A graph keeps such denials beside its facts. They are no edges, so that models see none of them; what is denied is
// never stated at the same time, and never predicted.

// DenialMark begins the name of a relation in a denial.
const DenialMark = '!'

// Denial gives the relation that a name denies, "treats" of "!treats". A mark alone and one before a sign, such as !=, deny nothing.
func Denial(relation string) (denied string, isDenial bool) {
	if len(relation) < 2 || relation[0] != DenialMark {
		return relation, false
	}
	if next, _ := utf8.DecodeRuneInString(relation[1:]); !unicode.IsLetter(next) && !unicode.IsDigit(next) {
		return relation, false
	}
	return relation[1:], true
}

// IsDenial tells that a fact is said to be false.
func (f Fact) IsDenial() bool {
	_, is := Denial(f.Relation)
	return is
}

// Contrary is the denial of a fact, and the fact of a denial.
func (f Fact) Contrary() Fact {
	if denied, is := Denial(f.Relation); is {
		f.Relation = denied
	} else {
		f.Relation = string(DenialMark) + f.Relation
	}
	return f
}

// WithDenied gives a graph the facts that are known to be false, none of which it states. It is for who has just built it.
func (g *Graph) WithDenied(facts []Triple) *Graph {
	g.denied = bothReadings(facts)
	return g
}

// bothReadings are facts from either end, sorted, each once.
func bothReadings(facts []Triple) []Triple {
	var both []Triple
	for _, t := range facts {
		both = append(both, t, t.Inverse())
	}
	return distinctTriples(both)
}

// Denied are the facts that are known to be false, by head, relation and tail.
func (g *Graph) Denied() (facts []Triple) {
	for _, t := range g.denied {
		if !t.Relation.IsInverse() {
			facts = append(facts, t)
		}
	}
	return facts
}

// NumDenied is how many facts are known to be false.
func (g *Graph) NumDenied() int { return len(g.denied) / 2 }

// Denies tells whether a fact, in either reading, is known to be false.
func (g *Graph) Denies(t Triple) bool {
	_, found := slices.BinarySearchFunc(g.denied, t, Triple.Compare)
	return found
}

// DeniedTails are the entities that h is known not to reach by r, sorted.
func (g *Graph) DeniedTails(h Entity, r Relation) (tails []Entity) {
	at, _ := slices.BinarySearchFunc(g.denied, Triple{Head: h, Relation: r}, Triple.Compare)
	for ; at < len(g.denied) && g.denied[at].Head == h && g.denied[at].Relation == r; at++ {
		tails = append(tails, g.denied[at].Tail)
	}
	return tails
}

// DenialOf is a denial by its names.
func (g *Graph) DenialOf(t Triple) Fact {
	return g.FactOf(Statement{Triple: t}).Contrary()
}

// checkDenied makes sure that denials are of the vocabulary and deny nothing that is stated.
func (g *Graph) checkDenied() error {
	entities, relations := g.NumEntities(), g.NumRelations()
	for _, t := range g.denied {
		if int(t.Head) >= entities || int(t.Tail) >= entities || int(t.Relation) >= relations {
			return fmt.Errorf("facts known to be false: (%d, %d, %d), with %d entities and %d relations", t.Head, t.Relation, t.Tail, entities, relations)
		}
		if g.Has(t) {
			return fmt.Errorf("facts known to be false: (%d, %d, %d) is stated", t.Head, t.Relation, t.Tail)
		}
	}
	return nil
}

// parted are the facts of a list and its denials, the latter by the relations that they deny.
func parted(list []Fact) (facts, denials []Fact) {
	for _, f := range list {
		if relation, is := Denial(f.Relation); is {
			f.Relation, f.Graph = relation, ""
			denials = append(denials, f)
		} else {
			facts = append(facts, f)
		}
	}
	return facts, denials
}

// changeDenied makes a change that is about denials, too: these after the facts. Who denies what is stated takes it back, and who states what is
// denied takes the denial back, so that the last word counts; of one change that is the denial.
func (g *Graph) changeDenied(ctx context.Context, exactly bool, add, remove []Fact) (*Graph, ChangeReport, error) {
	grown, named, err := g.withNames(ctx, exactly, add)
	if err != nil {
		return nil, ChangeReport{}, err
	}
	defer grown.Close()
	add, deny := parted(add)
	remove, withdraw := parted(remove)
	found, err := grown.find(ctx, exactly, withdraw)
	if err != nil {
		return nil, ChangeReport{}, err
	}
	found = bothReadings(slices.DeleteFunc(found, func(t Triple) bool { return !g.Denies(t) }))
	grown.denied = withoutTriples(g.denied, found)
	next, report, err := grown.change(ctx, exactly, add, remove)
	if err != nil {
		return nil, ChangeReport{}, err
	}
	defer next.Close()
	wanted, err := next.find(ctx, exactly, deny)
	if err != nil {
		return nil, ChangeReport{}, err
	}
	denied, gone, err := next.deny(ctx, distinctTriples(wanted))
	if err != nil {
		return nil, ChangeReport{}, err
	}
	again := len(found) - len(withoutTriples(found, denied.denied)) // withdrawn and given at the same time
	added := (len(denied.denied) - len(next.denied) - again) / 2
	report.Added, report.Known = report.Added+added, report.Known+len(deny)-added
	report.Removed += gone + (len(found)-again)/2
	report.Unknown += len(withdraw) - len(found)/2
	report.NewEntities, report.NewRelations = named.NewEntities, named.NewRelations
	return denied, report, nil
}

// withNames is the same graph with the names of facts and denials, in their order.
func (g *Graph) withNames(ctx context.Context, exactly bool, add []Fact) (*Graph, ChangeReport, error) {
	names, all := newResolver(g.Vocabulary), slices.Clone(add)
	names.entities.exactly, names.relations.exactly = exactly, exactly
	for i := range all {
		all[i].Relation, _ = Denial(all[i].Relation)
	}
	if _, err := names.triples(ctx, all, "added", true); err != nil {
		return nil, ChangeReport{}, err
	}
	if names.entities.added()+names.relations.added() == 0 {
		return g.Share(), ChangeReport{}, nil
	}
	grown, err := g.replace(ctx, labelChange{}.apply(names.vocabulary(g.Vocabulary), g.Vocabulary), nil, nil)
	if err != nil {
		return nil, ChangeReport{}, err
	}
	grown.named = g.named
	return grown, ChangeReport{NewEntities: names.entities.added(), NewRelations: names.relations.added()}, nil
}

// find gives those of facts whose names are all known, by numbers.
func (g *Graph) find(ctx context.Context, exactly bool, facts []Fact) ([]Triple, error) {
	names := newResolver(g.Vocabulary)
	names.entities.exactly, names.relations.exactly = exactly, exactly
	return names.triples(ctx, facts, "denied", false)
}

// deny is the graph with more denials and without what they deny, which it counts.
func (g *Graph) deny(ctx context.Context, triples []Triple) (denied *Graph, gone int, err error) {
	stated := slices.DeleteFunc(slices.Clone(triples), func(t Triple) bool { return !g.states(t) })
	if denied, err = g.replace(ctx, g.Vocabulary, nil, stated); err != nil {
		return nil, 0, err
	}
	denied.named, denied.denied = g.named.without(stated), distinctTriples(append(bothReadings(triples), g.denied...))
	return denied, len(stated), nil
}

// withoutTriples are triples that another sorted list lacks.
func withoutTriples(list, gone []Triple) []Triple {
	if len(gone) == 0 || len(list) == 0 {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(t Triple) bool {
		_, goes := slices.BinarySearchFunc(gone, t, Triple.Compare)
		return goes
	})
}

// without are the named graphs that state none of some facts, which are sorted.
func (n *Named) without(gone []Triple) *Named {
	if n == nil || len(gone) == 0 {
		return n
	}
	names, all := new(Interner), []Statement(nil)
	for graph := uint32(1); int(graph) <= n.Len(); graph++ {
		for _, t := range withoutTriples(n.Facts(graph), gone) {
			all = append(all, Statement{names.Intern([]byte(n.Name(graph))) + 1, t})
		}
	}
	if len(all) == 0 {
		return nil
	}
	return newNamed(names.Names(), all, withoutTriples(n.only, gone))
}
