package read_test

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

func zipped(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		entry, err := w.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entry.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const spreadsheet = `http://schemas.openxmlformats.org/spreadsheetml/2006/main"`

// excel is a workbook of two sheets, one of them empty, with texts, a date, a number and a truth value.
func excel(t testing.TB) []byte {
	return zipped(t,
		"xl/workbook.xml", `<workbook xmlns="`+spreadsheet+` xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Films" sheetId="1" r:id="rId1"/><sheet name="Empty" sheetId="2" r:id="rId2"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="/xl/worksheets/sheet2.xml"/></Relationships>`,
		"xl/sharedStrings.xml", `<sst xmlns="`+spreadsheet+`><si><t>film</t></si><si><t>seen</t></si><si><r><t>Ra</t></r><r><t>n</t></r></si><si><t>length</t></si></sst>`,
		"xl/styles.xml", `<styleSheet xmlns="`+spreadsheet+`><numFmts><numFmt numFmtId="170" formatCode="[$-409]d&quot; of &quot;mmm yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml", `<worksheet xmlns="`+spreadsheet+`><sheetData>
<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>3</v></c><c r="E1" t="inlineStr"><is><t>good</t></is></c></row><row r="2"/>
<row r="3"><c r="A3" t="s"><v>2</v></c><c r="B3" s="1"><v>46053</v></c><c r="C3"><v>162</v></c><c r="E3" t="b"><v>1</v></c></row>
<row r="4"><c r="A4" t="str"><v>Roma</v></c><c r="B4" s="2"><v>46054.5</v></c><c r="C4"><v>1.205E2</v></c></row></sheetData></worksheet>`,
		"xl/worksheets/sheet2.xml", `<worksheet xmlns="`+spreadsheet+`><sheetData/></worksheet>`)
}

func TestReadXLSX(t *testing.T) {
	want := []string{
		`Ran|good|"true"^^<` + xsd + "boolean>", `Ran|length|"162` + integer, `Ran|seen|"2026-01-31"^^<` + xsd + "date>",
		`Roma|length|"120.5` + decimal, `Roma|seen|"2026-02-01T12:00:00"^^<` + xsd + "dateTime>",
	}
	expectFacts(t, "films.xlsx", string(excel(t)), read.Options{}, want...)
	folder := writeFiles(t, map[string]string{"films.xlsx": string(excel(t)), "makers.csv": "film,by\nRan,Kurosawa\nRoma,Fellini\n"})
	s, err := read.Graph(t.Context(), folder, read.Options{})
	if err != nil || s.Train.NumTriples() != 7 {
		t.Errorf("%v, %v", s, err)
	}
	_, err = readText(t, "films.xlsx", string(excel(t)[:900]), read.Options{})
	expectError(t, err, kg.Invalid, "films.xlsx: the archive is damaged")
	_, err = readText(t, "x.xlsx", string(zipped(t, "xl/workbook.xml", "<workbook><a>")), read.Options{})
	expectError(t, err, kg.Invalid, "x.xlsx: no workbook of Excel: xl/workbook.xml")
}

func TestReadODS(t *testing.T) {
	content := `<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x"><office:body><office:spreadsheet><table:table table:name="Films">
<table:table-row><table:table-cell office:value-type="string"><text:p>film</text:p></table:table-cell><table:table-cell><text:p>seen</text:p></table:table-cell><table:table-cell><text:p>length</text:p></table:table-cell><table:table-cell table:number-columns-repeated="1000"/></table:table-row>
<table:table-row><table:table-cell><text:p>Ran</text:p></table:table-cell><table:table-cell office:value-type="date" office:date-value="2026-01-31"><text:p>31.1.26</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="162"><text:p>162 min</text:p></table:table-cell></table:table-row>
<table:table-row><table:table-cell><office:annotation><text:p>a note</text:p></office:annotation><text:p>Roma</text:p></table:table-cell><table:table-cell/><table:table-cell office:value-type="float" office:value="120"><text:p>2 h</text:p></table:table-cell></table:table-row>
<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="1024"/></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`
	expectFacts(t, "films.ods", string(zipped(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet", "content.xml", content)), read.Options{},
		`Ran|length|"162`+integer, `Ran|seen|"2026-01-31"^^<`+xsd+"date>", `Roma|length|"120`+integer)
}

func TestReadZip(t *testing.T) {
	archive := zipped(t, "data/films.csv", "id,title,director_id\n1,Ran,2\n2,Roma,3\n", "data/directors.csv", "id,name\n2,Kurosawa\n3,Fellini\n", "__MACOSX/data/._films.csv", "x", "data/readme.md", "hello")
	expectFacts(t, "x.zip", string(archive), read.Options{}, "films/1|director|directors/2", "films/2|director|directors/3")
	expectFacts(t, "x", string(zipped(t, "facts.txt", "a\tr\tb\n")), read.Options{}, "a|r|b")
	expectFacts(t, "x.zip", string(zipped(t, "a/x.tsv", "a\tr\tb\n", "b/x.tsv", "b\tr\tc\n")), read.Options{}, "a|r|b", "b|r|c")
	_, err := readText(t, "x.zip", string(zipped(t, "a/x.csv", "a", "a/x.csv", "b")), read.Options{})
	expectError(t, err, kg.Invalid, "x.zip: holds two files named a-x.csv")
}

// database makes a file of SQLite by the program, which wrote the format.
func database(t testing.TB, statements string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "films.db")
	runSQLite(t, path, statements)
	return path
}

func runSQLite(t testing.TB, path, statements string) {
	t.Helper()
	program, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("no sqlite3 (Debian: apt install sqlite3): no database is made to read")
	}
	command := exec.Command(program, path)
	command.Stdin = strings.NewReader(statements)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

const filmsSQL = `PRAGMA page_size = 512;
CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born REAL, "photo (png)" BLOB, long TEXT);
CREATE TABLE films (number INT, title TEXT, made_by INTEGER REFERENCES people(id), sequel INTEGER, CONSTRAINT k PRIMARY KEY (number), FOREIGN KEY (sequel) REFERENCES films (number)) WITHOUT ROWID;
CREATE TABLE casts (film INT REFERENCES films, person INT, PRIMARY KEY (film, person), FOREIGN KEY(person) REFERENCES people);
CREATE INDEX by_title ON films (title);
CREATE VIEW v AS SELECT * FROM films;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO people SELECT i, 'person ' || i, i + 0.5, x'00ff', replace(hex(zeroblob(i * 3)), '00', 'long text ') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO films SELECT i, 'film ' || i, i, CASE WHEN i > 1 THEN i - 1 END FROM n;
INSERT INTO casts VALUES (1, 2), (1, 3), (300, 500);
`

func TestReadSQLite(t *testing.T) {
	path := database(t, filmsSQL)
	s, err := read.Graph(t.Context(), path, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := facts(s.Train)
	for _, want := range []string{"films/300|made_by|people/300", "films/300|sequel|films/299", "films/1|person|people/3", `people/500|born|"500.5` + decimal, `people/1|long|"long text long text long text"`} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
	if len(got) != 500+500+300+299+3 {
		t.Errorf("%d facts", len(got))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := readText(t, "films", string(data), read.Options{})
	if err != nil || !slices.Equal(facts(again.Train), got) {
		t.Errorf("from a stream: %v", err)
	}
	for _, damaged := range [][]byte{data[:60], data[:len(data)/2], append(bytes.Clone(data[:16]), make([]byte, 200)...)} {
		_, err := readText(t, "films", string(damaged), read.Options{})
		expectError(t, err, kg.Invalid, "the database")
	}
}

func TestReadNestedJSON(t *testing.T) {
	for _, c := range []struct {
		what, text string
		want       []string
	}{
		{"rows within rows", `[{"title":"Ran","year":1985,"cast":[{"name":"Nakadai","role":"Hidetora"},{"name":"Terao","role":"Taro"}]},{"title":"Roma","year":1972,"cast":[]}]`,
			[]string{`Ran|year|"1985` + integer, `Roma|year|"1972` + integer, "Nakadai|film|Ran", "Nakadai|role|Hidetora", "Terao|film|Ran", "Terao|role|Taro"}},
		{"a list below a name", `{"count":2,"results":[{"film":"Ran","by":"Kurosawa"},{"film":"Roma","by":"Fellini"}]}`, []string{"Ran|by|Kurosawa", "Roma|by|Fellini"}},
		{"rows by their keys", `{"Q1":{"by":"Q3","land":"Japan"},"Q2":{"by":"Q4","land":"Italy"}}`, []string{"Q1|by|Q3", "Q1|land|Japan", "Q2|by|Q4", "Q2|land|Italy"}},
		{"NetworkX", `{"directed":true,"nodes":[{"id":1,"name":"Ann"},{"id":2,"name":"Bob"}],"links":[{"source":1,"target":2,"relation":"knows"}]}`, []string{"nodes/1|knows|nodes/2"}},
		{"D3, undirected", `{"directed":false,"nodes":[{"name":"Ann"},{"name":"Bob"}],"edges":[{"source":0,"target":1}]}`, []string{"nodes/0|edge|nodes/1", "nodes/1|edge|nodes/0"}},
	} {
		slices.Sort(c.want)
		t.Run(c.what, func(t *testing.T) { expectFacts(t, "films.json", c.text, read.Options{}, c.want...) })
	}
}

func TestReadGEXF(t *testing.T) {
	expectFacts(t, "x", `<?xml version="1.0"?><gexf xmlns="http://gexf.net/1.3"><meta/><graph defaultedgetype="undirected"><attributes class="node"><attribute id="0" title="age" type="integer"/></attributes>
<nodes><node id="a" label="Ann"><attvalues><attvalue for="0" value="41"/></attvalues></node><node id="b" label="Bob"/></nodes>
<edges><edge source="a" target="b" label="knows" weight="2"/><edge source="b" target="a" type="directed"/></edges></graph></gexf>`, read.Options{},
		`a|age|"41`+integer, "a|knows|b", "b|edge|a", "b|knows|a")
	_, err := readText(t, "x.gexf", "<gexf><graph><edges><edge source='a'/></edges></graph></gexf>", read.Options{})
	expectError(t, err, kg.Invalid, "an edge without source or target")
}

func TestReadGML(t *testing.T) {
	text := "Creator \"x\"\ngraph [\n  directed 1\n  node [ id 1 label \"Ann &amp; Co\" age 41 graphics [ x 1.5 ] ]\n  node [ id 2 label \"Bob\" ]\n  edge [ source 1 target 2 label \"knows\" weight 2.5 ]\n]\n"
	expectFacts(t, "x", text, read.Options{}, `1|age|"41`+integer, "1|knows|2")
	expectFacts(t, "x.gml", strings.Replace(text, "directed 1", "# directed 1", 1), read.Options{}, `1|age|"41`+integer, "1|knows|2", "2|knows|1")
	for _, c := range []struct{ text, want string }{
		{"graph [\nnode [ label \"a\" ] ]", "x.gml: a node without id"},
		{"graph [\n node [ id 1 ", "x.gml:2: the text ends within"},
		{"graph [\n node ]", "x.gml:2: no value of node"},
		{"node 1", "x.gml: no graph"},
	} {
		_, err := readText(t, "x.gml", c.text, read.Options{})
		expectError(t, err, kg.Invalid, c.want)
	}
}

func TestUndirectedGraphML(t *testing.T) {
	expectFacts(t, "x.graphml", `<graphml><graph edgedefault="undirected"><edge source="a" target="b"/><edge source="b" target="c" directed="true"/></graph></graphml>`, read.Options{},
		"a|edge|b", "b|edge|a", "b|edge|c")
}

// A few bytes that stand for millions of cells are refused before they take the memory.
func TestSheetsOfEmptyCells(t *testing.T) {
	row := `<row><c r="XFD1" t="str"><v>x</v></c></row>`
	book := zipped(t,
		"xl/workbook.xml", `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="a" r:id="r"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<R><Relationship Id="r" Target="worksheets/s.xml"/></R>`, "xl/worksheets/s.xml", "<s>"+strings.Repeat(row, 2000)+"</s>")
	_, err := readText(t, "x.xlsx", string(book), read.Options{})
	expectError(t, err, kg.TooLarge, "far more cells than are filled")
	cell := `<r:table-row xmlns:r="t" r:number-rows-repeated="9"><r:table-cell r:number-columns-repeated="16000"><r:p>x</r:p></r:table-cell></r:table-row>`
	_, err = readText(t, "x.ods", string(zipped(t, "content.xml", "<d><table>"+strings.Repeat(cell, 200)+"</table></d>")), read.Options{})
	expectError(t, err, kg.TooLarge, "far more cells than are filled")
}
