package lacuna_test

import (
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/internal/laureates"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

// Exact answers on tables are those of SQL: the same tables are read into SQLite, cells as texts, and asked the same questions.

const tablesFolder = "../shared/data/tables"

// loadSQL reads tables into a database in memory and answers questions: {"files": [[path, table, header]], "questions": […]}
// on its input, a list of rows for each question on its output.
const loadSQL = `
import csv, json, sqlite3, sys
task = json.load(sys.stdin)
null = {"", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "\\N", "<NA>", "#N/A"}
db = sqlite3.connect(":memory:")
for path, table, header in task["files"]:
    if path.endswith(".json"):
        objects = json.load(open(path, encoding="utf-8"))
        header = list(dict.fromkeys(name for o in objects for name in o))
        rows = [[o.get(name) for name in header] for o in objects]
        rows = [[None if c is None else str(c) for c in row] for row in rows]
    else:
        rows = list(csv.reader(open(path, encoding="utf-8", newline="")))
        if not header:
            header, rows = rows[0], rows[1:]
    db.execute('CREATE TABLE "%s" (%s)' % (table, ", ".join('"%s" TEXT' % c for c in header)))
    for row in rows:
        if len(row) == len(header):
            cells = [None if c is None or c.strip() in null else c.strip() for c in row]
            db.execute('INSERT INTO "%s" VALUES (%s)' % (table, ", ".join("?" * len(row))), cells)
json.dump([[[None if c is None else str(c) for c in row] for row in db.execute(q)] for q in task["questions"]], sys.stdout)
`

// question is one in both languages.
type question struct{ sql, sparql string }

// grouped counts rows by the value of a column, in a pattern that holds for the rows of its table alone.
func grouped(table, column, relation, where string) question {
	return question{
		`SELECT "` + column + `", COUNT(*) FROM "` + table + `" WHERE "` + column + `" IS NOT NULL GROUP BY 1`,
		`SELECT ?v (COUNT(?x) AS ?n) { ?x :` + relation + ` ?v ` + where + ` } GROUP BY ?v`,
	}
}

var nobelQuestions = append([]question{
	{`SELECT COUNT(*) FROM nobel`, `SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x :category ?c }`},
	{`SELECT year FROM nobel WHERE full_name LIKE 'Marie Curie%'`, `SELECT ?y { ?x :full_name ?f ; :year ?y FILTER(STRSTARTS(STR(?f), "urn:lacuna:Marie%20Curie")) }`},
	{`SELECT full_name FROM nobel WHERE birth_city = 'Budapest' AND category = 'Chemistry'`, `SELECT ?f { ?x :birth_city :Budapest ; :category :Chemistry ; :full_name ?f }`},
	{`SELECT COUNT(*) FROM nobel WHERE sex = 'Female' AND year = '2009'`, `SELECT (COUNT(?x) AS ?n) { ?x :sex :Female ; :year 2009 }`},
	{`SELECT category, COUNT(*) FROM nobel WHERE birth_country = 'Germany' GROUP BY 1`, `SELECT ?c (COUNT(?x) AS ?n) { ?x :birth_country :Germany ; :category ?c } GROUP BY ?c`},
	{`SELECT full_name FROM nobel GROUP BY full_name HAVING COUNT(*) > 1`, `SELECT ?f { ?x :full_name ?f } GROUP BY ?f HAVING(COUNT(?x) > 1)`},
	{`SELECT COUNT(*) FROM nobel WHERE organization_name IS NULL`, `SELECT (COUNT(?x) AS ?n) { ?x :category ?c FILTER NOT EXISTS { ?x :organization_name ?o } }`},
	{`SELECT COUNT(*) FROM nobel WHERE birth_country = death_country`, `SELECT (COUNT(?x) AS ?n) { ?x :birth_country ?c ; :death_country ?c }`},
	{`SELECT DISTINCT organization_name FROM nobel WHERE organization_city = 'Cambridge' AND organization_country = 'United Kingdom'`, `SELECT DISTINCT ?o { ?x :organization_city :Cambridge ; :organization_country <United%20Kingdom> ; :organization_name ?o }`},
	{`SELECT COUNT(*) FROM nobel WHERE CAST(year AS INTEGER) < 1910`, `SELECT (COUNT(?x) AS ?n) { ?x :year ?y FILTER(?y < 1910) }`},
	{`SELECT COUNT(*) FROM nobel a JOIN nobel b ON a.full_name = b.full_name AND a.year < b.year`, `SELECT (COUNT(*) AS ?n) { ?a :full_name ?f ; :year ?y . ?b :full_name ?f ; :year ?z FILTER(?y < ?z) }`},
	{`SELECT MIN(CAST(year AS INTEGER)), MAX(CAST(year AS INTEGER)) FROM nobel`, `SELECT (MIN(?y) AS ?a) (MAX(?y) AS ?b) { ?x :year ?y }`},
}, grouped("nobel", "category", "category", ""), grouped("nobel", "year", "year", ""), grouped("nobel", "sex", "sex", ""), grouped("nobel", "birth_country", "birth_country", ""),
	grouped("nobel", "prize", "prize", ""), grouped("nobel", "organization_name", "organization_name", ""), grouped("nobel", "laureate_id", "laureate_id", ""), grouped("nobel", "death_city", "death_city", ""))

var movieQuestions = append([]question{
	{`SELECT COUNT(*) FROM movies`, `SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x :Release%20Date ?d }`},
	{`SELECT COUNT(*) FROM movies WHERE Title IS NULL`, `SELECT (COUNT(?x) AS ?n) { ?x :Release%20Date ?d FILTER NOT EXISTS { ?x :Title ?t } }`},
	{`SELECT "Release Date" FROM movies WHERE Title = 'King Kong'`, `SELECT ?d { ?x :Title <King%20Kong> ; :Release%20Date ?d }`},
	{`SELECT Title FROM movies WHERE Director = 'Steven Spielberg' AND "Major Genre" = 'Drama'`, `SELECT ?t { ?x :Director <Steven%20Spielberg> ; :Major%20Genre :Drama ; :Title ?t }`},
	{`SELECT Title FROM movies WHERE Title IS NOT NULL GROUP BY Title HAVING COUNT(*) > 1`, `SELECT ?t { ?x :Title ?t } GROUP BY ?t HAVING(COUNT(?x) > 1)`},
	{`SELECT DISTINCT Distributor FROM movies WHERE "Creative Type" = 'Super Hero'`, `SELECT DISTINCT ?d { ?x :Creative%20Type <Super%20Hero> ; :Distributor ?d }`},
	{`SELECT COUNT(*) FROM movies WHERE CAST("IMDB Rating" AS REAL) >= 8.5`, `SELECT (COUNT(?x) AS ?n) { ?x :IMDB%20Rating ?r FILTER(?r >= 8.5) }`},
	{`SELECT COUNT(*) FROM movies WHERE CAST("US Gross" AS INTEGER) > 300000000`, `SELECT (COUNT(?x) AS ?n) { ?x :US%20Gross ?r FILTER(?r > 300000000) }`},
	{`SELECT DISTINCT a.Director FROM movies a JOIN movies b ON a.Director = b.Director WHERE a."Major Genre" = 'Horror' AND b."Major Genre" = 'Comedy'`, `SELECT DISTINCT ?d { ?a :Director ?d ; :Major%20Genre :Horror . ?b :Director ?d ; :Major%20Genre :Comedy }`},
	{`SELECT COUNT(*) FROM movies WHERE Director IS NULL AND Distributor IS NOT NULL`, `SELECT (COUNT(?x) AS ?n) { ?x :Distributor ?d FILTER NOT EXISTS { ?x :Director ?p } }`},
	{`SELECT MAX(CAST("Worldwide Gross" AS INTEGER)) FROM movies`, `SELECT (MAX(?g) AS ?m) { ?x :Worldwide%20Gross ?g }`},
	{`SELECT "MPAA Rating", COUNT(*) FROM movies WHERE "Major Genre" = 'Comedy' AND "MPAA Rating" IS NOT NULL GROUP BY 1`, `SELECT ?r (COUNT(?x) AS ?n) { ?x :Major%20Genre :Comedy ; :MPAA%20Rating ?r } GROUP BY ?r`},
}, grouped("movies", "Major Genre", "Major%20Genre", ""), grouped("movies", "Director", "Director", ""), grouped("movies", "Distributor", "Distributor", ""), grouped("movies", "MPAA Rating", "MPAA%20Rating", ""),
	grouped("movies", "Source", "Source", ""), grouped("movies", "Release Date", "Release%20Date", ""), grouped("movies", "IMDB Votes", "IMDB%20Votes", ""), grouped("movies", "Running Time min", "Running%20Time%20min", ""))

var northwindQuestions = []question{
	{`SELECT COUNT(*) FROM "order-details"`, `SELECT (COUNT(?x) AS ?n) { ?x :quantity ?q }`},
	{`SELECT COUNT(*) FROM orders`, `SELECT (COUNT(?x) AS ?n) { ?x :freight ?q }`},
	{`SELECT c.companyName, COUNT(*) FROM orders o JOIN customers c USING (customerID) GROUP BY 1`, `SELECT ?l (COUNT(?o) AS ?n) { ?o :customer ?c . ?c rdfs:label ?l } GROUP BY ?l`},
	{`SELECT e.firstName || ' ' || e.lastName, COUNT(*) FROM orders o JOIN employees e USING (employeeID) GROUP BY 1`, `SELECT ?l (COUNT(?o) AS ?n) { ?o :employee ?e . ?e rdfs:label ?l } GROUP BY ?l`},
	{`SELECT s.companyName, COUNT(*) FROM orders o JOIN shippers s ON o.shipVia = s.shipperID GROUP BY 1`, `SELECT ?l (COUNT(?o) AS ?n) { ?o :shipVia ?s . ?s rdfs:label ?l } GROUP BY ?l`},
	{`SELECT p.productName, COUNT(*) FROM "order-details" d JOIN products p USING (productID) GROUP BY 1`, `SELECT ?l (COUNT(?d) AS ?n) { ?d :product ?p . ?p rdfs:label ?l } GROUP BY ?l`},
	{`SELECT c.categoryName, COUNT(*) FROM products p JOIN categories c USING (categoryID) GROUP BY 1`, `SELECT ?l (COUNT(?p) AS ?n) { ?p :category ?c . ?c rdfs:label ?l } GROUP BY ?l`},
	{`SELECT s.companyName, COUNT(*) FROM products p JOIN suppliers s USING (supplierID) GROUP BY 1`, `SELECT ?l (COUNT(?p) AS ?n) { ?p :supplier ?s . ?s rdfs:label ?l } GROUP BY ?l`},
	{`SELECT a.firstName, b.firstName FROM employees a JOIN employees b ON a.reportsTo = b.employeeID`, `SELECT ?f ?g { ?a :reportsTo ?b ; :firstName ?f . ?b :firstName ?g }`},
	{`SELECT t.territoryDescription, r.regionDescription FROM territories t JOIN regions r USING (regionID)`, `SELECT ?l ?m { ?t :region ?r ; rdfs:label ?l . ?r rdfs:label ?m }`},
	{`SELECT e.lastName, r.regionDescription, COUNT(*) FROM "employee-territories" x JOIN employees e USING (employeeID) JOIN territories t USING (territoryID) JOIN regions r USING (regionID) GROUP BY 1, 2`, `SELECT ?l ?m (COUNT(?t) AS ?n) { ?e :territory ?t ; :lastName ?l . ?t :region ?r . ?r rdfs:label ?m } GROUP BY ?l ?m`},
	{`SELECT DISTINCT c.categoryName FROM orders o JOIN "order-details" d USING (orderID) JOIN products p USING (productID) JOIN categories c USING (categoryID) WHERE o.customerID = 'ALFKI'`, `SELECT DISTINCT ?l { ?o :customer :ALFKI . ?d :order ?o ; :product/:category ?c . ?c rdfs:label ?l }`},
	{`SELECT orderID FROM orders WHERE shippedDate IS NULL`, `SELECT ?id { ?o :freight ?f FILTER NOT EXISTS { ?o :shippedDate ?d } BIND(REPLACE(STR(?o), "^.*orders/", "") AS ?id) }`},
	{`SELECT shipCountry, COUNT(*) FROM orders GROUP BY 1`, `SELECT ?c (COUNT(?o) AS ?n) { ?o :shipCountry ?c } GROUP BY ?c`},
	{`SELECT shipRegion, COUNT(*) FROM orders WHERE shipRegion IS NOT NULL GROUP BY 1`, `SELECT ?c (COUNT(?o) AS ?n) { ?o :shipRegion ?c } GROUP BY ?c`},
	{`SELECT companyName FROM customers WHERE country = 'Brazil' AND city = 'Sao Paulo'`, `SELECT ?l { ?c :country :Brazil ; :city <Sao%20Paulo> ; rdfs:label ?l FILTER(!CONTAINS(STR(?c), "suppliers")) }`},
	{`SELECT companyName FROM customers WHERE customerID NOT IN (SELECT customerID FROM orders)`, `SELECT ?l { ?c :contactTitle ?t ; :fax|:phone ?p ; rdfs:label ?l FILTER NOT EXISTS { ?o :customer ?c } FILTER NOT EXISTS { ?y :supplier ?c } FILTER(!CONTAINS(STR(?c), "suppliers")) } GROUP BY ?l`},
	{`SELECT productName FROM products WHERE CAST(unitsInStock AS INTEGER) = 0`, `SELECT ?l { ?p :unitsInStock 0 ; rdfs:label ?l }`},
	{`SELECT COUNT(*) FROM "order-details" WHERE CAST(quantity AS INTEGER) >= 100`, `SELECT (COUNT(?d) AS ?n) { ?d :quantity ?q FILTER(?q >= 100) }`},
	{`SELECT title, COUNT(*) FROM employees GROUP BY 1`, `SELECT ?t (COUNT(?e) AS ?n) { ?e :title ?t } GROUP BY ?t`},
}

const openflightsColumns = "airlines=id,name,alias,iata,icao,callsign,country,active;" +
	"airports=id,name,city,country,iata,icao,latitude,longitude,altitude,timezone,dst,tz,type,source;countries=name,iso,dafif;planes=name,iata,icao;" +
	"routes=airline,airline_id,source_airport,source_airport_id,destination_airport,destination_airport_id,codeshare,stops,equipment"

var openflightsQuestions = []question{
	{`SELECT COUNT(*) FROM routes`, `SELECT (COUNT(?x) AS ?n) { ?x :stops ?s }`},
	{`SELECT COUNT(*) FROM airports`, `SELECT (COUNT(?x) AS ?n) { ?x :altitude ?s }`},
	{`SELECT COUNT(*) FROM airlines`, `SELECT (COUNT(?x) AS ?n) { ?x :active ?s }`},
	{`SELECT COUNT(*) FROM airports WHERE iata IS NULL`, `SELECT (COUNT(?x) AS ?n) { ?x :altitude ?s FILTER NOT EXISTS { ?x :iata ?i } }`},
	{`SELECT country, COUNT(*) FROM airports GROUP BY 1`, `SELECT ?c (COUNT(?x) AS ?n) { ?x :country ?c ; :altitude ?a } GROUP BY ?c`},
	{`SELECT country, COUNT(*) FROM airlines WHERE country IS NOT NULL GROUP BY 1`, `SELECT ?c (COUNT(?x) AS ?n) { ?x :country ?c ; :active ?a } GROUP BY ?c`},
	{`SELECT a.name FROM airports a WHERE a.city = 'London'`, `SELECT ?l { ?x :city :London ; :altitude ?a ; rdfs:label ?l }`},
	{`SELECT l.name, COUNT(*) FROM routes r JOIN airlines l ON r.airline_id = l.id WHERE l.country = 'Germany' GROUP BY l.id`, `SELECT ?l (COUNT(?r) AS ?n) { ?r :airline_id ?x . ?x :country :Germany ; rdfs:label ?l } GROUP BY ?x ?l`},
	{`SELECT DISTINCT d.name FROM routes r JOIN airports s ON r.source_airport_id = s.id JOIN airports d ON r.destination_airport_id = d.id WHERE s.iata = 'GKA'`, `SELECT DISTINCT ?l { ?r :source_airport_id ?s ; :destination_airport_id ?d . ?s :iata :GKA . ?d rdfs:label ?l }`},
	{`SELECT COUNT(*) FROM routes r JOIN airports s ON r.source_airport_id = s.id JOIN airports d ON r.destination_airport_id = d.id WHERE s.country = 'France' AND d.country = 'Italy'`, `SELECT (COUNT(?r) AS ?n) { ?r :source_airport_id ?s ; :destination_airport_id ?d . ?s :country :France . ?d :country :Italy }`},
	{`SELECT stops, COUNT(*) FROM routes GROUP BY 1`, `SELECT ?s (COUNT(?r) AS ?n) { ?r :stops ?s } GROUP BY ?s`},
	{`SELECT codeshare, COUNT(*) FROM routes WHERE codeshare IS NOT NULL GROUP BY 1`, `SELECT ?s (COUNT(?r) AS ?n) { ?r :codeshare ?s } GROUP BY ?s`},
	{`SELECT equipment, COUNT(*) FROM routes WHERE equipment IS NOT NULL GROUP BY 1`, `SELECT ?s (COUNT(?r) AS ?n) { ?r :equipment ?s } GROUP BY ?s`},
	{`SELECT COUNT(*) FROM routes WHERE source_airport_id IS NULL`, `SELECT (COUNT(?r) AS ?n) { ?r :stops ?s FILTER NOT EXISTS { ?r :source_airport_id ?a } }`},
	{`SELECT iata, COUNT(*) FROM airlines WHERE iata IS NOT NULL GROUP BY 1 HAVING COUNT(*) > 5`, `SELECT ?i (COUNT(?x) AS ?n) { ?x :iata ?i ; :active ?a } GROUP BY ?i HAVING(COUNT(?x) > 5)`},
	{`SELECT active, COUNT(*) FROM airlines GROUP BY 1`, `SELECT ?i (COUNT(?x) AS ?n) { ?x :active ?i } GROUP BY ?i`},
	{`SELECT tz, COUNT(*) FROM airports WHERE tz IS NOT NULL GROUP BY 1`, `SELECT ?i (COUNT(?x) AS ?n) { ?x :tz ?i } GROUP BY ?i`},
	{`SELECT COUNT(*) FROM airports WHERE CAST(altitude AS INTEGER) > 8000`, `SELECT (COUNT(?x) AS ?n) { ?x :altitude ?a FILTER(?a > 8000) }`},
	{`SELECT iso, COUNT(*) FROM countries WHERE iso IS NOT NULL GROUP BY 1`, `SELECT ?i (COUNT(?x) AS ?n) { ?x :iso ?i FILTER(?i != :NA) } GROUP BY ?i`},
	{`SELECT icao FROM planes WHERE name = 'Boeing 747-400'`, `SELECT ?i { <Boeing%20747-400> :icao ?i }`},
}

func TestTablesAnswerAsSQLDoes(t *testing.T) {
	files := func(folder string, names ...string) (list [][3]any) {
		for _, name := range names {
			stem, _, _ := strings.Cut(name, ".")
			list = append(list, [3]any{filepath.Join(tablesFolder, folder, name), stem, nil})
		}
		return list
	}
	flights := files("openflights", "airlines.dat", "airports.dat", "countries.dat", "planes.dat", "routes.dat")
	for i, entry := range strings.Split(openflightsColumns, ";") {
		_, columns, _ := strings.Cut(entry, "=")
		flights[i][2] = strings.Split(columns, ",")
	}
	northwind := files("northwind", "categories.csv", "customers.csv", "employee-territories.csv", "employees.csv", "order-details.csv", "orders.csv",
		"products.csv", "regions.csv", "shippers.csv", "suppliers.csv", "territories.csv")
	for _, c := range []struct {
		source    string
		files     [][3]any
		options   read.Options
		questions []question
	}{
		{"nobel/nobel.csv", files("nobel", "nobel.csv"), read.Options{}, nobelQuestions},
		{"movies/movies.json", files("movies", "movies.json"), read.Options{}, movieQuestions},
		{"northwind", northwind, read.Options{SkipBad: true}, northwindQuestions},
		{"openflights", flights, read.Options{Columns: openflightsColumns}, openflightsQuestions},
	} {
		t.Run(c.source, func(t *testing.T) {
			source := filepath.Join(tablesFolder, c.source)
			if _, err := os.Stat(source); err != nil {
				t.Skipf("no %s (docs/data.md)", source)
			}
			if len(c.questions) != 20 {
				t.Errorf("%d questions", len(c.questions))
			}
			expected := askSQL(t, c.files, c.questions)
			splits, err := read.Graph(t.Context(), source, c.options)
			if err != nil {
				t.Fatal(err)
			}
			engine := laureates.Exact(t, splits.Train)
			defer engine.Close()
			for i, q := range c.questions {
				compareRows(t, q, askSPARQL(t, engine, q.sparql), expected[i])
			}
		})
	}
}

// askSQL answers questions by SQLite.
func askSQL(t *testing.T, files [][3]any, questions []question) (answers [][][]*string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 (Debian: apt install python3): answers are not compared with SQLite")
	}
	var texts []string
	for _, q := range questions {
		texts = append(texts, q.sql)
	}
	task, err := json.Marshal(map[string]any{"files": files, "questions": texts})
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), python, "-c", loadSQL)
	command.Stdin, command.Stderr = strings.NewReader(string(task)), os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatal(err)
	}
	return answers
}

