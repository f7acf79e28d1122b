package read_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

func TestReadRecords(t *testing.T) {
	wide := []string{"Ran|by|Kurosawa", "Ran|genre|Drama", "Ran|genre|War", `Ran|year|"1985` + integer, "Roma|by|Fellini", `Roma|year|"1972` + integer}
	triples := []string{"Ann|knows|Bob", "Bob|likes|Cid"}
	for _, c := range []struct {
		what, name, text string
		want             []string
	}{
		{"lines", "x.jsonl", `{"film":"Ran","by":"Kurosawa","year":1985,"genre":["War","Drama"]}` + "\n" + `{"year":1972,"film":" Roma","by":"Fellini","genre":null}` + "\n", wide},
		{"an array", "x.json", "\xef\xbb\xbf[{\"film\":\"Ran\",\"by\":\"Kurosawa\",\"year\":1985,\"genre\":[\"War\",\"Drama\"]},\n {\"film\":\"Roma\",\"by\":\"Fellini\",\"year\":1972,\"genre\":[]}]\n", wide},
		{"a name twice", "x.ndjson", `{"film":"Ran","by":"Kurosawa","year":1985,"genre":"War","genre":"Drama"}` + "\r\n\r\n" + `{"film":"Roma","by":"Fellini","year":1972}`, wide},
		{"triples", "x.jsonl", `{"relation":"knows","tail":"Bob","head":"Ann"}` + "\n{}\n" + `{"head":"Bob","tail":"Cid","relation":"likes","weight":0.5}`, triples},
		{"edges of a graph", "x", `[{"source":"Ann","target":"Bob","label":"knows"},{"source":"Bob","target":"Cid","label":"likes"}]`, triples},
		{"objects within", "x.json", `[{"film":"Ran","by":{"name":"Kurosawa","born":{"year":1910}}},{"film":"Roma"}]`, []string{`Ran|by.born.year|"1910` + integer, "Ran|by.name|Kurosawa"}},
		{"no keyword of JSON-LD", "x.json", `[{"film":"Ran","tag":"@ran"},{"film":"Roma","tag":"@roma"}]`, []string{"Ran|tag|@ran", "Roma|tag|@roma"}},
		{"no export of Neo4j", "x.json", `{"name":"Ran","type":"film","is":"node"}`, []string{"Ran|is|node", "Ran|type|film"}},
	} {
		t.Run(c.what, func(t *testing.T) { expectFacts(t, c.name, c.text, read.Options{}, c.want...) })
	}
}

// TestRecordsBeyondTheFirst: names that come up behind what the columns were decided on.
func TestRecordsBeyondTheFirst(t *testing.T) {
	var text strings.Builder
	const late = 26_000
	for i := range late {
		fmt.Fprintf(&text, "{\"film\":\"f%d\",\"year\":%d}\n", i, 1900+i%100)
	}
	text.WriteString(`{"film":"Ran","by":["Kurosawa","Oguni"],"length":162}` + "\n")
	var report read.Report
	s, err := readText(t, "x.jsonl", text.String(), read.Options{Report: func(r read.Report) { report = r }})
	if err != nil || s.Train.NumTriples() != late+3 || report.Tables[0].Late != 3 {
		t.Fatalf("%v, %v, %+v", s, err, report.Tables)
	}
	if got := facts(s.Train); !strings.Contains(strings.Join(got, "\n"), "Ran|by|Kurosawa\nRan|by|Oguni\nRan|length|\"162"+integer) {
		t.Errorf("got %q", got[:5])
	}
}

func TestRecordErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"x.jsonl", "{\"a\":\"b\",\"c\":\"d\"}\n{\"a\"\n", "x.jsonl:2: "},
		{"x.json", `[{"a":"b","c":"d"},`, "x.json:2: the JSON ends early"},
		{"x.json", `[{"a":"b","c":"d"}] x`, "x.json: text behind the array"},
		{"x.jsonl", "{\"a\":\"b\",\"c\":\"d\"}\n5\n", "x.jsonl:2: 5, expected an object"},
		{"x.jsonl", `{"head":"a","relation":"r","tail":["b","c"]}`, "x.jsonl:1: a list of values, expected one head, relation and tail"},
		{"x.jsonl", `{"film":"Ran","by":"x\u0000"}`, "x.jsonl:1: a NUL character"},
		{"x.jsonl", "{\"film\":\"Ran\",\"by\":\"\xff\"}", "x.jsonl:1: the text is not valid UTF-8"},
		{"x.json", `{}`, "x.json: no triples"},
		{"x.json", `[]`, "no triples"},
		{"x.jsonl", strings.Repeat(`{"a":`, 1200) + "1" + strings.Repeat("}", 1200), "objects nest deeper than 1000"},
	} {
		_, err := readText(t, c.name, c.text, read.Options{Format: read.Records})
		expectError(t, err, kg.Invalid, c.want)
	}
}

// A key that is stated must be there, once in every object.
func TestRecordsWithoutTheirKey(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"film":"Ran","by":"x"}` + "\n" + `{"by":"x"}`, `x.jsonl:2: the key, column "film", is empty`},
		{`{"film":["Ran","Roma"],"by":"x"}`, `x.jsonl:1: the key, column "film", is a list`},
	} {
		_, err := readText(t, "x.jsonl", c.text, read.Options{Key: "film"})
		expectError(t, err, kg.Invalid, c.want)
	}
}

func TestRecordTablesTogether(t *testing.T) {
	folder := writeFiles(t, map[string]string{
		"films.jsonl": `{"id":1,"title":"Ran","country_id":1}`, "countries.csv": "id,name\n1,Japan\n2,Italy\n",
	})
	s, err := read.Graph(t.Context(), folder, read.Options{})
	if err != nil || strings.Join(facts(s.Train), " ") != "films/1|country|countries/1" {
		t.Errorf("%v, %v", s, err)
	}
}
