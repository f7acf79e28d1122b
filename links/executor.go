package links

import (
	"context"
	"slices"
	"sync"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
)

// Executor runs programs by links: exec.Machine takes it as any other. A projection gives
//
//	out_t = max over h of set_h ∧ row(h, q)_t
//
// with the logic's conjunction: the degree of the best derivation. It is the product in the
// product logic; Gödel's is as good as the weakest link; Łukasiewicz' loses what each link lacks to 1.
type Executor struct {
	rows   *Rows
	follow Follow
	spare  *sync.Pool // of *reached
	unseen *unseen    // nil where a link that a row leaves out counts as none
	parts  bool       // entities that are equally likely, by their other derivations
	ends   int        // links of a step that are read from both ends
	// jointly: predicted conditions speak for each other
	jointly bool
}

// NewExecutor runs programs over rows.
func NewExecutor(rows *Rows, follow Follow) Executor {
	entities := rows.graph.NumEntities()
	return Executor{rows: rows, follow: follow.withDefaults(entities), spare: &sync.Pool{New: func() any {
		return &reached{ways: make([]ways, entities)}
	}}}
}

// Rows are the rows it runs over.
func (x Executor) Rows() *Rows { return x.rows }

// Follow is which members a projection follows, defaults filled in.
func (x Executor) Follow() Follow { return x.follow }

// NewPool implements exec.Executor.
func (x Executor) NewPool(slots int, logic fuzzy.Logic) exec.Pool {
	return &pool{Executor: x, logic: logic, sets: make([]set, slots), cuts: make([]exec.Cut, slots)}
}

// pool holds the sets of a run in Go memory, sparse.
type pool struct {
	Executor
	logic fuzzy.Logic
	sets  []set
	cuts  []exec.Cut // of the projections that made them
}

func (p *pool) put(slot int, s set) { p.sets[slot], p.cuts[slot] = s, exec.Cut{} }

// Singletons implements exec.Pool.
func (p *pool) Singletons(sets []exec.Singleton) {
	for _, s := range sets {
		p.put(s.Slot, set{members: []kg.Entity{s.Entity}, degrees: fuzzy.Set{1}})
	}
}

// Everything implements exec.Pool.
func (p *pool) Everything(slots []int) {
	for _, slot := range slots {
		p.put(slot, set{rest: 1})
	}
}

// Combine implements exec.Pool. What does not wait for each other runs side by side: mostly the steps of different questions.
func (p *pool) Combine(steps []exec.Combination) {
	for _, some := range sideBySide(steps) {
		parallel.Each(context.Background(), len(some), func(i int) {
			s := some[i]
			p.put(s.Out, p.combine(s.Op, p.sets[s.X], p.sets[s.Y]))
		})
	}
}

// Write implements exec.Pool.
func (p *pool) Write(slot int, all fuzzy.Set) { p.put(slot, sparse(all)) }

// Read implements exec.Pool.
func (p *pool) Read(slot int) fuzzy.Set { return p.sets[slot].dense(p.rows.graph.NumEntities()) }

// View implements exec.Pool.
func (p *pool) View(slot int) fuzzy.View {
	s := p.sets[slot]
	return fuzzy.ViewOfMembers(s.members, s.degrees, s.rest, p.rows.graph.NumEntities())
}

// Cut implements exec.Pool.
func (p *pool) Cut(slot int) exec.Cut { return p.cuts[slot] }

// Release implements exec.Pool.
func (p *pool) Release() { p.sets, p.cuts = nil, nil }

// rowsTogether bounds the rows that are made for steps before any of these ends: enough for a GPU's batch, some hundred megabytes at most.
const rowsTogether = 1 << 13

// Project implements exec.Pool. A projection whose rows are kept ends at once; the others of a round ask for their rows together.
// What they hold meanwhile was kept all at the same time.
func (p *pool) Project(ctx context.Context, batch []exec.Projection) error {
	steps := make([]step, len(batch))
	for i, b := range batch { // before any slot is written
		steps[i] = step{Projection: b, in: p.sets[b.In]}
	}
	parallel.Each(ctx, len(steps), func(i int) {
		s := &steps[i]
		p.begin(s)
		if s.rows, s.missing = p.rows.kept(s.pairs()); p.isWhole(s) {
			p.end(s)
		}
	})
	steps = slices.DeleteFunc(steps, func(s step) bool { return p.isWhole(&s) })
	for from := 0; from < len(steps); {
		to, rows := from, 0
		for to < len(steps) && (to == from || rows+len(steps[to].missing) <= rowsTogether) {
			rows += len(steps[to].missing)
			to++
		}
		if err := p.together(ctx, steps[from:to]); err != nil {
			return err
		}
		from = to
	}
	return kg.Stopped(ctx)
}

