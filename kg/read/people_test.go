package read_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

// Tables as people have them: each was read wrongly once.

func TestRowsWithoutAKey(t *testing.T) {
	prizes := "year,category,laureate_id,full_name\n1903,Physics,6,Marie Curie\n1911,Chemistry,6,Marie Curie\n1903,Physics,4,Henri Becquerel\n1911,Physics,17,Wilhelm Wien\n1904,Physics,7,Lord Rayleigh\n1905,Physics,8,Philipp Lenard\n"
	s, err := readText(t, "nobel.csv", prizes, read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := facts(s.Train)
	for _, want := range []string{"nobel/1903/6|category|Physics", "nobel/1911/6|category|Chemistry", "nobel/1911/6|full_name|Marie Curie", `nobel/1903/4|year|"1903` + integer} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if found := s.Train.Entities.Find("Marie Curie, 1911"); len(found) != 1 || len(got) != 24 {
		t.Errorf("%d facts, Marie Curie of 1911 is %v", len(got), found)
	}
	// Nothing tells these rows apart but their place: a row is never merged with another.
	penguins := "species,island,mass\n" + strings.Repeat("Adelie,Torgersen,3750\nGentoo,Biscoe,5000\n", 10)
	s, err = readText(t, "penguins.csv", penguins, read.Options{})
	if err != nil || s.Train.NumTriples() != 60 || !slices.Contains(facts(s.Train), "penguins/20|species|Gentoo") {
		t.Errorf("%v, %v", s, err)
	}
}

// A key that the first rows suggest and a later one repeats merges nothing.
func TestKeysThatRepeatLate(t *testing.T) {
	var text strings.Builder
	text.WriteString("name,by,note\n")
	for i := range 120_000 {
		fmt.Fprintf(&text, "film %d,maker %d,a note of some length %d\n", i, i%50, i%7)
	}
	text.WriteString("film 17,maker 1,twice\n,maker 2,nameless\n")
	var report read.Report
	s, err := readText(t, "films.csv", text.String(), read.Options{Report: func(r read.Report) { report = r }})
	if err != nil {
		t.Fatal(err)
	}
	g := s.Train
	if g.Duplicates() != 0 || g.NumTriples() != 2*120_002 || report.Tables[0].Repeated != 1 || report.Tables[0].Unnamed != 1 {
		t.Errorf("%d facts, %d duplicates, %+v", g.NumTriples(), g.Duplicates(), report.Tables[0])
	}
	if _, ok := g.Entities.Names.Find("film 17 (row 120001)"); !ok {
		t.Error("the second film 17 has no name of its own")
	}
	if _, ok := g.Entities.Names.Find("films/row 120002"); !ok {
		t.Error("the film without a name has none")
	}
}

func TestNullsAreNoKeys(t *testing.T) {
	expectFacts(t, "x.csv", "code,name,land,town\n\\N,Ann,A,x\n\\N,Bob,A,y\nK1,Cid,\\N,y\n", read.Options{},
		"Ann|land|A", "Ann|town|x", "Bob|land|A", "Bob|town|y", "Cid|code|K1", "Cid|town|y")
	expectFacts(t, "x.csv", "name,land,town,no\nAnn,NA,x,1\nBob,A,y,2\n", read.Options{Missing: []string{}},
		"Ann|land|NA", `Ann|no|"1`+integer, "Ann|town|x", "Bob|land|A", `Bob|no|"2`+integer, "Bob|town|y")
}

// NA is Namibia among codes of countries.
func TestCodesThatLookEmpty(t *testing.T) {
	var text strings.Builder
	text.WriteString("country,iso,area,seat\n")
	for i := range 30 {
		fmt.Fprintf(&text, "Land %d,%c%c,%d,s\n", i, 'B'+i%20, 'C'+i/20, i)
	}
	text.WriteString("Namibia,NA,5,s\n")
	s, err := readText(t, "countries.csv", text.String(), read.Options{})
	if err != nil || !slices.Contains(facts(s.Train), "Namibia|iso|NA") {
		t.Errorf("%v, %v", s, err)
	}
}

func TestSemicolonsThatPartNothing(t *testing.T) {
	expectFacts(t, "x.csv", "town,land,motto,n\nUlm,Baden-W&uuml;rttemberg,one; two and three of us go home; they did not say why,1\nStuttgart,W&uuml;rttemberg,no,2\nAalen,W&uuml;rttemberg,yes,3\n", read.Options{},
		"Aalen|land|W&uuml;rttemberg", "Aalen|motto|yes", `Aalen|n|"3`+integer, "Stuttgart|land|W&uuml;rttemberg", "Stuttgart|motto|no", `Stuttgart|n|"2`+integer,
		"Ulm|land|Baden-W&uuml;rttemberg", "Ulm|motto|one; two and three of us go home; they did not say why", `Ulm|n|"1`+integer)
}

func TestHeadersAndWhatLooksLikeThem(t *testing.T) {
	for _, c := range []struct {
		what, name, text string
		want             []string
	}{
		{"a source and a type among many columns", "airports.csv", "id,name,iata,dst,type,source\n1,Goroka,GKA,U,airport,Our\n2,Madang,MAG,U,airport,Our\n",
			[]string{"airports/1|dst|U", "airports/1|iata|GKA", "airports/1|source|Our", "airports/1|type|airport",
				"airports/2|dst|U", "airports/2|iata|MAG", "airports/2|source|Our", "airports/2|type|airport"}},
		{"KGTK with a relation called label", "x.tsv", "id\tnode1\tlabel\tnode2\nE1\tAnn\tlabel\tBob\nE2\tBob\tknows\tCid\n", []string{"Ann|label|Bob", "Bob|knows|Cid"}},
		{"Chinese", "x.csv", "电影,导演,国家\n乱,黑泽明,日本\n罗马,费里尼,意大利\n", []string{"乱|国家|日本", "乱|导演|黑泽明", "罗马|国家|意大利", "罗马|导演|费里尼"}},
		{"Chinese triples", "x.csv", "头实体,关系,尾实体\n乱,导演,黑泽明\n", []string{"乱|导演|黑泽明"}},
		{"lines before the header", "x.csv", "Films of the week\n\n# a remark\nfilm,by,year\nRan,Kurosawa,1985\nRoma,Fellini,1972\n",
			[]string{"Ran|by|Kurosawa", `Ran|year|"1985` + integer, "Roma|by|Fellini", `Roma|year|"1972` + integer}},
		{"a title with the commas of Excel", "x.csv", "Films,,\n,,\nfilm,by,year\nRan,Kurosawa,1985\nRoma,Fellini,1972\nSenso,Visconti,1954\n",
			[]string{"Ran|by|Kurosawa", `Ran|year|"1985` + integer, "Roma|by|Fellini", `Roma|year|"1972` + integer, "Senso|by|Visconti", `Senso|year|"1954` + integer}},
		{"Gephi's undirected edges", "x.csv", "Source,Target,Type,Id,Label\nAnn,Bob,Undirected,0,knows\nBob,Cid,Directed,1,likes\n", []string{"Ann|knows|Bob", "Bob|knows|Ann", "Bob|likes|Cid"}},
	} {
		t.Run(c.what, func(t *testing.T) { expectFacts(t, c.name, c.text, read.Options{}, c.want...) })
	}
}

func TestTablesWithoutHeader(t *testing.T) {
	rows := "1,Goroka,PNG,-6.08\n2,Madang,PNG,\\N\n"
	_, err := readText(t, "airports.dat", rows+"3,Ulm,Germany,1.5\n", read.Options{Format: read.CSV})
	expectError(t, err, kg.Invalid, "airports.dat:1: no line names the 4 columns: name them, - for one to skip, by --columns airports=id,name,…")
	named := []string{"airports/1|in|PNG", "airports/2|in|PNG"}
	expectFacts(t, "airports.dat", rows, read.Options{Columns: "id,name,in,-"}, named...)
	expectFacts(t, "airports.dat", rows, read.Options{Columns: "x=a,b;airports=id,name,in,-"}, named...)
	expectFacts(t, "airports.csv", "ID,Name,In,lat\n"+rows, read.Options{Columns: "id,name,in,-"}, named...)
	expectFacts(t, "x.csv", "Ann,Bob,knows\n", read.Options{Columns: "head,tail,relation"}, "Ann|knows|Bob")
	expectFacts(t, "x.csv", "1,a,b,c\n2,b,b,c\n", read.Options{Header: read.No}, "x/1|column 2|a", "x/1|column 3|b", "x/1|column 4|c", "x/2|column 2|b", "x/2|column 3|b", "x/2|column 4|c")
	_, err = readText(t, "x.csv", "1,a,b\n", read.Options{Columns: "a,b"})
	expectError(t, err, kg.Invalid, "x.csv: 3 columns, --columns names 2")
}

// TestDatabases: keys and references are found by their values, and only where the names do not say otherwise.
func TestDatabases(t *testing.T) {
	folder := writeFiles(t, map[string]string{
		"orders.csv":               "orderID,customerID,shipVia,region,freight\n10,ALFKI,1,BC,3\n11,BERGS,2,WA,1\n12,ALFKI,2,BC,7\n",
		"customers.csv":            "customerID,companyName,city\nALFKI,Alfreds Futterkiste,Berlin\nBERGS,Berglunds,Lulea\n",
		"shippers.csv":             "shipperID,companyName\n1,Speedy Express\n2,United Package\n",
		"regions.csv":              "regionID,regionDescription\n1,Eastern\n2,Western\n",
		"employees.csv":            "employeeID,lastName,firstName,title,reportsTo\n1,Davolio,Nancy,Rep,2\n2,Fuller,Andrew,Boss,NULL\n3,Peacock,Margaret,Rep,2\n",
		"territories.csv":          "territoryID,territoryDescription,regionID\n01581,Westboro,1\n98004,Bellevue,2\n",
		"employee-territories.csv": "employeeID,territoryID\n1,01581\n2,98004\n2,01581\n",
		"order-details.csv":        "orderID,productID,quantity\n10,1,12\n10,2,1\n11,1,2\n",
		"products.csv":             "productID,productName,unitsInStock\n1,Chai,2\n2,Chang,1\n",
	})
	var report read.Report
	s, err := read.Graph(t.Context(), folder, read.Options{Report: func(r read.Report) { report = r }})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"ALFKI|city|Berlin", "BERGS|city|Lulea",
		"employees/1|firstName|Nancy", "employees/1|lastName|Davolio", "employees/1|reportsTo|employees/2", "employees/1|territory|territories/01581", "employees/1|title|Rep",
		"employees/2|firstName|Andrew", "employees/2|lastName|Fuller", "employees/2|territory|territories/01581", "employees/2|territory|territories/98004", "employees/2|title|Boss",
		"employees/3|firstName|Margaret", "employees/3|lastName|Peacock", "employees/3|reportsTo|employees/2", "employees/3|title|Rep",
		"order-details/10/1|order|orders/10", "order-details/10/1|product|products/1", `order-details/10/1|quantity|"12` + integer,
		"order-details/10/2|order|orders/10", "order-details/10/2|product|products/2", `order-details/10/2|quantity|"1` + integer,
		"order-details/11/1|order|orders/11", "order-details/11/1|product|products/1", `order-details/11/1|quantity|"2` + integer,
		"orders/10|customer|ALFKI", `orders/10|freight|"3` + integer, "orders/10|region|BC", "orders/10|shipVia|shippers/1",
		"orders/11|customer|BERGS", `orders/11|freight|"1` + integer, "orders/11|region|WA", "orders/11|shipVia|shippers/2",
		"orders/12|customer|ALFKI", `orders/12|freight|"7` + integer, "orders/12|region|BC", "orders/12|shipVia|shippers/2",
		`products/1|unitsInStock|"2` + integer, `products/2|unitsInStock|"1` + integer,
		"territories/01581|region|regions/1", "territories/98004|region|regions/2",
	}
	slices.Sort(want)
	got := facts(s.Train)
	for _, fact := range got {
		if !slices.Contains(want, fact) {
			t.Errorf("%q is too much", fact)
		}
	}
	for _, fact := range want {
		if !slices.Contains(got, fact) {
			t.Errorf("%q is missing", fact)
		}
	}
	for name, label := range map[string]string{"employees/1": "Nancy Davolio", "ALFKI": "Alfreds Futterkiste", "regions/1": "Eastern"} {
		if id, ok := s.Train.Entities.Names.Find(name); !ok || s.Train.Entity(kg.Entity(id)) != label {
			t.Errorf("%s is not called %s", name, label)
		}
	}
	if len(report.LostReferences) > 0 {
		t.Errorf("%v", report.LostReferences)
	}
}

