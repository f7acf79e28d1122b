package explain

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/neural"
)

// Reasons finds, for every predicted link of an explanation, the paths that speak for it,
// and checks them: without their facts the prediction should fall. It takes the model's lock
// for each of its parts, so that others wait for one and not for all. Where traversal alone answered there are none.
func (r *Run) Reasons(ctx context.Context, e *Explanation, opts Options) error {
	if r.Model == nil {
		return nil
	}
	opts = opts.withDefaults()
	left := opts.Reasons
	for i := range e.Links {
		if e.Links[i].Known || left == 0 {
			continue
		}
		left--
		if err := r.reason(ctx, &e.Links[i], opts); err != nil {
			return err
		}
	}
	return nil
}

// worthShowing is the share of the best path's weight below which a path says little.
const worthShowing = 0.2

func (r *Run) reason(ctx context.Context, link *Link, opts Options) error {
	g, model := r.Graph, r.Model
	var attribution *neural.Attribution
	var err error
	model.Locked(func() { attribution, err = model.AttributionOf(ctx, link.triple) })
	if err != nil {
		return err
	}
	var facts []kg.Triple
	link.Paths, facts = reasonsThatDiffer(g, attribution.Paths(max(opts.Paths, pathsLookedAt)), opts.Paths)
	if opts.Draws < 0 || len(facts) == 0 {
		return nil
	}
	c := counterfactual{r, link.triple, link.Probability, distinctFacts(facts), opts.Draws}
	link.Counterfactual, err = c.check(ctx)
	return err
}

// pathsLookedAt is how many paths are found where the best by each sequence of relations is shown.
const pathsLookedAt = 16

// reasonsThatDiffer are the weightiest paths, at most so many, no two by the same relations: five side effects that two drugs share are one
// reason, and would hide that they bind the same gene. It also gives the facts that these walk.
func reasonsThatDiffer(g *kg.Graph, found []gnn.Path, most int) (paths []Path, facts []kg.Triple) {
	kinds := map[string]int{} // the place of each in paths
	for _, p := range found {
		if p.Mean() <= 0 || len(paths) > 0 && float64(p.Mean()) < worthShowing*paths[0].Weight {
			break
		}
		kind := relationsOf(p)
		if at, known := kinds[kind]; known {
			paths[at].Alike++
			continue
		}
		if len(paths) == most {
			continue
		}
		path, walked := namePath(g, p)
		kinds[kind] = len(paths)
		paths, facts = append(paths, path), append(facts, walked...)
	}
	return paths, facts
}

// relationsOf is the sequence of a path's relations, each with the way it is walked.
func relationsOf(p gnn.Path) string {
	var kind []byte
	for _, s := range p.Steps {
		fact := kg.Triple{Head: kg.Entity(s.Edge.Head), Relation: kg.Relation(s.Edge.Relation), Tail: kg.Entity(s.Edge.Tail)}.Stated()
		walked := fact.Relation
		if fact.Head != kg.Entity(s.From) {
			walked = walked.Inverse()
		}
		kind = binary.BigEndian.AppendUint32(kind, uint32(walked))
	}
	return string(kind)
}

// namePath gives a path in the words of the graph, and the facts it walks.
func namePath(g *kg.Graph, p gnn.Path) (Path, []kg.Triple) {
	path := Path{Weight: float64(p.Mean())}
	var facts []kg.Triple
	for _, s := range p.Steps {
		fact := kg.Triple{Head: kg.Entity(s.Edge.Head), Relation: kg.Relation(s.Edge.Relation), Tail: kg.Entity(s.Edge.Tail)}.Stated()
		path.Edges = append(path.Edges, Edge{Fact: newFact(g, fact), Inverse: fact.Head != kg.Entity(s.From), Weight: float64(s.Weight)})
		facts = append(facts, fact)
	}
	return path, facts
}

func newFact(g *kg.Graph, t kg.Triple) Fact {
	return Fact{
		Head: g.Entity(t.Head), HeadID: g.Entities.LabelledID(uint32(t.Head)), Relation: g.Relation(t.Relation),
		Tail: g.Entity(t.Tail), TailID: g.Entities.LabelledID(uint32(t.Tail)),
	}
}

// distinctFacts keeps the first of each.
func distinctFacts(facts []kg.Triple) []kg.Triple {
	var distinct []kg.Triple
	for _, f := range facts {
		if !slices.Contains(distinct, f) {
			distinct = append(distinct, f)
		}
	}
	return distinct
}

// counterfactual asks what a link would be without some facts.
type counterfactual struct {
	*Run
	link   kg.Triple
	before float32 // its probability with all facts
	facts  []kg.Triple
	draws  int
}

func (c counterfactual) check(ctx context.Context) (*Counterfactual, error) {
	after, err := c.without(ctx, c.facts)
	if err != nil {
		return nil, err
	}
	out := &Counterfactual{Before: c.before, After: after}
	for _, f := range c.facts {
		out.Removed = append(out.Removed, newFact(c.Model.Graph, f))
	}
	out.Control, err = c.control(ctx)
	return out, err
}

// without gives the probability of the link on the graph that lacks some facts.
func (c counterfactual) without(ctx context.Context, removed []kg.Triple) (float32, error) {
	var rest *neural.Predictor
	var err error
	c.Model.Locked(func() { rest, err = c.Model.Without(ctx, removed) })
	if err != nil {
		return 0, err
	}
	defer c.Model.Locked(rest.Close)
	p, err := c.Rows.By(rest).Probabilities(ctx, []kg.Triple{c.link})
	if err != nil {
		return 0, err
	}
	return p[0], nil
}

// control removes as many other facts of the same entities, several times; nil where there are none.
func (c counterfactual) control(ctx context.Context) (*Control, error) {
	others := c.others()
	control := &Control{Removed: min(len(c.facts), len(others)), Draws: c.draws, Lowest: 1}
	if control.Removed == 0 {
		return nil, nil
	}
	draw := rand.New(rand.NewPCG(uint64(c.link.Head), uint64(c.link.Tail)))
	sum := 0.0
	for range c.draws {
		draw.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
		after, err := c.without(ctx, others[:control.Removed])
		if err != nil {
			return nil, err
		}
		sum += float64(after)
		control.Lowest = min(control.Lowest, after)
	}
	control.After = float32(sum / float64(c.draws))
	return control, nil
}

// others are the facts of the entities on the paths that lie on none of them.
func (c counterfactual) others() []kg.Triple {
	removed, seen := map[kg.Triple]bool{}, map[kg.Entity]bool{}
	for _, f := range c.facts {
		removed[f] = true
	}
	var others []kg.Triple
	for _, f := range c.facts {
		for _, entity := range []kg.Entity{f.Head, f.Tail} {
			if seen[entity] {
				continue
			}
			seen[entity] = true
			relations, tails := c.Model.Graph.Edges(entity)
			for i, r := range relations {
				fact := kg.Triple{Head: entity, Relation: r, Tail: tails[i]}.Stated()
				if !removed[fact] {
					removed[fact] = true // listed once
					others = append(others, fact)
				}
			}
		}
	}
	return others
}
