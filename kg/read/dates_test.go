package read

import (
	"strings"
	"testing"
)

func TestDateForms(t *testing.T) {
	for _, c := range []struct{ cells, form, first, iso string }{
		{"31/01/2020 05/02/2020", dayFirst, "05/02/2020", "2020-02-05"},
		{"1/31/2020 5/2/2020", monthFirst, "5/2/2020", "2020-05-02"},
		{"1.2.2020 3.4.2021", dayFirst, "1.2.2020", "2020-02-01"},
		{"31-12-1999 01-01-2000", dayFirst, "31-12-1999", "1999-12-31"},
		{"31.12.2020 1/2/2020", "", "1/2/2020", ""},        // of two writers
		{"1/2/2020 3/4/2020", "", "1/2/2020", ""},          // either
		{"31/1/2020 1/31/2020", "", "31/1/2020", ""},       // both
		{"32/1/2020 45/45/2020 1/2/20", "", "1/2/20", ""},  // none
		{"Rome Paris 31/01/2020", "", "Rome", ""},          // names
		{"1/2 3/4/2020x 2020/01/31", "", "2020/01/31", ""}, // other forms
		{"2020/01/31 2020/2/1", yearFirst, "2020/2/1", "2020-02-01"},
		{"2020/13/01 2020/2/1", "", "2020/2/1", ""},
		{"2020/01/31 31/01/2020", "", "31/01/2020", ""}, // of two writers
		{"31/01/2020 2020-02-01", dayFirst, "2020-02-01", "2020-02-01"},
		{"2015/01/01T01:00:00 2015/01/01T02:00:00", yearFirst, "2015/01/01 01:00:00", "2015-01-01T01:00:00"},
		{"1/31/2020T3:05 2/1/2020T13:05", monthFirst, "1/31/2020 3:05 PM", "2020-01-31T15:05:00"},
		{"31/1/2020T3:05 2/1/2020T25:05", "", "2/1/2020", ""},
		{"0/1/2020 13/13/2020 1//2020", "", "0/1/2020", ""}, // no dates
	} {
		stats := &newSurvey([]string{"when"}, rowsOf(strings.Fields(c.cells)), nil, nil).stats[0]
		form, _ := dateForm(stats)
		if form != c.form {
			t.Errorf("%s: %q, want %q", c.cells, form, c.form)
		}
		if form == "" {
			continue
		}
		if got := string(appendISODate(nil, []byte(c.first), form)); got != c.iso {
			t.Errorf("%s by %s is %s, want %s", c.first, form, got, c.iso)
		}
	}
}

func TestDatesInWords(t *testing.T) {
	for text, want := range map[string]string{
		"Jan 31 2020": "2020-01-31", "January 1, 2000": "2000-01-01", "7 Sep 1999": "1999-09-07", "31 DECEMBER 1999": "1999-12-31",
		"Jun 12 98": "Jun 12 98", "Mayo 1 2000": "Mayo 1 2000", "Jan 32 2000": "Jan 32 2000", "Jan 2000": "Jan 2000", "May 1 2000 x": "May 1 2000 x",
	} {
		if got := string(appendISODate(nil, []byte(text), monthWord)); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	stats := &newSurvey([]string{"when"}, rowsOf([]string{"Jan 1 2000", "Feb 3 2001"}), nil, nil).stats[0]
	if form, _ := dateForm(stats); form != "" { // as SQL has them, they are texts until a plan says otherwise
		t.Errorf("%q, want none", form)
	}
	if kind := literalType([]byte("2015-01-01 01:00")); kind != "dateTime" || string(appendLiteral(nil, []byte("2015-01-01 01:00"), kind)) != `"2015-01-01T01:00:00"^^<http://www.w3.org/2001/XMLSchema#dateTime>` {
		t.Errorf("a time without seconds is %q", kind)
	}
}

func rowsOf(cells []string) (rows [][]string) {
	for _, cell := range cells {
		rows = append(rows, []string{cell})
	}
	return rows
}

// Dates in another order than ISO's are dates, which the plan says; a cell of another form is kept as text.
func TestSlashedDatesAreRead(t *testing.T) {
	table := "film,night,by\nRan,31/05/1985,Kurosawa\nRoma,16/03/1972,Fellini\nSenso,1/4/1954,Visconti\n"
	splits, err := Stream(t.Context(), strings.NewReader(table), "films.csv", Options{Report: func(r Report) {
		if remarks := strings.Join(r.Remarks(), "\n"); !strings.Contains(remarks, "films.csv: dates written d/M/yyyy in night") {
			t.Error(remarks)
		}
		if c := r.Plan.Tables[0].Columns[1]; c.Role != RoleValue || c.Type != "date" || c.Format != dayFirst {
			t.Errorf("planned %+v", c)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer splits.Close()
	for _, want := range []string{"1985-05-31", "1972-03-16", "1954-04-01"} {
		if _, found := splits.Train.Entities.Names.Find(`"` + want + `"^^<http://www.w3.org/2001/XMLSchema#date>`); !found {
			t.Errorf("%s is not among the values", want)
		}
	}
}

func FuzzISODate(f *testing.F) {
	f.Add([]byte("31/01/2020"), true)
	f.Add([]byte("1.2.2020"), false)
	f.Add([]byte("May 1 2000"), true)
	f.Add([]byte("2015/01/01 01:00:00"), true)
	f.Add([]byte("1/2/2015 12:30:01.5 am"), true)
	f.Fuzz(func(t *testing.T, text []byte, american bool) {
		form := dayFirst
		if american {
			form = monthFirst
		}
		if worded := appendISODate(nil, text, monthWord); string(worded) != string(text) && literalType(worded) != "date" {
			t.Errorf("%q became %q, no date", text, worded)
		}
		for _, form := range []string{form, yearFirst} {
			got := appendISODate(nil, text, form)
			if kind := literalType(got); string(got) != string(text) && kind != "date" && kind != "dateTime" {
				t.Errorf("%q became %q, no date", text, got)
			}
		}
	})
}

// A first name that happens to be unique is half of a name: rows are named by both halves.
func TestHalfANameIsNoKey(t *testing.T) {
	plan, err := StreamPlan(t.Context(), strings.NewReader("first_name,last_name,city\nAnn,Lee,Rome\nBob,Lee,Rome\nCy,Poe,Bonn\n"), "people.csv", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := plan.Tables[0].Subject; got != "people/{first_name}/{last_name}" {
		t.Errorf("named %s", got)
	}
}
