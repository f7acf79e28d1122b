// Package pattern draws questions of any form from a graph: cycles, several links between two
// variables, several answer variables, yes or no. A pattern is such a question whose relations r1, r2, … and given
// entities s1, s2, … are open; all other names are the graph's and stay. In the flow it stands beside package sample, which draws the
// trees that BetaE has, and above join, which finds the answers.
//
// As there, a pattern is grounded from a random answer outwards (ground.go), answered on the facts known and on all
// facts of its split, kept or refused (examine.go), and drawn again until there are enough (run.go).
package pattern

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// Pattern is a question with open relations and entities.
type Pattern struct {
	Name  string // one of Names, or the text
	Query *query.Query
	nodes []node
	atoms []atom
	// relations and entities are how many of each are open.
	relations, entities int
}

// node is what an atom's argument can be: a variable, an open entity, or one of the graph.
type node struct {
	name   string
	kind   nodeKind
	slot   int       // of an open entity
	entity kg.Entity // of one of the graph
}

type nodeKind uint8

const (
	variable nodeKind = iota
	openEntity
	fixedEntity
)

// atom is a link of the pattern, whatever negates it: as in BetaE it is drawn as if nothing did.
type atom struct {
	from, to int         // nodes
	slot     int         // of an open relation, or -1
	relation kg.Relation // of one of the graph
	negated  bool
}

// Named are the patterns that have names: the ten types of "real EFO1" (FIT: Yin, Wang and
// Song, "Rethinking Complex Queries on Knowledge Graphs with Neural Link Predictors", 2024), then, in the manner of EFO_k,
// those of two and three answer variables, and those of yes or no.
var Named = map[string]string{
	"pni": "?y : ∃x : r1(s1, x) & !r2(x, y) & r3(s2, y)",
	"2il": "?y : ∃x : r1(s1, y) & r2(x, y)",
	"3il": "?y : ∃x : r1(s1, y) & r2(s2, y) & r3(x, y)",
	"im":  "?y : ∃x : r1(s1, x) & r2(s2, x) & r3(x, y) & r4(x, y)",
	"2m":  "?y : ∃x : r1(s1, x) & r2(x, y) & r3(x, y)",
	"2nm": "?y : ∃x : r1(s1, x) & r2(x, y) & !r3(x, y)",
	"3mp": "?y : ∃x, z : r1(s1, x) & r2(x, z) & r3(x, z) & r4(z, y)",
	"3pm": "?y : ∃x, z : r1(s1, x) & r2(x, z) & r3(z, y) & r4(z, y)",
	"3c":  "?y : ∃x, z : r1(s1, x) & r2(x, y) & r3(s2, z) & r4(z, y) & r5(x, z)",
	"3cm": "?y : ∃x, z : r1(s1, x) & r2(x, y) & r3(s2, z) & r4(z, y) & r5(x, z) & r6(x, y)",

	"pair":            "?x, ?y : r1(s1, x) & r2(x, y)",
	"pair-i":          "?x, ?y : r1(s1, x) & r2(x, y) & r3(s2, y)",
	"pair-m":          "?x, ?y : r1(s1, x) & r2(x, y) & r3(x, y)",
	"pair-n":          "?x, ?y : r1(s1, x) & r2(x, y) & !r3(s2, y)",
	"pair-c":          "?x, ?y : ∃z : r1(s1, x) & r2(x, z) & r3(z, y) & r4(x, y)",
	"triangle":        "?x, ?y, ?z : r1(s1, x) & r2(x, y) & r3(y, z) & r4(x, z)",
	"triple":          "?x, ?y, ?z : r1(s1, x) & r2(x, y) & r3(y, z) & r4(s2, z)",
	"yes-2p":          "∃x : r1(s1, x) & r2(x, s2)",
	"yes-triangle":    "∃x, y : r1(s1, x) & r2(x, y) & r3(s1, y) & r4(y, s2)",
	"yes-with-not":    "∃x : r1(s1, x) & r2(x, s2) & !r3(x, s3)",
	"diamond":         "?y : ∃x, z : r1(s1, x) & r2(s1, z) & r3(x, y) & r4(z, y)",
	"triangle-of-one": "?y : ∃x : r1(s1, x) & r2(x, y) & r3(s1, y)",
}