// askSPARQL answers a question by the engine, cells as SQL has them.
func askSPARQL(t *testing.T, engine *lacuna.Engine, text string) (rows [][]string) {
	t.Helper()
	result, err := engine.SPARQL(t.Context(), "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> "+text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for terms, err := range result.Rows {
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var row []string
		for _, each := range terms {
			row = append(row, plainText(t, each))
		}
		rows = append(rows, row)
	}
	return rows
}

// plainText is what a cell said that a term was made of.
func plainText(t *testing.T, value term.Term) string {
	t.Helper()
	text := value.String()
	if literal, isLiteral := strings.CutPrefix(text, `"`); isLiteral {
		literal = literal[:strings.LastIndexByte(literal, '"')]
		return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(literal)
	}
	text = strings.TrimPrefix(strings.Trim(text, "<>"), "urn:lacuna:")
	plain, err := url.PathUnescape(text)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func compareRows(t *testing.T, q question, got [][]string, expected [][]*string) {
	t.Helper()
	var a, b []string
	for _, row := range got {
		a = append(a, strings.Join(row, " | "))
	}
	for _, row := range expected {
		var cells []string
		for _, cell := range row {
			if cell == nil {
				cells = append(cells, "")
			} else {
				cells = append(cells, *cell)
			}
		}
		b = append(b, strings.Join(cells, " | "))
	}
	slices.Sort(a)
	slices.Sort(b)
	if len(b) == 0 {
		t.Errorf("%s: SQL has no answer, which tells nothing", q.sql)
	}
	if !slices.Equal(a, b) {
		t.Errorf("%s\n%s\ngot %d rows %.300q\nSQL %d rows %.300q", q.sparql, q.sql, len(a), a, len(b), b)
	}
}
