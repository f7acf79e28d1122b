package read_test

import (
	"strings"
	"testing"

	"github.com/lacuna-kg/lacuna/kg/read"
)

// A cell that is longer than what detection looks at first hides no header.
func TestHeadersBeforeLongCells(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	expectFacts(t, "x.csv", "head,relation,tail\nAnn,knows,"+long+"\nBob,likes,Cid\n", read.Options{}, "Ann|knows|"+long, "Bob|likes|Cid")
	expectFacts(t, "x.csv", "head,relation,tail\nAnn,knows,"+long, read.Options{}, "Ann|knows|"+long)
	expectFacts(t, "films.csv", "film,director\nRan,"+long+"\nRoma,Fellini\n", read.Options{}, "Ran|director|"+long, "Roma|director|Fellini")
}

// What is read otherwise than meant is refused, or said, in a line that helps.
func TestAwkwardTables(t *testing.T) {
	for _, c := range []struct{ what, text, want string }{
		{"a header of triples alone", "head,relation,tail\n", "x.csv: no triples"},
		{"lines of old Macs", "film,director,year\rRan,Kurosawa,1985\r", "x.csv:1: its lines end as on old Macs"},
	} {
		_, err := read.Stream(t.Context(), strings.NewReader(c.text), "x.csv", read.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	for text, want := range map[string]bool{"film,director,year\n": true, "Ran,director,Kurosawa\n": false, "a,r,b\n": false} {
		var report read.Report
		if _, err := read.Stream(t.Context(), strings.NewReader(text), "x.csv", read.Options{Report: func(r read.Report) { report = r }}); err != nil {
			t.Fatal(err)
		}
		if len(report.Tables) != 1 || report.Tables[0].HeaderAsFact != want {
			t.Errorf("%q: %+v", text, report)
		}
	}
}
