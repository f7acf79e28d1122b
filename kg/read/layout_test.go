package read_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

const (
	integer = `"^^<` + xsd + "integer>"
	decimal = `"^^<` + xsd + "decimal>"
)

// TestHeadersOfTriples has the tables that people have, each with the same two facts.
func TestHeadersOfTriples(t *testing.T) {
	facts := []string{"Ann|knows|Bob", "Bob|likes|Cid"}
	for _, c := range []struct{ what, name, text string }{
		{"NetworkX", "x.csv", "source,target,label\nAnn,Bob,knows\nBob,Cid,likes\n"},
		{"quoted", "x.csv", "\"source\",\"target\",\"label\"\n\"Ann\",\"Bob\",\"knows\"\n\"Bob\",\"Cid\",\"likes\"\n"},
		{"NetworkX, another attribute", "x.csv", "source,target,how\nAnn,Bob,knows\nBob,Cid,likes\n"},
		{"Neo4j", "x.csv", ":START_ID,:END_ID,:TYPE\nAnn,Bob,knows\nBob,Cid,likes\n"},
		{"Neo4j with properties", "x.csv", ":START_ID,since:int,:TYPE,:END_ID\nAnn,1999,knows,Bob\nBob,2001,likes,Cid\n"},
		{"own words", "x.csv", "Employee,Relation,Value\nAnn,knows,Bob\nBob,likes,Cid\n"},
		{"own words in quotes", "x.tsv", "\"Employee\"\t\"Relation\"\t\"Value\"\nAnn\tknows\tBob\nBob\tlikes\tCid\n"},
		{"entity, attribute, value", "x.csv", "person,attribute,value\nAnn,knows,Bob\nBob,likes,Cid\n"},
		{"of RDF", "x.csv", "Object;Predicate;Subject\nBob;knows;Ann\nCid;likes;Bob\n"},
		{"head_id", "x.csv", "relation_id,head_id,tail_id\nknows,Ann,Bob\nlikes,Bob,Cid\n"},
		{"weight", "x.csv", "source,target,relation,weight\nAnn,Bob,knows,0.5\nBob,Cid,likes,1\n"},
		{"Gephi", "x.csv", "Source,Target,Type,Id,Label,Weight\nAnn,Bob,Directed,0,knows,1\nBob,Cid,Directed,1,likes,1\n"},
		{"KGTK", "x.tsv", "id\tnode1\tlabel\tnode2\nE1\tAnn\tknows\tBob\nE2\tBob\tlikes\tCid\n"},
		{"weight without header", "x.csv", "Ann,knows,Bob,0.5\nBob,likes,Cid,1\n"},
		{"weight behind spaces", "x.txt", "Ann knows Bob 0.5\nBob likes Cid 1\n"},
		{"time without header", "x.tsv", "Ann\tknows\tBob\t2014-01-01\nBob\tlikes\tCid\t2014-01-02\n"},
	} {
		t.Run(c.what, func(t *testing.T) { expectFacts(t, c.name, c.text, read.Options{}, facts...) })
	}
}

func TestEdgesWithoutRelation(t *testing.T) {
	facts := []string{"Ann|edge|Bob", "Bob|edge|Cid"}
	for _, c := range []struct{ what, name, text string }{
		{"header", "x.csv", "source,target\nAnn,Bob\nBob,Cid\n"},
		{"header and weight", "x.csv", "from,to,weight\nAnn,Bob,3\nBob,Cid,4\n"},
		{"pairs", "x.tsv", "Ann\tBob\nBob\tCid\n"},
		{"weights", "x.txt", "Ann Bob 3.0\nBob Cid 0.5\n"},
	} {
		t.Run(c.what, func(t *testing.T) { expectFacts(t, c.name, c.text, read.Options{}, facts...) })
	}
}

