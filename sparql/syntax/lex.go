package syntax

import (
	"strings"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// tokenKind is a class of terminals of the grammar.
type tokenKind uint8

const (
	endToken tokenKind = iota
	symbolToken
	wordToken     // a keyword, in any case
	iriToken      // text is the reference without its brackets, escapes resolved
	prefixedToken // text is the prefix; local what follows the colon
	variableToken // text is the name
	blankToken    // text is the label
	stringToken   // text is the content, escapes resolved
	languageToken // text is the tag
	numberToken   // unsigned; the sign is a symbol
)

type token struct {
	kind  tokenKind
	text  string
	local string
	raw   string // as it was written, for messages
	pos   Pos
}

// lexer cuts a text into tokens.
type lexer struct {
	text string
	at   int
	pos  Pos
}

const endOfText = rune(-1)

// lex gives all tokens of a text, the last one being its end.
func lex(text string, most int) ([]token, error) {
	l := &lexer{text: text, pos: Pos{Line: 1, Column: 1}}
	var tokens []token
	for {
		l.skip()
		start, pos := l.at, l.pos
		t, err := l.token()
		if err != nil {
			return nil, err
		}
		t.pos, t.raw = pos, text[start:l.at]
		tokens = append(tokens, t)
		if t.kind == endToken {
			return tokens, nil
		}
		if len(tokens) > most {
			return nil, kg.ErrorAt(kg.TooLarge, Place(pos), "more than the limit of %d words and signs", most)
		}
	}
}

func (l *lexer) peek() rune { return l.peekAfter(0) }

// peekAfter is the character that many bytes further on.
func (l *lexer) peekAfter(bytes int) rune {
	if l.at+bytes >= len(l.text) {
		return endOfText
	}
	char, _ := utf8.DecodeRuneInString(l.text[l.at+bytes:])
	return char
}

func (l *lexer) next() rune {
	if l.at == len(l.text) {
		return endOfText
	}
	char, size := utf8.DecodeRuneInString(l.text[l.at:])
	l.at += size
	l.pos.Column++
	if char == '\n' {
		l.pos = Pos{Line: l.pos.Line + 1, Column: 1}
	}
	return char
}

func (l *lexer) advance(bytes int) {
	for end := l.at + bytes; l.at < end; {
		l.next()
	}
}

// skip passes over white space and comments.
func (l *lexer) skip() {
	for {
		switch l.peek() {
		case ' ', '\t', '\r', '\n':
			l.next()
		case '#':
			for char := l.peek(); char != '\n' && char != '\r' && char != endOfText; char = l.peek() {
				l.next()
			}
		default:
			return
		}
	}
}

// symbols are the signs of the grammar, longer ones first.
var symbols = []string{"<<(", ")>>", "<<", ">>", "{|", "|}", "~", "^^", "&&", "||", "!=", "<=", ">=",
	"{", "}", "(", ")", "[", "]", ";", ",", ".", "|", "/", "^", "*", "+", "-", "?", "!", "=", "<", ">"}

func (l *lexer) token() (token, error) {
	char := l.peek()
	switch {
	case char == endOfText:
		return token{kind: endToken}, nil
	case char == '<' && l.iriLength() > 0:
		return l.iri()
	case char == '?' || char == '$':
		if t, ok := l.variable(); ok {
			return t, nil
		}
	case char == '"' || char == '\'':
		return l.quoted()
	case char == '@':
		return l.language()
	case char == '_' && l.peekAfter(1) == ':':
		return l.blank()
	case rdf.IsDigit(char) || char == '.' && rdf.IsDigit(l.peekAfter(1)):
		return l.number()
	case rdf.NameBase(char) || char == ':':
		return l.word()
	}
	for _, s := range symbols {
		if strings.HasPrefix(l.text[l.at:], s) {
			l.advance(len(s))
			return token{kind: symbolToken, text: s}, nil
		}
	}
	return token{}, Errorf(l.pos, "no word or sign of SPARQL begins with %q", char)
}

// iriLength is the length of the IRI that begins here with its brackets, 0 where "<" is a sign of its own.
func (l *lexer) iriLength() int {
	for i, char := range l.text[l.at+1:] {
		if char == '>' {
			return i + 2
		}
		if !rdf.InIRI(char) && char != '\\' {
			return 0
		}
	}
	return 0
}

func (l *lexer) iri() (token, error) {
	start, end := l.pos, l.at+l.iriLength()-1
	l.next()
	var b strings.Builder
	for l.at < end {
		char := l.next()
		if char == '\\' {
			var ok bool
			if char, ok = l.codepoint(); !ok || l.at > end {
				return token{}, Errorf(start, "a bad escape in an IRI: expected \\u and four hexadecimal digits, or \\U and eight")
			}
		}
		if !rdf.InIRI(char) {
			return token{}, Errorf(start, "an IRI with a character that IRIs may not have")
		}
		b.WriteRune(char)
	}
	l.next()
	return token{kind: iriToken, text: b.String()}, nil
}

// codepoint reads the u or U of an escape with its digits.
func (l *lexer) codepoint() (char rune, ok bool) {
	digits := rdf.UcharDigits(l.peek())
	if digits == 0 {
		return 0, false
	}
	l.next()
	for range digits {
		value, ok := rdf.HexDigit(l.peek())
		if !ok || char > utf8.MaxRune {
			return 0, false
		}
		char = char<<4 | value
		l.next()
	}
	return char, rdf.EscapedRune(char)
}

// variable reads ?x or $x; a "?" that no name follows is a sign of paths.
func (l *lexer) variable() (token, bool) {
	end := l.at + 1
	for i, char := range l.text[end:] {
		if !isVariableChar(char) || i == 0 && !rdf.BlankStart(char) {
			break
		}
		end = l.at + 1 + i + utf8.RuneLen(char)
	}
	name := l.text[l.at+1 : end]
	if name == "" {
		return token{}, false
	}
	l.advance(end - l.at)
	return token{kind: variableToken, text: name}, true
}

// isVariableChar is that of VARNAME, which unlike other names has no hyphen.
func isVariableChar(char rune) bool { return char != '-' && rdf.NameChar(char) }

func (l *lexer) language() (token, error) {
	start := l.pos
	l.next()
	from := l.at
	for char := l.peek(); rdf.IsLetter(char) || rdf.IsDigit(char) || char == '-'; char = l.peek() {
		l.next()
	}
	if tag := l.text[from:l.at]; term.IsLanguage(tag) {
		return token{kind: languageToken, text: tag}, nil
	}
	return token{}, Errorf(start, "expected a language after '@', such as @en")
}

func (l *lexer) blank() (token, error) {
	start := l.pos
	l.advance(2)
	from := l.at
	if rdf.BlankStart(l.peek()) {
		l.nameRun(rdf.NameChar)
	}
	if from == l.at {
		return token{}, Errorf(start, "expected a label after '_:'")
	}
	return token{kind: blankToken, text: l.text[from:l.at]}, nil
}

// nameRun passes over characters of a name and the dots within it.
func (l *lexer) nameRun(isName func(rune) bool) {
	for {
		dots := 0
		for l.peekAfter(dots) == '.' {
			dots++
		}
		if !isName(l.peekAfter(dots)) {
			return
		}
		l.advance(dots)
		l.next()
	}
}

func (l *lexer) number() (token, error) {
	from := l.at
	l.digits()
	if l.peek() == '.' && (rdf.IsDigit(l.peekAfter(1)) || l.exponentLength(1) > 0) {
		l.next()
		l.digits()
	}
	l.advance(l.exponentLength(0))
	return token{kind: numberToken, text: l.text[from:l.at]}, nil
}

func (l *lexer) digits() {
	for rdf.IsDigit(l.peek()) {
		l.next()
	}
}

// exponentLength is the length of an exponent up to its first digits' end, 0 where there is none so far on.
func (l *lexer) exponentLength(offset int) int {
	if char := l.peekAfter(offset); char != 'e' && char != 'E' {
		return 0
	}
	length := 1
	if sign := l.peekAfter(offset + length); sign == '+' || sign == '-' {
		length++
	}
	digits := 0
	for rdf.IsDigit(l.peekAfter(offset + length)) {
		length++
		digits++
	}
	if digits == 0 {
		return 0
	}
	return length
}
