package train

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/plan"
)

// masks are the edges that traversal dropout hides from a batch: for each round of
// projections their ids, ascending.
type masks [][]int32

// dropout is traversal dropout (METHOD "Training"). Without it the network would learn
// to look its answers up, as every training query is answered by edges it can see; so
// some of the very edges that a projection would follow are hidden from it.
type dropout struct {
	graph     *kernel.Graph
	ratio     float64
	atLeast   bool // hide one edge that a projection follows where chance hid none
	seed      uint64
	protected crisp   // edges that are the last of their head or of their tail
	twins     []int32 // by edge the same fact read from its tail; nil where edges go independently of it
	pairs     bool    // with an edge goes all that joins its two entities
	unstated  bool    // what is asked for is not in the graph: nothing is hidden, and what it gives away is told all the same
}

func newDropout(g *kernel.Graph, c Config) *dropout {
	d := &dropout{graph: g, ratio: c.Dropout, atLeast: c.HideOne, pairs: c.HidePairs == PairsHidden, seed: c.Seed, protected: newCrisp(g.Edges())}
	if c.HideFacts {
		d.twins = twins(g)
	}
	for tail := range g.Nodes {
		for id := g.In.At[tail]; id < g.In.At[tail+1]; id++ {
			if d.isLast(tail) || d.isLast(int(g.In.Node[id])) {
				d.protected.add(int(id))
			}
		}
	}
	return d
}

// isLast tells whether hiding an edge of an entity would leave it without any. A row has both directions of every fact.
func (d *dropout) isLast(v int) bool {
	row := d.graph.In.Node[d.graph.In.At[v]:d.graph.In.At[v+1]]
	if d.pairs {
		return !slices.ContainsFunc(row, func(u int32) bool { return u != row[0] })
	}
	return len(row) <= 1
}

// twins finds for every edge (h, q, t) the edge (t, q⁻¹, h).
func twins(g *kernel.Graph) []int32 {
	list := make([]int32, g.Edges())
	for tail := range g.Nodes {
		for id := g.In.At[tail]; id < g.In.At[tail+1]; id++ {
			head := int(g.In.Node[id])
			from, to := run(g.In, head, kg.Relation(g.In.Relation[id]).Inverse())
			at, _ := slices.BinarySearch(g.In.Node[from:to], int32(tail))
			list[id] = from + int32(at)
		}
	}
	return list
}

// Record runs the programs symbolically and draws, before each round of projections,
// the edges that it does without. What is drawn depends on the seed, the step and the
// programs alone. found are the answers of each program that are left; without dropout,
// when all of them are, it is nil.
func (d *dropout) Record(ctx context.Context, step int, programs []*plan.Program) (m masks, found []crisp, err error) {
	if d.ratio == 0 && !d.atLeast && !d.unstated {
		return nil, nil, nil
	}
	r := &recorder{dropout: d, random: rand.New(rand.NewPCG(d.seed, uint64(step))), candidates: newCrisp(d.graph.Edges()), dropped: newCrisp(d.graph.Edges())}
	machine := exec.Machine{Executor: r, AnswersOnly: true}
	run, err := machine.Run(ctx, programs)
	if err != nil {
		return nil, nil, err
	}
	defer run.Release()
	for i := range programs {
		found = append(found, r.at(run.Answer(i)))
	}
	return r.masks, found, nil
}

// recorder is the pool of the symbolic run: crisp sets, projected by traversal of the
// graph thinned anew in every round.
type recorder struct {
	*dropout
	random     *rand.Rand
	sets       []crisp
	masks      masks
	candidates crisp // of this round; empty between rounds
	dropped    crisp // the same
}

// NewPool implements exec.Executor. All logics agree on crisp sets.
func (r *recorder) NewPool(slots int, _ fuzzy.Logic) exec.Pool {
	r.sets = make([]crisp, slots)
	return r
}

func (r *recorder) at(slot int) crisp {
	if r.sets[slot] == nil {
		r.sets[slot] = newCrisp(r.graph.Nodes)
	}
	return r.sets[slot]
}

func (r *recorder) Singletons(sets []exec.Singleton) {
	for _, s := range sets {
		set := r.at(s.Slot)
		clear(set)
		set.add(int(s.Entity))
	}
}

func (r *recorder) Everything(slots []int) {
	for _, slot := range slots {
		r.at(slot).fill(r.graph.Nodes)
	}
}

func (r *recorder) Combine(steps []exec.Combination) {
	for _, s := range steps {
		switch out := r.at(s.Out); s.Op {
		case kernel.Not:
			out.not(r.at(s.X), r.graph.Nodes)
		case kernel.And:
			out.and(r.at(s.X), r.at(s.Y))
		case kernel.Or:
			out.or(r.at(s.X), r.at(s.Y))
		}
	}
}

