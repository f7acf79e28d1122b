package server

import (
	"context"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
)

// Update does the operations of a request of SPARQL Update, each on what the one before left,
// whole or not at all. Nobody sees the graph between two of them.
func (s *Service) Update(ctx context.Context, u *syntax.Update) (*FactsResponse, error) {
	if err := s.writable(); err != nil {
		return nil, err
	}
	c := change{exactly: true}
	for _, o := range u.Operations {
		c.steps = append(c.steps, func(ctx context.Context, g *kg.Graph) (FactsRequest, error) {
			add, remove, err := sparql.Changes(ctx, o, g, sparql.Limits{Solutions: s.limits.Facts})
			return FactsRequest{Add: add, Remove: remove}, err
		})
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.limits.Time, errTimeout)
	defer cancel()
	return s.writer.change(ctx, c)
}

// writable refuses changes where facts are only read.
func (s *Service) writable() error {
	if s.options.ReadOnly {
		return &Error{Kind: "forbidden", Message: "facts cannot be changed here: the server is read-only", status: 403}
	}
	return nil
}

// change is a change of facts on its way: steps that each say what to change of the graph
// that the one before left.
type change struct {
	steps   []func(context.Context, *kg.Graph) (FactsRequest, error)
	exactly bool          // by identifiers, see kg.Graph.ChangeExactly
	stated  *FactsRequest // of a change that does not depend on the graph: its only step
	key     string        // of the request
}

// changeOf is the change that a request states.
func changeOf(request FactsRequest) change {
	return change{stated: &request, key: request.Key, steps: []func(context.Context, *kg.Graph) (FactsRequest, error){
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
