package read_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

func TestReadRDFXML(t *testing.T) {
	const open = `<?xml version="1.0"?><!DOCTYPE rdf:RDF [<!ENTITY x "http://x/">]>
<rdf:RDF xmlns:rdf="` + rdf + `" xmlns:x="http://x/" xmlns:rdfs="` + rdfs + `">`
	expectFacts(t, "x", open+`<x:Film rdf:about="&x;ran" x:year="1985"><x:by rdf:resource="&x;kurosawa"/>
		<x:title xml:lang="ja">乱 &amp; "x"</x:title><x:length rdf:datatype="`+xsd+`integer">162</x:length></x:Film></rdf:RDF>`, read.Options{},
		"http://x/ran|"+rdf+"type|http://x/Film", "http://x/ran|http://x/by|http://x/kurosawa", `http://x/ran|http://x/length|"162`+integer,
		`http://x/ran|http://x/title|"乱 & \"x\""@ja`, `http://x/ran|http://x/year|"1985"`)
	for _, c := range []struct{ text, want string }{
		{open + `<x:a rdf:about="x:1"><x:b>t<x:c/></x:b></x:a></rdf:RDF>`, "x.rdf:2:176: text beside a node in <x:b>"},
		{open + `<x:a rdf:about="x:1">`, "the text ends within <x:a>"},
		{open + `<y:a/></rdf:RDF>`, `prefix "y:" is not declared`},
		{open + `<x:a></x:b></rdf:RDF>`, "</x:b>, expected </x:a>"},
		{open + `<rdf:li/></rdf:RDF>`, "<rdf:li> cannot be a node"},
		{open + `<x:a rdf:about="a b"/></rdf:RDF>`, `"a b" is no IRI`},
		{open + `<x:a>&nothing;</x:a></rdf:RDF>`, "no XML: invalid character entity &nothing;"},
		{`<?xml version="1.0" encoding="klingon"?><a/>`, "unknown encoding klingon"},
		{open + strings.Repeat(`<x:a><x:b>`, 600), "elements nest deeper than 1000"},
	} {
		_, err := readText(t, "x.rdf", c.text, read.Options{})
		expectError(t, err, kg.Invalid, c.want)
	}
}

func TestReadJSONLD(t *testing.T) {
	const document = `{"@context": {"@vocab": "http://x/", "born": {"@type": "` + xsd + `date"}, "knows": {"@type": "@id"}},
 "@graph": [{"@id": "http://x/ann", "@type": "Person", "age": 41, "born": "1970-01-31", "knows": ["http://x/bob"], "motto": {"@value": "hi", "@language": "en"}}]}`
	for _, name := range []string{"x.jsonld", "x.json", "x"} {
		expectFacts(t, name, document, read.Options{},
			`http://x/ann|`+rdf+`type|http://x/Person`, `http://x/ann|http://x/age|"41`+integer, `http://x/ann|http://x/born|"1970-01-31"^^<`+xsd+`date>`,
			`http://x/ann|http://x/knows|http://x/bob`, `http://x/ann|http://x/motto|"hi"@en`)
	}
	for _, c := range []struct{ text, want string }{
		{"{\n\"@id\": \n}", "x.jsonld:3: no JSON"},
		{`{"@context": "https://schema.org/", "name": "x"}`, "the context https://schema.org/ is not fetched"},
		{`{"@id": 5}`, "x.jsonld: no JSON-LD"},
		{`{"name": "x"}`, "x.jsonld: no triples"},
	} {
		_, err := readText(t, "x.jsonld", c.text, read.Options{})
		expectError(t, err, kg.Invalid, c.want)
	}
}

// TestReadGraphML has a graph as NetworkX writes it.
func TestReadGraphML(t *testing.T) {
	const text = `<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d3" for="edge" attr.name="w" attr.type="double" />
  <key id="d2" for="edge" attr.name="label" attr.type="string" /><key id="d1" for="node" attr.name="age" attr.type="long" />
  <key id="d0" for="node" attr.name="name" attr.type="string" />
  <graph edgedefault="directed"><node id="a"><data key="d0">Ann</data><data key="d1">41</data></node><node id="b" labels=":Person:Nurse"/>
    <edge source="a" target="b" id="0"><data key="d2">knows</data><data key="d3">0.5</data></edge><edge source="b" target="a"/></graph></graphml>`
	var report read.Report
	opts := read.Options{Report: func(r read.Report) { report = r }}
	expectFacts(t, "x.xml", text, opts, `a|age|"41`+integer, "a|knows|b", "b|edge|a", "b|label|Nurse", "b|label|Person")
	if report.Format != read.GraphML || report.SkippedProperties != 0 {
		t.Errorf("%+v", report)
	}
	expectAnnotations(t, "x.xml", text, `a|knows|b: w "0.5`+decimal)
	for _, c := range []struct{ text, want string }{
		{"<graphml><graph><node/></graph></graphml>", "x.graphml:1:24: a node without id"},
		{"<graphml><graph><edge source='a'/></graph></graphml>", "an edge without source or target"},
		{"<graphml><graph><hyperedge/></graph></graphml>", "a hyperedge"},
		{"<svg/>", "<svg>, expected <graphml>"},
		{"<graphml><graph>", "the text ends within <graph>"},
	} {
		_, err := readText(t, "x.graphml", c.text, read.Options{})
		expectError(t, err, kg.Invalid, c.want)
	}
}

