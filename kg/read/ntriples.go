package read

import (
	"bytes"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
)

// readNTriples reads N-Triples 1.2, a statement a line, or N-Quads 1.2, where the graph that a statement stands in may
// follow its object. Quoted triples of RDF-star, << s p o >>, are read in place of subjects and objects.
func (l *loader) readNTriples(in *input, part split, quads bool) error {
	lines := newLineBlocks(in)
	lines.nul = true // which literals may have
	s := statement{quads: quads}
	quoted := map[string]string{} // names of quoted triples, one of each
	return lines.each(func(line int, text []byte) error {
		if err := s.parse(text); err != nil {
			return kg.ErrorAt(kg.Invalid, lines.at(line), "%v", err)
		}
		if s.subject != nil {
			s.subject, s.object = l.unquote(quoted, &s, part, s.subject), l.unquote(quoted, &s, part, s.object)
			l.stateIn(s.graph, part, s.subject, s.predicate, s.object)
		}
		return nil
	})
}

// statement parses a line. Terms are given as names; they point into the line
// where they stand there as they are, else into scratch memory.
type statement struct {
	subject, predicate, object []byte // all nil for a line without statement
	graph                      []byte // nil where none is named
	quads                      bool   // whether one may be
	rest                       []byte
	scratch                    []byte
}

func (s *statement) parse(line []byte) (err error) {
	s.subject, s.predicate, s.object, s.scratch = nil, nil, nil, s.scratch[:0]
	s.rest, s.graph = line, nil
	if s.space(); s.over() {
		return nil
	}
	if s.version() {
		return s.versionLine()
	}
	subject, err := s.node("the subject, an IRI in <> or a blank node _:x", false)
	if err != nil {
		return err
	}
	s.space()
	if s.first() != '<' {
		return errors.New("expected the predicate, an IRI in <>")
	}
	if s.predicate, err = s.iri(); err != nil {
		return err
	}
	s.space()
	if s.object, err = s.node("the object, an IRI in <>, a blank node _:x or a literal in quotes", true); err != nil {
		return err
	}
	if s.space(); s.quads && s.first() != '.' {
		if s.graph, err = s.resource("'.' or the name of a graph after the object"); err != nil {
			return err
		}
		s.space()
	}
	if s.first() != '.' {
		return errors.New("expected '.' " + s.beforeDot())
	}
	s.rest = s.rest[1:]
	if s.space(); !s.over() {
		return errors.New("expected the end of the line after '.'")
	}
	s.subject = subject
	return nil
}

func (s *statement) beforeDot() string {
	if s.graph != nil {
		return "after the graph"
	}
	return "after the object"
}

// first is the next byte, 0 at the end, as which NUL between terms counts.
func (s *statement) first() byte {
	if len(s.rest) == 0 {
		return 0
	}
	return s.rest[0]
}

func (s *statement) space() {
	for len(s.rest) > 0 && isBlank(s.rest[0]) {
		s.rest = s.rest[1:]
	}
}

func (s *statement) over() bool { return len(s.rest) == 0 || s.rest[0] == '#' }

func (s *statement) resource(expected string) ([]byte, error) {
	switch {
	case s.first() == '<':
		return s.iri()
	case bytes.HasPrefix(s.rest, []byte("_:")):
		return s.blank()
	}
	return nil, errors.New("expected " + expected)
}

// iri takes an IRI and gives it without its brackets.
func (s *statement) iri() ([]byte, error) {
	end := bytes.IndexByte(s.rest, '>')
	if end < 0 {
		return nil, errors.New("expected '>' at the end of the IRI")
	}
	written := s.rest[1:end]
	s.rest = s.rest[end+1:]
	name := written
	if bytes.IndexByte(written, '\\') >= 0 {
		from := len(s.scratch)
		if err := s.unescape(written, false, utf8.AppendRune); err != nil {
			return nil, err
		}
		name = s.scratch[from:len(s.scratch):len(s.scratch)]
	}
	return name, checkIRI(name)
}

// errRelative is of an IRI that is well written and means nothing without a base.
var errRelative = errors.New("a relative IRI, expected one with a scheme, such as http:, between '<' and '>' (Turtle has relative ones)")

// checkIRI also keeps IRIs apart from the names of blank nodes.
func checkIRI(name []byte) error {
	if len(name) == 0 || bytes.HasPrefix(name, []byte("_:")) {
		return errors.New("expected an IRI between '<' and '>'")
	}
	for _, char := range string(name) {
		if !rdf.InIRI(char) {
			return errors.New("a character that no IRI may have between '<' and '>'")
		}
	}
	if rdf.SchemeLength(string(name)) == 0 {
		return errRelative
	}
	return nil
}

// blank takes a blank node; its name keeps the "_:".
func (s *statement) blank() ([]byte, error) {
	end := 2
	for at := end; at < len(s.rest); {
		char, size := utf8.DecodeRune(s.rest[at:])
		if at == 2 && !rdf.BlankStart(char) {
			break
		}
		if !rdf.NameChar(char) && char != '.' {
			break
		}
		at += size
		if char != '.' { // a label may hold dots and does not end with one
			end = at
		}
	}
	if end == 2 {
		return nil, errors.New("expected a name after '_:'")
	}
	name := s.rest[:end]
	s.rest = s.rest[end:]
	return name, nil
}

