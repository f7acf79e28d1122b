package syntax

import (
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Parse reads a query of SPARQL 1.1. What is none is refused with its place.
// Prefixes that the text does not declare are those that are known.
func Parse(text string, known ...kg.Prefix) (*Query, error) {
	p, err := newParser(text, maxTokens, known)
	if err != nil {
		return nil, err
	}
	q, err := p.query()
	if err != nil {
		return nil, err
	}
	return q, check(q)
}

func newParser(text string, most int, known []kg.Prefix) (*parser, error) {
	if len(text) > MaxText {
		return nil, kg.Errorf(kg.TooLarge, "sparql", "the query has %d bytes, the limit is %d", len(text), MaxText)
	}
	if !utf8.ValidString(text) {
		return nil, kg.Errorf(kg.Invalid, "sparql", "the query is not UTF-8 text")
	}
	tokens, err := lex(text, most)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens, prefixes: map[string]string{"": term.Namespace}, blanks: map[string]int{}, labels: map[string]bool{}}
	for _, prefix := range known {
		p.prefixes[prefix.Name] = prefix.IRI
	}
	names := map[string]bool{}
	for _, t := range tokens {
		switch t.kind {
		case blankToken:
			p.labels[t.text] = true
		case variableToken:
			if names[t.text] = true; len(names) > maxNames {
				return nil, kg.ErrorAt(kg.TooLarge, Place(t.pos), "more than the limit of %d variables", maxNames)
			}
		}
	}
	return p, nil
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

	computesIRI bool // the query calls IRI, which needs the base
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
		q.Form = AskForm
	case p.word("CONSTRUCT"):
		err = p.construct(q)
	case p.word("DESCRIBE"):
		err = p.describe(q)
	default:
		return nil, p.otherForm()
	}
	if err != nil {
		return nil, err
	}
	if err := p.body(q); err != nil {
		return nil, err
	}
	if p.peek().kind != endToken {
		return nil, p.expected("the end of the query")
	}
	if p.computesIRI {
		q.Base = p.base
	}
	return q, nil
}

// body reads the dataset, the pattern and what follows it.
func (p *parser) body(q *Query) (err error) {
	if err := p.dataset(q); err != nil {
		return err
	}
	where := p.word("WHERE")
	if q.Form != DescribeForm || where || p.atSymbol("{") {
		if q.Where, err = p.group(); err != nil {
			return err
		}
	}
	if q.Form == ConstructForm && q.Template == nil {
		if err := p.templateOfPattern(q); err != nil {
			return err
		}
	}
	return p.modifiers(q)
}

// otherForm says why a query that begins with none of the forms is not read.
func (p *parser) otherForm() error {
	t := p.peek()
	if p.isWord("INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "WITH") {
		return Errorf(t.pos, "%s is an update: this is for queries only; /update of a server takes updates", strings.ToUpper(t.text))
	}
	return p.expected("SELECT, ASK, CONSTRUCT or DESCRIBE")
}

// prologue reads PREFIX, BASE and VERSION.
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
		case p.word("VERSION"):
			if err := p.version(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// version reads the version of SPARQL 1.2 that a text announces. It changes nothing: whatever can be read is.
func (p *parser) version() error {
	t := p.peek()
	if t.kind != stringToken || strings.HasPrefix(t.raw, `"""`) || strings.HasPrefix(t.raw, "'''") {
		return p.expected(`a version in quotes after VERSION, such as "1.2"`)
	}
	p.next()
	return nil
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