func TestWideTables(t *testing.T) {
	const date = `"^^<` + xsd + "date>"
	for _, c := range []struct {
		what, name, text string
		opts             read.Options
		want             []string
	}{
		{"three columns", "films.csv", "name,director,country\nAmarcord,Fellini,Italy\n", read.Options{}, []string{"Amarcord|country|Italy", "Amarcord|director|Fellini"}},
		{"called like the file", "films.csv", "Film,By\nRan,Kurosawa\n", read.Options{}, []string{"Ran|By|Kurosawa"}},
		{"gaps", "x.csv", "film,by,music,genre\nRan,Kurosawa,,War\nAmarcord,Fellini,Rota,\n", read.Options{}, []string{
			"Amarcord|by|Fellini", "Amarcord|music|Rota", "Ran|by|Kurosawa", "Ran|genre|War"}},
		{"missing by a word", "x.csv", "film,by,music,genre\nRan,Kurosawa,NA,War\nRoma,NULL,,nan\n", read.Options{}, []string{"Ran|by|Kurosawa", "Ran|genre|War"}},
		{"numbers and dates", "films.csv", "film,year,released\nRan,1985,1985-05-31\nRoma,1972,\n", read.Options{}, []string{
			`Ran|released|"1985-05-31` + date, `Ran|year|"1985` + integer, `Roma|year|"1972` + integer}},
		{"a number among names stays a name", "films.csv", "film,by\nRan,Kurosawa\nSe7en,7\n", read.Options{}, []string{"Ran|by|Kurosawa", "Se7en|by|7"}},
		{"codes", "x.csv", "name,zip,city,x\nAnn,04109,Leipzig,a\nBob,10115,Berlin,b\n", read.Options{}, []string{
			"Ann|city|Leipzig", "Ann|x|a", "Ann|zip|04109", "Bob|city|Berlin", "Bob|x|b", "Bob|zip|10115"}},
		{"two rows, told by their letters", "x.csv", "film,director,country\nAmarcord,Fellini,Italy\nRan,Kurosawa,Japan\n", read.Options{}, []string{
			"Amarcord|country|Italy", "Amarcord|director|Fellini", "Ran|country|Japan", "Ran|director|Kurosawa"}},
		{"gaps in three columns", "x.csv", "person,born,died\nAnn,1950-01-02,\nBob,in May,2001\n", read.Options{}, []string{
			"Ann|born|1950-01-02", "Bob|born|in May", `Bob|died|"2001` + integer}},
		{"a column twice", "x.csv", "film,by,by,land\nRan,Kurosawa,Oguni,Japan\nRoma,Fellini,,Italy\n", read.Options{}, []string{
			"Ran|by|Kurosawa", "Ran|by|Oguni", "Ran|land|Japan", "Roma|by|Fellini", "Roma|land|Italy"}},
		{"names of two words", "films.csv", "film,by,land\nLa Strada,Federico Fellini,Italy\nLa Notte,Michelangelo Antonioni,Italy\n", read.Options{}, []string{
			"La Notte|by|Michelangelo Antonioni", "La Notte|land|Italy", "La Strada|by|Federico Fellini", "La Strada|land|Italy"}},
		{"other delimiters in cells", "x.csv", "film,by,land,cast\nRan,Kurosawa,Japan,Nakadai;Terao;Nezu\nRoma,Fellini,Italy,Gonzales;Falco;Nezu\n", read.Options{}, []string{
			"Ran|by|Kurosawa", "Ran|cast|Nakadai", "Ran|cast|Nezu", "Ran|cast|Terao", "Ran|land|Japan",
			"Roma|by|Fellini", "Roma|cast|Falco", "Roma|cast|Gonzales", "Roma|cast|Nezu", "Roma|land|Italy"}},
		{"several values", "films.csv", "film,genre\nRan,War|Drama\nRoma,Drama\n", read.Options{}, []string{"Ran|genre|Drama", "Ran|genre|War", "Roma|genre|Drama"}},
		{"a semicolon that parts nothing", "films.csv", "film,motto\nRan,to be; or not\nRoma,so it goes\n", read.Options{}, []string{"Ran|motto|to be; or not", "Roma|motto|so it goes"}},
		{"a delimiter at the end of lines", "x.csv", "film,by,year,\nRan,Kurosawa,1985,\nRoma,Fellini,1972,\n", read.Options{}, []string{
			"Ran|by|Kurosawa", `Ran|year|"1985` + integer, "Roma|by|Fellini", `Roma|year|"1972` + integer}},
		{"a comma for the point", "x.csv", "film;by;rating\nRan;Kurosawa;8,2\nRoma;Fellini;7\n", read.Options{}, []string{
			"Ran|by|Kurosawa", `Ran|rating|"8.2` + decimal, "Roma|by|Fellini", `Roma|rating|"7` + integer}},
		{"what may be thousands stays a name", "x.csv", "film;by;budget\nRan;Kurosawa;1,200\nRoma;Fellini;7,500\n", read.Options{}, []string{
			"Ran|budget|1,200", "Ran|by|Kurosawa", "Roma|budget|7,500", "Roma|by|Fellini"}},
		{"Excel's first line", "x.csv", "sep=;\r\nfilm;by;land\r\nRan;Kurosawa;Japan\r\nRoma;Fellini;Italy\r\n", read.Options{}, []string{
			"Ran|by|Kurosawa", "Ran|land|Japan", "Roma|by|Fellini", "Roma|land|Italy"}},
		{"two columns, told by their letters", "x.csv", "film,actor\nRan,Nakadai\nRan,Terao\n", read.Options{}, []string{"Ran|actor|Nakadai", "Ran|actor|Terao"}},
		{"separator as stated", "films.csv", "film,genre\nRan,\"War, Drama\"\n", read.Options{Separator: ","}, []string{"Ran|genre|Drama", "Ran|genre|War"}},
		{"key as stated", "x.csv", "country,film,by\nJapan,Ran,Kurosawa\n", read.Options{Key: "FILM"}, []string{"Ran|by|Kurosawa", "Ran|country|Japan"}},
		{"row numbers", "x.csv", ",film,by,genre\n0,Ran,Kurosawa,War\n1,Roma,Fellini,Drama\n", read.Options{}, []string{
			"Ran|by|Kurosawa", "Ran|genre|War", "Roma|by|Fellini", "Roma|genre|Drama"}},
		{"ids", "films.csv", "id,title,by\n1,Ran,Kurosawa\n2,Roma,Fellini\n", read.Options{}, []string{"films/1|by|Kurosawa", "films/2|by|Fellini"}},
		{"no key word, many rows", "x.csv", "work,maker,land\na,p,q\nb,p,q\nc,p,s\nd,u,q\ne,u,s\nf,p,q\ng,u,s\nh,u,q\n", read.Options{}, []string{
			"a|land|q", "a|maker|p", "b|land|q", "b|maker|p", "c|land|s", "c|maker|p", "d|land|q", "d|maker|u",
			"e|land|s", "e|maker|u", "f|land|q", "f|maker|p", "g|land|s", "g|maker|u", "h|land|q", "h|maker|u"}},
		{"Neo4j nodes", "x.csv", "pid:ID(Person),name,born:int,roles:string[],:LABEL,x:IGNORE\n1,Ann,1970,a;b,Actor;Nurse,z\n", read.Options{}, []string{
			`Person/1|born|"1970` + integer, "Person/1|label|Actor", "Person/1|label|Nurse", `Person/1|roles|"a"`, `Person/1|roles|"b"`}},
		{"a start and an end are columns too", "x.csv", "event,start,end,type\nWW1,1914,1918,war\n", read.Options{}, []string{
			`WW1|end|"1918` + integer, `WW1|start|"1914` + integer, "WW1|type|war"}},
		{"triples as stated", "x.csv", "name,director,country\nAmarcord,Fellini,Italy\n", read.Options{Columns: "hrt"}, []string{"Amarcord|Fellini|Italy", "name|director|country"}},
	} {
		t.Run(c.what, func(t *testing.T) { expectFacts(t, c.name, c.text, c.opts, c.want...) })
	}
}

func TestWideTableErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		opts read.Options
		want string
	}{
		{"film,by,music,genre\nRan,Kurosawa,,War\nRoma,Fellini\n", read.Options{}, "x.csv:3: expected 4 columns separated by commas, found 2 unlike the header"},
		{"film,by,music,genre\nRan,Kurosawa,,War\n,Fellini,Rota,Drama\n", read.Options{Key: "film"}, `x.csv:3: the key, column "film", is empty`},
		{"film,by,music,\n" + strings.Repeat("Ran,Kurosawa,Takemitsu,\n", 600) + "Roma,Fellini,Rota,x\n", read.Options{}, `x.csv:602: column 4 has no name and holds "x"`},
		{"film,by\nRan,Kurosawa\n", read.Options{Key: "name"}, `x.csv:1: no column "name" to be the key, expected one of film, by`},
		{"film,by\nRan,Kurosawa\n", read.Options{Key: "film", Columns: "hrt"}, "x.csv: --key is for wide tables"},
		{"film,by,music,genre\n", read.Options{}, `expected 3 columns separated by commas, found 4; give the order of the columns`},
	} {
		_, err := readText(t, "x.csv", c.text, c.opts)
		expectError(t, err, kg.Invalid, c.want)
	}
}

// TestTriplesStayTriples has tables without header that must not be taken for wide ones.
func TestTriplesStayTriples(t *testing.T) {
	for _, text := range []string{
		"a,r,b\nb,s,c\nc,t,d\nd,u,e\ne,v,f\nf,w,g\ng,x,h\nh,y,i\ni,z,j\n", // a path
		"a,r,x\na,s,y\nb,r,x\nb,t,z\nc,r,x\nd,r,x\ne,r,x\nf,r,z\ng,s,z\nh,r,x\n",
		"dog,is_a,mammal\ncat,is_a,mammal\n",
		"a,age,5\nb,height,6\n",
		"Q5,P728,Q18\nQ31,P0,Q25\nQ61,P654,Q32\nQ4,P1,Q7\nQ8,P0,Q9\nQ10,P1,Q11\nQ12,P2,Q13\nQ14,P3,Q15\nQ16,P4,Q17\nQ19,P2,Q20\n", // ids, none of them twice
	} {
		s, err := readText(t, "x.csv", text, read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for line := range strings.Lines(text) {
			want = append(want, strings.ReplaceAll(strings.TrimSpace(line), ",", "|"))
		}
		slices.Sort(want)
		if got := facts(s.Train); !slices.Equal(got, want) {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

// TestDoubts: what may have been meant otherwise is said.
func TestDoubts(t *testing.T) {
	for _, c := range []struct {
		what, text   string
		header, many bool
	}{
		{"a header of unusual words", "who,relates,target\na,r,b\nb,r,c\n", true, false},
		{"columns in another order", "r,a,b\nr,b,c\ns,c,d\ns,d,e\nr,e,f\n", false, true},
		{"plain triples", "a,r,b\nb,r,c\nc,s,d\nd,s,e\ne,r,f\n", false, false},
		{"one row under small letters", "film,director,country\nAmarcord,Fellini,Italy\n", true, false},
		{"text in the place of a relation", "film,notes,country\nAmarcord,\"remember\nthis\",Italy\nRan,war,Japan\n", true, false},
		{"a recurring word", "type,r,b\ntype,r,c\n", false, false},
		{"text in small letters", "film,director,note\nRan,Kurosawa,a war\nRoma,Fellini,a city\n", true, false},
		{"pairs under a header of their own", "Person,Person\nAnn,Bob\nBob,Cid\n", true, false},
		{"pairs", "Ann,Bob\nBob,Cid\nCid,Ann\n", false, false},
		{"a column twice", "film,director,director\nRan,Kurosawa,Akira\nRoma,Fellini,Federico\n", true, false},
	} {
		var report read.Report
		_, err := readText(t, "x.csv", c.text, read.Options{Report: func(r read.Report) { report = r }})
		if err != nil || report.Tables[0].HeaderAsFact != c.header || report.ManyRelations != c.many {
			t.Errorf("%s: %+v, %v", c.what, report, err)
		}
	}
}

// TestBlanks: what nobody sees makes no second entity, unless it is asked for, and is said.
func TestBlanks(t *testing.T) {
	for _, c := range []struct {
		what, name, text string
		opts             read.Options
		trimmed          int
		want             []string
	}{
		{"triples", "x.csv", "head, relation,tail\nAnn,knows , Bob\n Ann,knows,Cid\n", read.Options{}, 3, []string{"Ann|knows|Bob", "Ann|knows|Cid"}},
		{"tabs", "x.tsv", "Ann\tknows\tBob \nAnn\tknows\tBob\n", read.Options{}, 1, []string{"Ann|knows|Bob"}},
		{"a blank that does not break", "x.tsv", "Ann\u00a0\tknows\tBob\nAnn\tknows\tBob\n", read.Options{}, 1, []string{"Ann|knows|Bob"}},
		{"wide", "x.csv", "film , by,land\nRan , Kurosawa,Japan\nRoma,Fellini, \n", read.Options{}, 2, []string{"Ran|by|Kurosawa", "Ran|land|Japan", "Roma|by|Fellini"}},
		{"before quotes", "x.csv", "Ann, \"knows\", \"Bob, Jr.\"\nBob, knows ,\"Cid\" \n", read.Options{}, 1, []string{"Ann|knows|Bob, Jr.", "Bob|knows|Cid"}},
		{"kept", "x.tsv", "Ann\tknows\tBob \nAnn\tknows\tBob\n", read.Options{KeepBlanks: true}, 0, []string{"Ann|knows|Bob", "Ann|knows|Bob "}},
	} {
		t.Run(c.what, func(t *testing.T) {
			c.opts.Report = func(r read.Report) {
				if r.Tables[0].Trimmed != c.trimmed {
					t.Errorf("%d cells trimmed, expected %d", r.Tables[0].Trimmed, c.trimmed)
				}
			}
			expectFacts(t, c.name, c.text, c.opts, c.want...)
		})
	}
	_, err := readText(t, "x.tsv", "Ann\tknows\tBob\nAnn\t \tBob\n", read.Options{})
	expectError(t, err, kg.Invalid, "x.tsv:2: the relation is empty")
}

// TestRemarksOnColumns: what a cell might have meant otherwise is said.
func TestRemarksOnColumns(t *testing.T) {
	var report read.Report
	_, err := readText(t, "x.csv", "film;by;by;price;seen;rating;zip\nRan;Kurosawa;;$5;31.12.2025;8,2;04109\nRoma;Fellini;;$6;1/2/2026;7,5;10115\n",
		read.Options{Report: func(r read.Report) { report = r }})
	table := report.Tables[0]
	if err != nil || !slices.Equal(table.Unread, []string{"price", "seen"}) || !slices.Equal(table.DecimalComma, []string{"rating"}) || !slices.Equal(table.Doubled, []string{"by"}) {
		t.Errorf("%+v, %v", table, err)
	}
	if remarks := strings.Join(report.Remarks(), "\n"); !strings.Contains(remarks, "x.csv: names, not values, in price, seen: numbers are read as 1234.5") {
		t.Error(remarks)
	}
}

// TestKeysOfNoTable: numbers that are hardly meant as such are said.
func TestKeysOfNoTable(t *testing.T) {
	var report read.Report
	_, err := readText(t, "films.csv", "id,title,director_id,year\n1,Ran,2,1985\n2,Roma,1,1972\n", read.Options{Report: func(r read.Report) { report = r }})
	remarks := strings.Join(report.Remarks(), "\n")
	if err != nil || !strings.Contains(remarks, "id names the rows") || !strings.Contains(remarks, "numbers, not entities, in director_id: if they are keys of another table, say --refer director_id=TABLE") || strings.Contains(remarks, "in year") {
		t.Errorf("%s, %v", remarks, err)
	}
}

// TestTablesTogether: numbers are ids of their table, and columns refer to tables by
// their names or as stated; keys that are names refer to each other anyway.
func TestTablesTogether(t *testing.T) {
	folder := writeFiles(t, map[string]string{
		"films.csv":     "id,title,director_id,country_id,year\n1,Ran,2,1,1985\n2,Roma,1,2,1972\n",
		"people.csv":    "id,name,born\n1,Fellini,Rimini\n2,Kurosawa,Tokyo\n",
		"countries.csv": "id,name\n1,Japan\n2,Italy\n",
		"cities.csv":    "city,in\nTokyo,Japan\nRimini,Italy\n",
	})
	want := []string{
		"Rimini|in|Italy", "Tokyo|in|Japan", "films/1|country|countries/1", "films/1|director|people/2", `films/1|year|"1985` + integer,
		"films/2|country|countries/2", "films/2|director|people/1", `films/2|year|"1972` + integer, "people/1|born|Rimini", "people/2|born|Tokyo",
	}
	opts := read.Options{References: map[string]string{"director_id": "people"}}
	read1, err := read.Graph(t.Context(), folder, opts)
	if err != nil {
		t.Fatal(err)
	}
	read2, err := read.Graphs(t.Context(), []string{folder + "/films.csv", folder + "/cities.csv", folder + "/countries.csv", folder + "/people.csv"}, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*kg.Splits{read1, read2} {
		if got := facts(s.Train); !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
		if found := s.Train.Entities.Find("Kurosawa"); len(found) != 1 {
			t.Errorf("Kurosawa is %v", found)
		}
	}
}

// A reference to a table that is not among those read is a mistake, of one file and of several.
func TestReferencesAreToTablesRead(t *testing.T) {
	folder := writeFiles(t, map[string]string{"films.csv": "id,title,director_id,sequel_of\n1,Ran,7,2\n2,Roma,8,1\n", "people.csv": "id,name\n7,Kurosawa\n8,Fellini\n"})
	films, people := folder+"/films.csv", folder+"/people.csv"
	for _, c := range []struct {
		sources []string
		refer   map[string]string
		want    string // of the error; "" for none
	}{
		{[]string{films}, map[string]string{"director_id": "people"}, "--refer director_id=people: there is no table people"},
		{[]string{films, people}, map[string]string{"director_id": "nobody"}, "--refer director_id=nobody: there is no table nobody"},
		{[]string{folder}, map[string]string{"director_id": "nobody"}, "there is no table nobody"},
		{[]string{films, people}, map[string]string{"director_id": "People.csv"}, ""},
		{[]string{films}, map[string]string{"sequel_of": "films"}, ""},
	} {
		_, err := read.Graphs(t.Context(), c.sources, read.Options{References: c.refer})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v with %v: error %v, want %q", c.sources, c.refer, err, c.want)
		}
	}
}

func TestSeveralSourcesAreFiles(t *testing.T) {
	folder := writeFiles(t, map[string]string{"a.csv": "a,r,b\n"})
	_, err := read.Graphs(t.Context(), []string{folder + "/a.csv", folder}, read.Options{})
	expectError(t, err, kg.Invalid, "a folder, expected files")
	_, err = read.Graphs(t.Context(), []string{folder + "/a.csv", "-"}, read.Options{})
	expectError(t, err, kg.Invalid, "standard input cannot be one of several")
	_, err = read.Graphs(t.Context(), []string{folder + "/a.csv", folder + "/b.csv"}, read.Options{})
	expectError(t, err, kg.NotFound, "b.csv: no such file")
}

func TestSplitsWithoutExtensions(t *testing.T) {
	folder := writeFiles(t, map[string]string{"train": "a\tr\tb\n", "valid": "a\tr\tc\n", "test": "b\tr\ta\n", "README": "x"})
	s, err := read.Graph(t.Context(), folder, read.Options{})
	if err != nil || s.Train.NumTriples() != 1 || len(s.Valid) != 1 || len(s.Test) != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
}
