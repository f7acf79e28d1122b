package sparqlbench

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// Report is what came of a run, here or of another engine: sparql/compare/bench.mjs prints the same.
type Report struct {
	Engine  string     `json:"engine"`
	Triples int        `json:"triples"`
	LoadMS  float64    `json:"load_ms"`
	PeakMB  float64    `json:"peak_mb"` // of the whole process
	Queries []Measured `json:"queries"`
}

// ReadReport reads one.
func ReadReport(r io.Reader) (*Report, error) {
	var report Report
	if err := json.NewDecoder(r).Decode(&report); err != nil {
		return nil, fmt.Errorf("no report of the benchmark: %v", err)
	}
	return &report, nil
}

// Compared is a query of two reports.
type Compared struct {
	Name         string
	Ours, Theirs Measured
	Same         bool // both gave as many lines
	Faster       float64
}

// Compare puts two reports beside each other, query by query, and gives how many times faster the first
// is in the geometric mean: by the clock, or in processor time.
func Compare(ours, theirs *Report, processor bool) (all []Compared, mean float64) {
	byName := map[string]Measured{}
	for _, m := range theirs.Queries {
		byName[m.Name] = m
	}
	sum := 0.0
	for _, m := range ours.Queries {
		other, known := byName[m.Name]
		if !known || m.Error != "" || other.Error != "" {
			continue
		}
		faster := other.MS / m.MS
		if processor {
			faster = other.CPUMS / m.CPUMS
		}
		all = append(all, Compared{m.Name, m, other, m.Rows == other.Rows, faster})
		sum += math.Log(faster)
	}
	return all, math.Exp(sum / float64(max(1, len(all))))
}