// isWhole tells whether a step needs no row that has to be asked for.
func (p *pool) isWhole(s *step) bool { return len(s.missing) == 0 && p.ends == 0 }

// step is a projection on its way: what is followed.
type step struct {
	exec.Projection
	in       set
	followed []followed
	cut      exec.Cut
	rows     []Row // of those followed
	missing  []int // numbers of rows that are not there yet
}

// pairs are those whose rows it asks for.
func (s *step) pairs() []Pair {
	pairs := make([]Pair, len(s.followed))
	for i, f := range s.followed {
		pairs[i] = Pair{f.head, s.Relation}
	}
	return pairs
}

// together makes the rows that some steps miss at once and ends the steps.
func (p *pool) together(ctx context.Context, steps []step) error {
	if err := kg.Stopped(ctx); err != nil {
		return err
	}
	var pairs []Pair
	for _, s := range steps {
		for _, i := range s.missing {
			pairs = append(pairs, Pair{s.followed[i].head, s.Relation})
		}
	}
	rows, err := p.rows.Get(ctx, pairs)
	if err != nil {
		return err
	}
	for _, s := range steps {
		for k, i := range s.missing {
			s.rows[i] = rows[k]
		}
		rows = rows[len(s.missing):]
	}
	if err := p.readBack(ctx, p.logic.Norm, steps); err != nil {
		return err
	}
	parallel.Each(ctx, len(steps), func(i int) {
		p.end(&steps[i])
		steps[i].rows = nil
	})
	return nil
}

// begin chooses the members to follow.
func (p *pool) begin(s *step) {
	if p.rows.source == nil { // nothing is predicted
		return
	}
	g := p.rows.graph
	c := newCandidates(p.follow.Most)
	members, below := 0, float32(0)
	p.eachMember(p.firm(s.in), func(h kg.Entity, degree float32) {
		members++
		if degree >= p.follow.Weight {
			c.add(h, degree, len(g.Tails(h, s.Relation)) > 0)
		} else {
			below = max(below, degree)
		}
	})
	s.followed, s.cut = c.choose(members, below)
	if file := p.rows.options.File; file != nil {
		s.followed, s.cut = p.follow.withoutLacking(file, s.Relation, s.followed, s.cut)
	}
}

// end takes the best derivation of every entity: by what is stated from all members, by what
// is predicted from those that are followed.
func (p *pool) end(s *step) {
	out := p.spare.Get().(*reached)
	defer p.spare.Put(out)
	g, in := p.rows.graph, s.in
	p.eachMember(p.firm(in), func(h kg.Entity, degree float32) {
		for _, t := range g.Tails(h, s.Relation) {
			out.at(t, degree)
		}
	})
	for i, f := range s.followed {
		if p.isJoint() {
			out.alongJointly(f.degree, s.rows[i])
		} else {
			out.along(p.logic.Norm, f.degree, s.rows[i])
		}
	}
	if p.unseen != nil {
		p.unseen.along(out, in.rest-p.firm(in).rest, s.Relation)
	}
	p.sets[s.Out], p.cuts[s.Out] = out.take(p.partsTies()).above(p.unlisted(s.followed)), s.cut
}

// along follows the predicted links of a row from a member of some degree.
func (r *reached) along(l kernel.Logic, degree float32, row Row) {
	if l == kernel.Product { // the logic of nearly all questions, without a call for each link
		probabilities := row.Probabilities[:len(row.Tails)]
		for i, t := range row.Tails {
			r.at(t, degree*probabilities[i])
		}
		return
	}
	for i, t := range row.Tails {
		r.at(t, plain.Apply(l, kernel.And, degree, row.Probabilities[i]))
	}
}

// eachMember gives the entities of a set that have a degree, in ascending order.
func (p *pool) eachMember(s set, each func(kg.Entity, float32)) {
	if s.rest == 0 {
		for i, e := range s.members {
			if s.degrees[i] > 0 {
				each(e, s.degrees[i])
			}
		}
		return
	}
	next := 0
	for e := range kg.Entity(p.rows.graph.NumEntities()) {
		degree := s.rest
		if next < len(s.members) && s.members[next] == e {
			degree = s.degrees[next]
			next++
		}
		if degree > 0 {
			each(e, degree)
		}
	}
}
