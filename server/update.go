package server

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// Update does the operations of a request of SPARQL Update, each on what the one before left,
// whole or not at all. Nobody sees the graph between two of them.
func (s *Service) Update(ctx context.Context, u *syntax.Update) (*FactsResponse, error) {
	if err := s.writable(ctx); err != nil {
		return nil, err
	}
	c := change{exactly: true}
	for _, o := range u.Operations {
		c.matches = c.matches || o.Where != nil
		c.steps = append(c.steps, func(ctx context.Context, g *kg.Graph) (FactsRequest, error) {
			add, remove, err := sparql.Changes(ctx, o, sparql.Dataset{Graph: g, Remote: s.options.Remote}, sparql.Limits{Solutions: s.limits.Facts})
			return FactsRequest{Add: add, Remove: remove}, err
		})
	}
	ctx, cancel := s.Within(ctx)
	defer cancel()
	response, err := s.update(ctx, c)
	if err != nil && ctx.Err() != nil {
		if err = ended(ctx); errorOf(err).status == http.StatusServiceUnavailable {
			s.log.Warn("an update was stopped", "reason", err, "client", clientOf(ctx))
		}
	}
	return response, err
}

// update makes a change. What its patterns match is found before the writer's turn, for which others wait. The writer takes it
// as it is where the graph is still the same, and looks again, within a moment, where it is not. What takes longer is
// found once more beside the writer.
func (s *Service) update(ctx context.Context, c change) (*FactsResponse, error) {
	if !c.matches {
		return s.writer.change(ctx, c)
	}
	for {
		var err error
		if c.found, err = s.find(ctx, c); err != nil {
			return nil, err
		}
		response, err := s.writer.change(ctx, c)
		if !errors.Is(err, errOvertaken) || ctx.Err() != nil {
			return response, err
		}
	}
}

// found is what the steps of a change came to on a graph.
type found struct {
	on      *kg.Graph
	changes []FactsRequest
}

// find runs the steps of a change on the graph as it is, in turn with other queries.
func (s *Service) find(ctx context.Context, c change) (*found, error) {
	at, done := s.snapshots.use()
	defer done()
	f := &found{on: at.engine.Graph}
	return f, s.cores.run(ctx, func(ctx context.Context) error {
		m, err := c.make(ctx, f.on, s.limits)
		if err == nil && m.graph != nil {
			m.graph.Close()
		}
		f.changes = m.changes
		return err
	})
}

// errOvertaken is that others changed the graph while the patterns of an update were matched.
var errOvertaken = errors.New("the graph has changed while the update looked at it")

// matching bounds the time for which other writers wait while the patterns of an update are matched again.
const matching = 100 * time.Millisecond

// inTurn runs the steps of a change in the writer's turn.
func (c change) inTurn(ctx context.Context, g *kg.Graph, limits Limits) (made, error) {
	if c.found == nil {
		return c.make(ctx, g, limits)
	}
	if c.found.on == g {
		c.steps = c.found.steps()
		return c.make(ctx, g, limits)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, matching, errOvertaken)
	defer cancel()
	m, err := c.make(ctx, g, limits)
	if err != nil && errors.Is(context.Cause(ctx), errOvertaken) {
		err = errOvertaken
	}
	return m, err
}

// steps are those of a change whose outcome is known.
func (f *found) steps() (steps []step) {
	for _, request := range f.changes {
		steps = append(steps, func(context.Context, *kg.Graph) (FactsRequest, error) { return request, nil })
	}
	return steps
}

// writable refuses changes where facts are only read, or the client may not change them.
func (s *Service) writable(ctx context.Context) error {
	if why := refusedTo(ctx); why != "" {
		return &Error{Kind: "forbidden", Message: why, status: 403}
	}
	if s.options.ReadOnly {
		return &Error{Kind: "forbidden", Message: "facts cannot be changed here: the server is read-only", status: 403}
	}
	return nil
}

// change is a change of facts on its way: steps that each say what to change of the graph
// that the one before left.
type change struct {
	steps   []step
	matches bool          // a step has a pattern to match
	found   *found        // what such steps came to before the writer's turn
	exactly bool          // by identifiers, see kg.Graph.ChangeExactly
	stated  *FactsRequest // of a change that does not depend on the graph: its only step
	key     string        // of the request
}

type step = func(context.Context, *kg.Graph) (FactsRequest, error)

// weight is how much of the writer a change takes.
func (c change) weight() float64 {
	if c.stated == nil {
		return 1
	}
	return 1 + float64(c.facts())/100
}

// facts are those that a change states, one where nobody knows beforehand.
func (c change) facts() int {
	if c.stated == nil {
		return 1
	}
	return len(c.stated.Add) + len(c.stated.Remove)
}

// changeOf is the change that a request states.
func changeOf(request FactsRequest) change {
	return change{stated: &request, key: request.Key, steps: []step{
		func(context.Context, *kg.Graph) (FactsRequest, error) { return request, nil },
	}}
}

// made is what a change came to so far.
type made struct {
	graph   *kg.Graph // nil before the first step
	report  kg.ChangeReport
	changes []FactsRequest
}

// make runs the steps of a change on a graph. The caller closes what it gives, which is nil
// for a change without steps.
func (c change) make(ctx context.Context, g *kg.Graph, limits Limits) (m made, err error) {
	defer func() {
		if err != nil && m.graph != nil {
			m.graph.Close()
		}
	}()
	for _, step := range c.steps {
		at := g
		if m.graph != nil {
			at = m.graph
		}
		request, err := step(ctx, at)
		if err == nil {
			err = limits.checkNames(request.Add)
		}
		if err != nil {
			return m, err
		}
		next, report, err := c.one(at, request)
		if err != nil {
			return m, err
		}
		if m.graph != nil {
			m.graph.Close()
		}
		m.graph = next
		m.add(report, request)
	}
	return m, nil
}

// one makes a step's change, which is finished once it was begun.
func (c change) one(g *kg.Graph, request FactsRequest) (*kg.Graph, kg.ChangeReport, error) {
	if c.exactly {
		return g.ChangeExactly(context.Background(), request.Add, request.Remove)
	}
	return g.Change(context.Background(), request.Add, request.Remove)
}

func (m *made) add(r kg.ChangeReport, request FactsRequest) {
	t := &m.report
	t.Added, t.Removed, t.Known, t.Unknown = t.Added+r.Added, t.Removed+r.Removed, t.Known+r.Known, t.Unknown+r.Unknown
	t.NewEntities, t.NewRelations = t.NewEntities+r.NewEntities, t.NewRelations+r.NewRelations
	m.changes = append(m.changes, request)
}
