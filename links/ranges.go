package links

import (
	"slices"
	"strings"
	"sync"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/sorted"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// A network ranks all entities as tails, and a graph of tables or RDF has some that are none: texts, numbers, dates. So a director is
// predicted to be 7 where little else is known. A relation leads to the kinds of names that the graph states it to lead to, as
// object properties and datatype properties of RDF do, and to no other. Numbers and dates have no facts of their own by which a network could
// tell them apart, so that they are not predicted at all, unless somebody asks for them: their links are those that are stated.

// kinds is a set of kinds of names.
type kinds uint8

const (
	things kinds = 1 << iota // whatever has facts of its own
	texts                    // literals that are strings, with a language or without
	values                   // numbers, dates, truth values
)

// kindOf tells what an entity is by its name.
func kindOf(v *kg.Vocabulary, e kg.Entity) kinds {
	names := v.Entities.Names
	if !names.Begins(uint32(e), '"') { // nearly all
		return things
	}
	t := term.OfEntity(names.At(uint32(e)))
	if t.Kind != term.Literal {
		return things
	}
	kind, isStandard := strings.CutPrefix(t.Datatype, "http://www.w3.org/2001/XMLSchema#")
	if t.Language != "" || !isStandard || kind == "string" {
		return texts
	}
	return values
}

// IsValue tells whether an entity is a number, a date or a truth value: something measured, not something that has facts of its own.
func IsValue(v *kg.Vocabulary, e kg.Entity) bool { return kindOf(v, e) == values }

// Ranges say what can be predicted as the tail of a link. Any number of goroutines may ask; the graph is looked at with the first question.
type Ranges struct {
	graph    *kg.Graph
	literals bool // numbers and dates may be predicted
	denied   bool // what is known to be false may be, as one more miss: see Counting
	surveyed func() survey

	mutex sync.Mutex
	lists map[kinds][]kg.Entity // of the entities of these kinds, ascending
}

// NewRanges are those of the relations of a graph, with numbers and dates where they may be predicted.
func NewRanges(g *kg.Graph, literals bool) *Ranges {
	return &Ranges{graph: g, literals: literals, lists: map[kinds][]kg.Entity{}, surveyed: sync.OnceValue(func() survey { return newSurvey(g) })}
}

// survey is what is known of the kinds of names in a graph.
type survey struct {
	literals bool    // there are some
	leads    []kinds // by relation, what it is stated to lead to
}

// mostSurveyed bounds the names that are looked at: of a larger graph every so many stand for the rest, so that opening it does not read all of its names.
const mostSurveyed = 1 << 20

func newSurvey(g *kg.Graph) survey {
	s := survey{leads: make([]kinds, g.NumRelations())}
	stride := kg.Entity(1 + g.NumEntities()/mostSurveyed)
	for e := kg.Entity(0); int(e) < g.NumEntities(); e += stride {
		s.literals = s.literals || kindOf(g.Vocabulary, e) != things
	}
	if !s.literals {
		return s
	}
	for e := kg.Entity(0); int(e) < g.NumEntities(); e += stride {
		kind := kindOf(g.Vocabulary, e)
		eachRelation(g, e, func(r kg.Relation) { s.leads[r.Inverse()] |= kind })
	}
	return s
}

// open are the kinds of what can be predicted as a tail of a relation. Of a relation that nothing is stated of, it is things.
func (r *Ranges) open(q kg.Relation) kinds {
	s := r.surveyed()
	if !s.literals {
		return things | texts | values
	}
	open := things
	if int(q) < len(s.leads) && s.leads[q] != 0 {
		open = s.leads[q]
	}
	if !r.literals {
		open &^= values
	}
	return open
}

// Closed tells whether nothing can be predicted of a pair: what is stated of it is all there is.
func (r *Ranges) Closed(p Pair) bool {
	return r != nil && (r.LeadsToValues(p.Relation) || !r.literals && r.surveyed().literals && IsValue(r.graph.Vocabulary, p.Head))
}

// LeadsToValues tells whether a relation leads to numbers and dates alone, and these are not predicted.
func (r *Ranges) LeadsToValues(q kg.Relation) bool { return r.open(q) == 0 }

// Counting are the same with what is known to be false: for who counts how often predictions are wrong.
func (r *Ranges) Counting() *Ranges {
	return &Ranges{graph: r.graph, literals: r.literals, denied: true, lists: map[kinds][]kg.Entity{}, surveyed: r.surveyed}
}

// bars tells whether a link is known to be false.
func (r *Ranges) bars(p Pair, tail kg.Entity) bool {
	return !r.denied && r.graph.Denies(kg.Triple{Head: p.Head, Relation: p.Relation, Tail: tail})
}

// Admits tells whether an entity can be predicted as a tail of a pair.
func (r *Ranges) Admits(p Pair, tail kg.Entity) bool {
	if r != nil && r.bars(p, tail) {
		return false
	}
	return r == nil || !r.surveyed().literals || !r.Closed(p) && kindOf(r.graph.Vocabulary, tail)&r.open(p.Relation) != 0
}

// Admitted is 1 for the entities that can be predicted as tails of a relation and 0 for the others, nil where these are all. It is for those
// who predict whole sets; package exec takes it.
func (r *Ranges) Admitted(q kg.Relation) fuzzy.Set {
	if !r.surveyed().literals {
		return nil
	}
	admitted := make(fuzzy.Set, r.graph.NumEntities())
	if r.LeadsToValues(q.Inverse()) { // it leads from numbers and dates
		return admitted
	}
	for _, e := range r.list(r.open(q), nil) {
		admitted[e] = 1
	}
	return admitted
}

// withBarred adds, to the stated tails of pairs, those of the columns that cannot be predicted: a device leaves both out of rows.
func (r *Ranges) withBarred(stated [][]kg.Entity, pairs []Pair, columns []kg.Entity) [][]kg.Entity {
	if r == nil {
		return stated
	}
	listed := stated
	if !r.denied && r.graph.NumDenied() > 0 {
		listed = slices.Clone(stated)
		for i, p := range pairs {
			listed[i] = sorted.Union(nil, stated[i], r.graph.DeniedTails(p.Head, p.Relation))
		}
	}
	if !r.surveyed().literals {
		return listed
	}
	of := map[kinds][]kg.Entity{}
	listed = slices.Clone(listed)
	for i, p := range pairs {
		barred := (things | texts | values) &^ r.open(p.Relation)
		if barred == 0 {
			continue
		}
		if _, found := of[barred]; !found {
			of[barred] = r.list(barred, columns)
		}
		listed[i] = sorted.Union(nil, listed[i], of[barred])
	}
	return listed
}

// list are the columns of some kinds; where these are all entities, the list is kept.
func (r *Ranges) list(of kinds, columns []kg.Entity) (list []kg.Entity) {
	if columns != nil {
		for _, e := range columns {
			if kindOf(r.graph.Vocabulary, e)&of != 0 {
				list = append(list, e)
			}
		}
		return list
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if known, found := r.lists[of]; found {
		return known
	}
	for e := range kg.Entity(r.graph.NumEntities()) {
		if kindOf(r.graph.Vocabulary, e)&of != 0 {
			list = append(list, e)
		}
	}
	r.lists[of] = list
	return list
}

// admitted is a row without the tails that cannot be predicted: files may have been made when they could.
func (r *Ranges) admitted(p Pair, row Row) Row {
	if r == nil || !r.surveyed().literals && r.graph.NumDenied() == 0 {
		return row
	}
	kept := Row{Stated: row.Stated}
	for i, t := range row.Tails {
		if r.Admits(p, t) {
			kept.Tails, kept.Probabilities = append(kept.Tails, t), append(kept.Probabilities, row.Probabilities[i])
		}
	}
	return kept
}
