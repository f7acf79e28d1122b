package server

import (
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/journal"
	"github.com/lacuna-kg/lacuna/kg"
)

// draft is the next state of the graph while a group of changes is made. Each
// change is checked against the one before it; what is dear, the graph on the
// model's device and making it last, is done once for the group.
type draft struct {
	service *Service
	from    *snapshot
	at      journal.Position // of the log, without the changes
	graph   *kg.Graph        // from's own until the first change
	truth   *kg.Graph        // nil without one
	changes []journal.Change
}

func newDraft(s *Service, from *snapshot) *draft {
	return &draft{service: s, from: from, at: from.at, graph: from.engine.Graph, truth: from.engine.Truth}
}

// follow makes what others appended to the log.
func (d *draft) follow(ctx context.Context, entries []journal.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	var edits []kg.Edit
	for _, e := range entries {
		for _, c := range e.Changes {
			edits = append(edits, kg.Edit(c))
		}
	}
	graph, _, err := d.graph.ChangeEach(ctx, edits, true)
	if err == nil {
		if err = d.own(ctx, graph, edits, true); err != nil {
			graph.Close()
		}
	}
	if err == nil {
		d.at = entries[len(entries)-1].At
	}
	return err
}

// applyAll makes the changes of posts in their order and notes at each what became of it. Those that do not
// depend on the graph are made together; where one of them is refused, one by one, so that it is refused alone.
func (d *draft) applyAll(ctx context.Context, posts []*post) {
	for len(posts) > 0 {
		n := slices.IndexFunc(posts, func(p *post) bool { return !p.request.simple() })
		if n < 0 {
			n = len(posts)
		}
		if n < 2 || !d.applyTogether(ctx, posts[:n]) {
			n = max(n, 1)
			for _, p := range posts[:n] {
				p.response, p.made, p.err = d.apply(p.ctx, p.request)
			}
		}
		posts = posts[n:]
	}
}

// simple tells that a change can be made together with others: it says by itself what it changes, and nothing of what names mean.
func (c change) simple() bool {
	label := func(f kg.Fact) bool { return f.Relation == kg.RDFSLabel || f.Said != "" }
	return c.stated != nil && !slices.ContainsFunc(c.stated.Add, label) && !slices.ContainsFunc(c.stated.Remove, label)
}

// applyTogether makes simple changes, all or none.
func (d *draft) applyTogether(ctx context.Context, posts []*post) bool {
	edits := make([]kg.Edit, len(posts))
	for i, p := range posts {
		edits[i] = kg.Edit{Add: p.request.stated.Add, Remove: p.request.stated.Remove}
		if d.service.limits.checkNames(edits[i].Add) != nil {
			return false
		}
	}
	graph, reports, err := d.graph.ChangeEach(ctx, edits, false)
	if err != nil {
		return false
	}
	if err := d.own(ctx, graph, edits, false); err != nil {
		graph.Close()
		return false
	}
	for i, p := range posts {
		if p.made = reports[i].Added+reports[i].Removed > 0; p.made {
			d.changes = append(d.changes, journal.Change{Add: identified(graph, edits[i].Add), Remove: identified(graph, edits[i].Remove)})
		}
		p.response = d.response(reports[i])
	}
	return true
}

// response says what a change came to whose outcome is the draft as it is.
func (d *draft) response(r kg.ChangeReport) *FactsResponse {
	return &FactsResponse{
		Added: r.Added, Removed: r.Removed, AlreadyKnown: r.Known, Unknown: r.Unknown, NewEntities: r.NewEntities, NewRelations: r.NewRelations,
		Version: d.version(), Durable: d.service.durable,
	}
}

// apply makes one change, whole or not at all.
func (d *draft) apply(ctx context.Context, c change) (response *FactsResponse, changed bool, err error) {
	m, err := c.inTurn(ctx, d.graph, d.service.limits)
	if err != nil {
		return nil, false, err
	}
	if m.report.Added+m.report.Removed == 0 {
		if m.graph != nil {
			m.graph.Close()
		}
		return d.response(m.report), false, nil
	}
	if err := d.take(c, m); err != nil {
		m.graph.Close()
		return nil, false, err
	}
	return d.response(m.report), true, nil
}

