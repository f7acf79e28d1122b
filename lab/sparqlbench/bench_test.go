package sparqlbench

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/kg/read"
)

// The library is the same each time, and every query runs on it; but for two that ask for what must not be
// there, and those about one of a large one, each has an answer.
func TestQueries(t *testing.T) {
	var b, again bytes.Buffer
	triples, err := Config{Triples: 20000, Seed: 1}.Write(&b)
	if err != nil || triples < 20000 || triples > 20100 {
		t.Fatalf("%d triples, error %v", triples, err)
	}
	if _, err := (Config{Triples: 20000, Seed: 1}).Write(&again); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Error("the same library differs")
	}
	splits, err := read.Stream(t.Context(), &b, "library.nt", read.Options{Format: read.NTriples})
	if err != nil {
		t.Fatal(err)
	}
	report, err := Run(t.Context(), splits.Train, Options{Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	empty := map[string]bool{"rare-property": true, "only-by-uncited": true, "never-cited": true, "lookup": true, "words": true, "range": true, "name-join": true, "first-works": true, "venue-mates": true, "no-mail": true, "best": true}
	for _, m := range report.Queries {
		if m.Error != "" || m.Rows == 0 && !empty[m.Name] || m.MS <= 0 {
			t.Errorf("%+v", m)
		}
	}
	if len(report.Queries) != strings.Count(queryFile, "\n## ") {
		t.Errorf("%d queries", len(report.Queries))
	}
}

// A comparison is query by query; what failed on either side is left out.
func TestCompare(t *testing.T) {
	theirs, err := ReadReport(strings.NewReader(`{"queries": [{"name": "a", "rows": 1, "ms": 8, "cpu_ms": 4}, {"name": "b", "rows": 2, "ms": 2, "cpu_ms": 2}, {"name": "c", "error": "no"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	ours := &Report{Queries: []Measured{{Name: "a", Rows: 1, MS: 1, CPUMS: 1}, {Name: "b", Rows: 3, MS: 1, CPUMS: 2}, {Name: "c", MS: 1}}}
	all, mean := Compare(ours, theirs, false)
	if len(all) != 2 || mean < 3.99 || mean > 4.01 || !all[0].Same || all[1].Same {
		t.Errorf("%+v, mean %v", all, mean)
	}
	if _, mean := Compare(ours, theirs, true); mean < 1.99 || mean > 2.01 {
		t.Errorf("mean %v in processor time", mean)
	}
	if milliseconds(1500*time.Microsecond) != 1.5 {
		t.Error("milliseconds")
	}
}
