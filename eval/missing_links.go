package eval

import (
	"context"

	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/symbolic"
)

// countMissing gives the missing links of each target of each question.
func countMissing(ctx context.Context, m *symbolic.MissingLinks, batch []Question) ([][]int, error) {
	counts := make([][]int, len(batch))
	parallel.EachWith(ctx, len(batch), func() func(int) {
		fork := m.Fork()
		return func(i int) { counts[i] = fork.Of(batch[i].Expr, batch[i].Targets) }
	})
	return counts, kg.Stopped(ctx)
}
