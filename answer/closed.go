package answer

import (
	"cmp"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// conjunction is conditions that have to hold together, of a question whose answer is given: links in the direction of their
// relation, each once; what else is said of the variables that are left; and what must not be.
type conjunction struct {
	links   []query.Link
	members []query.Member
	no      []query.Condition
	is      map[int]query.Argument // what variables were replaced by
}

// mostAlternatives bounds the conjunctions of one question.
const mostAlternatives = 4096

// alternatives gives a condition, some variables of which have values, as conjunctions of which one has to hold.
func alternatives(c query.Condition, values map[int]kg.Entity) ([]conjunction, error) {
	is := make(map[int]query.Argument, len(values))
	for v, e := range values {
		is[v] = query.Argument{Entity: e}
	}
	drafts, err := expand(c)
	if err != nil {
		return nil, err
	}
	var all []conjunction
	for _, d := range drafts {
		if closed, possible := d.resolve(is); possible {
			all = append(all, closed)
		}
	}
	return all, nil
}

// draft is a conjunction whose equations are not solved yet.
type draft struct {
	links   []query.Link
	members []query.Member
	same    []query.Same
	no      []query.Condition
}

// expand moves alternatives out of conjunctions. Variables have numbers of their own, so that ∃ moves out, too.
func expand(c query.Condition) ([]draft, error) {
	switch c := c.(type) {
	case query.Link:
		return []draft{{links: []query.Link{c}}}, nil
	case query.Same:
		return []draft{{same: []query.Same{c}}}, nil
	case query.Member:
		return []draft{{members: []query.Member{c}}}, nil
	case query.No:
		return []draft{{no: []query.Condition{c.Of}}}, nil
	case query.Some:
		return expand(c.Of)
	case query.Any:
		var all []draft
		for _, part := range c.Of {
			some, err := expand(part)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
		return all, nil
	}
	return expandAll(c.(query.All))
}

func expandAll(c query.All) ([]draft, error) {
	all := []draft{{}}
	for _, part := range c.Of {
		some, err := expand(part)
		if err != nil {
			return nil, err
		}
		if len(all)*len(some) > mostAlternatives {
			return nil, kg.Errorf(kg.TooLarge, "", "the question has more than %d alternatives", mostAlternatives)
		}
		var next []draft
		for _, a := range all {
			for _, b := range some {
				next = append(next, draft{
					slices.Concat(a.links, b.links), slices.Concat(a.members, b.members), slices.Concat(a.same, b.same), slices.Concat(a.no, b.no),
				})
			}
		}
		all = next
	}
	return all, nil
}

// resolve solves the equations and puts in what variables are. It is not possible where entities that differ would have to be the same.
func (d draft) resolve(values map[int]query.Argument) (c conjunction, possible bool) {
	is := make(map[int]query.Argument, len(values))
	for v, a := range values {
		is[v] = a
	}
	for _, s := range d.same {
		if !unify(is, s.A, s.B) {
			return c, false
		}
	}
	return conjunction{d.links, d.members, d.no, is}.normal()
}

// of is what an argument stands for.
func of(is map[int]query.Argument, a query.Argument) query.Argument {
	for a.IsVariable {
		next, replaced := is[a.Variable]
		if !replaced {
			break
		}
		a = next
	}
	return a
}

// unify makes two arguments the same, if they can be.
func unify(is map[int]query.Argument, a, b query.Argument) bool {
	a, b = of(is, a), of(is, b)
	switch {
	case a == b:
	case a.IsVariable && (!b.IsVariable || b.Variable < a.Variable):
		is[a.Variable] = b
	case b.IsVariable:
		is[b.Variable] = a
	default:
		return false
	}
	return true
}

// normal puts in what variables are, in links in the direction of their relation, sorted and each once. It is not possible where a list lacks
// an entity that has to be on it, or where something certain is negated.
func (c conjunction) normal() (_ conjunction, possible bool) {
	out := conjunction{is: c.is}
	for _, l := range c.links {
		l.From, l.To = of(c.is, l.From), of(c.is, l.To)
		if l.Relation.IsInverse() {
			l = query.Link{Relation: l.Relation.Inverse(), From: l.To, To: l.From}
		}
		out.links = append(out.links, l)
	}
	slices.SortFunc(out.links, compareLinks)
	out.links = slices.Compact(out.links)
	for _, m := range c.members {
		if m.Of = of(c.is, m.Of); m.Of.IsVariable {
			out.members = append(out.members, m)
		} else if _, found := slices.BinarySearch(m.Entities, m.Of.Entity); !found {
			return out, false
		}
	}
	for _, n := range c.no {
		switch truth := c.decided(n); truth {
		case certain:
			return out, false
		case open:
			out.no = append(out.no, n)
		}
	}
	return out, true
}

type verdict int

const (
	open verdict = iota
	certain
	impossible
)

// decided tells what an equation or a list says, of entities alone.
func (c conjunction) decided(n query.Condition) verdict {
	var holds bool
	switch n := n.(type) {
	case query.Same:
		a, b := of(c.is, n.A), of(c.is, n.B)
		if a != b && (a.IsVariable || b.IsVariable) {
			return open
		}
		holds = a == b
	case query.Member:
		a := of(c.is, n.Of)
		if a.IsVariable {
			return open
		}
		_, holds = slices.BinarySearch(n.Entities, a.Entity)
	default:
		return open
	}
	if holds {
		return certain
	}
	return impossible
}

func compareLinks(a, b query.Link) int {
	return cmp.Or(cmp.Compare(a.Relation, b.Relation), compareArguments(a.From, b.From), compareArguments(a.To, b.To))
}

func compareArguments(a, b query.Argument) int {
	order := func(x query.Argument) int {
		if x.IsVariable {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a.Entity, b.Entity), cmp.Compare(a.Variable, b.Variable))
}

// isGround tells whether a link has entities at both ends.
func isGround(l query.Link) bool { return !l.From.IsVariable && !l.To.IsVariable }

func fact(l query.Link) kg.Triple {
	return kg.Triple{Head: l.From.Entity, Relation: l.Relation, Tail: l.To.Entity}
}
