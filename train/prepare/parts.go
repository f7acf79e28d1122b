package prepare

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/train"
)

// WithParts adds the parts that are cut out of each graph. They are trained on, not validated on; one that
// the model is only chosen on has none.
func (o Options) WithParts(ctx context.Context, whole []train.Graph) ([]train.Graph, error) {
	all := whole
	for _, w := range whole {
		if w.OnlyChosen {
			continue
		}
		parts, err := train.Parts(ctx, w.Facts, o.Config)
		if err != nil {
			return all, err
		}
		graphs, errs := make([]train.Graph, len(parts)), make([]error, len(parts))
		var open sync.WaitGroup
		for i, facts := range parts {
			open.Go(func() { graphs[i], errs[i] = o.part(ctx, w, i+1, facts) })
		}
		open.Wait()
		if err := errors.Join(errs...); err != nil {
			return all, err
		}
		for _, g := range graphs {
			if g.Queries != nil {
				all = append(all, g)
			}
		}
	}
	return all, nil
}

// part is a part with its queries, or without where it yields none of the shapes.
func (o Options) part(ctx context.Context, whole train.Graph, number int, facts *kg.Graph) (train.Graph, error) {
	g := train.Graph{Name: fmt.Sprintf("%s, part %d", whole.Name, number), PartOf: whole.Name, Facts: facts, MissedApart: whole.MissedApart}
	queries, missing, err := o.drawer(ctx, &kg.Splits{Train: facts})
	if len(missing) == len(o.Config.Shapes) {
		return g, kg.Stopped(ctx)
	}
	g.Queries = queries
	return g, err
}
