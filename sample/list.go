package sample

import (
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/internal/sorted"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// list takes every 1p query there is, by entity and relation. BetaE does so for
// all splits: its 1p queries are the links of the graph. Rank 0 of a team does it alone, as to list them is to write them.
func (r *run) list(ctx context.Context, w *world) error {
	if !r.options.Team.Leads() {
		return nil
	}
	for e := range kg.Entity(w.full.NumEntities()) {
		if err := kg.Stopped(ctx); err != nil {
			return err
		}
		relations, first := w.links.of(e)
		for i, relation := range relations {
			q, verdict := w.link(e, relation, first+uint64(i))
			r.outcome.Attempts++
			r.outcome.verdicts[verdict]++
			if verdict != accepted {
				continue
			}
			if err := r.take(query.Key(q.Expr), q); err != nil {
				return err
			}
		}
	}
	return nil
}

// countAsked is the number of 1p queries that list gives.
func (w *world) countAsked() int {
	count := 0
	for e := range kg.Entity(w.full.NumEntities()) {
		relations, first := w.links.of(e)
		for i, relation := range relations {
			if w.examineLink(e, relation, first+uint64(i)) == accepted {
				count++
			}
		}
	}
	return count
}

func (w *world) examineLink(e kg.Entity, r kg.Relation, link uint64) verdict {
	switch {
	case w.small == nil:
		return accepted
	case !w.links.grown[link]:
		return nothingHard
	case len(w.links.edges(e, link))-len(w.small.Tails(e, r)) > w.limit:
		return tooMany
	case w.missing > 1:
		return otherMissing
	}
	return accepted
}

// link is the query for the tails of one link.
func (w *world) link(e kg.Entity, r kg.Relation, link uint64) (dataset.Query, verdict) {
	if verdict := w.examineLink(e, r, link); verdict != accepted {
		return dataset.Query{}, verdict
	}
	q := dataset.Query{Expr: query.Projection{Relation: r, Of: query.Anchor{Entity: e}}}
	all := w.links.edges(e, link)
	if w.small == nil {
		q.Easy = slices.Clone(all)
		return q, accepted
	}
	q.Easy = slices.Clone(w.small.Tails(e, r))
	q.Hard = sorted.Difference(make([]kg.Entity, 0, len(all)-len(q.Easy)), all, q.Easy)
	return q, accepted
}
