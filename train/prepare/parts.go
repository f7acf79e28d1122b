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

// WithThinParts adds the thin parts of each graph that is trained on, which have queries of their own.
func (o Options) WithThinParts(ctx context.Context, whole []train.Graph) ([]train.Graph, error) {
	all := whole
	for _, w := range whole {
		if w.OnlyChosen || w.PartOf != "" {
			continue
		}
		parts, err := train.ThinParts(ctx, w.Facts, o.Config)
		if err != nil {
			return all, err
		}
		for i, p := range parts {
			name := fmt.Sprintf("%s, thin part %d", w.Name, i+1)
			all = append(all, train.Graph{Name: name, PartOf: w.Name, Facts: p.Stated, Queries: p.Queries, Unstated: true})
		}
	}
	return all, nil
}

// part is a part with its queries. Whether two entities are joined once says nothing of it: only whole graphs were held out from.
func (o Options) part(ctx context.Context, whole train.Graph, number int, facts *kg.Graph) (train.Graph, error) {
	g := train.Graph{Name: fmt.Sprintf("%s, part %d", whole.Name, number), PartOf: whole.Name, Facts: facts}
	return o.withQueries(ctx, g)
}

// withQueries gives a graph queries drawn as they are needed, none where it yields none of the shapes.
func (o Options) withQueries(ctx context.Context, g train.Graph) (train.Graph, error) {
	queries, missing, err := o.drawer(ctx, &kg.Splits{Train: g.Facts})
	if len(missing) == len(o.Config.Shapes) {
		return g, kg.Stopped(ctx)
	}
	g.Queries = queries
	return g, err
}
