package read_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
)

func TestPlanForPeople(t *testing.T) {
	plan, err := read.StreamPlan(t.Context(), strings.NewReader("id,title,genre,year,sequel_of\n1,Ran,War|Drama,1985,\n2,Roma,Drama,1972,1\n3,Senso,Drama,1954,2\n"), "films.csv", read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = `films.csv: 3 rows; an entity per row, named films/{id}, called {title}
  id         key (3 filled, 3 different)
  title      label (3 filled, 3 different)
  genre      names, list separated by | (3 filled, 2 different)
  year       value, integer (3 filled, 3 different)
  sequel_of  reference to films (2 filled, 2 different)
`
	if plan.String() != want {
		t.Errorf("got\n%s\nwant\n%s", plan, want)
	}
}

// An edited plan is followed, and nothing else is.
func TestPlansAreFollowed(t *testing.T) {
	text := "film,by,year,note\nRan,Kurosawa,1985,x\nRoma,Fellini,1972,y\nRan,Oguni,1985,x\n"
	plan, err := read.ReadPlan(strings.NewReader(`{"tables": [{"table": "films", "file": "elsewhere/films.csv", "format": "csv", "delimiter": ",", "header": true,
  "rows": "entities", "subject": "work/{film}", "per": "key", "label": "{film} ({year})", "null": [], "seen": 0,
  "columns": [{"name": "film", "role": "ignore", "filled": 0, "different": 0}, {"name": "by", "role": "reference", "property": "maker", "filled": 0, "different": 0},
   {"name": "year", "role": "value", "property": "made in", "datatype": "string", "filled": 0, "different": 0}, {"name": "note", "role": "ignore", "filled": 0, "different": 0}]}]}`), "plan.json")
	if err != nil {
		t.Fatal(err)
	}
	expectFacts(t, "films.csv", text, read.Options{Plan: plan}, `work/Ran|made in|"1985"`, "work/Ran|maker|Kurosawa", "work/Ran|maker|Oguni", `work/Roma|made in|"1972"`, "work/Roma|maker|Fellini")
	s, err := readText(t, "films.csv", text, read.Options{Plan: plan})
	if err != nil || len(s.Train.Entities.Find("Ran (1985)")) != 1 {
		t.Errorf("%v, %v", s, err)
	}
	_, err = readText(t, "films.csv", strings.Replace(text, "by,", "maker,", 1), read.Options{Plan: plan})
	expectError(t, err, kg.Invalid, `films.csv:1: the header has "maker" in column 2, unlike the plan`)
	_, err = readText(t, "people.csv", "name,born\nAnn,1970\n", read.Options{Plan: plan})
	expectError(t, err, kg.Invalid, "people.csv: the plan has no table of this file")
}

func TestPlansThatMeanNothing(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"tables": [{"rows": "cats"}]}`, `plan.json: table : rows "cats", expected entities, triples, facts or ignored`},
		{`{"tables": [{"table": "t", "rows": "entities", "per": "cat"}]}`, `an entity per "cat", expected row or key`},
		{`{"tables": [{"table": "t", "rows": "triples", "columns": [{"name": "a", "role": "boss"}]}]}`, `column a has the role "boss"`},
		{`{"tables": [{"table": "t", "rows": "triples", "columns": [{"name": "a", "role": "head", "table": "u"}]}]}`, "refers to a table u, which is not in the plan"},
		{`{"tabels": []}`, `plan.json: no reading plan: json: unknown field "tabels"`},
		{`[`, "plan.json: no reading plan"},
	} {
		_, err := read.ReadPlan(strings.NewReader(c.text), "plan.json")
		expectError(t, err, kg.Invalid, c.want)
	}
	for _, c := range []struct{ subject, want string }{{"{nobody}", "{nobody} is no column"}, {"all", "names all rows alike"}} {
		plan := &read.Plan{Tables: []*read.TablePlan{{Table: "x", File: "x.csv", Delimiter: ",", Header: true, Rows: read.RowsEntities, Per: read.PerRow, Subject: c.subject,
			Columns: []read.ColumnPlan{{Name: "a", Role: read.RoleReference, Property: "a"}, {Name: "b", Role: read.RoleValue, Property: "b"}}}}}
		_, err := readText(t, "x.csv", "a,b\n1,2\n", read.Options{Plan: plan})
		expectError(t, err, kg.Invalid, c.want)
	}
}

// A plan tells what it is made of: of a folder, all tables.
func TestPlansOfFolders(t *testing.T) {
	folder := writeFiles(t, map[string]string{"films.csv": "id,title,director_id\n1,Ran,7\n2,Roma,8\n", "directors.csv": "id,name\n7,Kurosawa\n8,Fellini\n", "more.ttl": "<x:a> <x:b> <x:c> ."})
	plan, err := read.MakePlan(t.Context(), []string{folder}, read.Options{})
	if err != nil || len(plan.Tables) != 3 {
		t.Fatalf("%v, %v", plan, err)
	}
	if text := plan.String(); !strings.Contains(text, "director_id  reference to directors, as director (2 filled, 2 different)") {
		t.Error(text)
	}
	s, err := read.Graph(t.Context(), folder, read.Options{Plan: plan})
	if err != nil || !slices.Contains(facts(s.Train), "films/1|director|directors/7") {
		t.Errorf("%v, %v", s, err)
	}
}
