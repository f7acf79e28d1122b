package function

import (
	"strings"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/limit"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// mostPlaces are those of groups that a search for them keeps, one for each instruction of the expression and group.
const mostPlaces = 1 << 20

func replacement(env *Env, a []term.Term) (term.Term, bool) {
	p, ok := env.pattern(a[1], a[3:])
	if !ok || !isString(a[0]) || !isPlain(a[2]) || p.MatchString("") { // XPath refuses what matches nothing
		return term.Term{}, false
	}
	if p.size*(1+p.NumSubexp()) > mostPlaces {
		env.Meter.Refuse(kg.Errorf(kg.TooLarge, "sparql", "a regular expression of %d groups and about %d steps is too large for REPLACE", p.NumSubexp(), p.size))
		return term.Term{}, false
	}
	by, ok := expansion(a[2].Value, p.NumSubexp())
	if len(a) == 4 && strings.Contains(a[3].Value, "q") {
		by, ok = []piece{{text: a[2].Value}}, true
	}
	if !ok {
		return term.Term{}, false
	}
	out := a[0]
	out.Value, ok = p.replaced(env, out.Value, by)
	return out, ok
}

// piece is a part of a replacement: a text, or what a group matched.
type piece struct {
	text  string
	group int // where text is ""
}

// expansion reads a replacement of XPath: $1 is a group, \$ and \\ stand for $ and \.
func expansion(by string, groups int) (pieces []piece, ok bool) {
	for len(by) > 0 {
		switch length := strings.IndexAny(by, `\$`); {
		case length < 0:
			return append(pieces, piece{text: by}), true
		case length > 0:
			pieces, by = append(pieces, piece{text: by[:length]}), by[length:]
		case by[0] == '\\':
			if len(by) == 1 || by[1] != '\\' && by[1] != '$' {
				return nil, false
			}
			pieces, by = append(pieces, piece{text: by[1:2]}), by[2:]
		default:
			number, digits := groupNumber(by[1:], groups)
			if digits == 0 {
				return nil, false
			}
			pieces, by = append(pieces, piece{group: number}), by[1+digits:]
		}
	}
	return pieces, true
}

// groupNumber reads as many digits as make the number of a group; the first always counts.
func groupNumber(after string, groups int) (number, digits int) {
	for digits < len(after) && after[digits] >= '0' && after[digits] <= '9' {
		next := 10*number + int(after[digits]-'0')
		if digits > 0 && next > groups {
			break
		}
		number = next
		digits++
	}
	return number, digits
}

// of is what a piece comes to for a match; a group that took no part is empty.
func (one piece) of(text string, match []int) string {
	switch {
	case one.text != "":
		return one.text
	case 2*one.group >= len(match) || match[2*one.group] < 0:
		return ""
	}
	return text[match[2*one.group]:match[2*one.group+1]]
}

// replaced is a text with all matches replaced; ok is false where the query has to end.
func (p *pattern) replaced(env *Env, text string, by []piece) (_ string, ok bool) {
	if p.literal != "" {
		return p.replacedLiteral(env, text, by)
	}
	out, end := growing{env: env}, 0
	for match := range p.matches(env, text) {
		if match == nil || !out.add(text[end:match[0]]) {
			return "", false
		}
		for _, one := range by {
			if !out.add(one.of(text, match)) {
				return "", false
			}
		}
		end = match[1]
	}
	if end == 0 && len(out.text) == 0 {
		return text, true
	}
	ok = out.add(text[end:])
	return string(out.text), ok
}

// replacedLiteral replaces a text by another: how long the outcome is can be counted.
func (p *pattern) replacedLiteral(env *Env, text string, by []piece) (string, bool) {
	match, length := []int{0, len(p.literal)}, 0
	for _, one := range by {
		length += len(one.of(p.literal, match))
	}
	count := strings.Count(text, p.literal)
	if count == 0 {
		return text, true
	}
	if !env.Meter.Text(length) || !env.Meter.Text(len(text)+count*(length-len(p.literal))) {
		return "", false
	}
	var b strings.Builder
	for _, one := range by {
		b.WriteString(one.of(p.literal, match))
	}
	return strings.ReplaceAll(text, p.literal, b.String()), true
}

// growing is a text that is counted before it grows.
type growing struct {
	env  *Env
	text []byte
}

func (g *growing) add(part string) bool {
	if need := len(g.text) + len(part); need > cap(g.text) {
		room := max(need, min(2*cap(g.text), limit.Text))
		if !g.env.Meter.Text(room) {
			return false
		}
		g.text = append(make([]byte, 0, room), g.text...)
	}
	g.text = append(g.text, part...)
	return true
}
