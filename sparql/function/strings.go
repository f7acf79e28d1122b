package function

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// ofStrings are the functions on strings (section 17.4.3).
var ofStrings = map[string]Function{
	"STRLEN": func(_ *Env, a []term.Term) (term.Term, bool) {
		return term.Integer(utf8.RuneCountInString(a[0].Value)), isString(a[0])
	},
	"UCASE":          mapping(strings.ToUpper, unicode.ToUpper, 'ß', "SS"),
	"LCASE":          mapping(strings.ToLower, unicode.ToLower, 'İ', "i̇"),
	"ENCODE_FOR_URI": encoding,
	"CONTAINS":       telling(strings.Contains),
	"STRSTARTS":      telling(strings.HasPrefix),
	"STRENDS":        telling(strings.HasSuffix),
	"STRBEFORE":      cutting(func(before, _ string) string { return before }),
	"STRAFTER":       cutting(func(_, after string) string { return after }),
	"SUBSTR":         substring,
	"CONCAT":         concatenation,
	"REGEX":          matches,
	"REPLACE":        replacement,
	"UUID": func(*Env, []term.Term) (term.Term, bool) {
		return term.Term{Kind: term.IRI, Value: "urn:uuid:" + uuid()}, true
	},
	"STRUUID": func(*Env, []term.Term) (term.Term, bool) { return text(uuid()), true },
}

// mapping changes the characters of a text, one of them into several, and keeps the language.
func mapping(change func(string) string, each func(rune) rune, one rune, several string) Function {
	return func(env *Env, a []term.Term) (term.Term, bool) {
		changed, bytes := a[0], 0
		for _, char := range changed.Value {
			if char == one {
				bytes += len(several)
			} else {
				bytes += utf8.RuneLen(each(char))
			}
		}
		if !isString(a[0]) || !env.Meter.Text(bytes) {
			return term.Term{}, false
		}
		changed.Value = change(strings.ReplaceAll(changed.Value, string(one), several))
		return changed, true
	}
}

// compatible tells whether a second argument may be looked for in a first one (section 17.4.3.1.2).
func compatible(a, b term.Term) bool {
	return isString(a) && isString(b) && (b.Language == "" || strings.EqualFold(a.Language, b.Language))
}

func telling(holds func(whole, part string) bool) Function {
	return func(_ *Env, a []term.Term) (term.Term, bool) {
		return Boolean(holds(a[0].Value, a[1].Value)), compatible(a[0], a[1])
	}
}

// part is a part of a text. A small one is copied, as it would keep the memory of the whole.
func (env *Env) part(part, whole string) string {
	if len(part) < len(whole)/2 && env.Meter.Text(len(part)) {
		return strings.Clone(part)
	}
	return part
}

func cutting(choose func(before, after string) string) Function {
	return func(env *Env, a []term.Term) (term.Term, bool) {
		before, after, found := strings.Cut(a[0].Value, a[1].Value)
		if !found {
			return text(""), compatible(a[0], a[1])
		}
		part := a[0]
		part.Value = env.part(choose(before, after), a[0].Value)
		return part, compatible(a[0], a[1])
	}
}

// substring is XPath's: characters whose position p has start <= p < start + length, which are whole numbers in SPARQL.
func substring(env *Env, a []term.Term) (term.Term, bool) {
	start, ok := wholeNumber(a[1])
	if !ok || !isString(a[0]) {
		return term.Term{}, false
	}
	end := math.Inf(1)
	if len(a) == 3 {
		length, ok := wholeNumber(a[2])
		if !ok {
			return term.Term{}, false
		}
		end = start + length
	}
	whole, position := a[0].Value, 1.0
	first, last := len(whole), len(whole)
	for at := range whole {
		if position >= start && first > at {
			first = at
		}
		if position >= end {
			last = at
			break
		}
		position++
	}
	out := a[0]
	out.Value = env.part(whole[min(first, last):last], whole)
	return out, true
}

// wholeNumber is the value of an xsd:integer or of a type derived from it.
func wholeNumber(t term.Term) (float64, bool) {
	n, ok := term.NumberOf(t)
	return n.Float(), ok && n.Kind == term.IntegerKind
}

// concatenation keeps a language that all have.
func concatenation(env *Env, a []term.Term) (term.Term, bool) {
	language, bytes := "", 0
	for i, t := range a {
		if !isString(t) {
			return term.Term{}, false
		}
		if i == 0 {
			language = t.Language
		} else if !strings.EqualFold(language, t.Language) {
			language = ""
		}
		bytes += len(t.Value)
	}
	if !env.Meter.Text(bytes) {
		return term.Term{}, false
	}
	var b strings.Builder
	b.Grow(bytes)
	for _, t := range a {
		b.WriteString(t.Value)
	}
	return term.Term{Kind: term.Literal, Value: b.String(), Language: language}, true
}

// encoding keeps what RFC 3986 does not reserve, and encodes the rest byte by byte.
func encoding(env *Env, a []term.Term) (term.Term, bool) {
	value, bytes := a[0].Value, 0
	for i := range len(value) {
		if bytes++; !unreserved(value[i]) {
			bytes += len("00")
		}
	}
	if !isString(a[0]) || !env.Meter.Text(bytes) {
		return term.Term{}, false
	}
	const digits = "0123456789ABCDEF"
	encoded := make([]byte, 0, bytes)
	for i := range len(value) {
		if octet := value[i]; unreserved(octet) {
			encoded = append(encoded, octet)
		} else {
			encoded = append(encoded, '%', digits[octet>>4], digits[octet&15])
		}
	}
	return text(string(encoded)), true
}

func unreserved(octet byte) bool {
	char := rune(octet)
	return octet < utf8.RuneSelf && (rdf.IsLetter(char) || rdf.IsDigit(char) || strings.ContainsRune("-_.~", char))
}

// uuid draws one of version 4.
func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// hashes are the functions of section 17.4.6.
var hashes = map[string]Function{
	"MD5":    hashing(func(b []byte) []byte { sum := md5.Sum(b); return sum[:] }),
	"SHA1":   hashing(func(b []byte) []byte { sum := sha1.Sum(b); return sum[:] }),
	"SHA256": hashing(func(b []byte) []byte { sum := sha256.Sum256(b); return sum[:] }),
	"SHA384": hashing(func(b []byte) []byte { sum := sha512.Sum384(b); return sum[:] }),
	"SHA512": hashing(func(b []byte) []byte { sum := sha512.Sum512(b); return sum[:] }),
}

func hashing(sum func([]byte) []byte) Function {
	return func(env *Env, a []term.Term) (term.Term, bool) {
		if !isPlain(a[0]) || !env.Meter.Text(len(a[0].Value)) { // as bytes
			return term.Term{}, false
		}
		return text(hex.EncodeToString(sum([]byte(a[0].Value)))), true
	}
}
