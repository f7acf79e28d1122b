package server

import (
	"context"

	"github.com/lacuna-kg/lacuna/complete"
	"github.com/lacuna-kg/lacuna/kg"
)

// nameIndex finds the names of a snapshot by what was typed of them.
type nameIndex struct {
	made                chan struct{} // closed when the two are there
	entities, relations *complete.Index
}

// indexedAtOnce is how many entities a graph has at most whose names are indexed before it is served. To sort those of 25 million takes
// a minute, for which nobody who asks a question need wait.
const indexedAtOnce = 1 << 20

// indexNames makes the index of a snapshot, of a large graph in the background. After a change it is what was there before with the new names.
func (s *snapshot) indexNames(ctx context.Context, before *snapshot) (*nameIndex, error) {
	g := s.engine.Graph
	x := &nameIndex{made: make(chan struct{})}
	if before == nil && g.NumEntities() > indexedAtOnce {
		stays := g.Share() // whoever closes the snapshot meanwhile
		go func() {
			defer stays.Close()
			_ = x.make(context.Background(), s, nil) // which only a context ends
		}()
		return x, nil
	}
	return x, x.make(ctx, s, before)
}

func (x *nameIndex) make(ctx context.Context, s *snapshot, before *snapshot) (err error) {
	g := s.engine.Graph
	degree := func(id uint32) int { return g.Degree(kg.Entity(id)) }
	frequency := func(id uint32) int { return s.facts()[id] }
	if before == nil {
		if x.entities, err = complete.New(ctx, g.Entities, degree); err == nil {
			x.relations, err = complete.New(ctx, g.Relations, frequency)
		}
	} else {
		<-before.names.made
		old, was := before.names, before.engine.Graph
		if x.entities, err = extended(ctx, old.entities, was.Entities, g.Entities, degree); err == nil {
			x.relations, err = extended(ctx, old.relations, was.Relations, g.Relations, frequency)
		}
	}
	if err == nil {
		close(x.made)
	}
	return err
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
