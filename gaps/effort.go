package gaps

import (
	"context"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/neural"
)

// Who looks at a whole graph waits for it, and a row of links takes a network over all of the graph. So what is looked at is bounded by
// what it costs, not by the clock: the same graph and model give the same list on every machine. Rows are looked at on the
// entities that connect others where that is cheaper; what is shown in the end is read on all of the graph.

// A unit of work is a message along an edge in one place of a layer's width, as in links/fit; an entity's update is worth some messages.
const (
	entityAsEdges = 64
	workOnCPU     = 150e9 // about 20 seconds of a core with AVX-512
	gpuWork       = 20    // times as much on a GPU takes a second or two
)

// work is what may be spent on rows.
func (f *Finder) work() float64 {
	if f.model.Model.Network.Device().Memory() > 0 {
		return gpuWork * workOnCPU
	}
	return workOnCPU
}

// costOf is the work of a row on so many entities and edges.
func (f *Finder) costOf(entities, edges int) float64 {
	network := f.model.Model.Network.Config
	return float64(network.Layers*network.Width) * (float64(edges) + entityAsEdges*float64(entities))
}

// costOfRow is the work of a row as questions read it.
func (f *Finder) costOfRow() float64 {
	entities, edges := f.graph.NumEntities(), f.graph.NumEdges()
	if cut := f.model.Cut(); cut > 0 {
		return f.costOf(cut, min(edges, 2*edges*cut/entities))
	}
	return f.costOf(entities, edges)
}

// sight is what rows are looked at on before the few that matter are looked at on all of the graph.
type sight struct {
	finder *Finder
	core   *neural.Core // nil: as questions read them
	cost   float64      // of a row
}

// newSight sees the entities that connect others, and some more; all of a graph where that costs no more than there is.
func (f *Finder) newSight(ctx context.Context, rows int, also func(kg.Entity) bool) (*sight, error) {
	s := &sight{finder: f, cost: f.costOfRow()}
	if f.model.Cut() > 0 || s.cost*float64(rows) <= f.work() {
		return s, nil
	}
	var entities []kg.Entity
	edges := 0
	for e := range kg.Entity(f.graph.NumEntities()) {
		if f.graph.Degree(e) > 1 || also(e) {
			entities, edges = append(entities, e), edges+f.graph.Degree(e)
		}
	}
	if len(entities) == f.graph.NumEntities() || len(entities) == 0 {
		return s, nil
	}
	var err error
	s.core, err = f.model.NewCore(ctx, entities)
	s.cost = f.costOf(len(entities), edges)
	return s, err
}

func (s *sight) close() {
	if s.core != nil {
		s.core.Close()
	}
}

// within is how many rows may be looked at with some work set apart.
func (s *sight) within(apart float64) int {
	work := s.finder.work()
	return max(1, int((work-min(apart, work/2))/s.cost))
}

// without is what is seen when the graph lacks some facts; done ends it.
func (s *sight) without(ctx context.Context, facts []kg.Triple) (from links.Source, done func(), err error) {
	if s.core != nil {
		thin, err := s.core.Without(ctx, facts)
		if err != nil {
			return nil, nil, err
		}
		return thin, thin.Close, nil
	}
	model := s.finder.model
	if len(facts) == 0 {
		return model, func() {}, nil
	}
	var rest *neural.Predictor
	model.Locked(func() { rest, err = model.Without(ctx, facts) })
	if err != nil {
		return nil, nil, err
	}
	return rest, func() { model.Locked(rest.Close) }, nil
}
