package sparql

import (
	"sync"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/predict"
	"github.com/lacuna-kg/lacuna/sparql/results"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/sparql/term"
)

const (
	// mostUnknown are the most names of a query that are said to be missing.
	mostUnknown = 5
	// mostSought are the most names of a graph that are gone through for one that is like another.
	mostSought = 1 << 20
)

// warned has results say what the graph lacks: graphs of FROM, and where nothing was found the names of the query.
func (d Dataset) warned(found *results.Results, q *syntax.Query, missing []error) *results.Results {
	total := q.Grouped() && len(q.GroupBy) == 0 // one row whatever there is
	empty := found.Ask && !found.Truth
	if rows := found.Rows; rows != nil {
		found.Rows = func(yield func([]term.Term, error) bool) {
			empty = true
			for terms, err := range rows {
				empty = total
				if !yield(terms, err) {
					return
				}
			}
		}
	}
	found.Warnings = sync.OnceValue(func() (all []string) {
		if empty {
			missing = append(missing, d.unknown(q)...)
		}
		for _, err := range missing {
			all = append(all, err.Error())
		}
		return all
	})
	return found
}

// unknown are the names of a query that the graph lacks, with those that are like the first.
func (d Dataset) unknown(q *syntax.Query) (all []error) {
	seen := map[term.Term]bool{}
	q.EachName(func(r syntax.Ref, role syntax.Role) {
		if seen[r.Term] || len(all) == mostUnknown || d.has(r.Term, role) {
			return
		}
		seen[r.Term] = true
		all = append(all, d.lacks(r, role, len(all) == 0))
	})
	return all
}

// has tells whether the graph has a term, or cannot say.
func (d Dataset) has(t term.Term, role syntax.Role) (known bool) {
	g := d.Graph
	beside := g.Stated == nil && g.Entities.Labels != nil // labels that are no triples before somebody asks for them
	switch {
	case t.Kind == term.Unbound || t.Kind == term.Blank:
		return true
	case role == syntax.GraphRole:
		_, known = g.Named().Find(term.EntityName(t))
		return known
	case role == syntax.PredicateRole:
		_, known = term.FindRelation(g.Vocabulary, t)
		return known || t.Value == kg.RDFSLabel && (beside || g.Stated != nil)
	}
	if _, known = term.FindEntity(g.Vocabulary, t); known || beside && t.Kind == term.Literal {
		return true
	}
	if g.Stated != nil {
		_, known = term.FindName(g.Stated.Extra(), t)
	}
	return known
}

// lacks says that the graph has no such name.
func (d Dataset) lacks(r syntax.Ref, role syntax.Role, near bool) error {
	near = near && d.Graph.NumEntities() <= mostSought
	switch {
	case role == syntax.GraphRole:
		return syntax.Errorf(r.Pos, "GRAPH %s", d.OtherGraph(r.Term.Value))
	case !near && role == syntax.PredicateRole:
		return syntax.Errorf(r.Pos, "no relation %v in the graph", r.Term)
	case !near:
		return syntax.Errorf(r.Pos, "no entity %v in the graph", r.Term)
	}
	return predict.Unknown(d.Graph.Vocabulary, r, role == syntax.PredicateRole)
}
