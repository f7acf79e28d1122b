package query

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/lacuna-kg/lacuna/kg"
)

// Names are written without quotes wherever they can be told from what follows:
// what ends one depends on where it stands. Runs of white space inside count as one space.

// quotedName reads a name in quotes, if one comes next.
func (s *scanner) quotedName() (name string, quoted bool, err error) {
	start, quote := s.pos, s.peek()
	switch quote {
	case '"', '\'':
	case '“':
		quote = '”'
	default:
		return "", false, nil
	}
	s.next()
	var text strings.Builder
	for {
		from := s.at
		switch s.next() {
		case endOfText:
			return "", true, s.fail(start, "the quote is not closed")
		case quote:
			if text.Len() == 0 {
				return "", true, s.fail(start, "the name is empty")
			}
			return text.String(), true, nil
		case '\\':
			escaped, err := s.escape()
			if err != nil {
				return "", true, err
			}
			text.WriteString(escaped)
		default:
			text.WriteString(s.text[from:s.at]) // the bytes, which need not be UTF-8
		}
	}
}

// escape reads what follows a backslash.
func (s *scanner) escape() (string, error) {
	at := s.pos
	switch r := s.next(); r {
	case 'n':
		return "\n", nil
	case 't':
		return "\t", nil
	case 'r':
		return "\r", nil
	case '\\', '"', '\'', '”':
		return string(r), nil
	}
	return "", s.fail(at, `expected \", \', \\, \n, \r or \t after the backslash`)
}

var quoteEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// QuoteName writes a name as a question has it, whatever its letters.
func QuoteName(name string) string { return `"` + quoteEscapes.Replace(name) + `"` }

// unquotedName reads up to where ends says so. An address in angle brackets is taken as a whole.
func (s *scanner) unquotedName(ends func(s *scanner, from int) bool) string {
	from := s.at
	s.skip(len(addressAt(s.text[s.at:])))
	for s.at < len(s.text) && !ends(s, from) {
		s.next()
	}
	return collapseSpace(s.text[from:s.at])
}

// addressAt is the address in angle brackets at the start of a text, if there is one.
func addressAt(text string) string {
	if !strings.HasPrefix(text, "<") {
		return ""
	}
	end := strings.IndexFunc(text, func(r rune) bool { return r == '>' || unicode.IsSpace(r) })
	if end < 0 || text[end] != '>' {
		return ""
	}
	return text[:end+1]
}

// isOpenAddress tells a name that begins like an address and is none, so that
// where it ends would depend on what follows.
func isOpenAddress(name string) bool { return strings.HasPrefix(name, "<") && addressAt(name) == "" }

func collapseSpace(text string) string { return strings.Join(strings.Fields(text), " ") }

// endsOutside makes a rule for the end of a name: one of the stops, outside of
// the balanced pairs of open and close that the name contains.
func endsOutside(open, close rune, stops func(s *scanner) bool) func(*scanner, int) bool {
	depth := 0
	return func(s *scanner, _ int) bool {
		switch r := s.peek(); {
		case r == open:
			depth++
		case r == close && depth > 0:
			depth--
		case depth == 0:
			return r == close || stops(s)
		}
		return false
	}
}

func atComma(s *scanner) bool { return s.peek() == ',' }

// inverseMarks are the ways to write that a relation is read from tail to head.
var inverseMarks = []string{kg.InverseMark, "^{-1}", "^−1", "⁻¹"}

// cutInverse takes the marks of inversion off the end of a relation's name; two cancel out.
func cutInverse(name string) (base string, inverse bool) {
	for {
		cut := name
		for _, mark := range inverseMarks {
			cut = strings.TrimSuffix(cut, mark)
		}
		cut = strings.TrimSpace(cut)
		if cut == name || cut == "" {
			return name, inverse
		}
		name, inverse = cut, !inverse
	}
}

// inverseMark reads marks of inversion after a quoted name.
func (s *scanner) inverseMark() (inverse bool) {
	for s.symbol(inverseMarks...) {
		inverse = !inverse
	}
	return inverse
}

// nameOf tells a name from a dense id.
func nameOf(text string, at Pos) Name {
	if digits, ok := strings.CutPrefix(text, "#"); ok && strings.Trim(digits, "0123456789") == "" {
		if id, err := strconv.ParseUint(digits, 10, 32); err == nil {
			return Name{ID: uint32(id), ByID: true, Pos: at}
		}
	}
	return Name{Text: text, Pos: at}
}

// relationName reads a relation's name with its mark of inversion, up to where ends says so.
func (s *scanner) relationName(ends func(*scanner, int) bool) (RelationName, error) {
	s.skipSpace()
	start := s.pos
	if text, quoted, err := s.quotedName(); quoted {
		return RelationName{Name{Text: text, Pos: start}, s.inverseMark()}, err
	}
	text := s.unquotedName(ends)
	if text == "" {
		return RelationName{}, s.fail(start, "expected a relation, found %s", s.found())
	}
	base, inverse := cutInverse(text)
	return RelationName{nameOf(base, start), inverse}, nil
}
