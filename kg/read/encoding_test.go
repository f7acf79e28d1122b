package read_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// Tables in the encodings of Excel, and other formats, give the facts of the same text in UTF-8. UTF-16 is found by its mark, which is said; others are stated.
func TestEncodings(t *testing.T) {
	utf16 := func(order unicode.Endianness, mark unicode.BOMPolicy) encoding.Encoding {
		return unicode.UTF16(order, mark)
	}
	const table = "Film\tRelation\tValue\nAmélie\tville\tÎle-de-France\n\"Œuvre\tune\"\tprix\t5 €\n"
	const turtle = "@prefix : <http://x/> . :Amélie :ville \"Île\"@fr ."
	const xml = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x/"><rdf:Description rdf:about="http://x/a"><x:r>Île</x:r></rdf:Description></rdf:RDF>`
	for _, c := range []struct {
		what, name, text string
		in               encoding.Encoding
		stated           string
		said             bool
	}{
		{"Unicode text of Excel", "x.txt", table, utf16(unicode.LittleEndian, unicode.ExpectBOM), "", true},
		{"the other order", "x.txt", table, utf16(unicode.BigEndian, unicode.ExpectBOM), "", true},
		{"without a mark", "x.tsv", table, utf16(unicode.LittleEndian, unicode.IgnoreBOM), "utf-16", false},
		{"without a mark, the other order", "x.tsv", table, utf16(unicode.BigEndian, unicode.IgnoreBOM), "utf-16be", false},
		{"UTF-8, stated", "x.tsv", table, encoding.Nop, "UTF-8", false},
		{"plain CSV of Excel", "x.tsv", table, charmap.Windows1252, "windows-1252", false},
		{"latin1", "x.tsv", strings.ReplaceAll(strings.ReplaceAll(table, "Œ", "O"), "€", "F"), charmap.ISO8859_1, "Latin1", false},
		{"Japan", "x.tsv", "乱\t監督\t黒澤明\n", japanese.ShiftJIS, "shift_jis", false},
		{"Turtle", "x.ttl", turtle, utf16(unicode.BigEndian, unicode.ExpectBOM), "", true},
		{"Turtle, stated", "x.ttl", turtle, charmap.Windows1252, "windows-1252", false},
		{"XML that says so", "x.rdf", `<?xml version="1.0" encoding="ISO-8859-1"?>` + xml, charmap.ISO8859_1, "", false},
		{"XML in UTF-16", "x.rdf", `<?xml version="1.0" encoding="UTF-16"?>` + xml, utf16(unicode.LittleEndian, unicode.ExpectBOM), "", true},
		{"XML that says so, and the user", "x.rdf", `<?xml version="1.0" encoding="windows-1252"?>` + xml, charmap.Windows1252, "windows-1252", false},
	} {
		t.Run(c.what, func(t *testing.T) {
			encoded, err := c.in.NewEncoder().String(c.text)
			if err != nil {
				t.Fatal(err)
			}
			want, err := readText(t, c.name, strings.NewReplacer(`encoding="ISO-8859-1"`, "", `encoding="UTF-16"`, "", `encoding="windows-1252"`, "").Replace(c.text), read.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var report read.Report
			got, err := readText(t, c.name, encoded, read.Options{Encoding: c.stated, Report: func(r read.Report) { report = r }})
			if err != nil {
				t.Fatal(err)
			}
			if a, b := namesOf(got), namesOf(want); !slices.Equal(a, b) {
				t.Errorf("names %q, want %q", a, b)
			}
			said := strings.Contains(strings.Join(report.Remarks(), "\n"), c.name+": read as UTF-16")
			if said != c.said {
				t.Errorf("said: %v, want %v", report.Remarks(), c.said)
			}
		})
	}
}

func namesOf(s *kg.Splits) (all []string) {
	for t := range s.Train.Triples() {
		all = append(all, s.Train.Entities.Names.At(uint32(t.Head)), s.Train.Relations.Names.At(t.Relation.Base()), s.Train.Entities.Names.At(uint32(t.Tail)))
	}
	return all
}
