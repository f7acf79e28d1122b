package query

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/kg"
)

// Pos is a place in a text: line and column, both counted from 1, the column in runes.
type Pos struct{ Line, Column int }

// Source names the text of a question in the places of errors.
const Source = "query"

func (p Pos) in(source string) kg.Place {
	return kg.Place{Name: source, Line: p.Line, Column: p.Column}
}

// scanner walks over a text and knows where it is. All notations are read from
// one; there is no token stream, because what ends an unquoted name depends on
// where it stands. A copy of a scanner is a place to return to.
type scanner struct {
	source string // "query" or "shape", the first part of every error
	text   string
	at     int
	pos    Pos
	depth  int
	nodes  *int // shared by copies, so that looking ahead is not free either
}

const endOfText = rune(-1)

func newScanner(source, text string) *scanner {
	return &scanner{source: source, text: text, pos: Pos{1, 1}, nodes: new(int)}
}

func (s *scanner) peek() rune {
	if s.at == len(s.text) {
		return endOfText
	}
	r, _ := utf8.DecodeRuneInString(s.text[s.at:])
	return r
}

// next steps over one rune. A byte that is not UTF-8 counts as one.
func (s *scanner) next() rune {
	if s.at == len(s.text) {
		return endOfText
	}
	r, size := utf8.DecodeRuneInString(s.text[s.at:])
	s.at += size
	s.pos.Column++
	if r == '\n' {
		s.pos = Pos{s.pos.Line + 1, 1}
	}
	return r
}

func (s *scanner) skipSpace() {
	for unicode.IsSpace(s.peek()) {
		s.next()
	}
}

func (s *scanner) startsWith(prefix string) bool { return strings.HasPrefix(s.text[s.at:], prefix) }

// accept steps over the first of the given symbols that comes next.
func (s *scanner) accept(symbols ...string) bool {
	for _, symbol := range symbols {
		if s.startsWith(symbol) {
			s.skip(len(symbol))
			return true
		}
	}
	return false
}

func (s *scanner) skip(bytes int) {
	for end := s.at + bytes; s.at < end; {
		s.next()
	}
}

// symbol is accept after white space.
func (s *scanner) symbol(symbols ...string) bool {
	s.skipSpace()
	return s.accept(symbols...)
}

// require steps over a symbol or says what it was expected for.
func (s *scanner) require(symbol, after string) error {
	if s.symbol(symbol) {
		return nil
	}
	return s.fail(s.pos, "expected '%s' %s, found %s", symbol, after, s.found())
}

// keyword steps over a word that stands alone, in any case.
func (s *scanner) keyword(words ...string) bool {
	word := wordAt(s.text[s.at:])
	for _, w := range words {
		if strings.EqualFold(word, w) {
			s.skip(len(word))
			return true
		}
	}
	return false
}

// wordAt is the run of letters, digits, underscores and primes at the start of a text.
func wordAt(text string) string {
	for i, r := range text {
		if !isWordRune(r) {
			return text[:i]
		}
	}
	return text
}

func isWordRune(r rune) bool {
	return r == '_' || r == '\'' || r == '′' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

// identifier is the word that comes next, if it can name a variable; it must begin with a letter or an underscore.
func (s *scanner) identifier() (string, bool) {
	first := s.peek()
	word := wordAt(s.text[s.at:])
	if word == "" || !unicode.IsLetter(first) && first != '_' {
		return "", false
	}
	s.skip(len(word))
	return word, true
}

// found says what comes next, for the end of an error message.
func (s *scanner) found() string {
	const most = 20
	if s.at == len(s.text) {
		return "the end"
	}
	rest := []rune(s.text[s.at:min(len(s.text), s.at+4*most)])
	for i, r := range rest {
		if i > 0 && (unicode.IsSpace(r) || strings.ContainsRune("(),", r)) || i == most {
			rest = rest[:i]
			break
		}
	}
	return fmt.Sprintf("%q", string(rest))
}

func (s *scanner) place(at Pos) kg.Place { return at.in(s.source) }

func (s *scanner) fail(at Pos, format string, args ...any) error {
	return kg.ErrorAt(kg.Invalid, s.place(at), format, args...)
}

// enter counts one more node and one more level; every recursive rule of a grammar begins with it.
func (s *scanner) enter() error {
	s.depth++
	*s.nodes++
	if s.depth > maxDepth {
		return tooDeep(s.place(s.pos))
	}
	if *s.nodes > maxNodes {
		return tooMany(s.place(s.pos))
	}
	return nil
}

func (s *scanner) leave() { s.depth-- }

// end requires that nothing but white space is left.
func (s *scanner) end(expected string) error {
	s.skipSpace()
	if s.at < len(s.text) {
		return s.fail(s.pos, "expected %s, found %s", expected, s.found())
	}
	return nil
}