func TestReadAPOC(t *testing.T) {
	const text = `{"type":"node","id":"0","labels":["Person"],"properties":{"name":"Ann","age":41,"at":{"x":1},"tags":["a","b"],"ok":true,"born":{"type":"date","value":"1970-01-31"}}}
{"type":"node","id":"1","labels":["Person"]}

{"id":"5","type":"relationship","label":"KNOWS","properties":{"since":1999},"start":{"id":"0","labels":["Person"]},"end":{"id":"1"}}
`
	var report read.Report
	opts := read.Options{Report: func(r read.Report) { report = r }}
	expectFacts(t, "x.json", text, opts, "0|KNOWS|1", `0|age|"41`+integer, `0|born|"1970-01-31"^^<`+xsd+"date>", "0|label|Person", `0|ok|"true"^^<`+xsd+"boolean>", `0|tags|"a"`, `0|tags|"b"`, "1|label|Person")
	if report.Format != read.APOC || report.SkippedProperties != 1 {
		t.Errorf("%+v", report)
	}
	expectAnnotations(t, "x.json", text, `0|KNOWS|1: since "1999`+integer)
	for _, c := range []struct{ text, want string }{
		{"{\"type\":\"node\",\"id\":\"0\"}\n{\"type\":\"node\"}\n", "x.json:2: a node without id"},
		{"{\"type\":\"node\",\"id\":\"0\"}\n{\"type\":\"path\"}\n", `x.json:2: expected "type": "node" or "relationship"`},
		{"{\"type\":\"node\",\"id\":\"0\"}\n{\"type\":\"relationship\",\"label\":\"R\"}\n", "x.json:2: a relationship without label, start or end"},
		{"{\"type\":\"node\",\"id\":\"0\"}\n{\"type\":\n", "x.json:2: the JSON ends early"},
		{"{\"type\":\"node\",\"id\":\"0\"}\n{\"type\":5}\n", "x.json:2: field Type is number, expected string"},
	} {
		_, err := readText(t, "x.json", c.text, read.Options{Format: read.APOC})
		expectError(t, err, kg.Invalid, c.want)
	}
}

func TestReadEdgeList(t *testing.T) {
	facts := []string{"1|edge|2", "2|edge|3"}
	for _, text := range []string{
		"# Directed graph\n# FromNodeId\tToNodeId\n1\t2\n2\t3\n", "1 2\n2 3\n", "1 2 {}\n2 3 {}\n", "1 2 {'weight': 0.5, 'n': 1}\n2 3 {'weight': 2}\n",
	} {
		expectFacts(t, "x.txt", text, read.Options{}, facts...)
	}
	expectFacts(t, "x.edgelist", "a b {'label': 'knows', 'w': 1}\nb c {\"type\": \"likes\"}\nc a 2.5\n", read.Options{}, "a|knows|b", "b|likes|c", "c|edge|a")
	for _, c := range []struct{ text, want string }{
		{"a b\na\n", "x.edgelist:2: expected two nodes"},
		{"a b\na b {'x': 1\n", "x.edgelist:2: expected two nodes"},
		{"a b c\n", "x.edgelist:1: expected two nodes"},
		{"# nothing\n", "x.edgelist: no triples"},
	} {
		_, err := readText(t, "x.edgelist", c.text, read.Options{})
		expectError(t, err, kg.Invalid, c.want)
	}
}

func writeParquet[T any](t testing.TB, rows ...T) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := parquet.Write(&file, rows); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

type film struct {
	Film     string    `parquet:"film"`
	By       *string   `parquet:"by,optional"`
	Genre    []string  `parquet:"genre,list"`
	Year     int32     `parquet:"year"`
	Released int32     `parquet:"released,date"`
	Seen     time.Time `parquet:"seen,timestamp(millisecond)"`
	Rating   float64   `parquet:"rating"`
}