// Names that other tables hold name the rows, where the ids are used by nobody.
func TestReferencesByName(t *testing.T) {
	folder := writeFiles(t, map[string]string{
		"films.csv":     "id,title,country,year\n1,Ran,Japan,1985\n2,Roma,Italy,1972\n3,Ikiru,Japan,1952\n",
		"countries.csv": "id,name,capital\n1,Japan,Tokyo\n2,Italy,Rome\n",
	})
	s, err := read.Graph(t.Context(), folder, read.Options{})
	if err != nil || !slices.Contains(facts(s.Train), "films/1|country|Japan") || !slices.Contains(facts(s.Train), "Japan|capital|Tokyo") {
		t.Errorf("%v, %v", s, err)
	}
}

func TestBadRows(t *testing.T) {
	var text strings.Builder
	text.WriteString("film,by,year,land\n")
	for i := range 40 {
		fmt.Fprintf(&text, "f%d,b,%d,l\n", i, 1900+i)
		if i%5 == 0 {
			text.WriteString("short\n")
		}
	}
	_, err := readText(t, "x.csv", text.String(), read.Options{})
	expectError(t, err, kg.Invalid, "x.csv:3: expected 4 columns separated by commas, found 1 unlike the header (8 bad rows, also in lines 9, 15, 21, 27, …; --skip-bad leaves them out)")
	var report read.Report
	var left []string
	s, err := readText(t, "x.csv", text.String(), read.Options{
		SkipBad: true, Report: func(r read.Report) { report = r },
		BadRow: func(problem *kg.Error, row []byte) error {
			left = append(left, fmt.Sprint(problem.Place.Line, " ", string(row)))
			return nil
		},
	})
	if err != nil || s.Train.NumTriples() != 120 || report.SkippedRows != 8 || len(left) != 8 || left[1] != "9 short\n" {
		t.Errorf("%v, %v, %q", s, err, left)
	}
	quotes := "film,by\nRan,\"Kurosawa\"x\nRoma,Fellini\nIkiru,Kurosawa\n"
	expectFacts(t, "films.csv", quotes, read.Options{SkipBad: true}, "Ikiru|by|Kurosawa", "Roma|by|Fellini")
}

