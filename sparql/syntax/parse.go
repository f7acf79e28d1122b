package syntax

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Parse reads a query. What is valid SPARQL 1.1 and outside the subset is refused
// with its place and name, as is what is no SPARQL at all.
func Parse(text string) (*Query, error) {
	if len(text) > MaxText {
		return nil, kg.Errorf(kg.TooLarge, "sparql", "the query has %d bytes, the limit is %d", len(text), MaxText)
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, kg.Errorf(kg.Invalid, "sparql", "the query is not UTF-8 text")
	}
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens, prefixes: map[string]string{"": term.Namespace}, blanks: map[string]int{}, labels: map[string]bool{}}
	for _, t := range tokens {
		if t.kind == blankToken {
			p.labels[t.text] = true
		}
	}
	q, err := p.query()
	if err != nil {
		return nil, err
	}
	return q, check(q)
}

// parser walks over the tokens of a query.
type parser struct {
	tokens   []token
	at       int
	depth    int
	prefixes map[string]string
	base     string          // "" without BASE
	blanks   map[string]int  // label of a blank node => the basic graph pattern it stands in
	pattern  int             // number of the basic graph pattern at hand
	patterns int             // how many there were
	made     int             // blank nodes made of [ ]
	labels   map[string]bool // of the blank nodes that the text names
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != endToken {
		p.at++
	}
	return t
}

// symbol steps over a sign if it comes next.
func (p *parser) symbol(text string) bool {
	if t := p.peek(); t.kind != symbolToken || t.text != text {
		return false
	}
	p.at++
	return true
}

// isWord tells whether a keyword comes next.
func (p *parser) isWord(words ...string) bool {
	t := p.peek()
	for _, word := range words {
		if t.kind == wordToken && strings.EqualFold(t.text, word) {
			return true
		}
	}
	return false
}

// word steps over a keyword if it comes next.
func (p *parser) word(word string) bool {
	if !p.isWord(word) {
		return false
	}
	p.at++
	return true
}

func (p *parser) expected(what string) error {
	t := p.peek()
	if t.kind == endToken {
		return Errorf(t.pos, "expected %s, found the end of the query", what)
	}
	const most = 40
	raw := []rune(t.raw)
	if len(raw) > most {
		raw = append(raw[:most], '…')
	}
	return Errorf(t.pos, "expected %s, found %q", what, string(raw))
}

func (p *parser) require(symbol, after string) error {
	if p.symbol(symbol) {
		return nil
	}
	return p.expected("'" + symbol + "' " + after)
}