type edge struct {
	Target, Source, Relation string
	Weight                   float32
}

func TestReadParquet(t *testing.T) {
	by := "Kurosawa"
	seen := time.Date(2026, 1, 31, 12, 30, 0, 0, time.UTC)
	wide := writeParquet(t, film{"Ran", &by, []string{"War", "Drama"}, 1985, 5629, seen, 8.2}, film{"Roma", nil, nil, 1972, 745, seen, 7.5})
	want := []string{
		"Ran|by|Kurosawa", "Ran|genre|Drama", "Ran|genre|War", `Ran|rating|"8.2"^^<` + xsd + "decimal>", `Ran|released|"1985-05-31"^^<` + xsd + "date>",
		`Ran|seen|"2026-01-31T12:30:00Z"^^<` + xsd + "dateTime>", `Ran|year|"1985` + integer,
		`Roma|rating|"7.5"^^<` + xsd + "decimal>", `Roma|released|"1972-01-16"^^<` + xsd + "date>",
		`Roma|seen|"2026-01-31T12:30:00Z"^^<` + xsd + "dateTime>", `Roma|year|"1972` + integer,
	}
	expectFacts(t, "films.parquet", string(wide), read.Options{}, want...)
	expectFacts(t, "films", string(gzipped(t, wide)), read.Options{}, want...)
	path := filepath.Join(t.TempDir(), "films.parquet")
	if err := os.WriteFile(path, wide, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := read.Graph(t.Context(), path, read.Options{})
	if err != nil || s.Train.NumTriples() != len(want) {
		t.Errorf("%v, %v", s, err)
	}
	expectFacts(t, "x.parquet", string(writeParquet(t, edge{"b", "a", "r", 1}, edge{"c", "b", "r", 2})), read.Options{}, "a|r|b", "b|r|c")

	for _, text := range []string{"PAR1", "PAR1" + string(wide[50:]), string(wide[:len(wide)/2]), string(wide[:200]) + string(wide[300:])} {
		_, err := readText(t, "x.parquet", text, read.Options{})
		expectError(t, err, kg.Invalid, "Parquet")
	}
	_, err = readText(t, "x.parquet", string(wide), read.Options{Key: "name"})
	expectError(t, err, kg.Invalid, `no column "name" to be the key`)
}

// expectAnnotations reads a text and holds what it says of facts to what is wanted, a line for each statement.
func expectAnnotations(t *testing.T, name, text string, want ...string) {
	t.Helper()
	s, err := readText(t, name, text, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := annotationsOf(s.Train); !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", text, got, want)
	}
}

func annotationsOf(g *kg.Graph) (lines []string) {
	for i := range g.Annotations().Len() {
		fact, said := g.Annotations().At(i)
		line := g.Entities.Names.At(uint32(fact.Head)) + "|" + g.Relations.Names.At(fact.Relation.Base()) + "|" + g.Entities.Names.At(uint32(fact.Tail)) + ":"
		var pairs []string
		for _, a := range said {
			pairs = append(pairs, a.Relation+" "+a.Value)
		}
		slices.Sort(pairs)
		lines = append(lines, line+" "+strings.Join(pairs, ", "))
	}
	slices.Sort(lines)
	return lines
}

// What tables, property graphs and KGTK say of edges is kept beside the facts, of each statement by itself.
func TestReadAnnotations(t *testing.T) {
	expectAnnotations(t, "x.csv", "head,relation,tail,since,source\na,knows,b,1999,x\na,knows,b,2005,\nb,knows,c,,\n",
		`a|knows|b: since "1999`+integer+`, source "x"`, `a|knows|b: since "2005`+integer)
	expectAnnotations(t, "x.csv", ":START_ID,:END_ID,:TYPE,weight\na,b,KNOWS,0.5\nb,c,KNOWS,1.5\n", `a|KNOWS|b: weight "0.5`+decimal, `b|KNOWS|c: weight "1.5`+decimal)
	expectAnnotations(t, "x.tsv", "id\tnode1\tlabel\tnode2\ne1\tAnn\tspouse\tBob\ne2\te1\tfrom\t1990\ne3\te1\tuntil\t1995\ne4\tBob\tage\t41\n",
		"Ann|spouse|Bob: from 1990, until 1995")
	expectAnnotations(t, "x.gexf", `<gexf><graph defaultedgetype="undirected"><nodes><node id="a"/><node id="b"/></nodes><edges><edge source="a" target="b" label="knows" weight="2"/></edges></graph></gexf>`,
		`a|knows|b: weight "2`+integer, `b|knows|a: weight "2`+integer)
}