// A table that nothing was put into yet stops none of the others.
func TestEmptyTables(t *testing.T) {
	folder := writeFiles(t, map[string]string{"films.csv": "id,title,by\n1,Ran,Kurosawa\n2,Roma,Fellini\n", "seats.csv": "id,row,number,film_id\n"})
	s, err := read.Graph(t.Context(), folder, read.Options{})
	if err != nil || s.Train.NumTriples() != 2 {
		t.Errorf("%v, %v", s, err)
	}
}

// Ends that are named together are the ends, whatever else is called source; a header by itself is no fact without a remark.
func TestEndsNamedTogether(t *testing.T) {
	routes := "id,src,dst,count,type,source\n1,AMS,LHR,5,direct,osm\n2,LHR,JFK,7,direct,osm\n3,JFK,AMS,9,direct,osm\n4,AMS,CDG,1,direct,osm\n"
	s, err := readText(t, "routes.csv", routes, read.Options{})
	if err != nil || !slices.Contains(facts(s.Train), "AMS|direct|LHR") || s.Train.NumTriples() != 4 {
		t.Errorf("%v, %v", facts(s.Train), err)
	}
	var report read.Report
	_, err = readText(t, "lone.csv", "id,name,city\n", read.Options{Report: func(r read.Report) { report = r }})
	if err != nil || len(report.Tables) != 1 || !report.Tables[0].HeaderAsFact {
		t.Errorf("a header by itself: %+v, %v", report.Tables, err)
	}
}
