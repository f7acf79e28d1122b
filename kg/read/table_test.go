package read_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// facts lists the triples of a graph by name, sorted: "head relation tail" with | between.
func facts(g *kg.Graph) []string {
	var list []string
	for t := range g.Triples() {
		list = append(list, strings.Join([]string{
			g.Entities.Names.At(uint32(t.Head)), g.Relations.Names.At(t.Relation.Base()), g.Entities.Names.At(uint32(t.Tail)),
		}, "|"))
	}
	slices.Sort(list)
	return list
}

func readText(t testing.TB, name, text string, opts read.Options) (*kg.Splits, error) {
	t.Helper()
	return read.Stream(t.Context(), strings.NewReader(text), name, opts)
}

// expectFacts reads a text and compares its triples.
func expectFacts(t *testing.T, name, text string, opts read.Options, want ...string) {
	t.Helper()
	s, err := readText(t, name, text, opts)
	if err != nil {
		t.Errorf("%q: %v", text, err)
		return
	}
	if got := facts(s.Train); !slices.Equal(got, want) {
		t.Errorf("%q: got %q, want %q", text, got, want)
	}
}

// expectError checks an error's one line and kind.
func expectError(t *testing.T, err error, kind kg.Kind, want string) {
	t.Helper()
	if err == nil || kg.KindOf(err) != kind || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got error %v (kind %d), want one of kind %d with %q", err, kg.KindOf(err), kind, want)
	}
}

func TestReadTable(t *testing.T) {
	for _, c := range []struct {
		what, name, text string
		opts             read.Options
		want             []string
	}{
		{"tabs", "x.tsv", "a\tr\tb\nb\tr\tc\n", read.Options{}, []string{"a|r|b", "b|r|c"}},
		{"remarks before the first row", "x.tsv", "# facts\na\tr\tb\n", read.Options{}, []string{"a|r|b"}},
		{"no line end", "x.txt", "a\tr\tb", read.Options{}, []string{"a|r|b"}},
		{"CRLF", "x.txt", "a\tr\tb\r\nb\tr\tc\r\n", read.Options{}, []string{"a|r|b", "b|r|c"}},
		{"empty lines", "x.txt", "\n\na\tr\tb\n\r\n\nb\tr\tc\n\n", read.Options{}, []string{"a|r|b", "b|r|c"}},
		{"mark of UTF-8", "x.txt", "\xef\xbb\xbfa\tr\tb\n", read.Options{}, []string{"a|r|b"}},
		{"commas", "x.csv", "a,r,b\n", read.Options{}, []string{"a|r|b"}},
		{"commas in a text file", "x.txt", "Alan Turing,field,Computer Science\n", read.Options{}, []string{"Alan Turing|field|Computer Science"}},
		{"tabs win over commas", "x.txt", "a, b\tr\tc, d\n", read.Options{}, []string{"a, b|r|c, d"}},
		{"semicolons", "x.csv", "a,1;r;b\n", read.Options{}, []string{"a,1|r|b"}},
		{"bars", "x", "a b|r|c\n", read.Options{}, []string{"a b|r|c"}},
		{"spaces", "x.txt", "a r b\n b  r\tc \n", read.Options{}, []string{"a|r|b", "b|r|c"}},
		{"spaces and quotes", "x.txt", `"Alan Turing" field "Deep ""L"" x" ` + "\n", read.Options{}, []string{`Alan Turing|field|Deep "L" x`}},
		{"quotes", "x.csv", "\"a, \"\"b\"\"\",r,\"c\nd\"\r\ne,r,\"\"\"\"\r\n", read.Options{}, []string{"a, \"b\"|r|c\nd", `e|r|"`}},
		{"a quote within", "x.csv", "5\" pipe,r,b\n", read.Options{}, []string{`5" pipe|r|b`}},
		{"tabs and quotes", "x.tsv", "\"a\"\tr\t\"b \"\"c\"\"\"\n", read.Options{}, []string{`a|r|b "c"`}},
		{"tabs and literals", "x.tsv", "\"Hello\"@en\tr\t\"open\n", read.Options{}, []string{`"Hello"@en|r|"open`}},
		{"head tail relation", "x.tsv", "a\tb\tr\n", read.Options{Columns: "htr"}, []string{"a|r|b"}},
		{"relation first", "x.tsv", "r\ta\tb\n", read.Options{Columns: "rht"}, []string{"a|r|b"}},
		{"columns to skip", "x.csv", "1,a,r,0.5,b\n", read.Options{Columns: "-hr-t"}, []string{"a|r|b"}},
		{"header", "x.csv", "Head,Relation,Tail\na,r,b\n", read.Options{}, []string{"a|r|b"}},
		{"header gives the order", "x.csv", "subject,object,predicate\na,b,r\n", read.Options{}, []string{"a|r|b"}},
		{"header and columns to skip", "x.csv", "s,p,o,weight\na,r,b,1\n", read.Options{Columns: "hrt-"}, []string{"a|r|b"}},
		{"header of other words", "x.csv", "who,what,whom\na,r,b\n", read.Options{Header: read.Yes}, []string{"a|r|b"}},
		{"not a header", "x.csv", "s,p,o\na,p,b\n", read.Options{}, []string{"a|p|b", "s|p|o"}},
		{"the only line", "x.csv", "s,p,o\n", read.Options{}, []string{"s|p|o"}},
		{"no header as stated", "x.csv", "head,relation,tail\na,r,b\n", read.Options{Header: read.No}, []string{"a|r|b", "head|relation|tail"}},
		{"delimiter as stated", "x.tsv", "a,1\tx;r;b\n", read.Options{Delimiter: ';'}, []string{"a,1\tx|r|b"}},
		{"a name that begins with #", "x.tsv", "#1\tr\t#2\n", read.Options{}, []string{"#1|r|#2"}},
		{"format as stated", "x.nt", "a\tr\tb\n", read.Options{Format: read.TSV}, []string{"a|r|b"}},
		{"brackets are no RDF without dot", "x.txt", "<a>\t<r>\t<b>\n", read.Options{}, []string{"<a>|<r>|<b>"}},
	} {
		t.Run(c.what, func(t *testing.T) { expectFacts(t, c.name, c.text, c.opts, c.want...) })
	}
}

