package complete

import (
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// TestFold is what compares equal: case and accents mean nothing, letters of other scripts stay.
func TestFold(t *testing.T) {
	for name, want := range map[string]string{
		"Paris":            "paris",
		"São Paulo":        "sao paulo",
		"Ångström":         "angstrom",
		"Łódź, Nguyễn Ái":  "lodz  nguyen ai",
		"Ærø-Straße":       "æro strase",
		"Đorđe ħal ðe":     "dorde hal de",
		"İstanbul ılık":    "istanbul ilik",
		"Café №7":          "cafe  7",
		"Ёлка Чайковский":  "елка чаиковскии",
		"Ἀθῆναι":           "αθηναι",
		"東京 がっこう":          "東京 がっこう",
		"한글":               "한글",
		"हिन्दी":           "हिन्दी",
		"עִבְרִית":         "עִבְרִית",
		"a\u0301b\u0327 ḗ": "ab e",
		"a\xffb":           "a b",
	} {
		if got := string(folded(name)); got != want {
			t.Errorf("%q is compared as %q, expected %q", name, got, want)
		}
	}
}

// TestFoldComposition checks that a letter compares equal composed and decomposed, all marks of which are accents.
func TestFoldComposition(t *testing.T) {
	letters := 0
	for r := rune(0x80); r < 0x2000; r++ {
		composed, decomposed := string(r), norm.NFD.String(string(r))
		if composed == decomposed || !onlyAccents([]byte(decomposed)[utf8.RuneLen([]rune(decomposed)[0]):]) {
			continue
		}
		letters++
		if got, want := string(folded(decomposed)), string(folded(composed)); got != want {
			t.Errorf("%U decomposed is compared as %q, composed as %q", r, got, want)
		}
	}
	if letters < 800 {
		t.Errorf("%d letters were checked", letters)
	}
}

// accentedLetters are the letters of Latin alphabets by what people type for them where a keyboard lacks these.
var accentedLetters = map[rune]string{
	'a': "àáâãäåāăąǎạảấầẩẫậắằẳẵặ", 'c': "çćĉċč", 'd': "ďđð", 'e': "èéêëēĕėęěẹẻẽếềểễệ", 'g': "ĝğġģ", 'h': "ĥħ",
	'i': "ìíîïĩīĭįıỉị", 'j': "ĵ", 'k': "ķ", 'l': "ĺļľŀł", 'n': "ñńņňŉ", 'o': "òóôõöøōŏőơọỏốồổỗộớờởỡợ", 'r': "ŕŗř",
	's': "śŝşšșß", 't': "ţťŧț", 'u': "ùúûüũūŭůűųưụủứừửữự", 'w': "ŵ", 'y': "ýÿŷỳỵỷỹ", 'z': "źżž",
}

func TestFoldAccents(t *testing.T) {
	for plain, letters := range accentedLetters {
		for _, r := range letters {
			if got := string(folded(string(r))); got != string(plain) {
				t.Errorf("%c is compared as %q, expected %c", r, got, plain)
			}
		}
	}
}

// BenchmarkFold is on names of the kinds that large graphs have.
func BenchmarkFold(b *testing.B) {
	for kind, name := range map[string]string{
		"plain": "Massachusetts Institute of Technology", "accented": "Universität Zürich, Études générales à São Paulo",
		"cyrillic": "Московский государственный университет", "japanese": "東京大学のがくせい",
	} {
		b.Run(kind, func(b *testing.B) {
			text := make([]byte, 0, 200)
			for b.Loop() {
				text = fold(text[:0], name)
			}
		})
	}
}