// Project draws the edges of the round and follows those that are left.
func (r *recorder) Project(ctx context.Context, batch []exec.Projection) error {
	for _, p := range batch {
		r.nominate(r.at(p.In), p.Relation)
	}
	r.draw()
	if r.atLeast {
		for _, p := range batch {
			r.hideOne(r.at(p.In), p.Relation)
		}
	}
	var mask []int32
	for id := range r.dropped.all() {
		mask = append(mask, int32(id))
	}
	for _, p := range batch {
		r.traverse(r.at(p.Out), r.at(p.In), p.Relation)
	}
	clear(r.dropped)
	r.masks = append(r.masks, mask)
	return ctx.Err()
}

// nominate makes candidates of the edges by which a projection leaves its set, and of
// their twins: every (h, q, t) and (t, q⁻¹, h) with h in the set.
func (r *recorder) nominate(set crisp, q kg.Relation) {
	for h := range set.all() {
		from, to := run(r.graph.Out, h, q)
		for k := from; k < to; k++ {
			r.candidates.add(int(r.graph.OutID[k]))
		}
		from, to = run(r.graph.In, h, q.Inverse())
		for id := from; id < to; id++ {
			r.candidates.add(int(id))
		}
	}
}

// run is where in a node's row the edges of a relation lie.
func run(a kernel.Adjacency, node int, q kg.Relation) (from, to int32) {
	first := a.At[node]
	row := a.Relation[first:a.At[node+1]]
	at, _ := slices.BinarySearch(row, int32(q))
	length, _ := slices.BinarySearch(row[at:], int32(q)+1)
	return first + int32(at), first + int32(at+length)
}

// draw decides on the candidates, in order of their ids, so that it does not matter
// which samples nominated them and how often. Of twins that go together both are candidates.
func (r *recorder) draw() {
	for id := range r.candidates.all() {
		second := r.twins != nil && r.twins[id] < int32(id) // decided with the first
		if !second && !r.protected.has(id) && r.random.Float64() < r.ratio {
			r.hide(id)
		}
	}
	clear(r.candidates)
}

func (r *recorder) hide(id int) {
	if r.pairs {
		r.hidePair(r.graph.In.Node[id], r.graph.In.Node[r.twins[id]])
		return
	}
	r.dropped.add(id)
	if r.twins != nil {
		r.dropped.add(int(r.twins[id]))
	}
}

// hidePair hides all edges between two entities, which the shorter of their rows lists.
func (r *recorder) hidePair(u, v int32) {
	in := r.graph.In
	if in.Degree(int(v)) < in.Degree(int(u)) {
		u, v = v, u
	}
	for id := in.At[u]; id < in.At[u+1]; id++ {
		if in.Node[id] == v {
			r.dropped.add(int(id))
			r.dropped.add(int(r.twins[id]))
		}
	}
}

// hideOne hides one of the edges that a projection follows, where none of them is hidden yet.
func (r *recorder) hideOne(set crisp, q kg.Relation) {
	var open []int32
	for h := range set.all() {
		from, to := run(r.graph.Out, h, q)
		for _, id := range r.graph.OutID[from:to] {
			if r.dropped.has(int(id)) {
				return
			}
			if !r.protected.has(int(id)) {
				open = append(open, id)
			}
		}
	}
	if len(open) > 0 {
		r.hide(int(open[r.random.IntN(len(open))]))
	}
}

// traverse is the exact projection on the thinned graph.
func (r *recorder) traverse(out, in crisp, q kg.Relation) {
	clear(out)
	for h := range in.all() {
		from, to := run(r.graph.Out, h, q)
		for k := from; k < to; k++ {
			if !r.dropped.has(int(r.graph.OutID[k])) {
				out.add(int(r.graph.Out.Node[k]))
			}
		}
	}
}

// Write implements exec.Pool: whatever has a degree is a member.
func (r *recorder) Write(slot int, set fuzzy.Set) {
	members := r.at(slot)
	clear(members)
	for v, degree := range set {
		if degree > 0 {
			members.add(v)
		}
	}
}

// Read implements exec.Pool.
func (r *recorder) Read(slot int) fuzzy.Set {
	set := make(fuzzy.Set, r.graph.Nodes)
	for v := range r.at(slot).all() {
		set[v] = 1
	}
	return set
}

// Cut implements exec.Pool.
func (r *recorder) View(slot int) fuzzy.View { return fuzzy.ViewOf(r.Read(slot)) }
func (r *recorder) Cut(int) exec.Cut         { return exec.Cut{} }

// Release implements exec.Pool.
func (r *recorder) Release() { r.sets = nil }
