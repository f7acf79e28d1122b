package explain

import (
	"cmp"
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// Run is an answered question, as its explanation reads it.
type Run struct {
	*plan.Question
	Graph *kg.Graph
	// Sets gives the set after an instruction, and the same by traversal of the graph.
	Sets  func(instruction int) (set, known fuzzy.View)
	Model *neural.Predictor // nil where traversal alone answered
	// Links is what the model answered by, and the logic that it took: nil where it took whole sets.
	Links *links.Executor
	Logic fuzzy.Logic
	// DoubtKnown says that the model judged stated facts, too.
	DoubtKnown bool
}

// Options bounds an explanation; the zero value takes the defaults.
type Options struct {
	Candidates int // sources to try for each projection
	Others     int // of them to name beside the best
	Paths      int // for each predicted link
	Reasons    int // the most predicted links whose paths are looked for
	Draws      int // of the control of a counterfactual; negative for no counterfactual
}

// withDefaults fills in what was left open.
func (o Options) withDefaults() Options {
	return Options{
		Candidates: cmp.Or(o.Candidates, 16), Others: cmp.Or(o.Others, 3), Paths: cmp.Or(o.Paths, 5),
		Reasons: cmp.Or(o.Reasons, 8), Draws: cmp.Or(o.Draws, 3),
	}
}

// worthFollowing is the degree from which what stands under ¬ is followed further: below
// it nothing speaks for the entity, and that is the whole reason.
const worthFollowing = 0.1

// Ground finds the best assignment of the variables that ends in answer: at every
// projection the source that contributes most, its degree times the strength of the link.
// The explanation has its links, but not yet their reasons.
//
// By links that is the derivation that was computed. By sets a network takes a whole set at once and
// gives no value for a pair. So the candidates, the likeliest members of the set and all that a
// fact links to the entity, are projected once more, each by itself.
func (r *Run) Ground(ctx context.Context, answer kg.Entity, opts Options) (*Explanation, error) {
	g := &grounder{Run: r, ctx: ctx, opts: opts.withDefaults(), numbers: stepNumbers(r.Program)}
	root, err := g.ground(r.Program.Result(), answer, false)
	if err != nil {
		return nil, err
	}
	return &Explanation{
		Query: r.Query.String(), Operators: query.FormatOperators(r.Expr, r.Graph.Vocabulary), Shape: query.ShapeOf(r.Expr),
		Answer: root.Member, Grounding: &root, Links: g.links,
	}, nil
}

type grounder struct {
	*Run
	ctx     context.Context
	opts    Options
	links   []Link
	numbers []int
}

// stepNumbers gives the number of every instruction among the steps of a result, which leave out the Loads.
func stepNumbers(p *plan.Program) []int {
	numbers, n := make([]int, len(p.Code)), 0
	for i, in := range p.Code {
		numbers[i] = n
		if in.Op != plan.Load {
			n++
		}
	}
	return numbers
}

// ground explains why an entity is in the set after an instruction or, negated, why not.
func (g *grounder) ground(i int, entity kg.Entity, negated bool) (Step, error) {
	step := g.step(i, entity, negated)
	if negated && step.Probability < worthFollowing {
		return step, nil
	}
	var err error
	switch g.Program.Code[i].Op {
	case plan.Project:
		err = g.project(&step, i, entity, negated)
	case plan.Not:
		err = g.operands(&step, i, entity, !negated)
	case plan.And:
		err = g.operands(&step, i, entity, negated)
	case plan.Or:
		err = g.better(&step, i, entity, negated)
	}
	return step, err
}

func (g *grounder) step(i int, entity kg.Entity, negated bool) Step {
	in := g.Program.Code[i]
	step := Step{Op: in.Op.String(), Number: g.numbers[i], Variable: in.Variable, Negated: negated, Member: g.member(i, entity)}
	if in.Op == plan.Project {
		step.Relation = g.Graph.Relation(in.Relation)
		input := g.Program.Inputs[i][0]
		if from := g.Program.Code[input]; from.Op == plan.Entity { // known without looking for it
			step.Of = []Step{g.step(input, from.Entity, negated)}
		}
	}
	return step
}

func (g *grounder) member(i int, entity kg.Entity) Member {
	set, known := g.Sets(i)
	return newMember(g.Graph, entity, set.At(entity), known.At(entity) > 0)
}

func newMember(g *kg.Graph, entity kg.Entity, degree float32, known bool) Member {
	return Member{Entity: g.Entity(entity), ID: g.Entities.LabelledID(uint32(entity)), Probability: degree, Known: known}
}

// operands asks the same of every operand.
func (g *grounder) operands(step *Step, i int, entity kg.Entity, negated bool) error {
	for _, input := range g.Program.Inputs[i] {
		operand, err := g.ground(input, entity, negated)
		if err != nil {
			return err
		}
		step.Of = append(step.Of, operand)
	}
	return nil
}

// better follows the operand of ∨ that has more of the entity; what is known wins a tie.
func (g *grounder) better(step *Step, i int, entity kg.Entity, negated bool) error {
	best := -1
	for k, input := range g.Program.Inputs[i] {
		operand := g.step(input, entity, negated)
		operand.Aside = true
		step.Of = append(step.Of, operand)
		if best < 0 || operand.Probability > step.Of[best].Probability ||
			operand.Probability == step.Of[best].Probability && operand.Known && !step.Of[best].Known {
			best = k
		}
	}
	followed, err := g.ground(g.Program.Inputs[i][best], entity, negated)
	step.Of[best] = followed
	return err
}

// project chooses the source of a projection and goes on from it.
func (g *grounder) project(step *Step, i int, entity kg.Entity, negated bool) error {
	input, relation := g.Program.Inputs[i][0], g.Program.Code[i].Relation
	sources, err := g.sources(input, relation, entity)
	if err != nil || len(sources) == 0 {
		return err
	}
	for _, s := range sources[1:min(len(sources), 1+g.opts.Others)] {
		step.Others = append(step.Others, newMember(g.Graph, s.entity, s.together(), s.known))
	}
	best := sources[0]
	below, err := g.ground(input, best.entity, negated)
	if err != nil {
		return err
	}
	number := len(g.links)
	step.Link, step.Of = &number, []Step{below}
	g.links = append(g.links, newLink(g.Graph, kg.Triple{Head: best.entity, Relation: relation, Tail: entity}, best.strength, best.known))
	return nil
}

func newLink(g *kg.Graph, t kg.Triple, probability float32, known bool) Link {
	return Link{
		Head: g.Entity(t.Head), HeadID: g.Entities.LabelledID(uint32(t.Head)), Relation: g.Relation(t.Relation),
		Tail: g.Entity(t.Tail), TailID: g.Entities.LabelledID(uint32(t.Tail)),
		Probability: probability, Known: known, triple: t,
	}
}

// source is an entity that a projection may have come from.
type source struct {
	entity   kg.Entity
	degree   float32 // in the set that was projected
	strength float32 // of the link
	both     float32 // together
	known    bool
}

func (s source) together() float32 {
	if s.both > 0 {
		return s.both
	}
	return s.degree * s.strength
}

// sources are the candidates for a projection's source, best first.
func (g *grounder) sources(input int, r kg.Relation, tail kg.Entity) ([]source, error) {
	set, _ := g.Sets(input)
	if g.Links != nil {
		return g.derivations(set, r, tail)
	}
	candidates, err := g.candidates(set, r, tail)
	if err != nil {
		return nil, err
	}
	if err := g.weigh(candidates, r, tail); err != nil {
		return nil, err
	}
	candidates = slices.DeleteFunc(candidates, func(s source) bool { return s.together() == 0 })
	slices.SortStableFunc(candidates, func(a, b source) int {
		return cmp.Or(cmp.Compare(b.together(), a.together()), compareBool(b.known, a.known), cmp.Compare(a.entity, b.entity))
	})
	return candidates, nil
}

// derivations are the ways by which links led to the tail.
func (g *grounder) derivations(set fuzzy.View, r kg.Relation, tail kg.Entity) ([]source, error) {
	ways, err := g.Links.Ways(g.ctx, g.Logic, set, r, tail)
	all := make([]source, len(ways))
	for i, w := range ways {
		all[i] = source{w.Head, w.Degree, w.Link, w.Together, w.Stated}
	}
	return all, err
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// candidates are the likeliest members of a set that a fact links to the tail and, with a
// model, the likeliest of all. Where more members are likely than can be tried, the
// network itself says from which of them its evidence came.
func (g *grounder) candidates(set fuzzy.View, r kg.Relation, tail kg.Entity) ([]source, error) {
	heads := g.Graph.Tails(tail, r.Inverse())
	degrees := make(fuzzy.Set, len(heads))
	for i, u := range heads {
		degrees[i] = set.At(u)
	}
	var all []source
	for _, m := range fuzzy.ViewOfMembers(heads, degrees, 0, set.Entities()).Top(g.opts.Candidates, 0) {
		all = append(all, source{entity: m.Entity, degree: m.Degree, known: true})
	}
	if g.Model == nil {
		return all, nil
	}
	top := set.Top(g.opts.Candidates, 0)
	if len(top) == g.opts.Candidates && top[len(top)-1].Degree >= fuzzy.Threshold && len(all) == 0 {
		attribution, err := g.Model.Attribution(g.ctx, set.Dense(), r, tail)
		if err != nil {
			return nil, err
		}
		for _, path := range attribution.Paths(g.opts.Candidates) {
			from := kg.Entity(path.Steps[0].From)
			top = append(top, fuzzy.Member{Entity: from, Degree: set.At(from)})
		}
	}
	for _, m := range top {
		if !slices.ContainsFunc(all, func(s source) bool { return s.entity == m.Entity }) {
			all = append(all, source{entity: m.Entity, degree: m.Degree})
		}
	}
	return all, nil
}

// weigh fills in the strength of each candidate's link: 1 for a fact that is not to be
// doubted, else the model's. A model with a threshold does not see lower degrees.
func (g *grounder) weigh(candidates []source, r kg.Relation, tail kg.Entity) error {
	var asked []int
	var heads []kg.Entity
	for i := range candidates {
		c := &candidates[i]
		switch {
		case c.known && (g.Model == nil || !g.DoubtKnown):
			c.strength = 1
		case g.Model.Sees(c.degree):
			asked, heads = append(asked, i), append(heads, c.entity)
		}
	}
	if len(heads) == 0 {
		return nil
	}
	strengths, err := g.Model.Links(g.ctx, heads, r, tail)
	if err != nil {
		return err
	}
	for k, i := range asked {
		candidates[i].strength = strengths[k]
	}
	return nil
}
