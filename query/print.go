package query

import (
	"strconv"
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
)

// String writes the query in first-order logic, so that Parse gives it back.
// Names are quoted only where they would be read as something else.
func (q *Query) String() string {
	p := printer{scope: map[string]int{}}
	for i, v := range q.Answers {
		p.scope[v.Name]++
		p.text.WriteString([]string{"?", ", ?"}[min(i, 1)] + v.Name)
	}
	if len(q.Answers) > 0 {
		p.text.WriteString(" : ")
	}
	p.formula(q.Body)
	return withHead(q, p.text.String())
}

// withHead marks a question of yes or no where it would be read as something else.
func withHead(q *Query, text string) string {
	if len(q.Answers) == 0 && (strings.HasPrefix(text, "?") || looksLikeOperators(text) || looksLikeTuples(text)) {
		return "? : " + text
	}
	return text
}

type printer struct {
	text  strings.Builder
	scope map[string]int // as in parser
}

func (p *printer) formula(f Formula) {
	switch f := f.(type) {
	case Atom:
		p.text.WriteString(printRelation(f.Relation) + "(")
		p.text.WriteString(p.term(f.From, (*parser).argument, ",") + ", ")
		p.text.WriteString(p.term(f.To, (*parser).argument, ")") + ")")
	case Equals:
		p.equation(f, " = ")
	case Among:
		p.formula(f.writtenOut())
	case And:
		p.chain(f.Of, " ∧ ", "⊤")
	case Or:
		p.chain(f.Of, " ∨ ", "⊥")
	case Not:
		p.negation(f)
	case Exists:
		p.exists(f)
	}
}

func (p *printer) equation(f Equals, sign string) {
	p.text.WriteString(p.term(f.Left, (*parser).value, " =") + sign)
	p.text.WriteString(p.term(f.Right, (*parser).value, " "+and.symbols[0]))
}

// writtenOut is what a list of entities means.
func (f Among) writtenOut() Formula {
	of := make([]Formula, len(f.Entities))
	for i, e := range f.Entities {
		of[i] = Equals{f.Variable, Constant{Name{ID: uint32(e), ByID: true}}}
	}
	if len(of) == 1 {
		return of[0]
	}
	return Or{of}
}

func (p *printer) chain(of []Formula, connective, empty string) {
	if len(of) == 0 {
		p.text.WriteString(empty)
	}
	for i, f := range of {
		if i > 0 {
			p.text.WriteString(connective)
		}
		p.enclosed(f, isChain(f) || reachesRight(f))
	}
}

func (p *printer) negation(f Not) {
	if list, ok := f.Of.(Among); ok {
		f.Of = list.writtenOut()
	}
	if equal, ok := f.Of.(Equals); ok {
		p.equation(equal, " ≠ ")
		return
	}
	p.text.WriteString("¬")
	p.enclosed(f.Of, isChain(f.Of))
}

func (p *printer) enclosed(f Formula, parentheses bool) {
	if !parentheses {
		p.formula(f)
		return
	}
	p.text.WriteByte('(')
	p.formula(f)
	p.text.WriteByte(')')
}

func isChain(f Formula) bool {
	switch f := f.(type) {
	case And:
		return len(f.Of) > 0
	case Or:
		return len(f.Of) > 0
	case Among:
		return len(f.Entities) > 1
	}
	return false
}

// reachesRight tells whether f, as it is written, would take in a connective that follows.
func reachesRight(f Formula) bool {
	switch f := f.(type) {
	case Exists:
		return true
	case Not:
		return reachesRight(f.Of)
	}
	return false
}

func (p *printer) exists(f Exists) {
	p.text.WriteString("∃")
	for i, v := range f.Vars {
		if i > 0 {
			p.text.WriteString(", ")
		}
		p.text.WriteString(v.Name)
		p.scope[v.Name]++
	}
	p.text.WriteString(" : ")
	p.formula(f.Body)
	for _, v := range f.Vars {
		p.scope[v.Name]--
	}
}

