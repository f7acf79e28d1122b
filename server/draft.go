package server

import (
	"context"

	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
)

// draft is the next state of the graph while a group of changes is made. Each
// change is checked against the one before it; what is dear, the graph on the
// model's device and the journal's fsync, is done once for the group.
type draft struct {
	service *Service
	from    *snapshot
	graph   *kg.Graph // from's own until the first change
	truth   *kg.Graph // nil without one
	changes []journal.Change
}

func newDraft(s *Service, from *snapshot) *draft {
	return &draft{service: s, from: from, graph: from.engine.Graph, truth: from.engine.Truth()}
}

// apply makes one change, whole or not at all.
func (d *draft) apply(ctx context.Context, c change) (*FactsResponse, error) {
	m, err := c.make(ctx, d.graph, d.service.limits)
	if err != nil {
		return nil, err
	}
	response := &FactsResponse{
		Added: m.report.Added, Removed: m.report.Removed, AlreadyKnown: m.report.Known, Unknown: m.report.Unknown,
		NewEntities: m.report.NewEntities, NewRelations: m.report.NewRelations,
		Version: d.from.version + 1, Durable: d.service.options.Journal != nil,
	}
	if m.report.Added+m.report.Removed == 0 {
		if m.graph != nil {
			m.graph.Close()
		}
		response.Version = d.version()
		return response, nil
	}
	if err := d.take(c, m); err != nil {
		m.graph.Close()
		return nil, err
	}
	return response, nil
}

// take makes what a change came to the draft's own, if the engine accepts it.
func (d *draft) take(c change, m made) error {
	if err := d.from.engine.Accepts(m.graph); err != nil {
		return err
	}
	truth := d.truth
	for _, request := range m.changes {
		if truth == nil {
			break
		}
		// Over the same vocabulary, so the same new names get the same numbers. What is taken
		// out of the graph stays true: it is a gap for the model to find.
		next, _, err := c.one(truth, FactsRequest{Add: request.Add})
		if err != nil {
			return err
		}
		truth = next
	}
	d.truth = truth
	d.discard()
	d.graph = m.graph
	for _, request := range m.changes {
		if !c.exactly {
			request.Add, request.Remove = identified(m.graph, request.Add), identified(m.graph, request.Remove)
		}
		d.changes = append(d.changes, journal.Change{Add: request.Add, Remove: request.Remove})
	}
	return nil
}

// version is that of the draft as it is so far.
func (d *draft) version() uint64 {
	if len(d.changes) == 0 {
		return d.from.version
	}
	return d.from.version + 1
}

// publish makes the changes last and then the draft the current snapshot.
func (d *draft) publish() error {
	ctx := context.Background()
	engine, err := d.from.engine.On(ctx, d.graph)
	if err != nil {
		return err
	}
	d.graph = d.from.engine.Graph // the engine owns the new one now
	next, err := newSnapshot(ctx, engine, d.from.version+1, d.from)
	if err == nil && d.service.options.Journal != nil {
		err = d.service.options.Journal.Append(d.changes)
	}
	if err != nil {
		engine.Close()
		return err
	}
	// The cache forgets what it knew of the graph before: not earlier, as until here that is still the current one.
	next.engine = d.service.remembering(engine.WithTruth(d.truth))
	d.service.snapshots.replace(next)
	return nil
}

// discard closes a graph that did not become an engine's.
func (d *draft) discard() {
	if d.graph != d.from.engine.Graph {
		d.graph.Close()
	}
}

// identified gives facts by identifiers, whatever they were named by: labels may
// stand for others one day, and a journal must mean the same then.
func identified(g *kg.Graph, facts []kg.Fact) []kg.Fact {
	list := make([]kg.Fact, len(facts))
	for i, f := range facts {
		list[i] = kg.Fact{Head: identifier(g.Entities, f.Head), Relation: identifier(g.Relations, f.Relation), Tail: identifier(g.Entities, f.Tail)}
	}
	return list
}

// identifier finds a name to the letter, as kg.Graph.Change does. It is the name itself where
// the graph lacks it: of a fact to be removed that was never stated.
func identifier(d kg.Dictionary, name string) string {
	if _, found := d.Names.Find(name); found || d.Labels == nil {
		return name
	}
	for _, id := range d.Labels.Find(name) { // in any case
		if d.Labels.At(id) == name {
			return d.Names.At(id)
		}
	}
	return name
}
