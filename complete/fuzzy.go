package complete

import "unicode/utf8"

// leastFuzzy is the length, in characters, from which on one typing error is forgiven:
// shorter, nearly everything is one edit away from everything.
const leastFuzzy = 4

// oneEdit gives the spans of the words that begin with the query after one edit: a
// character too many, missing, wrong, or two swapped. The first character counts as right.
func (p *part) oneEdit(query []byte) (spans []span) {
	if utf8.RuneCount(query) < leastFuzzy {
		return nil
	}
	here := span{0, len(p.words)}
	for at := 0; at < len(query) && !here.empty(); {
		_, size := utf8.DecodeRune(query[at:])
		if at > 0 {
			spans = append(spans, p.editsAt(here, query, at, size)...)
		}
		here = p.narrow(here, at, query[at:at+size])
		at += size
	}
	return spans
}

// editsAt are the edits of the character of a size at a place, where here spans the words that agree so far.
func (p *part) editsAt(here span, query []byte, at, size int) []span {
	character, rest := query[at:at+size], query[at+size:]
	spans := []span{p.narrow(here, at, rest)} // one too many
	if len(rest) > 0 {
		_, next := utf8.DecodeRune(rest)
		swapped := append(append(append([]byte{}, rest[:next]...), character...), rest[next:]...)
		spans = append(spans, p.narrow(here, at, swapped))
	}
	for branch := here; !branch.empty(); {
		other, child := p.firstBranch(branch, at)
		branch.from = child.to
		if string(other) == string(character) || len(other) == 0 {
			continue
		}
		spans = append(spans,
			p.narrow(child, at+len(other), rest),       // wrong
			p.narrow(child, at+len(other), query[at:])) // missing
	}
	return spans
}

// firstBranch is the character after depth bytes of a span's first word, and the words that share it.
func (p *part) firstBranch(s span, depth int) (character []byte, child span) {
	text := p.text[int(p.words[s.from].at)+depth:]
	_, size := utf8.DecodeRune(text)
	child = span{s.from, p.narrow(s, depth, text[:size]).to}
	if text[0] == 0 {
		return nil, child
	}
	return text[:size], child
}
