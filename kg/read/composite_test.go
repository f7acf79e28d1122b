package read_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// tablesIn writes tables, by their files and texts, into a folder.
func tablesIn(t *testing.T, files ...string) string {
	t.Helper()
	folder := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(folder, files[i]), []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

const (
	linesOfOrders = "order_id,line,product,qty\n1,1,nut,5\n1,2,nail,7\n2,1,nut,5\n2,2,screw,9\n3,1,nail,1\n"
	returnsOfThem = "id,order_id,line,reason\n1,1,2,late\n2,3,1,broken\n3,,1,lost\n"
)

// Two columns that another table has as its key refer to its rows, which are named by them.
func TestReferencesOfSeveralColumns(t *testing.T) {
	folder := tablesIn(t, "lines.csv", linesOfOrders, "returns.csv", returnsOfThem)
	s, err := read.Graph(t.Context(), folder, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := facts(s.Train)
	for _, want := range []string{"returns/1|lines|lines/1/2", "returns/2|lines|lines/3/1", "returns/3|reason|lost", "lines/1/2|product|nail"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if slices.ContainsFunc(got, func(fact string) bool { return strings.HasPrefix(fact, "returns/3|lines") }) {
		t.Error("half a key refers to a row")
	}
}

// What the plan says of several columns is followed as it stands, saved and read again, and what it cannot mean is refused.
func TestPlanOfSeveralColumns(t *testing.T) {
	folder := tablesIn(t, "lines.csv", linesOfOrders, "returns.csv", returnsOfThem)
	plan, err := read.MakePlan(t.Context(), []string{folder}, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text := plan.String(); !strings.Contains(text, "order_id and line: reference to lines, as lines") {
		t.Error(text)
	}
	saved, err := read.ReadPlan(strings.NewReader(string(plan.JSON())), "plan.json")
	if err != nil {
		t.Fatal(err)
	}
	saved.Tables[1].References[0].Property = "of"
	s, err := read.Graph(t.Context(), folder, read.Options{Plan: saved})
	if err != nil || !slices.Contains(facts(s.Train), "returns/1|of|lines/1/2") {
		t.Errorf("%v", err)
	}
	for _, c := range []struct {
		change read.ReferencePlan
		want   string
	}{
		{read.ReferencePlan{Property: "of", Table: "x", Columns: []string{"order_id", "line"}}, `refer to "x"`},
		{read.ReferencePlan{Property: "of", Table: "lines", Columns: []string{"order_id"}}, "whose rows are named lines/{order_id}/{line}"},
		{read.ReferencePlan{Property: "of", Table: "lines", Columns: []string{"order_id", "x"}}, `by "x", which is no column`},
	} {
		saved.Tables[1].References[0] = c.change
		_, err := read.Graph(t.Context(), folder, read.Options{Plan: saved})
		expectError(t, err, kg.Invalid, c.want)
	}
}

func TestStatedReferenceOfSeveralColumns(t *testing.T) {
	folder := tablesIn(t, "lines.csv", linesOfOrders, "returns.csv", strings.Replace(returnsOfThem, "order_id,line", "o,l", 1))
	options := read.Options{Key: "lines=order_id+line", References: map[string]string{"o+l": "lines"}}
	s, err := read.Graph(t.Context(), folder, options)
	if err != nil || !slices.Contains(facts(s.Train), "returns/1|line|lines/1/2") {
		t.Errorf("%v", err)
	}
	for column, want := range map[string]string{"o+x": "no table has the columns o and x", "o+l+reason": "expected 3 columns in it"} {
		options.References = map[string]string{column: "lines"}
		_, err := read.Graph(t.Context(), folder, options)
		expectError(t, err, kg.KindOf(err), want)
	}
}

// A row of units below the header is none of the table's, and is said; lines before the header are, too.
func TestUnitsBelowHeader(t *testing.T) {
	table := "Heights of 2020\nid,height,name\n,cm,\n1,170,Ann\n2,180.5,Bob\n3,165,Cy\n"
	var remarks string
	s, err := readText(t, "people.csv", table, read.Options{Report: func(r read.Report) { remarks = strings.Join(r.Remarks(), "\n") }})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(facts(s.Train)); got != 3 || !strings.Contains(remarks, "has units, and was left out") || !strings.Contains(remarks, "1 line before the header") {
		t.Errorf("%d facts; %s", got, remarks)
	}
	s, err = readText(t, "people.csv", "id,height,name\n1,tall,Ann\n2,180,Bob\n3,165,Cy\n", read.Options{})
	if err != nil || len(facts(s.Train)) != 3 {
		t.Errorf("a word among numbers is no unit: %v", err)
	}
}

func TestMaps(t *testing.T) {
	expectFacts(t, "quakes.json", `{"type":"FeatureCollection","features":[{"type":"Feature","id":"q1","properties":{"size":5.5,"near":"Rome"},
"geometry":{"type":"Point","coordinates":[12.5,41.9,10]}},{"type":"Feature","id":"q2","properties":{"size":6.5,"near":"Bonn"},"geometry":null}]}`, read.Options{},
		`q1|altitude|"10`+integer, "q1|geometry|Point", `q1|latitude|"41.9`+decimal, `q1|longitude|"12.5`+decimal, "q1|near|Rome", `q1|size|"5.5`+decimal,
		"q2|near|Bonn", `q2|size|"6.5`+decimal)
	var remarks string
	s, err := readText(t, "world.json", `{"type":"Topology","objects":{"land":{"type":"MultiPolygon","arcs":[[[0]]]},"countries":{"type":"GeometryCollection","geometries":[
{"type":"Polygon","id":"it","properties":{"name":"Italy"},"arcs":[[0]]},{"type":"Polygon","id":"de","properties":{"name":"Germany"},"arcs":[[1]]}]}},"arcs":[[[1,2],[3,4]]]}`,
		read.Options{Report: func(r read.Report) { remarks = strings.Join(r.Remarks(), "\n") }})
	if err != nil {
		t.Fatal(err)
	}
	if got := facts(s.Train); !slices.Equal(got, []string{"de|geometry|Polygon", "it|geometry|Polygon", "land|geometry|MultiPolygon"}) || !strings.Contains(remarks, "the shapes of 3 rows") {
		t.Errorf("%q; %s", got, remarks)
	}
}

// Of cells that are merged, all mean what the first holds.
func TestMergedCells(t *testing.T) {
	cell := func(place, text string) string { return `<c r="` + place + `" t="str"><v>` + text + `</v></c>` }
	sheet := `<s><sheetData><row r="1">` + cell("A1", "name") + cell("B1", "city") + cell("C1", "land") + `</row><row r="2">` + cell("A2", "Ann") + cell("B2", "Rome") + cell("C2", "Italy") +
		`</row><row r="3">` + cell("A3", "Bob") + `</row><row r="5">` + cell("A5", "Cy") + cell("C5", "France") + `</row></sheetData><mergeCells><mergeCell ref="B2:B5"/><mergeCell ref="C2:C3"/><mergeCell ref="A1:C1"/><mergeCell ref="x"/></mergeCells></s>`
	book := zipped(t,
		"xl/workbook.xml", `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="a" r:id="r"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<R><Relationship Id="r" Target="worksheets/s.xml"/></R>`, "xl/worksheets/s.xml", sheet)
	var remarks string
	s, err := readText(t, "x.xlsx", string(book), read.Options{Report: func(r read.Report) { remarks = strings.Join(r.Remarks(), "\n") }})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Ann|city|Rome", "Ann|land|Italy", "Bob|city|Rome", "Bob|land|Italy", "Cy|city|Rome", "Cy|land|France"}
	if got := facts(s.Train); !slices.Equal(got, want) || !strings.Contains(remarks, "3 cells filled from the one above") {
		t.Errorf("%q; %s", got, remarks)
	}
}

const shopSQL = `PRAGMA page_size = 512;
CREATE TABLE lines (order_id INTEGER, line INTEGER, photo BLOB, PRIMARY KEY (order_id, line)) WITHOUT ROWID;
CREATE TABLE returns (id INTEGER PRIMARY KEY, o INT, l INT, reason TEXT, FOREIGN KEY (l, o) REFERENCES lines (line, order_id));
CREATE VIEW v AS SELECT * FROM lines;
INSERT INTO lines VALUES (1, 2, x'00ff'), (2, 1, x'ff'), (2, 2, NULL);
INSERT INTO returns VALUES (1, 1, 2, 'late');
`

func TestDeclaredReferenceOfSeveralColumns(t *testing.T) {
	var remarks string
	s, err := read.Graph(t.Context(), database(t, shopSQL), read.Options{Report: func(r read.Report) { remarks = strings.Join(r.Remarks(), "\n") }})
	if err != nil || !slices.Contains(facts(s.Train), "returns/1|line|lines/1/2") {
		t.Errorf("%v", err)
	}
	for _, want := range []string{"1 view not read", "lines: 2 cells of bytes left out"} {
		if !strings.Contains(remarks, want) {
			t.Errorf("no %q in %s", want, remarks)
		}
	}
}

// A database whose last changes are in the log beside it is read with them, but for those that were not finished.
func TestSQLiteWithLog(t *testing.T) {
	path := database(t, shopSQL)
	copied := filepath.Join(t.TempDir(), "copy.db")
	runSQLite(t, path, `PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO returns SELECT i, 2, 1, 'reason ' || i FROM n;
UPDATE returns SET reason = 'early' WHERE id = 1;
.shell cp `+path+` `+copied+` && cp `+path+`-wal `+copied+`-wal
`)
	read200 := func(want ...string) {
		t.Helper()
		s, err := read.Graph(t.Context(), copied, read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := facts(s.Train)
		for _, fact := range want {
			if !slices.Contains(got, fact) {
				t.Errorf("no %q", fact)
			}
		}
	}
	read200("returns/1|reason|early", "returns/200|reason|reason 200", "returns/200|line|lines/2/1")
	log, err := os.ReadFile(copied + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied+"-wal", log[:len(log)-100], 0o600); err != nil { // the last change is cut off
		t.Fatal(err)
	}
	read200("returns/1|reason|late", "returns/200|reason|reason 200")
	if err := os.WriteFile(copied+"-journal", []byte("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = read.Graph(t.Context(), copied, read.Options{})
	expectError(t, err, kg.Invalid, "was cut off")
}