// variable is marked where nothing binds it.
func (p *printer) variable(v Variable) string {
	if p.scope[v.Name] > 0 {
		return v.Name
	}
	return "?" + v.Name
}

// term writes a term so that read, the parser's rule for its place, gives it back. after is what follows it.
func (p *printer) term(t Term, read func(*parser) (Term, error), after string) string {
	if v, ok := t.(Variable); ok {
		return p.variable(v)
	}
	c := t.(Constant)
	if c.ByID {
		return c.id()
	}
	reader := &parser{scanner: newScanner("", c.Text+after), scope: p.scope}
	if again, err := read(reader); err == nil && !isOpenAddress(c.Text) && equalTerms(again, c) && reader.rest() == strings.TrimSpace(after) {
		return c.Text
	}
	return QuoteName(c.Text)
}

// rest is what is left to read.
func (s *scanner) rest() string {
	s.skipSpace()
	return s.text[s.at:]
}

// printRelation writes a relation as it stands before its arguments.
func printRelation(r RelationName) string {
	mark := ""
	if r.Inverse {
		mark = kg.InverseMark
	}
	if r.ByID {
		return r.id() + mark
	}
	reader := &parser{scanner: newScanner("", r.Text+mark+"(?x, ?y)"), scope: map[string]int{}}
	if f, err := reader.unary(); err == nil && !isOpenAddress(r.Text) && reader.rest() == "" {
		if atom, ok := f.(Atom); ok && sameRelation(atom.Relation, r) {
			return r.Text + mark
		}
	}
	return QuoteName(r.Text) + mark
}

// display is the name for messages, which stay one readable line.
func (n Name) display() string {
	const most = 60
	if n.Text == "" {
		return n.id()
	}
	if runes := []rune(n.Text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return n.Text
}

func (n Name) id() string { return "#" + strconv.FormatUint(uint64(n.ID), 10) }

// FormatOperators writes e in the paper's notation, so that Parse followed by Bind
// gives it back. Names come from the vocabulary; without one (nil) they are ids.
func FormatOperators(e Expr, vocabulary *kg.Vocabulary) string {
	var text strings.Builder
	printOperation(&text, operationOf(e, namingOf(vocabulary)))
	return text.String()
}

func printOperation(text *strings.Builder, o operation) {
	switch o.kind {
	case AnchorKind:
		text.WriteString("{" + printAnchor(o.entity) + "}")
	case UniverseKind:
		text.WriteString("{*}")
	case ProjectionKind:
		text.WriteString("P[" + printBracketed(o.relation) + "]")
	case IntersectionKind:
		text.WriteString("C")
	case UnionKind:
		text.WriteString("D")
	case ComplementKind:
		text.WriteString("N")
	}
	for i, operand := range o.of {
		text.WriteString([]string{"(", ", "}[min(i, 1)])
		printOperation(text, operand)
	}
	if len(o.of) > 0 {
		text.WriteString(")")
	}
}

func printAnchor(name Name) string {
	if name.ByID {
		return name.id()
	}
	reader := newScanner("", "{"+name.Text+"}")
	if again, err := reader.operation(); err == nil && !isOpenAddress(name.Text) && again.kind == AnchorKind && again.entity.equal(name) && reader.rest() == "" {
		return name.Text
	}
	return QuoteName(name.Text)
}

func printBracketed(r RelationName) string {
	mark := ""
	if r.Inverse {
		mark = kg.InverseMark
	}
	if r.ByID {
		return r.id() + mark
	}
	reader, again := newScanner("", "["+r.Text+mark+"]"), operation{}
	if err := reader.bracketed(&again); err == nil && !isOpenAddress(r.Text) && sameRelation(again.relation, r) && reader.rest() == "" {
		return r.Text + mark
	}
	return QuoteName(r.Text) + mark
}
