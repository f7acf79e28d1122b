// Package neural is a trained model on a graph as one value, the Predictor: what package
// symbolic is for the facts that a graph states, it is for those that it only implies.
//
// A Model is opened once, by the name or the file of a checkpoint and on a device that
// OpenDevice chooses; put on a graph it is a Predictor, which gives the executor that
// programs run in and answers for single links. Several graphs share the parameters of one
// model; a graph can also be had without some of its facts, to ask for just these. In the
// flow it stands between gnn, which computes, and all that asks a model on a graph:
// eval, calibrate, explain and the engine at the root.
package neural

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/lacuna-kg/lacuna/cut"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Predictor is a model on a graph. One goroutine uses a model at a time, on whichever of its
// graphs: who shares it holds its lock for every call but On, Tails and Close, and for as long as
// sets of a run lie on the device.
type Predictor struct {
	Model *Model
	Graph *kg.Graph // the facts; of a Predictor of Without those of the whole graph
	// on is the model on all of the graph, nil until somebody asks for it where links are predicted on cuts, or after OnDemand.
	on *gnn.Graph
	// cuts are what links are predicted on; nil where that is all of the graph.
	cuts    *cuts
	without []kg.Triple // facts that cuts lack
	// factors are vectors that tails are predicted by beside the network; nil without.
	factors *factors
	close   func()
}

// On puts the model on a graph. A graph with other relations than the model's parameters
// are for is refused; its name stands in that error.
func (m *Model) On(ctx context.Context, g *kg.Graph, name string) (*Predictor, error) {
	p, err := m.networkOn(ctx, g, name)
	if err != nil {
		return nil, err
	}
	m.putFactors(p)
	return p, nil
}

// OnDemand is On, but the graph gets onto the device with the first call that needs it there: one that nobody asks about, of
// many changes that follow each other, costs nothing. Nor does it wait for a run at work.
func (m *Model) OnDemand(g *kg.Graph, name string) (*Predictor, error) {
	p, err := m.on(g, name)
	if err != nil {
		return nil, err
	}
	m.putFactors(p)
	return p, nil
}

// putFactors adds the vectors that the model may have.
func (m *Model) putFactors(p *Predictor) {
	if m.Card.Factors == nil {
		return
	}
	m.Lock()
	defer m.Unlock()
	p.factors = m.factorsOn(p.Graph)
}