// literal takes a literal with its language or type.
func (s *statement) literal() ([]byte, error) {
	end := closingQuote(s.rest)
	if end < 0 {
		return nil, errors.New("expected '\"' at the end of the literal")
	}
	written := s.rest[:end+1]
	if bytes.IndexByte(written, '\r') >= 0 {
		return nil, errors.New("a bare carriage return in a literal, expected \\r")
	}
	tail, err := s.suffix(s.rest[end+1:])
	if err != nil {
		return nil, err
	}
	whole := s.rest[:end+1+len(tail)]
	s.rest = s.rest[len(whole):]
	if bytes.IndexByte(whole, '\\') < 0 && bytes.IndexByte(whole, 0) < 0 {
		return dropStringType(whole), nil
	}
	return s.normal(written[1:end], tail)
}

// closingQuote finds the quote that ends the literal at the beginning of text.
func closingQuote(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// suffix gives the language tag or type at the beginning of text, empty where there is none.
func (s *statement) suffix(text []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(text, []byte("@")):
		length := languageLength(text[1:])
		if length == 0 {
			return nil, errors.New("expected a language after '@'")
		}
		if slices.ContainsFunc(bytes.Split(text[1:1+length], []byte("-")), func(part []byte) bool { return len(part) > 8 }) {
			return nil, errors.New("expected a language of parts of at most eight letters after '@'")
		}
		direction, err := directionLength(text[1+length:])
		return text[:1+length+direction], err
	case bytes.HasPrefix(text, []byte("^^<")):
		typed := statement{rest: text[2:]}
		name, err := typed.iri()
		if err != nil {
			return nil, err
		}
		if string(name) == rdf.Namespace+"langString" || string(name) == rdf.Namespace+"dirLangString" {
			return nil, errors.New("a text in a language without one, expected @ and the language")
		}
		return text[:len(text)-len(typed.rest)], nil
	case bytes.HasPrefix(text, []byte("^")):
		return nil, errors.New("expected a type, ^^ and an IRI in <>")
	}
	return nil, nil
}

// languageLength is the length of the language tag at the beginning of text.
func languageLength(text []byte) int {
	end, part := 0, 0
	for i, b := range text {
		switch {
		case rdf.IsLetter(rune(b)) || part > 0 && rdf.IsDigit(rune(b)):
			end = i + 1
		case b == '-' && end == i && i > 0:
			part++
		default:
			return end
		}
	}
	return end
}

// directionLength is the length of the base direction that follows a language, 0 without one.
func directionLength(text []byte) (int, error) {
	if !bytes.HasPrefix(text, []byte("--")) {
		return 0, nil
	}
	end := 2
	for end < len(text) && rdf.IsLetter(rune(text[end])) {
		end++
	}
	if direction := string(text[2:end]); direction != "ltr" && direction != "rtl" {
		return 0, errors.New("expected ltr or rtl after '--'")
	}
	return end, nil
}

// normal writes a literal with escapes in the form that names have.
func (s *statement) normal(inside, tail []byte) ([]byte, error) {
	from := len(s.scratch)
	s.scratch = append(s.scratch, '"')
	if err := s.unescape(inside, true, rdf.AppendEscaped); err != nil {
		return nil, err
	}
	s.scratch = append(s.scratch, '"')
	if bytes.HasPrefix(tail, []byte("^^")) {
		typed := statement{rest: tail[2:]}
		iri, err := typed.iri()
		if err != nil {
			return nil, err
		}
		s.scratch = append(append(append(s.scratch, "^^<"...), iri...), '>')
	} else {
		s.scratch = append(s.scratch, tail...)
	}
	return dropStringType(s.scratch[from:]), nil
}

// unescape adds text to the scratch memory with its escapes resolved.
func (s *statement) unescape(text []byte, letters bool, add func([]byte, rune) []byte) error {
	for len(text) > 0 {
		char, size := utf8.DecodeRune(text)
		text = text[size:]
		if char == '\\' {
			var err error
			if char, text, err = unescapeOne(text, letters); err != nil {
				return err
			}
		}
		s.scratch = add(s.scratch, char)
	}
	return nil
}

// unescapeOne reads what follows a backslash. One-letter escapes are for literals only.
func unescapeOne(text []byte, letters bool) (char rune, rest []byte, err error) {
	bad := errors.New("a bad escape after '\\'")
	if len(text) == 0 {
		return 0, nil, bad
	}
	letter := rune(text[0])
	text = text[1:]
	if char, ok := rdf.Echar(letter); ok && letters {
		return char, text, nil
	}
	digits := rdf.UcharDigits(letter)
	if digits == 0 || len(text) < digits {
		return 0, nil, bad
	}
	for _, digit := range text[:digits] {
		value, ok := rdf.HexDigit(rune(digit))
		if !ok || char > utf8.MaxRune {
			return 0, nil, bad
		}
		char = char<<4 | value
	}
	if !rdf.EscapedRune(char) {
		return 0, nil, bad
	}
	return char, text[digits:], nil
}