func TestReadTableErrors(t *testing.T) {
	for _, c := range []struct {
		what, name, text string
		opts             read.Options
		want             string
	}{
		{"empty", "x.tsv", "", read.Options{}, "x.tsv: no triples"},
		{"empty text", "x", "\n \n", read.Options{}, "x: no triples"},
		{"header only", "x.csv", "a,b,c\n", read.Options{Header: read.Yes}, "x.csv: no triples"},
		{"too few columns", "x.tsv", "a\tr\tb\n\na\tr\n", read.Options{}, "x.tsv:3: expected 3 columns separated by tabs, found 2"},
		{"too many columns", "x.csv", "a,r,b,x\n", read.Options{}, `x.csv:1: expected 3 columns separated by commas, found 4; give the order of the columns with - for those to skip, such as "hrt-"`},
		{"a comment", "x.tsv", "a\tr\tb\n# facts\n", read.Options{}, "x.tsv:2: expected 3 columns separated by tabs, found 1; tables have no comments"},
		{"no head", "x.tsv", "\tr\tb\n", read.Options{}, "x.tsv:1: the head is empty"},
		{"no relation", "x.tsv", "a\t\tb\n", read.Options{}, "x.tsv:1: the relation is empty"},
		{"no tail", "x.tsv", "a\tr\tb\na\tr\t\n", read.Options{}, "x.tsv:2: the tail is empty"},
		{"open quote", "x.csv", "a,r,b\nc,r,\"d\ne\n", read.Options{}, "x.csv:2: a quote is opened and not closed"},
		{"text after a quote", "x.csv", "a,r,b\na,r,\"b\"c\n", read.Options{}, "x.csv:2: text after a closing quote"},
		{"line after a record of lines", "x.csv", "a,r,\"b\n\nc\"\nd\n", read.Options{}, "x.csv:4: expected 3 columns"},
		{"not UTF-8", "x.tsv", "a\tr\tb\na\tr\t\xff\n", read.Options{}, "x.tsv:2: the text is not valid UTF-8: state its encoding, such as --encoding windows-1252"},
		{"NUL", "x.tsv", "a\tr\tb\na\tr\t\x00\n", read.Options{}, "x.tsv:2: a NUL byte"},
		{"UTF-16 of too few columns", "x.tsv", "\xff\xfea\x00\t\x00", read.Options{}, "x.tsv:1: expected 3 columns"},
		{"no such encoding", "x.tsv", "a\tr\tb\n", read.Options{Encoding: "klingon"}, `encoding: no encoding is called "klingon"`},
		{"unknown", "x.dat", "once upon a time there was\n", read.Options{}, "x.dat: cannot tell the format, expected one of tsv, csv, nt, nq, ttl, trig, rdf, jsonld, graphml, gexf, gml, apoc, edgelist, parquet, jsonl, openke, betae, folder, snapshot"},
		{"binary", "x.pkl", "\x80\x04\x95\x00\x00.", read.Options{}, "x.pkl: cannot tell the format"},
		{"no such format", "x.tsv", "a\tr\tb\n", read.Options{Format: "xml"}, `no format "xml"`},
		{"columns", "x.tsv", "a\tr\tb\n", read.Options{Columns: "hrr"}, `columns: "hrr" is no order of columns`},
		{"delimiter", "x.tsv", "a\tr\tb\n", read.Options{Delimiter: 'x'}, "delimiter: 'x' cannot part columns"},
		{"options of tables", "x.nt", "<a> <r> <b> .\n", read.Options{Columns: "htr"}, "x.nt: columns, delimiter and header are options of tables"},
		{"folder format", "x.txt", "a\tr\tb\n", read.Options{Format: read.BetaE}, "x.txt: betae is a folder of files"},
		{"snapshot", "x", "LACUNA\x1aG\x01\x00", read.Options{}, "x: a snapshot is opened by its path"},
	} {
		t.Run(c.what, func(t *testing.T) {
			_, err := readText(t, c.name, c.text, c.opts)
			expectError(t, err, kg.Invalid, c.want)
		})
	}
}

