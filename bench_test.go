package lacuna_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/kg/read"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sample"
	"github.com/lacuna-kg/lacuna/symbolic"
)

const benchmarkGraph = "../shared/data/FB15k-237-betae"

// BenchmarkExact answers queries of each shape one at a time by the machine, trace
// included, and reports the median time of a query beside the mean.
func BenchmarkExact(b *testing.B) {
	if _, err := os.Stat(benchmarkGraph); err != nil {
		b.Skipf("%s is needed: the FB15k-237 graph of the BetaE release (docs/data.md)", benchmarkGraph)
	}
	splits, err := read.Graph(b.Context(), benchmarkGraph, read.Options{})
	if err != nil {
		b.Fatal(err)
	}
	machine := exec.Machine{Executor: exec.Host{Projector: symbolic.Projector{Graph: splits.Train}, Entities: splits.Train.NumEntities()}}
	for _, shape := range query.Shapes {
		b.Run(shape, func(b *testing.B) {
			programs := drawPrograms(b, splits, shape, 500)
			times := make([]time.Duration, 0, b.N)
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				run, err := machine.Run(b.Context(), programs[i%len(programs):][:1])
				if err != nil {
					b.Fatal(err)
				}
				run.Release()
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "ns/median")
		})
	}
}

func drawPrograms(b *testing.B, splits *kg.Splits, shape string, n int) []*plan.Program {
	var programs []*plan.Program
	opts := sample.Options{Seed: 1, Counts: map[dataset.Split][]sample.Count{dataset.Train: {{Shape: shape, Queries: n}}}}
	_, err := sample.Run(b.Context(), splits, opts, func(_ dataset.Split, _ string, q dataset.Query) error {
		programs = append(programs, plan.Compile(q.Expr, plan.Options{Rewrites: query.Passes}))
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return programs
}
