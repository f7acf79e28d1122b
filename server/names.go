package server

import (
	"context"

	"github.com/lacuna-kg/lacuna/complete"
	"github.com/lacuna-kg/lacuna/kg"
)

// nameIndex finds the names of a snapshot by what was typed of them.
type nameIndex struct {
	after               *nameIndex    // that of the graph before a change, until this one is made; nil: there is none
	made                chan struct{} // closed when the rest is there
	vocabulary          *kg.Vocabulary
	entities, relations *complete.Index
}

// make indexes the names of a snapshot: after a change that is what is indexed of the graphs before it, with the new names.
func (x *nameIndex) make(ctx context.Context, s *snapshot) (err error) {
	g := s.engine.Graph
	degree := func(id uint32) int { return g.Degree(kg.Entity(id)) }
	frequency := func(id uint32) int { return s.facts()[id] }
	if old := x.after.nearest(); old == nil {
		if x.entities, err = complete.New(ctx, g.Entities, degree); err == nil {
			x.relations, err = complete.New(ctx, g.Relations, frequency)
		}
	} else if x.entities, err = extended(ctx, old.entities, old.vocabulary.Entities, g.Entities, degree); err == nil {
		x.relations, err = extended(ctx, old.relations, old.vocabulary.Relations, g.Relations, frequency)
	}
	if err == nil {
		x.vocabulary, x.after = g.Vocabulary, nil
		close(x.made)
	}
	return err
}

// nearest is the newest index that is made, of a graph and those before it.
func (x *nameIndex) nearest() *nameIndex {
	for x != nil && !x.isMade() {
		x = x.after
	}
	return x
}

// extended is an index with the names that a change added, made anew where labels have changed.
func extended(ctx context.Context, index *complete.Index, before, after kg.Dictionary, weight func(uint32) int) (*complete.Index, error) {
	if before.Labels != after.Labels {
		return complete.New(ctx, after, weight)
	}
	return index.Extend(ctx, after, weight)
}

// ofEntities and ofRelations find names of a snapshot. Until the index is made that is the one name itself, to the letter.
func (x *nameIndex) ofEntities(at *snapshot, typed string, limit int) []complete.Match {
	if x.isMade() {
		return x.entities.Search(typed, limit)
	}
	g := at.engine.Graph
	return toTheLetter(g.Entities, typed, func(id uint32) int { return g.Degree(kg.Entity(id)) })
}

func (x *nameIndex) ofRelations(at *snapshot, typed string, limit int) []complete.Match {
	if x.isMade() {
		return x.relations.Search(typed, limit)
	}
	return toTheLetter(at.engine.Graph.Relations, typed, func(id uint32) int { return at.facts()[id] })
}

func (x *nameIndex) isMade() bool {
	select {
	case <-x.made:
		return true
	default:
		return false
	}
}

func toTheLetter(d kg.Dictionary, typed string, weight func(id uint32) int) []complete.Match {
	if id, found := d.Names.Find(typed); found {
		return []complete.Match{{ID: id, Weight: weight(id)}}
	}
	return nil
}

// factsByRelation counts the facts of each base relation.
func factsByRelation(g *kg.Graph) []int {
	facts := make([]int, g.Relations.Names.Len())
	for t := range g.Triples() {
		facts[t.Relation.Base()]++
	}
	return facts
}
