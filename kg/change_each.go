package kg

import (
	"context"
	"fmt"
	"slices"
)

// Edit is what one of several changes adds and removes; removals come first.
type Edit struct{ Add, Remove []Fact }

// ChangeEach makes changes one after the other, each on what the one before left, and reports each: as Change called
// for every one of them would or, exactly, ChangeExactly, but the graph is copied once. Where one is refused, none is made.
func (g *Graph) ChangeEach(ctx context.Context, changes []Edit, exactly bool) (*Graph, []ChangeReport, error) {
	if g.named != nil || g.annotations != nil || slices.ContainsFunc(changes, Edit.labels) {
		return g.changeInTurn(ctx, changes, exactly)
	}
	s := &sequence{from: g, names: newResolver(g.Vocabulary), stated: map[Triple]bool{}}
	s.names.entities.exactly, s.names.relations.exactly = exactly, exactly
	reports := make([]ChangeReport, len(changes))
	for i, c := range changes {
		var err error
		if reports[i], err = s.change(ctx, c); err != nil {
			return nil, nil, Errorf(KindOf(err), fmt.Sprintf("change %d", i+1), "%v", err)
		}
	}
	added, gone := s.outcome()
	changed, err := g.replace(ctx, labelChange{}.apply(s.names.vocabulary(g.Vocabulary), g.Vocabulary), added, gone)
	if err == nil {
		changed.denied = withoutTriples(changed.denied, bothReadings(s.undenied))
	}
	return changed, reports, err
}

// labels tells that a change may be about labels, named graphs, denials or annotations, which are statements of another kind and change what names mean.
func (e Edit) labels() bool {
	label := func(f Fact) bool { return f.Relation == RDFSLabel || inNamed(f) || f.IsDenial() || hasSaid(f) }
	return slices.ContainsFunc(e.Add, label) || slices.ContainsFunc(e.Remove, label)
}

// changeInTurn is ChangeEach by its definition, a graph for every change.
func (g *Graph) changeInTurn(ctx context.Context, changes []Edit, exactly bool) (at *Graph, reports []ChangeReport, err error) {
	at = g
	for _, c := range changes {
		change := at.Change
		if exactly {
			change = at.ChangeExactly
		}
		next, report, err := change(ctx, c.Add, c.Remove)
		if at != g {
			at.Close()
		}
		if err != nil {
			return nil, nil, err
		}
		at, reports = next, append(reports, report)
	}
	return at, reports, nil
}

// sequence is a graph with changes so far, as what differs from it.
type sequence struct {
	from   *Graph
	names  *resolver
	stated map[Triple]bool // of facts that a change named: whether they are stated now
	// undenied are facts that were denied until a change stated them.
	undenied []Triple
}

func (s *sequence) states(t Triple) bool {
	if stated, named := s.stated[t]; named {
		return stated
	}
	return s.from.states(t)
}

// change counts as Graph.change does.
func (s *sequence) change(ctx context.Context, c Edit) (r ChangeReport, err error) {
	gone, err := s.names.triples(ctx, c.Remove, "removed", false)
	if err != nil {
		return r, err
	}
	entities, relations := s.names.entities.added(), s.names.relations.added()
	wanted, err := s.names.triples(ctx, c.Add, "added", true)
	if err != nil {
		return r, err
	}
	wanted, gone = distinctTriples(wanted), distinctTriples(gone)
	r = ChangeReport{Unknown: len(c.Remove), NewEntities: s.names.entities.added() - entities, NewRelations: s.names.relations.added() - relations}
	for _, t := range gone {
		if !s.states(t) {
			continue
		}
		r.Unknown--
		if _, stays := slices.BinarySearchFunc(wanted, t, Triple.Compare); !stays {
			s.stated[t] = false
			r.Removed++
		}
	}
	for _, t := range wanted {
		if !s.states(t) {
			s.stated[t] = true
			r.Added++
			if s.from.Denies(t) {
				s.undenied = append(s.undenied, t)
			}
		}
	}
	r.Known = len(c.Add) - r.Added
	return r, nil
}

// outcome is what the graph lacks of what is stated now, and what it states that is not.
func (s *sequence) outcome() (added, gone []Triple) {
	for t, stated := range s.stated {
		switch before := s.from.states(t); {
		case stated && !before:
			added = append(added, t)
		case !stated && before:
			gone = append(gone, t)
		}
	}
	slices.SortFunc(added, Triple.Compare)
	slices.SortFunc(gone, Triple.Compare)
	return added, gone
}
