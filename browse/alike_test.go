package browse

import (
	"slices"
	"testing"

	"github.com/lacuna-kg/lacuna/query"
)

// A name that two entities have is taken to mean one, and the answer says which.
func TestTakenNamesTheOthers(t *testing.T) {
	g := graph(t, "Asthma\tcaused by\tpollen\nasthma\ttreated by\tsalbutamol\nrhinitis\ttreated by\tcetirizine\n", "x.tsv")
	for text, want := range map[string][]string{
		`?d : treated by(asthma, d)`:   {`"asthma" was taken to mean asthma (treated by(asthma, salbutamol)); others of that name: Asthma (caused by(Asthma, pollen))`},
		`?d : treated by(Asthma, d)`:   {`"Asthma" was taken to mean Asthma (caused by(Asthma, pollen)); others of that name: asthma (treated by(asthma, salbutamol))`},
		`?d : treated by(rhinitis, d)`: nil,
		`?d : treated by(rhinitis, d) | treated by(Asthma, d) | caused by(Asthma, d)`: {`"Asthma" was taken to mean Asthma (caused by(Asthma, pollen)); others of that name: asthma (treated by(asthma, salbutamol))`},
	} {
		q, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Taken(q, g); !slices.Equal(got, want) {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// An identifier goes before a label of the same letters.
func TestTakenIdentifierBeforeLabel(t *testing.T) {
	g := graph(t, "<http://x/q1> <http://www.w3.org/2000/01/rdf-schema#label> \"QUICK\" .\n<http://x/q1> <http://x/city> <http://x/c> .\n<http://x/q2> <http://www.w3.org/2000/01/rdf-schema#label> \"quick\" .\n<http://x/q2> <http://x/city> <http://x/c> .\n", "x.nt")
	if got, want := TakenEntity(g, "quick"), `"quick" was taken to mean http://x/q2 (http://x/city(quick, http://x/c)); others of that name: http://x/q1 (http://x/city(QUICK, http://x/c))`; got != want {
		t.Errorf("%q", got)
	}
	if got := TakenEntity(g, "http://x/q1"); got != "" {
		t.Errorf("%q", got)
	}
}
