package algebra

import "github.com/lacuna-kg/lacuna/sparql/syntax"

// Unpack has the rows of a pattern in which a variable is a triple term, with the parts of that: they must be the constants of the slots, and
// give their variables their values.
type Unpack struct {
	Traits
	Var   int
	Parts [3]Slot
	Of    Op
}

func newUnpack(of Op, variable int, parts [3]Slot) Op {
	about := of.About()
	u := Unpack{Traits: Traits{Whole: about.Whole}, Var: variable, Parts: parts, Of: of}
	u.Certain.Include(about.Certain)
	u.Possible.Include(about.Possible)
	u.Fragile.Include(about.Fragile)
	for _, p := range parts {
		u.Certain.add(p.Var)
		u.Possible.add(p.Var)
	}
	return u
}

// triples are the operators of a triple pattern. A triple term in it with variables is a variable of its own, which is unpacked.
func (s *scope) triples(e syntax.Triple) (all []Op) {
	var packed []Unpack
	subject, object := s.node(e.Subject, &packed), s.node(e.Object, &packed)
	triple := Triple{Subject: subject, Object: object, Predicate: -1, Path: e.Path}
	if step, ok := e.Path.(syntax.Step); ok && step.Var != "" {
		triple.Predicate, triple.Path = s.variable(step.Var), nil
	}
	for _, t := range s.path(triple) {
		all = append(all, newBasic([]Triple{t}))
	}
	if len(packed) == 0 {
		return all
	}
	whole := newJoin(all)
	for _, u := range packed {
		whole = newUnpack(whole, u.Var, u.Parts)
	}
	return []Op{whole}
}

// node is a subject or object of a pattern; what has to be unpacked is noted, outer triple terms first.
func (s *scope) node(r syntax.Ref, packed *[]Unpack) Slot {
	if r.Of == nil {
		return s.slot(r)
	}
	v, at := s.fresh("triple"), len(*packed)
	*packed = append(*packed, Unpack{Var: v})
	for i, part := range r.Of {
		slot := s.node(part, packed)
		(*packed)[at].Parts[i] = slot
	}
	return Slot{Var: v}
}
