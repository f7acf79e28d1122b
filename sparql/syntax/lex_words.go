package syntax

import (
	"strings"

	"github.com/lacuna-kg/lacuna/internal/rdf"
)

// word reads a keyword, or a prefixed name such as foaf:knows.
func (l *lexer) word() (token, error) {
	ahead := *l
	ahead.nameRun(rdf.NameChar)
	if ahead.peek() != ':' {
		return l.keyword()
	}
	prefix := l.text[l.at:ahead.at]
	*l = ahead
	l.next()
	local, err := l.local()
	return token{kind: prefixedToken, text: prefix, local: local}, err
}

func (l *lexer) keyword() (token, error) {
	from := l.at
	for char := l.peek(); rdf.IsLetter(char) || from < l.at && (rdf.IsDigit(char) || char == '_'); char = l.peek() {
		l.next()
	}
	if from == l.at {
		return token{}, Errorf(l.pos, "no word or sign of SPARQL begins with %q", l.peek())
	}
	return token{kind: wordToken, text: l.text[from:l.at]}, nil
}

// local reads what follows the colon, with escapes resolved and percent signs kept.
func (l *lexer) local() (string, error) {
	var b strings.Builder
	for first := true; ; first = false {
		char := l.peek()
		switch {
		case char == ':' || rdf.NameChar(char) && (!first || rdf.BlankStart(char)):
			b.WriteRune(l.next())
		case char == '%':
			if !l.percent() {
				return "", Errorf(l.pos, "expected two hexadecimal digits after '%%'")
			}
			b.WriteString(l.text[l.at : l.at+3])
			l.advance(3)
		case char == '\\':
			escaped := l.peekAfter(1)
			if !strings.ContainsRune("_~.-!$&'()*+,;=/?#@%", escaped) {
				return "", Errorf(l.pos, "a bad escape in a name: after '\\' a sign of punctuation may stand")
			}
			l.next()
			b.WriteRune(l.next())
		case char == '.' && !first && l.dotWithin():
			b.WriteRune(l.next())
		default:
			return b.String(), nil
		}
	}
}

// percent tells whether an encoded byte such as %20 comes next.
func (l *lexer) percent() bool {
	_, high := rdf.HexDigit(l.peekAfter(1))
	_, low := rdf.HexDigit(l.peekAfter(2))
	return high && low
}

// dotWithin tells whether a name goes on after the dots that come next; if not, the first ends the triple.
func (l *lexer) dotWithin() bool {
	dots := 0
	for l.peekAfter(dots) == '.' {
		dots++
	}
	after := l.peekAfter(dots)
	return rdf.NameChar(after) || after == ':' || after == '%' || after == '\\'
}

// quoted reads a string between one or three quotes of either kind.
func (l *lexer) quoted() (token, error) {
	start := l.pos
	quote := string(l.peek())
	end := quote
	if strings.HasPrefix(l.text[l.at:], quote+quote+quote) {
		end = quote + quote + quote
	}
	l.advance(len(end))
	var b strings.Builder
	for !strings.HasPrefix(l.text[l.at:], end) {
		char := l.next()
		switch {
		case char == endOfText, len(end) == 1 && (char == '\n' || char == '\r'):
			return token{}, Errorf(start, "expected %s at the end of the string", end)
		case char == '\\':
			at := l.pos
			var ok bool
			if char, ok = rdf.Echar(l.peek()); ok {
				l.next()
			} else if char, ok = l.codepoint(); !ok {
				return token{}, Errorf(at, "a bad escape after '\\' in a string")
			}
		}
		b.WriteRune(char)
	}
	l.advance(len(end))
	return token{kind: stringToken, text: b.String()}, nil
}
