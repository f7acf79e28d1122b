package function

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Go's regular expressions are almost those of XML Schema, which XPath and SPARQL have. What differs is in the classes of
// characters: \d, \w, \i and \c mean more there, and one class may be taken from another, [a-z-[aeiou]].

const (
	nameStart = `:A-Z_a-z\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{2FF}\x{370}-\x{37D}\x{37F}-\x{1FFF}\x{200C}-\x{200D}\x{2070}-\x{218F}` +
		`\x{2C00}-\x{2FEF}\x{3001}-\x{D7FF}\x{F900}-\x{FDCF}\x{FDF0}-\x{FFFD}\x{10000}-\x{EFFFF}`
	nameRest = nameStart + `\-.0-9\x{B7}\x{300}-\x{36F}\x{203F}-\x{2040}`
)

// classEscapes are the escapes that stand for other characters in XML Schema (its part 2, appendix F) than in Go.
var classEscapes = map[byte]string{
	'd': `\p{Nd}`, 'D': `\P{Nd}`,
	'w': `[^\p{P}\p{Z}\p{C}]`, 'W': `[\p{P}\p{Z}\p{C}]`,
	'i': `[` + nameStart + `]`, 'I': `[^` + nameStart + `]`,
	'c': `[` + nameRest + `]`, 'C': `[^` + nameRest + `]`,
}

// inGo writes a pattern of XML Schema as Go has it; false means that it is none.
func inGo(pattern string) (string, bool) {
	var b strings.Builder
	for len(pattern) > 0 {
		length := 1
		switch {
		case pattern[0] == '[':
			set, rest, ok := class(pattern)
			if !ok {
				return "", false
			}
			b.WriteString(set)
			pattern = rest
			continue
		case pattern[0] == '\\' && len(pattern) > 1:
			if own, other := classEscapes[pattern[1]]; other {
				b.WriteString(own)
				pattern = pattern[2:]
				continue
			}
			length = escapeLength(pattern)
		}
		b.WriteString(pattern[:length])
		pattern = pattern[length:]
	}
	return b.String(), true
}

// escapeLength is that of the escape at the beginning: \p{L} is longer than others.
func escapeLength(pattern string) int {
	if end := strings.IndexByte(pattern, '}'); end > 0 && (strings.HasPrefix(pattern, `\p{`) || strings.HasPrefix(pattern, `\P{`)) {
		return end + 1
	}
	_, size := utf8.DecodeRuneInString(pattern[min(1, len(pattern)):])
	return 1 + size
}

// class reads the class at the beginning of a pattern and writes it as Go has it. Most are the same there.
func class(pattern string) (set, rest string, ok bool) {
	c := &classReader{rest: pattern[1:]}
	c.negated = c.skip("^")
	for first := true; ; first = false {
		switch {
		case c.rest == "":
			return "", "", false
		case c.rest[0] == ']' && !first:
			c.rest = c.rest[1:]
			set, ok = c.written(pattern)
			return set, c.rest, ok
		case strings.HasPrefix(c.rest, "-[") && !first:
			if !c.subtract() {
				return "", "", false
			}
		default:
			c.item()
		}
	}
}

// classReader gathers the items of a class, and what is taken from them.
type classReader struct {
	rest    string
	negated bool
	items   strings.Builder // in Go's words, without the escapes that Go has no item for
	others  []string        // those, as classes of Go
	taken   string          // a class of Go
}

func (c *classReader) skip(prefix string) bool {
	rest, found := strings.CutPrefix(c.rest, prefix)
	c.rest = rest
	return found
}

// item reads a character, an escape or a part of a range.
func (c *classReader) item() {
	length := 1
	if c.rest[0] == '\\' && len(c.rest) > 1 {
		if own, other := classEscapes[c.rest[1]]; other {
			c.others = append(c.others, own)
			c.rest = c.rest[2:]
			return
		}
		length = escapeLength(c.rest)
	}
	c.items.WriteString(c.rest[:length])
	c.rest = c.rest[length:]
}

// subtract reads -[ … ], which must be the end of the class.
func (c *classReader) subtract() (ok bool) {
	c.taken, c.rest, ok = class(c.rest[1:])
	return ok && strings.HasPrefix(c.rest, "]")
}

// written is the class in Go's words; where Go has none, it is a list of ranges.
func (c *classReader) written(pattern string) (string, bool) {
	if len(c.others) == 0 && c.taken == "" {
		return pattern[:len(pattern)-len(c.rest)], true
	}
	var all runeRanges
	for _, part := range append(c.others, bracketed(c.items.String())) {
		ranges, ok := rangesOf(part)
		if !ok {
			return "", false
		}
		all = append(all, ranges...)
	}
	if c.negated {
		all = all.complement()
	}
	if c.taken != "" {
		taken, ok := rangesOf(c.taken)
		if !ok {
			return "", false
		}
		all = append(all.complement(), taken...).complement()
	}
	return all.String(), true
}

func bracketed(items string) string {
	if items == "" {
		return runeRanges(nil).String()
	}
	return "[" + items + "]"
}

// runeRanges is a set of characters: pairs of a first and a last one.
type runeRanges []rune

// rangesOf is the set that a class of Go stands for.
func rangesOf(class string) (runeRanges, bool) {
	re, err := syntax.Parse(class, syntax.Perl)
	if err != nil {
		return nil, false
	}
	switch re.Op {
	case syntax.OpCharClass:
		return re.Rune, true
	case syntax.OpNoMatch:
		return nil, true
	case syntax.OpAnyChar:
		return runeRanges{0, unicode.MaxRune}, true
	case syntax.OpAnyCharNotNL:
		return runeRanges{0, '\n' - 1, '\n' + 1, unicode.MaxRune}, true
	case syntax.OpLiteral:
		return runeRanges{re.Rune[0], re.Rune[0]}, len(re.Rune) == 1
	}
	return nil, false
}

// complement is all other characters.
func (r runeRanges) complement() runeRanges {
	others, ok := rangesOf("[^" + strings.TrimPrefix(r.String(), "["))
	if len(r) == 0 || !ok {
		return runeRanges{0, unicode.MaxRune}
	}
	return others
}

// String is a class of Go.
func (r runeRanges) String() string {
	if len(r) == 0 {
		return `[^\x00-\x{10FFFF}]`
	}
	var b strings.Builder
	b.WriteByte('[')
	for i := 0; i < len(r); i += 2 {
		fmt.Fprintf(&b, `\x{%X}-\x{%X}`, r[i], r[i+1])
	}
	b.WriteByte(']')
	return b.String()
}
