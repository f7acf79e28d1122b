package server

import (
	"cmp"
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/browse"
	"github.com/lacuna-kg/lacuna/gaps"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// Match is a name that completes what was typed.
type Match struct {
	Name  string `json:"name"`
	ID    string `json:"id"`    // the identifier, which may be the name itself
	Kind  string `json:"kind"`  // entity or relation
	Facts int    `json:"facts"` // that it occurs in
}

// CompleteResponse is a list of matches, the best first.
type CompleteResponse struct {
	Matches []Match `json:"matches"`
}

// The kinds of names.
const (
	KindEntity   = "entity"
	KindRelation = "relation"
)

// Complete finds entities or relations by what was typed so far.
func (s *Service) Complete(kind, typed string, limit int) (*CompleteResponse, error) {
	at, done := s.snapshots.use()
	defer done()
	if limit < 0 || limit > s.limits.Matches {
		return nil, invalid("limit %d, expected 0 to %d", limit, s.limits.Matches)
	}
	if limit == 0 {
		limit = 10
	}
	names, dictionary := at.names.ofEntities, at.engine.Graph.Entities
	switch kind {
	case KindEntity:
	case KindRelation:
		names, dictionary = at.names.ofRelations, at.engine.Graph.Relations
	default:
		return nil, invalid("kind %q, expected entity or relation", kind)
	}
	response := &CompleteResponse{Matches: []Match{}}
	for _, m := range names(at, typed, limit) {
		response.Matches = append(response.Matches, Match{dictionary.Readable(m.ID), dictionary.Names.At(m.ID), kind, m.Weight})
	}
	return response, nil
}

// Search finds names of entities by the index of them; ok is false before it is made.
func (s *Service) Search(typed string, most int) (names []string, ok bool) {
	at, done := s.snapshots.use()
	defer done()
	if !at.names.isMade() {
		return nil, false
	}
	for _, m := range at.names.entities.Search(typed, most) {
		names = append(names, at.engine.Graph.Entities.Names.At(m.ID))
	}
	return names, true
}

// RelationInfo is a relation and how often it is stated.
type RelationInfo struct {
	Name  string `json:"name"`
	ID    string `json:"id,omitempty"` // the identifier, where Name is a label
	Facts int    `json:"facts"`
}

// Relations lists all relations, the most frequent first.
func (s *Service) Relations() []RelationInfo {
	at, done := s.snapshots.use()
	defer done()
	counts := at.facts()
	list := make([]RelationInfo, len(counts))
	for base, facts := range counts {
		name := at.engine.Graph.Relation(kg.Forward(uint32(base)))
		list[base] = RelationInfo{name, at.engine.Graph.Relations.LabelledID(uint32(base)), facts}
	}
	slices.SortStableFunc(list, func(a, b RelationInfo) int { return cmp.Compare(b.Facts, a.Facts) })
	return list
}

// mostKinds is how many kinds of entities are listed.
const mostKinds = 100

// Kinds lists the kinds of entities, the largest first. The graph is looked through once.
func (s *Service) Kinds() []browse.Kind {
	at, done := s.snapshots.use()
	defer done()
	return at.kinds()
}

// Examples are questions on the graph as it is, of different kinds.
func (s *Service) Examples() []Prepared {
	at, done := s.snapshots.use()
	defer done()
	return at.examples()
}

// DescribedRelations are all relations with what they lead from and to, the most frequent first. The graph is looked through once.
func (s *Service) DescribedRelations() []browse.Relation {
	at, done := s.snapshots.use()
	defer done()
	return at.described()
}

// EntityInfo is an entity with the relations that lead on from it.
type EntityInfo struct {
	Name      string           `json:"name"`
	ID        string           `json:"id"`
	Facts     int              `json:"facts"`
	Relations []EntityRelation `json:"relations"`        // the most frequent first
	Likely    []gaps.Line      `json:"likely,omitempty"` // facts that are not stated, the likeliest first, where they were asked for
}

// EntityRelation is a relation of an entity: read from it, so that Examples are what it leads to.
type EntityRelation struct {
	Relation string   `json:"relation"` // marked ^-1 where the facts name the entity last
	Base     string   `json:"base"`     // without the mark
	Inverse  bool     `json:"inverse"`
	Count    int      `json:"count"`
	Examples []string `json:"examples"`
	// ExampleIDs are the identifiers of the examples, where one of them has a label.
	ExampleIDs []string `json:"example_ids,omitempty"`
}

// maxExamples is how many neighbours a relation of an entity names.
const maxExamples = 5

// Entity describes an entity by its name or identifier.
func (s *Service) Entity(name string) (*EntityInfo, error) {
	at, done := s.snapshots.use()
	defer done()
	g := at.engine.Graph
	e, err := query.FindEntity(name, g.Vocabulary)
	if err != nil {
		return nil, err
	}
	relations, tails := g.Edges(e)
	info := &EntityInfo{Name: g.Entity(e), ID: g.Entities.Names.At(uint32(e)), Facts: len(tails), Relations: []EntityRelation{}}
	for from := 0; from < len(relations); { // a row is sorted by relation
		to := from
		for to < len(relations) && relations[to] == relations[from] {
			to++
		}
		info.Relations = append(info.Relations, entityRelation(g, relations[from], tails[from:to]))
		from = to
	}
	slices.SortStableFunc(info.Relations, func(a, b EntityRelation) int { return cmp.Compare(b.Count, a.Count) })
	return info, nil
}

func entityRelation(g *kg.Graph, r kg.Relation, tails []kg.Entity) EntityRelation {
	info := EntityRelation{
		Relation: g.Relation(r), Base: g.Relation(kg.Forward(r.Base())), Inverse: r.IsInverse(),
		Count: len(tails), Examples: []string{},
	}
	labelled := false
	for _, t := range tails[:min(len(tails), maxExamples)] {
		info.Examples = append(info.Examples, g.Entity(t))
		info.ExampleIDs = append(info.ExampleIDs, g.Entities.Names.At(uint32(t)))
		labelled = labelled || g.Entities.LabelledID(uint32(t)) != ""
	}
	if !labelled {
		info.ExampleIDs = nil
	}
	return info
}

// leastLikely is the probability from which on a missing fact of an entity is worth naming.
const leastLikely = 0.1

// EntityWithLikely describes an entity with the likeliest facts that the graph does not state of it, so many at most.
func (s *Service) EntityWithLikely(ctx context.Context, name string, most int) (*EntityInfo, error) {
	info, err := s.Entity(name)
	if err != nil || most == 0 {
		return info, err
	}
	if most < 0 || most > s.limits.Matches {
		return nil, invalid("likely %d, expected 0 to %d", most, s.limits.Matches)
	}
	leave, err := s.likely.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	at, done := s.snapshots.use()
	defer done()
	finder, err := at.gaps()
	if err != nil {
		return nil, err
	}
	g := at.engine.Graph
	e, err := query.FindEntity(info.ID, g.Vocabulary)
	if err != nil {
		return nil, err
	}
	var likely []gaps.Fact
	err = s.cores.runModel(ctx, func(ctx context.Context) (err error) {
		likely, err = finder.Of(ctx, e, most, leastLikely, gaps.Options{})
		return err
	})
	for _, f := range likely {
		info.Likely = append(info.Likely, gaps.NewLine(g, f))
	}
	return info, err
}
