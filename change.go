package lacuna

import (
	"context"

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
	changed, err := e.On(ctx, graph)
	if err != nil {
		graph.Close()
		return nil, kg.ChangeReport{}, err
	}
	return changed, report, nil
}

// On gives an engine on a graph that changes of this one's led to, with the same model.
// It is what Change does after the last of several changes of the graph, and owns the graph;
// where it fails, the graph stays the caller's.
func (e *Engine) On(ctx context.Context, changed *kg.Graph) (*Engine, error) {
	engine := newEngine(changed, e.Name, e.usual)
	if e.model == nil {
		return engine, nil
	}
	err := e.Model().Accepts(changed)
	if err == nil {
		engine.model, err = e.model.Model.OnDemand(changed, "the changed graph")
	}
	if err != nil {
		return nil, err
	}
	engine.linking = e.linking
	engine.linking.File = "" // its rows are those of the facts before
	if engine.links, err = engine.linking.on(engine.model, e.links.calibration); err != nil {
		engine.model.Close()
		return nil, err
	}
	return engine, nil
}