// take makes what a change came to the draft's own, if the engine accepts it.
func (d *draft) take(c change, m made) error {
	edits := make([]kg.Edit, len(m.changes))
	for i, request := range m.changes {
		edits[i] = kg.Edit{Add: request.Add, Remove: request.Remove}
	}
	if err := d.own(context.Background(), m.graph, edits, c.exactly); err != nil {
		return err
	}
	for _, e := range edits {
		if !c.exactly {
			e.Add, e.Remove = identified(m.graph, e.Add), identified(m.graph, e.Remove)
		}
		d.changes = append(d.changes, journal.Change(e))
	}
	return nil
}

// own makes a graph that edits led to the draft's, if the engine accepts it, and lets the truth follow: over the same
// vocabulary, so that the same new names get the same numbers. What is taken out of the graph stays true: it is a gap for the model to find.
func (d *draft) own(ctx context.Context, graph *kg.Graph, edits []kg.Edit, exactly bool) error {
	if err := d.from.engine.Model().Accepts(graph); err != nil {
		return err
	}
	if d.truth != nil {
		additions := make([]kg.Edit, len(edits))
		for i, e := range edits {
			additions[i].Add = e.Add
		}
		truth, _, err := d.truth.ChangeEach(ctx, additions, exactly)
		if err != nil {
			return err
		}
		d.truth = truth
	}
	d.discard()
	d.graph = graph
	return nil
}

// version is that of the draft as it is so far.
func (d *draft) version() uint64 {
	if len(d.changes) == 0 {
		return d.at.Version + 1
	}
	return d.at.Version + 2
}

// commit makes the changes last and the draft the current snapshot. What cannot be served is not to last: the
// snapshot is made first. Of a shared log others wait for the turn meanwhile, and a model takes its time: there it is made
// afterwards, and where that fails the follower tries again.
func (d *draft) commit(ctx context.Context, turn journal.Turn, receipts []journal.Receipt) error {
	if d.service.shared != nil {
		at, err := turn.Append(ctx, d.changes, receipts)
		if err != nil {
			return err
		}
		d.at = at
		if err := d.show(); err != nil {
			d.service.log.Error("a change of facts lasts, but is not served yet", "error", err)
		}
		return nil
	}
	next, err := d.snapshot()
	if err != nil {
		return err
	}
	at, err := turn.Append(ctx, d.changes, receipts)
	if err != nil {
		next.engine.Close()
		return err
	}
	d.put(next, at)
	return nil
}

// show makes the draft the current snapshot where it is another: what others changed.
func (d *draft) show() error {
	if d.graph == d.from.engine.Graph {
		return nil
	}
	next, err := d.snapshot()
	if err == nil {
		d.put(next, d.at)
	}
	return err
}

// snapshot puts the model on the draft's graph.
func (d *draft) snapshot() (*snapshot, error) {
	ctx := context.Background()
	engine, err := d.from.engine.On(ctx, d.graph)
	if err != nil {
		return nil, err
	}
	d.graph = d.from.engine.Graph // the engine owns the new one now
	next, err := d.service.snapshots.derive(ctx, engine, d.at, d.from)
	if err != nil {
		engine.Close()
	}
	return next, err
}

// put makes a snapshot the current one, at an entry of the log.
func (d *draft) put(next *snapshot, at journal.Position) {
	next.place(at)
	// The cache forgets what it knew of the graph before: not earlier, as until here that is still the current one.
	next.engine = d.service.remembering(next.engine.WithTruth(d.truth))
	d.service.snapshots.replace(next)
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
		list[i] = kg.Fact{Head: identifier(g.Entities, f.Head), Relation: identifier(g.Relations, f.Relation), Tail: identifier(g.Entities, f.Tail), Graph: f.Graph, Said: f.Said}
		if f.IsDenial() {
			list[i].Relation = kg.Fact{Relation: identifier(g.Relations, f.Contrary().Relation)}.Contrary().Relation
		}
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