func TestLineTooLong(t *testing.T) {
	_, err := readText(t, "x.tsv", "a\tr\tb\n"+strings.Repeat("x", 70<<20), read.Options{})
	expectError(t, err, kg.TooLarge, "x.tsv:2: a line of more than 64 MiB")
}

// TestRecordsAcrossBlocks has records of all lengths, in quotes and with line
// ends, so that blocks end at every place of a record.
func TestRecordsAcrossBlocks(t *testing.T) {
	var text strings.Builder
	var want []string
	for i := range 60_000 {
		tail := fmt.Sprintf("%d\n%s", i, strings.Repeat("y", i%37))
		fmt.Fprintf(&text, "e%d,r,\"%s\"\n", i, tail)
		want = append(want, fmt.Sprintf("e%d|r|%s", i, tail))
	}
	slices.Sort(want)
	expectFacts(t, "x.csv", text.String(), read.Options{KeepBlanks: true}, want...)
	_, err := readText(t, "x.csv", text.String()+"z\n", read.Options{})
	expectError(t, err, kg.Invalid, "x.csv:120001: expected 3 columns")
}

func TestDuplicatesAreCounted(t *testing.T) {
	s, err := readText(t, "x.tsv", "a\tr\tb\na\tr\tb\nb\tr\ta\n", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Train.NumTriples() != 2 || s.Train.Duplicates() != 1 {
		t.Errorf("%d triples, %d duplicates", s.Train.NumTriples(), s.Train.Duplicates())
	}
}

func TestReportOfATable(t *testing.T) {
	var report read.Report
	_, err := readText(t, "x.csv", "head,relation,tail\na,r,b\n", read.Options{Report: func(r read.Report) { report = r }})
	report.Plan = nil
	want := read.Report{Format: read.CSV, Header: true, Tables: []read.TableReport{{Name: "x.csv", Header: true}}}
	if err != nil || !reflect.DeepEqual(report, want) {
		t.Errorf("got %+v, %v", report, err)
	}
}
