package sparqlbench

import (
	"bytes"
	"context"
	"math"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/results"
)

// Measured is the time of a query: the fastest of several runs, results written included.
type Measured struct {
	Name  string  `json:"name"`
	Rows  int     `json:"rows"` // lines of its results
	MS    float64 `json:"ms"`
	CPUMS float64 `json:"cpu_ms"` // of all cores
	Error string  `json:"error,omitempty"`
}

// Options say how to measure.
type Options struct {
	Runs    int           // at most as many of each query
	Enough  time.Duration // no more runs of a query after this time
	Only    string        // the one query to run, if any
	Started func(name string)
}

// Run measures all queries on a graph. Memory is bounded as everywhere, steps are not.
func Run(ctx context.Context, g *kg.Graph, o Options) (*Report, error) {
	report := &Report{Engine: "Lacuna", Triples: g.NumTriples()}
	for _, q := range Queries() {
		if o.Only != "" && q.Name != o.Only {
			continue
		}
		if o.Started != nil {
			o.Started(q.Name)
		}
		m, err := o.measure(ctx, g, q)
		if err != nil {
			return nil, err
		}
		report.Queries = append(report.Queries, m)
	}
	report.PeakMB = peakMemory()
	return report, nil
}

func (o Options) measure(ctx context.Context, g *kg.Graph, q Query) (Measured, error) {
	m := Measured{Name: q.Name, MS: math.Inf(1), CPUMS: math.Inf(1)}
	begin := time.Now()
	for run := 0; run < max(1, o.Runs) && (run == 0 || time.Since(begin) < o.Enough); run++ {
		start, used := time.Now(), processorTime()
		rows, err := answer(ctx, g, q.Text)
		if err := kg.Stopped(ctx); err != nil {
			return m, err
		}
		if err != nil {
			m.Error, m.MS, m.CPUMS = err.Error(), 0, 0
			break
		}
		m.Rows, m.MS, m.CPUMS = rows, min(m.MS, milliseconds(time.Since(start))), min(m.CPUMS, milliseconds(processorTime()-used))
	}
	return m, nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// answer runs a query and counts the lines of its results as TSV or N-Triples, the head left out.
func answer(ctx context.Context, g *kg.Graph, text string) (int, error) {
	r, err := sparql.Run(ctx, text, sparql.Dataset{Graph: g}, sparql.Options{Limits: sparql.Limits{Solutions: math.MaxInt, Work: math.MaxInt}})
	if err != nil {
		return 0, err
	}
	var out bytes.Buffer
	format, head := results.TSV, 1
	if r.Graph {
		format, head = results.NTriples, 0
	}
	if r.Ask {
		head = 0
	}
	err = r.Write(&out, format)
	return bytes.Count(out.Bytes(), []byte("\n")) - head, err
}
