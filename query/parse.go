package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/kg"
)

// expectedForm is shown to who writes no query, or one without the name of its answer variable.
const expectedForm = `"?u : ∃a : Win(a, Turing Award) ∧ University(a, u)"`

// Parse reads a query in any of three notations, which their first letters tell
// apart: first-order logic as people write it,
//
//	?u : ∃a : Win(a, Turing Award) ∧ Field(a, Deep Learning) ∧ University(a, u)
//
// with ASCII twins for every symbol, any number of answer variables (?x, ?y : …) or none, which
// asks for yes or no; the operators of the paper,
//
//	P[University](C(P[Win^-1]({Turing Award}), P[Field^-1]({Deep Learning})))
//
// and BetaE's nested tuples of ids, ((12, (3, 4)), (45, (6, -2))).
func Parse(text string) (*Query, error) {
	if err := checkText(Source, text); err != nil {
		return nil, err
	}
	start := strings.TrimSpace(text)
	switch {
	case looksLikeOperators(start):
		return parseOperators(text)
	case looksLikeTuples(start):
		o, err := parseTuples(text)
		if err != nil {
			return nil, err
		}
		return compose(o), nil
	}
	p := &parser{scanner: newScanner(Source, text), scope: map[string]int{}}
	return p.query()
}

func looksLikeTuples(start string) bool {
	inside := strings.TrimLeft(start, "( \t\r\n")
	return strings.HasPrefix(start, "(") && inside != "" && strings.Contains("0123456789-'\"", inside[:1])
}

// parser reads first-order logic. Binding strength falls from ¬ over ∧ and ∨ to →;
// the body of a quantifier reaches as far as it can.
type parser struct {
	*scanner
	scope map[string]int // how many quantifiers, or the head, bind a name here
}

func (p *parser) query() (*Query, error) {
	answers, err := p.head()
	if err != nil {
		return nil, err
	}
	body, err := p.implication()
	if err != nil {
		return nil, err
	}
	return &Query{answers, body}, p.end("∧, ∨, → or the end of the query")
}

// head reads the answer variables, "?u :" or "?x, ?y :". A formula without a head, or after "? :", is
// a question of yes or no.
func (p *parser) head() (answers []Variable, err error) {
	p.skipSpace()
	if p.at == len(p.text) {
		return nil, p.fail(p.pos, "expected a question, as in %s", expectedForm)
	}
	if !p.startsWith("?") || p.noAnswers() {
		return nil, nil
	}
	for more := true; more; {
		v, err := p.answer()
		if err != nil {
			return nil, err
		}
		answers = append(answers, v)
		p.scope[v.Name]++
		p.skipSpace()
		more = p.symbol(",") || p.startsWith("?")
	}
	p.symbol(":", ".")
	return answers, nil
}

// noAnswers reads "? :".
func (p *parser) noAnswers() bool {
	ahead := *p.scanner
	if !ahead.accept("?") || !ahead.symbol(":") {
		return false
	}
	*p.scanner = ahead
	return true
}

// answer reads an answer variable of the head; after a comma it may do without its sign.
func (p *parser) answer() (Variable, error) {
	p.skipSpace()
	start := p.pos
	p.accept("?")
	p.skipSpace()
	name, ok := p.identifier()
	if !ok || isReserved(name) {
		return Variable{}, p.fail(p.pos, "expected the name of the answer variable after '?', as in %s", expectedForm)
	}
	if p.scope[name] > 0 {
		return Variable{}, p.fail(start, "the answer variable %s is named twice", name)
	}
	return Variable{name, start}, nil
}

// implication reads a → b, which is ¬a ∨ b and groups to the right.
func (p *parser) implication() (Formula, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	left, err := p.chain(p.conjunction, or, func(of []Formula) Formula { return Or{of} })
	if err != nil || !p.connective(implies) {
		return left, err
	}
	right, err := p.implication()
	return Or{[]Formula{Not{left}, right}}, err
}

func (p *parser) conjunction() (Formula, error) {
	return p.chain(p.unary, and, func(of []Formula) Formula { return And{of} })
}

// chain reads operands joined by one connective; a single one stays as it is.
func (p *parser) chain(operand func() (Formula, error), c connective, join func([]Formula) Formula) (Formula, error) {
	first, err := operand()
	of := []Formula{first}
	for err == nil && p.connective(c) {
		var next Formula
		next, err = operand()
		of = append(of, next)
	}
	if err != nil || len(of) == 1 {
		return first, err
	}
	return join(of), nil
}

