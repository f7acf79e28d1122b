package lacuna

import (
	"context"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kg"
)

// Change gives an engine on the graph with facts added and removed, by the rules of
// kg.Graph.Change. Its answers follow the new facts at once: the model is the same one,
// shared on the same device and not trained again, as no parameter of it belongs to an entity.
// A foundation model takes any fact. One that was trained for its graph takes new
// entities, but has no parameters for a relation that is new, and the change is refused.
//
// The engine before stays usable, and each is closed on its own; the new one has neither
// its cache nor its truth.
func (e *Engine) Change(ctx context.Context, add, remove []kg.Fact) (*Engine, kg.ChangeReport, error) {
	graph, report, err := e.Graph.Change(ctx, add, remove)
	if err != nil {
		return nil, kg.ChangeReport{}, err
	}
	changed := New(graph)
	if e.model == nil {
		return changed, report, nil
	}
	if err = e.model.checkNew(e.Graph, graph); err == nil {
		changed.model, err = e.model.on(ctx, graph, "the changed graph")
	}
	if err != nil {
		graph.Close()
		return nil, kg.ChangeReport{}, err
	}
	return changed, report, nil
}

// checkNew refuses relations that the model has no parameters for.
func (p *parameters) checkNew(old, changed *kg.Graph) error {
	known := old.Relations.Names.Len()
	if p.card.Config.Kind == gnn.Ultra || changed.Relations.Names.Len() == known {
		return nil
	}
	return kg.Errorf(kg.Invalid, "", "the relation %q is new and the model %s was trained without it: use the foundation model, which takes any relation, or train on the new facts",
		changed.Relations.Names.At(uint32(known)), p.name)
}