// enter counts one more level; every rule that contains itself begins with it.
func (p *parser) enter() error {
	if p.depth++; p.depth > maxDepth {
		return kg.ErrorAt(kg.TooLarge, Place(p.peek().pos), "nested deeper than the limit of %d", maxDepth)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

func (p *parser) query() (*Query, error) {
	if err := p.prologue(); err != nil {
		return nil, err
	}
	q := &Query{Limit: -1}
	var err error
	switch {
	case p.word("SELECT"):
		err = p.selection(q)
	case p.word("ASK"):
		q.Ask = true
	default:
		return nil, p.otherForm()
	}
	if err != nil {
		return nil, err
	}
	if p.isWord("FROM") {
		return nil, outside(p.peek().pos, "FROM")
	}
	p.word("WHERE")
	if q.Where, err = p.group(); err != nil {
		return nil, err
	}
	if err := p.modifiers(q); err != nil {
		return nil, err
	}
	if p.peek().kind != endToken {
		return nil, p.expected("the end of the query")
	}
	return q, nil
}

// otherForm says why a query that begins with neither SELECT nor ASK is not read.
func (p *parser) otherForm() error {
	t := p.peek()
	if p.isWord("CONSTRUCT", "DESCRIBE") {
		return outside(t.pos, strings.ToUpper(t.text))
	}
	if p.isWord("INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "WITH") {
		return Errorf(t.pos, "%s is an update: this is for queries only", strings.ToUpper(t.text))
	}
	return p.expected("SELECT or ASK")
}

// prologue reads PREFIX and BASE.
func (p *parser) prologue() error {
	for {
		switch {
		case p.word("BASE"):
			if p.peek().kind != iriToken {
				return p.expected("an IRI in < > after BASE")
			}
			p.base = p.absolute(p.next().text)
		case p.word("PREFIX"):
			t := p.peek()
			if t.kind != prefixedToken || t.local != "" {
				return p.expected("a prefix with its colon after PREFIX")
			}
			p.next()
			if p.peek().kind != iriToken {
				return p.expected("an IRI in < > after the prefix")
			}
			p.prefixes[t.text] = p.absolute(p.next().text)
		default:
			return nil
		}
	}
}

// absolute resolves a reference. Without a BASE it is a plain name of the graph:
// resolution against "urn:lacuna:" by the rules for paths would lose the "lacuna:".
func (p *parser) absolute(reference string) string {
	switch {
	case rdf.SchemeLength(reference) > 0:
		return reference
	case p.base == "" || strings.HasPrefix(p.base, term.Namespace):
		return term.Namespace + reference
	}
	return rdf.ResolveIRI(p.base, reference)
}

// selection reads what follows SELECT.
func (p *parser) selection(q *Query) error {
	if p.isWord("REDUCED") {
		return outside(p.peek().pos, "REDUCED")
	}
	q.Distinct = p.word("DISTINCT")
	if p.symbol("*") {
		q.Star = true
		return nil
	}
	seen := map[string]bool{}
	for {
		t := p.peek()
		switch {
		case t.kind == variableToken:
			p.next()
			if !seen[t.text] { // SELECT ?x ?x is one column
				q.Select = append(q.Select, Projection{Var: t.text, Pos: t.pos})
			}
			seen[t.text] = true
		case t.kind == symbolToken && t.text == "(":
			c, err := p.count()
			if err != nil {
				return err
			}
			if seen[c.Var] {
				return Errorf(t.pos, "?%s is selected twice", c.Var)
			}
			seen[c.Var] = true
			q.Select = append(q.Select, c)
		case len(q.Select) == 0:
			return p.expected("variables, COUNT or * after SELECT")
		default:
			return nil
		}
	}
}

// count reads (COUNT(DISTINCT ?x) AS ?n).
func (p *parser) count() (Projection, error) {
	start := p.next().pos
	if !p.word("COUNT") {
		if t := p.peek(); t.kind == wordToken {
			return Projection{}, outside(t.pos, strings.ToUpper(t.text)+" in SELECT")
		}
		return Projection{}, outside(p.peek().pos, "an expression in SELECT other than COUNT")
	}
	if err := p.require("(", "after COUNT"); err != nil {
		return Projection{}, err
	}
	c := &Count{Distinct: p.word("DISTINCT")}
	switch t := p.peek(); {
	case t.kind == variableToken:
		c.Of = p.next().text
	case !p.symbol("*"):
		return Projection{}, outside(t.pos, "COUNT of anything but a variable or *")
	}
	if err := p.require(")", "after what is counted"); err != nil {
		return Projection{}, err
	}
	if !p.word("AS") || p.peek().kind != variableToken {
		return Projection{}, p.expected("AS and a variable, as in (COUNT(*) AS ?n)")
	}
	name := p.next().text
	return Projection{Var: name, Count: c, Pos: start}, p.require(")", "after AS ?"+name)
}

// modifiers reads what may follow the pattern.
func (p *parser) modifiers(q *Query) (err error) {
	if p.isWord("GROUP", "HAVING") {
		return outside(p.peek().pos, strings.ToUpper(p.peek().text))
	}
	if q.Ask && p.isWord("ORDER", "LIMIT", "OFFSET") {
		return outside(p.peek().pos, strings.ToUpper(p.peek().text)+" after ASK")
	}
	if p.word("ORDER") {
		if !p.word("BY") {
			return p.expected("BY after ORDER")
		}
		if q.OrderBy, err = p.orderKeys(); err != nil {
			return err
		}
	}
	for seenLimit, seenOffset := false, false; ; {
		switch {
		case !seenLimit && p.word("LIMIT"):
			q.Limit, err = p.integer("LIMIT")
			seenLimit = true
		case !seenOffset && p.word("OFFSET"):
			q.Offset, err = p.integer("OFFSET")
			seenOffset = true
		case p.isWord("VALUES"):
			q.Values, err = p.values()
			return err
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (p *parser) integer(after string) (int, error) {
	t := p.peek()
	n, err := strconv.ParseInt(t.text, 10, 32)
	if t.kind != numberToken || err != nil {
		return 0, p.expected("a whole number below 2147483648 after " + after)
	}
	p.next()
	return int(n), nil
}

func (p *parser) orderKeys() ([]OrderKey, error) {
	var keys []OrderKey
	for {
		start := p.at
		descending := p.word("DESC")
		directed := descending || p.word("ASC")
		parenthesised := p.symbol("(")
		t := p.peek()
		switch {
		case t.kind == variableToken && (parenthesised || !directed):
			p.next()
			keys = append(keys, OrderKey{t.text, descending})
			if parenthesised && !p.symbol(")") {
				return nil, outside(p.peek().pos, "ORDER BY anything but a variable")
			}
		case directed || parenthesised:
			return nil, outside(t.pos, "ORDER BY anything but a variable")
		case len(keys) == 0 && t.kind == wordToken && !p.isWord("LIMIT", "OFFSET", "VALUES"):
			return nil, outside(t.pos, "ORDER BY anything but a variable")
		case len(keys) == 0:
			return nil, p.expected("a variable to order by")
		default:
			p.at = start
			return keys, nil
		}
	}
}