// connective is a symbol between formulas and the word for it.
type connective struct {
	symbols []string
	word    string
}

var (
	and     = connective{[]string{"∧", "&&", "&", "⋀", `/\`}, "and"}
	or      = connective{[]string{"∨", "||", "|", "⋁", `\/`}, "or"}
	implies = connective{[]string{"→", "->", "⇒", "=>"}, "implies"}
)

func (p *parser) connective(c connective) bool { return p.symbol(c.symbols...) || p.keyword(c.word) }

// unary reads a negation, a quantifier, a group, a truth value, an atom or an equation.
func (p *parser) unary() (Formula, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	p.skipSpace()
	switch {
	case p.accept("¬", "!", "~") || p.keyword("not"):
		of, err := p.unary()
		return Not{of}, err
	case p.accept("∃") || p.keyword("exists"):
		return p.exists(func(body Formula) Formula { return body })
	case p.accept("∀") || p.keyword("forall"):
		some, err := p.exists(func(body Formula) Formula { return Not{body} })
		return Not{some}, err
	case p.accept("("):
		return p.group()
	case p.truth("⊤", "true"):
		return And{}, nil
	case p.truth("⊥", "false"):
		return Or{}, nil
	}
	return p.atomic()
}

func (p *parser) group() (Formula, error) {
	inside, err := p.implication()
	if err != nil {
		return nil, err
	}
	return inside, p.require(")", "to close the parenthesis")
}

// truth reads a truth value. Its word may also begin a relation's name, so that what follows decides.
func (p *parser) truth(symbol, word string) bool {
	ahead := *p.scanner
	if !ahead.accept(symbol) && !ahead.keyword(word) {
		return false
	}
	ahead.skipSpace()
	if !ahead.atConnective(ahead.at) && ahead.peek() != ')' && ahead.at < len(ahead.text) {
		return false
	}
	*p.scanner = ahead
	return true
}

// exists reads the variables and the body of a quantifier; wrap turns the body of ∀ into that of ¬∃¬.
func (p *parser) exists(wrap func(Formula) Formula) (Formula, error) {
	vars, err := p.variables()
	if err != nil {
		return nil, err
	}
	for _, v := range vars {
		p.scope[v.Name]++
		defer func() { p.scope[v.Name]-- }()
	}
	body, err := p.implication()
	if err != nil {
		return nil, err
	}
	return Exists{vars, wrap(body)}, nil
}

// variables reads "a, b :". Where the colon is missing, the body begins after the
// first variable or the last one that follows a comma.
func (p *parser) variables() ([]Variable, error) {
	first, err := p.variable()
	if err != nil {
		return nil, err
	}
	vars, sure := []Variable{first}, 1
	for ahead := *p.scanner; ; {
		comma := ahead.symbol(",")
		if !comma && ahead.symbol(":", ".") {
			*p.scanner = ahead
			return vars, nil
		}
		more := parser{scanner: &ahead}
		v, err := more.variable()
		if err != nil {
			if comma {
				return nil, err
			}
			return vars[:sure], nil
		}
		vars = append(vars, v)
		if comma {
			*p.scanner, sure = ahead, len(vars)
		}
	}
}

func (p *parser) variable() (Variable, error) {
	p.skipSpace()
	start := p.pos
	p.accept("?")
	name, ok := p.identifier()
	if !ok || isReserved(name) {
		return Variable{}, p.fail(start, "expected a variable after the quantifier, found %s", p.found())
	}
	return Variable{name, start}, nil
}

// atomic reads R(x, y), x = y or x ≠ y.
func (p *parser) atomic() (Formula, error) {
	start := p.pos
	left := *p.scanner
	relation, err := p.relationName(endsRelation())
	if err != nil {
		return nil, p.fail(start, "expected a relation with its arguments, ¬, ∃ or a parenthesis, found %s", p.found())
	}
	switch {
	case p.symbol("("):
		return p.arguments(Atom{Relation: relation, Pos: start})
	case p.symbol("≠", "!="):
		equal, err := p.equation(left)
		return Not{equal}, err
	case p.symbol("="):
		return p.equation(left)
	}
	return nil, p.fail(p.pos, "expected '(' and two arguments after %q, found %s", relation.display(), p.found())
}

// endsRelation makes the rule for the end of a relation's name: its arguments, an
// equals sign after what may be a variable, and whatever can not stand in a name.
// An address may contain equals signs.
func endsRelation() func(*scanner, int) bool {
	word, space := true, false // so far it is one word; the last rune was white space
	return func(s *scanner, from int) bool {
		r := s.peek()
		if r == '=' || r == '≠' || s.startsWith("!=") {
			return word || space
		}
		if strings.ContainsRune("(),", r) || s.atSymbol() {
			return true
		}
		space = unicode.IsSpace(r)
		word = word && (isWordRune(r) || r == '?' && s.at == from)
		return false
	}
}

// atSymbol tells whether a connective or quantifier comes next, words aside.
func (s *scanner) atSymbol() bool {
	for _, c := range []connective{and, or, implies} {
		for _, symbol := range c.symbols {
			if s.startsWith(symbol) {
				return true
			}
		}
	}
	return strings.ContainsRune("¬∃∀", s.peek())
}

// atConnective tells whether a connective comes next, as a symbol or as a word of its own.
func (s *scanner) atConnective(from int) bool {
	if s.atSymbol() {
		return true
	}
	if before, _ := utf8.DecodeLastRuneInString(s.text[from:s.at]); s.at > from && !unicode.IsSpace(before) {
		return false
	}
	ahead := *s
	return ahead.keyword(and.word, or.word, implies.word)
}

// arguments reads the two terms of an atom, after its parenthesis.
func (p *parser) arguments(atom Atom) (_ Formula, err error) {
	if atom.From, err = p.argument(); err != nil {
		return nil, err
	}
	if err := p.require(",", "and a second argument: a relation has two"); err != nil {
		return nil, err
	}
	if atom.To, err = p.argument(); err != nil {
		return nil, err
	}
	return atom, p.require(")", "after the second argument (a name with a comma needs quotes)")
}

// term reads a variable or a constant. A word is a variable if it is bound here or written ?x.
func (p *parser) term(ends func(*scanner, int) bool) (Term, error) {
	p.skipSpace()
	start := p.pos
	if text, quoted, err := p.quotedName(); quoted {
		return Constant{Name{Text: text, Pos: start}}, err
	}
	text := p.unquotedName(ends)
	if text == "" {
		return nil, p.fail(start, "expected a variable or the name of an entity, found %s", p.found())
	}
	if word, marked := strings.CutPrefix(text, "?"); marked && isVariable(word) {
		return Variable{word, start}, nil
	}
	if p.scope[text] > 0 {
		return Variable{text, start}, nil
	}
	return Constant{nameOf(text, start)}, nil
}

// isVariable tells whether a text can name a variable.
func isVariable(text string) bool {
	s := newScanner("", text)
	_, ok := s.identifier()
	return ok && s.at == len(text) && !isReserved(text)
}

// isReserved tells the words with a meaning of their own, which can not name variables.
func isReserved(word string) bool {
	s := newScanner("", word)
	return s.keyword("not", "exists", "forall", "true", "false", and.word, or.word, implies.word)
}

// equation reads the right side of an equation and then, from where it began, the left.
func (p *parser) equation(left scanner) (Formula, error) {
	from := &parser{scanner: &left, scope: p.scope}
	a, err := from.term(func(s *scanner, _ int) bool { return s.peek() == '=' || s.peek() == '≠' || s.startsWith("!=") })
	if err != nil {
		return nil, err
	}
	b, err := p.value()
	if err != nil {
		return nil, err
	}
	return equals(a, b), nil
}

// value reads the right side of an equation, which ends at a connective.
func (p *parser) value() (Term, error) {
	p.skipSpace()
	start := p.at
	return p.term(endsOutside('(', ')', func(s *scanner) bool { return s.peek() == ',' || s.atConnective(start) }))
}

// argument reads a term of an atom, which ends at a comma or the closing parenthesis.
func (p *parser) argument() (Term, error) { return p.term(endsOutside('(', ')', atComma)) }

// equals has the variable on the left, if there is one.
func equals(a, b Term) Formula {
	_, leftIsGiven := a.(Constant)
	if _, rightIsVariable := b.(Variable); leftIsGiven && rightIsVariable {
		return Equals{b, a}
	}
	return Equals{a, b}
}

// place is that of a formula's error after parsing; a query that was not parsed has only the name.
func place(at Pos) kg.Place { return at.in(Source) }

func invalid(at Pos, format string, args ...any) error {
	return kg.ErrorAt(kg.Invalid, place(at), format, args...)
}
