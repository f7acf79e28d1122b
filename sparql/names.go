package sparql

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
)

// Namespace begins the IRI of a name that is no IRI itself, as the names of a
// table are: Turing Award is <urn:lacuna:Turing%20Award>. The prefix ":" stands
// for it where a query does not say otherwise, and so does the lack of a BASE.
const Namespace = "urn:lacuna:"

// EntityTerm is the term that an entity's name stands for. Different names give different terms.
func EntityTerm(name string) Term {
	if t, ok := parseLiteralName(name); ok {
		return t
	}
	if isBlank(name) {
		return Term{Kind: Blank, Value: name[2:]}
	}
	return RelationTerm(name)
}

// RelationTerm is the term that a relation's name stands for, always an IRI.
func RelationTerm(name string) Term {
	if isIRI(name) && !strings.HasPrefix(name, Namespace) {
		return Term{Kind: IRI, Value: name}
	}
	return Term{Kind: IRI, Value: Namespace + percentEncode(name)}
}

// entityName is the name an entity of this term has, if the graph has it.
func entityName(t Term) string {
	switch t.Kind {
	case Literal:
		return literalName(t)
	case Blank:
		return "_:" + t.Value
	}
	return iriName(t.Value)
}

// iriName takes the namespace of plain names off an IRI.
func iriName(iri string) string {
	if local, ok := strings.CutPrefix(iri, Namespace); ok {
		if name, ok := percentDecode(local); ok {
			return name
		}
	}
	return iri
}

// canonicalIRI writes an IRI of our namespace as results print it: people may
// encode more characters than need be, and mean the same name.
func canonicalIRI(iri string) string {
	local, ok := strings.CutPrefix(iri, Namespace)
	if !ok {
		return iri
	}
	name, ok := percentDecode(local)
	if !ok {
		return iri
	}
	return Namespace + percentEncode(name)
}

// percentEncode keeps letters of every script and what RFC 3986 allows within a
// path, and encodes the rest byte by byte.
func percentEncode(name string) string {
	const allowed = "-._~:/@!$&'()*+,;="
	var b strings.Builder
	for i, char := range name {
		size := utf8.RuneLen(char)
		switch {
		case char == utf8.RuneError:
			_, size = utf8.DecodeRuneInString(name[i:])
		case rdf.IsLetter(char), rdf.IsDigit(char), char < utf8.RuneSelf && strings.ContainsRune(allowed, char),
			char >= 0xA0 && rdf.NameChar(char):
			b.WriteRune(char)
			continue
		}
		for _, octet := range []byte(name[i : i+size]) {
			fmt.Fprintf(&b, "%%%02X", octet)
		}
	}
	return b.String()
}

// percentDecode is the way back; ok is false where the outcome is no name that a graph could have.
func percentDecode(local string) (name string, ok bool) {
	b := make([]byte, 0, len(local))
	for i := 0; i < len(local); i++ {
		if local[i] != '%' {
			b = append(b, local[i])
			continue
		}
		if i+2 >= len(local) {
			return "", false
		}
		high, first := rdf.HexDigit(rune(local[i+1]))
		low, second := rdf.HexDigit(rune(local[i+2]))
		if !first || !second {
			return "", false
		}
		b = append(b, byte(high<<4|low))
		i += 2
	}
	return string(b), utf8.Valid(b)
}

// node is a term within one evaluation, as a number: an entity, a relation that is
// no entity too, or a term that only the query has. 0 is the lack of a value.
type node uint64

const (
	unbound       node = 0
	firstRelation node = 1 << 32
	firstExtra    node = 1 << 33
)

// dictionary numbers the terms of one evaluation: equal numbers for equal terms.
type dictionary struct {
	graph     *kg.Graph
	extra     []Term
	numbers   map[Term]node
	relations map[uint32]node
	reread    map[node]relationOf
}

func newDictionary(g *kg.Graph) *dictionary {
	return &dictionary{graph: g, numbers: map[Term]node{}, relations: map[uint32]node{}, reread: map[node]relationOf{}}
}

func entityNode(e kg.Entity) node { return node(e) + 1 }

// entity gives the entity behind a node, if it is one.
func (n node) entity() (kg.Entity, bool) {
	return kg.Entity(n - 1), n != unbound && n <= firstRelation-1
}

// number gives the node of a term.
func (d *dictionary) number(t Term) node {
	if n, ok := d.numbers[t]; ok {
		return n
	}
	n := d.find(t)
	if n == unbound {
		n = firstExtra + node(len(d.extra))
		d.extra = append(d.extra, t)
	}
	d.numbers[t] = n
	return n
}

func (d *dictionary) find(t Term) node {
	if e, ok := findEntity(d.graph.Vocabulary, t); ok {
		return entityNode(e)
	}
	if base, ok := findRelation(d.graph.Vocabulary, t); ok {
		return firstRelation + node(base)
	}
	return unbound
}

// findEntity gives the entity that a term names. The name must mean the term in
// turn: <urn:lacuna:%22a%22> is not the literal "a".
func findEntity(v *kg.Vocabulary, t Term) (kg.Entity, bool) {
	name := entityName(t)
	id, ok := v.Entities.Names.Find(name)
	return kg.Entity(id), ok && EntityTerm(name) == t
}

// findRelation gives the base relation that a term names.
func findRelation(v *kg.Vocabulary, t Term) (base uint32, ok bool) {
	if t.Kind != IRI {
		return 0, false
	}
	name := iriName(t.Value)
	id, ok := v.Relations.Names.Find(name)
	return id, ok && RelationTerm(name) == t
}

// term is the way back from a node.
func (d *dictionary) term(n node) Term {
	switch {
	case n == unbound:
		return Term{}
	case n < firstRelation:
		return EntityTerm(d.graph.Entities.Names.At(uint32(n - 1)))
	case n < firstExtra:
		return RelationTerm(d.graph.Relations.Names.At(uint32(n - firstRelation)))
	}
	return d.extra[n-firstExtra]
}

// relationNode is the node of a relation, that of the entity of the same name where there is one.
func (d *dictionary) relationNode(base uint32) node {
	n, known := d.relations[base]
	if !known {
		n = d.number(RelationTerm(d.graph.Relations.Names.At(base)))
		d.relations[base] = n
	}
	return n
}

// relationOf is a relation, if there is one.
type relationOf struct {
	relation kg.Relation
	known    bool
}

// relation reads a node as a relation, if there is one of that term.
func (d *dictionary) relation(n node) (kg.Relation, bool) {
	r, seen := d.reread[n]
	if !seen {
		base, known := findRelation(d.graph.Vocabulary, d.term(n))
		r = relationOf{kg.Forward(base), known}
		d.reread[n] = r
	}
	return r.relation, r.known
}

// PlainName is the name that an IRI stands for in the graph, for people to read.
func PlainName(t Term) string { return iriName(t.Value) }
