package read

import (
	"bytes"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/rdf"
)

// iri reads an IRI in brackets or a prefixed name.
func (p *turtle) iri(expected string) ([]byte, error) {
	char := p.peek()
	if char == '<' {
		return p.bracketed()
	}
	if rdf.NameBase(char) || char == ':' {
		return p.prefixed()
	}
	return nil, p.errorf("expected %s", expected)
}

// bracketed reads an IRI in brackets, relative to the base.
func (p *turtle) bracketed() ([]byte, error) {
	p.next()
	from := len(p.text)
	for {
		char := p.peek()
		if char == '>' {
			p.next()
			break
		}
		if char == '\\' {
			escaped, err := p.escape(false)
			if err != nil {
				return nil, err
			}
			char = escaped
		} else if char != endOfText && rdf.InIRI(char) {
			p.next()
		}
		if char == endOfText || !rdf.InIRI(char) {
			return nil, p.errorf("expected '>' at the end of the IRI")
		}
		p.text = utf8.AppendRune(p.text, char)
	}
	name := p.text[from:len(p.text):len(p.text)]
	if p.base != "" {
		name = p.keep(rdf.ResolveIRI(p.base, string(name)))
	}
	if len(name) == 0 || bytes.HasPrefix(name, []byte("_:")) {
		return nil, p.errorf("expected an IRI between '<' and '>'; an empty one needs a base")
	}
	return name, nil
}

// prefixName adds the name of a prefix, without its ':', to the text and moves past both.
func (p *turtle) prefixName() error {
	last := rune(0)
	for char := p.peek(); char != ':'; char = p.peek() {
		allowed := rdf.NameChar(char) || char == '.'
		if last == 0 {
			allowed = rdf.NameBase(char)
		}
		if !allowed {
			return p.errorf("expected ':' after a prefix")
		}
		p.text = utf8.AppendRune(p.text, char)
		last = p.next()
	}
	if last == '.' {
		return p.errorf("a prefix that ends with '.'")
	}
	p.next()
	return nil
}

// prefixed reads a name such as foaf:knows.
func (p *turtle) prefixed() ([]byte, error) {
	line, column := p.line, p.column
	from := len(p.text)
	if err := p.prefixName(); err != nil {
		return nil, err
	}
	namespace, known := p.prefixes[string(p.text[from:])]
	if !known {
		name := string(p.text[from:])
		p.line, p.column = line, column
		return nil, p.errorf("prefix %q is not declared", name+":")
	}
	p.text = append(p.text[:from], namespace...)
	if err := p.local(); err != nil {
		return nil, err
	}
	name := p.text[from:len(p.text):len(p.text)]
	if bytes.HasPrefix(name, []byte("_:")) {
		return nil, p.errorf("the name stands for <%s>, which is no IRI", name)
	}
	return name, nil
}

// local adds the part of a name after its prefix.
func (p *turtle) local() error {
	for first := true; ; first = false {
		char := p.peek()
		switch {
		case char == ':' || rdf.NameChar(char) && (!first || rdf.BlankStart(char)):
			p.text = utf8.AppendRune(p.text, p.next())
		case char == '%':
			if err := p.percent(); err != nil {
				return err
			}
		case char == '\\':
			if err := p.localEscape(); err != nil {
				return err
			}
		case char == '.' && !first && p.dotWithin():
			p.text = utf8.AppendRune(p.text, p.next())
		default:
			return nil
		}
	}
}

// dotWithin tells whether a name goes on after the dots that come next; if not, the first ends the statement.
func (p *turtle) dotWithin() bool {
	dots := 0
	for p.peekAfter(dots) == '.' {
		dots++
	}
	after := p.peekAfter(dots)
	return rdf.NameChar(after) || after == ':' || after == '%' || after == '\\'
}

// percent keeps an encoded byte such as %20 as it is.
func (p *turtle) percent() error {
	_, high := rdf.HexDigit(p.peekAfter(1))
	_, low := rdf.HexDigit(p.peekAfter(2))
	if !high || !low {
		return p.errorf("expected two hexadecimal digits after '%%'")
	}
	for range 3 {
		p.text = utf8.AppendRune(p.text, p.next())
	}
	return nil
}

// localEscape reads a character that names may have only after a backslash.
func (p *turtle) localEscape() error {
	char := p.peekAfter(1)
	if char == endOfText || char >= utf8.RuneSelf || bytes.IndexByte([]byte("_~.-!$&'()*+,;=/?#@%"), byte(char)) < 0 {
		return p.errorf("a bad escape after '\\'")
	}
	p.next()
	p.text = utf8.AppendRune(p.text, p.next())
	return nil
}

// blank reads a blank node with a label.
func (p *turtle) blank() ([]byte, error) {
	if p.peekAfter(1) != ':' {
		return nil, p.errorf("expected ':' after '_'")
	}
	from := len(p.text)
	p.text = append(p.text, "_:"...)
	p.skip(2)
	if !rdf.BlankStart(p.peek()) {
		return nil, p.errorf("expected a name after '_:'")
	}
	for rdf.NameChar(p.peek()) || p.peek() == '.' && p.labelGoesOn() {
		p.text = utf8.AppendRune(p.text, p.next())
	}
	label := p.text[from:len(p.text):len(p.text)]
	if !p.into.nodes.state(string(label)) {
		return nil, p.errorf("the label %s is taken by a node without label; use another", label)
	}
	return label, nil
}

func (p *turtle) labelGoesOn() bool {
	dots := 0
	for p.peekAfter(dots) == '.' {
		dots++
	}
	return rdf.NameChar(p.peekAfter(dots))
}