// networkOn leaves vectors out, which the model may have.
func (m *Model) networkOn(ctx context.Context, g *kg.Graph, name string) (*Predictor, error) {
	p, err := m.on(g, name)
	if err != nil || p.cuts != nil {
		return p, err
	}
	p.Locked(func() { _, err = p.all(ctx) })
	if err != nil {
		p.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// on is a predictor that has nothing on the device yet.
func (m *Model) on(g *kg.Graph, name string) (*Predictor, error) {
	if err := m.Card.CheckRelations(g.Vocabulary, name); err != nil {
		return nil, err
	}
	if err := m.checkRoom(g, name); err != nil {
		return nil, err
	}
	p := &Predictor{Model: m, Graph: g}
	if size := m.CutOf(g); size > 0 {
		p.cuts = &cuts{cutter: cut.New(g, size)}
	}
	m.users.Add(1)
	p.close = sync.OnceFunc(func() { m.end(p) })
	return p, nil
}

// Cut is on how many entities around its head a link is predicted, 0 for all of the graph.
func (p *Predictor) Cut() int {
	if p.cuts == nil {
		return 0
	}
	return p.cuts.cutter.Size()
}

// all is the model on all of the graph, made at the first call.
func (p *Predictor) all(ctx context.Context) (*gnn.Graph, error) {
	if p.on != nil {
		return p.on, nil
	}
	topology, err := exec.Topology(p.Graph)
	if err != nil {
		return nil, err
	}
	if len(p.without) > 0 {
		topology = topology.Thin(edgesOf(topology, p.without, nodeOf))
	}
	p.on, err = p.Model.Network.NewGraph(ctx, topology)
	return p.on, stopped(ctx, err)
}

// holds tells that there is something on the device to be given back.
func (p *Predictor) holds() bool {
	return p != nil && (p.on != nil || p.cuts != nil || p.factors != nil)
}

// free gives the memory on the device back.
func (p *Predictor) free() {
	if p == nil {
		return
	}
	p.factors.free(p.Model.Network.Device())
	if p.on != nil {
		p.on.Free()
	}
	if p.without == nil { // else it is another's
		p.cuts.free()
	}
}

// OnRest puts the model on what is left of a graph without some facts. The predictor owns that graph. Vectors, which have
// learned the facts by heart, stay out of it.
func (m *Model) OnRest(ctx context.Context, g *kg.Graph, hidden []kg.Triple) (*Predictor, error) {
	rest, err := g.Without(ctx, hidden)
	if err != nil {
		return nil, err
	}
	p, err := m.networkOn(ctx, rest, "the graph without hidden facts")
	if err != nil {
		rest.Close()
		return nil, err
	}
	free := p.close
	p.close = sync.OnceFunc(func() { free(); rest.Close() })
	return p, nil
}

// Without is the predictor without a few facts, thinned on the device: quick, where OnRest
// builds a graph anew; vectors stay out of it as well. The whole must outlive it.
func (p *Predictor) Without(ctx context.Context, facts []kg.Triple) (*Predictor, error) {
	if p.cuts != nil {
		rest := &Predictor{Model: p.Model, Graph: p.Graph, cuts: p.cuts, without: slices.Concat(p.without, facts)}
		rest.close = sync.OnceFunc(rest.free)
		return rest, nil
	}
	on, err := p.all(ctx)
	if err != nil {
		return nil, err
	}
	thin, err := on.Thin(ctx, edgesOf(on.Topology(), facts, nodeOf))
	if err != nil {
		return nil, stopped(ctx, err)
	}
	return &Predictor{Model: p.Model, Graph: p.Graph, on: thin, close: sync.OnceFunc(thin.Free)}, nil
}

// nodeOf is the node of an entity in the topology of a whole graph.
func nodeOf(e kg.Entity) (int32, bool) { return int32(e), true }

// edgesOf are the ids of facts in a topology, both readings of each, ascending. What an entity's node is says place.
func edgesOf(topology *kernel.Graph, facts []kg.Triple, place func(kg.Entity) (int32, bool)) []int32 {
	var ids []int32
	for _, f := range facts {
		head, hasHead := place(f.Head)
		tail, hasTail := place(f.Tail)
		if !hasHead || !hasTail {
			continue
		}
		for _, e := range []kernel.Edge{{Head: head, Relation: int32(f.Relation), Tail: tail}, {Head: tail, Relation: int32(f.Relation.Inverse()), Tail: head}} {
			if id, found := topology.Find(e); found {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Lock waits for the model; see Predictor.
func (p *Predictor) Lock() { p.Model.Lock() }

// Unlock lets others use the model.
func (p *Predictor) Unlock() { p.Model.Unlock() }

// Locked does work while it holds the lock, which it gives back however the work ends: a panic of one must not stop all others.
func (p *Predictor) Locked(work func()) {
	p.Lock()
	defer p.Unlock()
	work()
}

// Sees tells whether a member of a set, of so high a degree, counts in a projection of it.
func (p *Predictor) Sees(degree float32) bool {
	return degree > p.Model.Network.Adjustments.Threshold
}

// Executor runs programs by the model's projections of whole sets, on all of the graph; with keepKnown a fact that the graph
// states is never doubted.
func (p *Predictor) Executor(ctx context.Context, keepKnown bool) (exec.OnDevice, error) {
	on, err := p.all(ctx)
	return exec.OnDevice{Projector: on, KeepKnown: keepKnown}, err
}

// Logic is a logic with the negation that suits the model's probabilities: what programs of
// Executor run in.
func (p *Predictor) Logic(l fuzzy.Logic) fuzzy.Logic {
	l.Negation = p.Model.Network.Adjustments.Negation
	return l
}

// Close gives back the graph's memory on the device and, by the last user of the model, the
// model's. It waits for the run that holds the lock; calls after the first do nothing. A
// predictor of Without is closed under the lock.
func (p *Predictor) Close() { p.close() }

// stopped is the user's error where an operation failed because the context ended.
func stopped(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return kg.Stopped(ctx)
	}
	return err
}