// FIT are the names of the ten types of "real EFO1", in the paper's order.
var FIT = []string{"pni", "2il", "3il", "2m", "2nm", "3mp", "3pm", "im", "3c", "3cm"}

// Names are those of Named, FIT's first.
func Names() []string {
	others := slices.Sorted(maps.Keys(Named))
	return append(slices.Clone(FIT), slices.DeleteFunc(others, func(name string) bool { return slices.Contains(FIT, name) })...)
}

// Split takes a list apart at the commas between names. A pattern that is written out has commas of its own: it ends the list.
func Split(texts ...string) []string {
	var all []string
	for _, text := range texts {
		for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
			name, rest, _ := strings.Cut(text, ",")
			name = strings.TrimSpace(name)
			if _, known := Named[name]; !known && name != "" && name != "fit" && strings.ContainsAny(text, "(:") {
				name, rest = text, ""
			}
			switch text = rest; name {
			case "":
			case "fit":
				all = append(all, FIT...)
			default:
				all = append(all, name)
			}
		}
	}
	return all
}

// Parse reads a pattern, by its name or written out.
func Parse(text string, v *kg.Vocabulary) (*Pattern, error) {
	written, known := Named[text]
	if !known {
		if written = text; !strings.Contains(text, "(") {
			return nil, kg.Errorf(kg.NotFound, "", "no pattern %q: expected one of %s, or a question with r1, r2, … for relations and s1, s2, … for given entities", text, strings.Join(Names(), ", "))
		}
	}
	q, err := query.Parse(written)
	if err != nil {
		return nil, err
	}
	return newPattern(text, q, v)
}

// open tells the names that are drawn.
var open = regexp.MustCompile(`^[rs][0-9]+$`)

func newPattern(name string, q *query.Query, v *kg.Vocabulary) (*Pattern, error) {
	r := reader{pattern: &Pattern{Name: name}, vocabulary: v, slots: map[string]int{}, nodes: map[string]int{}}
	for _, v := range q.Answers { // the first nodes: drawing begins with them
		r.term(v)
	}
	body, err := r.formula(q.Body, false)
	if err != nil {
		return nil, err
	}
	p := r.pattern
	p.Query = &query.Query{Answers: q.Answers, Body: body}
	if len(p.atoms) == 0 || p.relations+p.entities == 0 {
		return nil, kg.Errorf(kg.Invalid, "", "the pattern %s has nothing to draw: expected r1, r2, … for relations or s1, s2, … for given entities", name)
	}
	_, err = query.Normalise(p.fill(draw{make([]kg.Relation, p.relations), make([]kg.Entity, p.entities)}))
	return p, err
}

// reader takes a formula apart.
type reader struct {
	pattern    *Pattern
	vocabulary *kg.Vocabulary
	slots      map[string]int // of open names
	nodes      map[string]int
	bound      []string // by ∃, so far
}

// formula gives f with the graph's names looked up and open ones numbered, and notes its atoms.
func (r *reader) formula(f query.Formula, negated bool) (query.Formula, error) {
	switch f := f.(type) {
	case query.Not:
		of, err := r.formula(f.Of, !negated)
		return query.Not{Of: of}, err
	case query.And:
		of, err := r.all(f.Of, negated)
		return query.And{Of: of}, err
	case query.Or:
		of, err := r.all(f.Of, negated)
		return query.Or{Of: of}, err
	case query.Exists:
		for _, v := range f.Vars {
			if slices.Contains(r.bound, v.Name) {
				return nil, kg.Errorf(kg.Invalid, query.Source, "the variable %s is bound twice; in a pattern each has a name of its own", v.Name)
			}
			r.bound = append(r.bound, v.Name)
		}
		body, err := r.formula(f.Body, negated)
		return query.Exists{Vars: f.Vars, Body: body}, err
	case query.Equals:
		return r.equation(f)
	}
	return r.atom(f.(query.Atom), negated)
}