// literal reads a string with its language or type.
func (p *turtle) literal() ([]byte, error) {
	from := len(p.text)
	p.text = append(p.text, '"')
	if err := p.quoted(); err != nil {
		return nil, err
	}
	p.text = append(p.text, '"')
	switch {
	case p.peek() == '@':
		p.text = utf8.AppendRune(p.text, p.next())
		if err := p.language(); err != nil {
			return nil, err
		}
		if err := p.direction(); err != nil {
			return nil, err
		}
	case p.peek() == '^':
		if p.peekAfter(1) != '^' {
			return nil, p.errorf("expected a type after '^^'")
		}
		p.skip(2)
		p.space()
		mark := len(p.text)
		iri, err := p.iri("a type, an IRI or a prefixed name")
		if err != nil {
			return nil, err
		}
		p.text = append(p.text[:mark], "^^<"+string(iri)+">"...)
	}
	literal := dropStringType(p.text[from:])
	return literal[:len(literal):len(literal)], nil
}

func (p *turtle) language() error {
	if !rdf.IsLetter(p.peek()) {
		return p.errorf("expected a language after '@'")
	}
	for part := 0; ; {
		char := p.peek()
		switch {
		case rdf.IsLetter(char) || part > 0 && rdf.IsDigit(char):
		case char == '-' && (rdf.IsLetter(p.peekAfter(1)) || rdf.IsDigit(p.peekAfter(1))):
			part++
		default:
			return nil
		}
		p.text = utf8.AppendRune(p.text, p.next())
	}
}

// direction reads the base direction that may follow a language, --ltr or --rtl.
func (p *turtle) direction() error {
	if p.peek() != '-' || p.peekAfter(1) != '-' {
		return nil
	}
	for _, way := range []string{"--ltr", "--rtl"} {
		if p.comes(way) && !rdf.IsLetter(p.peekAfter(len(way))) {
			p.text = append(p.text, way...)
			p.skip(len(way))
			return nil
		}
	}
	return p.errorf("expected ltr or rtl after '--'")
}

// quoted adds what stands between quotes, one or three of either kind, in the form of names.
func (p *turtle) quoted() error {
	quote := p.next()
	long := p.peek() == quote && p.peekAfter(1) == quote
	switch {
	case long:
		p.skip(2)
	case p.peek() == quote:
		p.next()
		return nil
	}
	for {
		char := p.peek()
		switch {
		case char == endOfText, !long && (char == '\n' || char == '\r'):
			return p.errorf("expected %c at the end of the string", quote)
		case char == '\\':
			escaped, err := p.escape(true)
			if err != nil {
				return err
			}
			p.text = rdf.AppendEscaped(p.text, escaped)
		case char == quote && !long:
			p.next()
			return nil
		case char == quote && p.peekAfter(1) == quote && p.peekAfter(2) == quote:
			p.skip(3)
			return nil
		default:
			p.text = rdf.AppendEscaped(p.text, p.next())
		}
	}
}

// escape reads a backslash and what follows; one-letter escapes are for strings only.
func (p *turtle) escape(letters bool) (rune, error) {
	letter := p.peekAfter(1)
	if char, ok := rdf.Echar(letter); ok && letters {
		p.skip(2)
		return char, nil
	}
	digits := rdf.UcharDigits(letter)
	if digits == 0 {
		return 0, p.errorf("a bad escape after '\\'")
	}
	char := rune(0)
	for i := range digits {
		value, ok := rdf.HexDigit(p.peekAfter(2 + i))
		if !ok || char > utf8.MaxRune {
			return 0, p.errorf("a bad escape after '\\'")
		}
		char = char<<4 | value
	}
	if !rdf.EscapedRune(char) {
		return 0, p.errorf("a bad escape after '\\'")
	}
	p.skip(2 + digits)
	return char, nil
}

// number reads an integer, decimal or double as the literal it abbreviates.
func (p *turtle) number() ([]byte, error) {
	from := len(p.text)
	p.text = append(p.text, '"')
	kind := "integer"
	if char := p.peek(); char == '+' || char == '-' {
		p.text = utf8.AppendRune(p.text, p.next())
	}
	digits := p.digits()
	// A dot belongs to the number only if it goes on behind; else it ends the statement.
	if p.peek() == '.' && (rdf.IsDigit(p.peekAfter(1)) || digits > 0 && p.exponentAfter(1)) {
		kind = "decimal"
		p.text = utf8.AppendRune(p.text, p.next())
		digits += p.digits()
	}
	if digits == 0 {
		return nil, p.errorf("expected a number")
	}
	if p.exponentAfter(0) {
		kind = "double"
		p.text = utf8.AppendRune(p.text, p.next())
		if !rdf.IsDigit(p.peek()) {
			p.text = utf8.AppendRune(p.text, p.next())
		}
		p.digits()
	}
	p.text = append(p.text, `"^^<`+rdf.XSD+kind+">"...)
	return p.text[from:len(p.text):len(p.text)], nil
}

func (p *turtle) digits() (count int) {
	for rdf.IsDigit(p.peek()) {
		p.text = utf8.AppendRune(p.text, p.next())
		count++
	}
	return count
}

// exponentAfter tells whether e, a sign perhaps, and a digit stand so many bytes further on.
func (p *turtle) exponentAfter(offset int) bool {
	if p.peekAfter(offset)|0x20 != 'e' {
		return false
	}
	if sign := p.peekAfter(offset + 1); sign == '+' || sign == '-' {
		offset++
	}
	return rdf.IsDigit(p.peekAfter(offset + 1))
}

func (p *turtle) boolean() ([]byte, error) {
	word := "false"
	if p.peek() == 't' {
		word = "true"
	}
	p.skip(len(word))
	return p.keep(`"` + word + `"^^<` + rdf.XSD + "boolean>"), nil
}
