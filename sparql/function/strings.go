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
	"unicode/utf8"

	"github.com/lacuna-kg/lacuna/internal/rdf"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// ofStrings are the functions on strings (section 17.4.3).
var ofStrings = map[string]Function{
	"STRLEN": func(_ *Env, a []term.Term) (term.Term, bool) {
		return term.Integer(utf8.RuneCountInString(a[0].Value)), isString(a[0])
	},
	"UCASE":          mapping(func(s string) string { return strings.ToUpper(strings.ReplaceAll(s, "ß", "SS")) }),
	"LCASE":          mapping(func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "İ", "i̇")) }),
	"ENCODE_FOR_URI": func(_ *Env, a []term.Term) (term.Term, bool) { return text(encoded(a[0].Value)), isString(a[0]) },
	"CONTAINS":       testing(strings.Contains),
	"STRSTARTS":      testing(strings.HasPrefix),
	"STRENDS":        testing(strings.HasSuffix),
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

// mapping changes the text and keeps the language.
func mapping(change func(string) string) Function {
	return func(_ *Env, a []term.Term) (term.Term, bool) {
		changed := a[0]
		changed.Value = change(changed.Value)
		return changed, isString(a[0])
	}
}

// compatible tells whether a second argument may be looked for in a first one (section 17.4.3.1.2).
func compatible(a, b term.Term) bool {
	return isString(a) && isString(b) && (b.Language == "" || strings.EqualFold(a.Language, b.Language))
}

func testing(holds func(whole, part string) bool) Function {
	return func(_ *Env, a []term.Term) (term.Term, bool) {
		return Boolean(holds(a[0].Value, a[1].Value)), compatible(a[0], a[1])
	}
}

func cutting(choose func(before, after string) string) Function {
	return func(_ *Env, a []term.Term) (term.Term, bool) {
		before, after, found := strings.Cut(a[0].Value, a[1].Value)
		if !found {
			return text(""), compatible(a[0], a[1])
		}
		part := a[0]
		part.Value = choose(before, after)
		return part, compatible(a[0], a[1])
	}
}

// substring is XPath's: characters whose position p has round(start) <= p < round(start) + round(length).
func substring(_ *Env, a []term.Term) (term.Term, bool) {
	from, ok := term.NumberOf(a[1])
	if !ok || !isString(a[0]) {
		return term.Term{}, false
	}
	start, end := from.Rounded("ROUND").Float(), math.Inf(1)
	if len(a) == 3 {
		length, ok := term.NumberOf(a[2])
		if !ok {
			return term.Term{}, false
		}
		end = start + length.Rounded("ROUND").Float()
	}
	part, position := strings.Builder{}, 1.0
	for _, char := range a[0].Value {
		if position >= start && position < end {
			part.WriteRune(char)
		}
		position++
	}
	out := a[0]
	out.Value = part.String()
	return out, true
}

// concatenation keeps a language that all have.
func concatenation(_ *Env, a []term.Term) (term.Term, bool) {
	var b strings.Builder
	language := ""
	for i, t := range a {
		if !isString(t) {
			return term.Term{}, false
		}
		if i == 0 {
			language = t.Language
		} else if !strings.EqualFold(language, t.Language) {
			language = ""
		}
		b.WriteString(t.Value)
	}
	return term.Term{Kind: term.Literal, Value: b.String(), Language: language}, true
}

// encoded keeps what RFC 3986 does not reserve, and encodes the rest byte by byte.
func encoded(value string) string {
	var b strings.Builder
	for _, octet := range []byte(value) {
		char := rune(octet)
		if octet < utf8.RuneSelf && (rdf.IsLetter(char) || rdf.IsDigit(char) || strings.ContainsRune("-_.~", char)) {
			b.WriteByte(octet)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", octet)
	}
	return b.String()
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
	return func(_ *Env, a []term.Term) (term.Term, bool) {
		return text(hex.EncodeToString(sum([]byte(a[0].Value)))), isPlain(a[0])
	}
}