func (r *reader) all(of []query.Formula, negated bool) ([]query.Formula, error) {
	parts := make([]query.Formula, len(of))
	for i, part := range of {
		var err error
		if parts[i], err = r.formula(part, negated); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

func (r *reader) equation(f query.Equals) (query.Formula, error) {
	left, _, err := r.term(f.Left)
	if err != nil {
		return nil, err
	}
	right, _, err := r.term(f.Right)
	return query.Equals{Left: left, Right: right}, err
}

func (r *reader) atom(f query.Atom, negated bool) (query.Formula, error) {
	a := atom{slot: -1, negated: negated}
	var err error
	if f.From, a.from, err = r.term(f.From); err != nil {
		return nil, err
	}
	if f.To, a.to, err = r.term(f.To); err != nil {
		return nil, err
	}
	if name := f.Relation.Text; !f.Relation.ByID && open.MatchString(name) && name[0] == 'r' {
		if f.Relation.Inverse {
			f.From, f.To, a.from, a.to, f.Relation.Inverse = f.To, f.From, a.to, a.from, false
		}
		a.slot = r.slot(name, &r.pattern.relations)
	} else if a.relation, err = query.FindRelation(name, r.vocabulary); err != nil {
		return nil, err
	} else {
		if f.Relation.Inverse {
			a.relation = a.relation.Inverse()
		}
		f.Relation = query.RelationName{Name: query.Name{ID: uint32(a.relation), ByID: true}}
	}
	r.pattern.atoms = append(r.pattern.atoms, a)
	return f, nil
}

// slot is the number of an open name.
func (r *reader) slot(name string, count *int) int {
	number, known := r.slots[name]
	if !known {
		number = *count
		r.slots[name] = number
		*count++
	}
	return number
}

// term gives a term with its name looked up, and its node.
func (r *reader) term(t query.Term) (query.Term, int, error) {
	c, isConstant := t.(query.Constant)
	if !isConstant {
		return t, r.node(node{name: "?" + t.(query.Variable).Name}), nil
	}
	if !c.ByID && open.MatchString(c.Text) && c.Text[0] == 's' {
		return t, r.node(node{name: c.Text, kind: openEntity, slot: r.slot(c.Text, &r.pattern.entities)}), nil
	}
	e, err := query.FindEntity(c.Text, r.vocabulary)
	if err != nil {
		return t, 0, err
	}
	return query.Constant{Name: query.Name{ID: uint32(e), ByID: true}}, r.node(node{name: "#" + c.Text, kind: fixedEntity, entity: e}), nil
}

func (r *reader) node(n node) int {
	number, known := r.nodes[n.name]
	if !known {
		number = len(r.pattern.nodes)
		r.nodes[n.name] = number
		r.pattern.nodes = append(r.pattern.nodes, n)
	}
	return number
}

// draw is what stands for the open names.
type draw struct {
	relations []kg.Relation
	entities  []kg.Entity
}

// fill puts a draw into the question.
func (p *Pattern) fill(d draw) *query.Query {
	atoms := p.atoms
	slots := map[string]int{}
	for _, n := range p.nodes {
		if n.kind == openEntity {
			slots[n.name] = n.slot
		}
	}
	term := func(t query.Term) query.Term {
		if c, ok := t.(query.Constant); ok && !c.ByID {
			return query.Constant{Name: query.Name{ID: uint32(d.entities[slots[c.Text]]), ByID: true}}
		}
		return t
	}
	body := query.Map(p.Query.Body, func(f query.Formula) query.Formula {
		switch f := f.(type) {
		case query.Atom:
			if slot := atoms[0].slot; slot >= 0 {
				f.Relation = query.RelationName{Name: query.Name{ID: uint32(d.relations[slot]), ByID: true}}
			}
			atoms = atoms[1:]
			f.From, f.To = term(f.From), term(f.To)
			return f
		case query.Equals:
			return query.Equals{Left: term(f.Left), Right: term(f.Right)}
		}
		return f
	})
	return &query.Query{Answers: p.Query.Answers, Body: body}
}
