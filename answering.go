package lacuna

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lacuna-kg/lacuna/answer"
	"github.com/lacuna-kg/lacuna/browse"
	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/join"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
)

// answering is one question on its way from candidates to a result.
type answering struct {
	*Engine
	*Question
	ctx       context.Context
	normal    *query.Normal
	variables []int         // the answer variables, by number
	known     *join.Checker // by what the graph states
	origins   *answer.Origins
	truth     *join.Checker // nil without
	rows      *links.Rows
	follow    links.Follow
	judge     *answer.Judge // nil where estimates are all there is: by sets, and without a model
	start     time.Time
}

func (e *Engine) answering(ctx context.Context, q *Question) (*answering, error) {
	a := &answering{Engine: e, Question: q, ctx: ctx, normal: q.Normal, start: time.Now()}
	if q.IsTree() {
		a.normal = q.Program.Normal(q.Program.Result())
	}
	a.variables, a.known = numbered(a.normal.Answers), join.NewChecker(e.Graph, a.normal)
	a.origins = answer.NewOrigins(e.Graph, a.normal, a.variables)
	if e.Truth != nil {
		a.truth = join.NewChecker(e.Truth, a.normal)
	}
	a.rows = links.New(e.Graph, nil, links.Options{})
	if q.IsTree() && q.Asking.By != Links { // by sets the device is taken: rows could not be made
		return a, nil
	}
	return a, a.byLinks()
}

// byLinks gives the question the rows of the model, if there is one, and somebody who settles its answers by them.
func (a *answering) byLinks() error {
	if a.predictor(a.Asking.Execution) == nil {
		return nil
	}
	executor, err := a.links.ready(a.ctx, a.Asking.Literals)
	if err != nil {
		return err
	}
	a.rows, a.follow = executor.Rows(), executor.Follow()
	a.judge = answer.NewJudge(a.rows, a.Asking.Logic)
	return nil
}

// ofTree is the result of a question that was run by sets.
func (a *answering) ofTree(t trace) (*Result, error) {
	s := t.sets(a.Program.Result())
	c := ofSets(s.set, s.known, a.wants())
	r, err := a.result(c)
	if err != nil {
		return nil, err
	}
	r.Operators, r.Shape = query.FormatOperators(a.Expr, a.Graph.Vocabulary), query.ShapeOf(a.Expr)
	r.Listing = a.Program.Listing(a.Graph.Vocabulary)
	swapped := browse.Swapped(a.Expr, a.Graph)
	if r.Total == 0 && len(swapped) == 0 {
		r.Hints = append(r.Hints, a.whyNone(t)...)
	}
	r.Hints = append(swapped, r.Hints...)
	r.Stats = newStats(a.Graph, a.prepared, t.run.Stats)
	r.Steps, err = a.steps(t)
	return r, err
}

// ofJoin is the result of a question whose variables form no tree.
func (a *answering) ofJoin() (*Result, error) {
	if a.normal.Answers == 0 {
		return a.yesOrNo()
	}
	j := newJoining(a.ctx, a.normal, a.rows, a.follow, a.Asking)
	c, err := j.candidates(a.variables, a.wants())
	if err != nil {
		return nil, err
	}
	r, err := a.result(c)
	if err != nil {
		return nil, err
	}
	if r.Total == 0 {
		r.Hints = append(r.Hints, a.whyNoneJoined()...)
	}
	a.join(r, c)
	if a.Asking.Marginal && a.normal.Answers > 1 {
		r.Marginals, err = a.marginals(j)
	}
	return r, err
}

// join fills in what questions have in common whose variables form no tree.
func (a *answering) join(r *Result, c candidates) {
	r.Shape, r.Steps = ShapeOfJoin, []Step{}
	r.Joined = &Joined{Cut: cutOf(c.cut), Variables: a.values(c), Picture: explain.NewPicture(a.normal, a.Graph)}
	r.Stats = Stats{
		Entities: a.Graph.NumEntities(), Triples: a.Graph.NumTriples(), Questions: 1, Batches: []int{},
		PrepareMS: milliseconds(a.prepared), ProjectMS: milliseconds(time.Since(a.start)),
	}
}

// yesOrNo says how likely the question is.
func (a *answering) yesOrNo() (*Result, error) {
	r := &Result{Query: a.Query.String(), Answers: []Answer{}, CutTo: a.cutTo(a.Asking.Execution), Hints: a.hints()}
	known, err := a.known.Holds(a.ctx, nil, nil)
	if err != nil {
		return nil, err
	}
	one := []answer.Answer{{Known: known}}
	if known {
		one[0].Probability = 1
	}
	if err := a.settled(one); err != nil {
		return nil, err
	}
	if err := a.origins.Settle(a.ctx, one); err != nil {
		return nil, err
	}
	r.Cardinality, r.Expected = one[0].Probability, one[0].Probability
	r.Verdict = &Verdict{Probability: float32(one[0].Probability), Known: known, Implied: one[0].Implied}
	if a.Asking.Why {
		r.Derivation = a.derivation(one[0])
	}
	a.join(r, candidates{known: one})
	return r, nil
}

// settled gives answers their probabilities and derivations. Without a model these are what is stated.
func (a *answering) settled(all []answer.Answer) error {
	judge := a.judge
	if judge == nil {
		judge = answer.NewJudge(links.New(a.Graph, nil, links.Options{}), a.Asking.Logic)
	}
	return judge.Settle(a.ctx, a.normal, a.variables, all)
}

// result lists the candidates that matter, by what they come to.
func (a *answering) result(c candidates) (*Result, error) {
	if a.Asking.Predicted {
		c.known, c.unsettled = nil, nil
	}
	var guarantee *Guarantee
	var err error
	if a.Asking.Coverage > 0 {
		if guarantee, err = a.cover(&c); err != nil {
			return nil, err
		}
	}
	if a.judge != nil {
		if err := c.settle(a.ctx, a.judge, a.normal, a.variables, !a.known.IsPositive() || a.Asking.Why); err != nil {
			return nil, err
		}
	}
	if a.Asking.Coverage > 0 && guarantee == nil {
		if guarantee, err = a.coverByLineage(&c); err != nil {
			return nil, err
		}
	}
	if guarantee != nil {
		guarantee.keep(c.predicted)
	}
	list := answer.Wanted{Threshold: a.Asking.Threshold, Limit: a.Asking.Limit}.List(c.known, c.predicted)
	r := &Result{Query: a.Query.String(), CutTo: a.cutTo(a.Asking.Execution), Hints: a.hints(), Threshold: a.Asking.Threshold, More: c.more || !a.IsTree() && list.More, Doubted: list.Doubted, Guarantee: guarantee}
	if r.Answers, err = a.named(list.Answers); err != nil {
		return nil, err
	}
	if r.LessLikely, err = a.named(list.LessLikely); err != nil || len(r.LessLikely) == 0 {
		r.LessLikely = nil
	}
	r.KnownTotal = a.Asking.count(c.known) + a.Asking.count(c.unsettled)
	r.Doubted += len(c.unsettled) - a.Asking.count(c.unsettled)
	r.Total = r.KnownTotal + a.Asking.count(c.predicted)
	r.Expected = answer.Expected(list.Answers, list.LessLikely)
	r.Cardinality = r.Expected + float64(max(0, r.KnownTotal-countKnown(list.Answers)))
	r.Hints = append(r.Hints, doubts(r.Doubted)...)
	return r, err
}

// hints say how the question was understood, whatever its answers are.
func (a *answering) hints() []string {
	return append(slices.Clone(a.taken), a.statedOnly(a.Question)...)
}

// count is how many are at or above the threshold.
func (a Asking) count(all []answer.Answer) (n int) {
	for _, one := range all {
		if one.Probability >= a.Threshold && one.Probability > 0 {
			n++
		}
	}
	return n
}

func countKnown(all []answer.Answer) (n int) {
	for _, a := range all {
		if a.Known {
			n++
		}
	}
	return n
}

// doubts says that known answers are doubted.
func doubts(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s %s below the threshold, as the model doubts %s", count.Of(n, "known answer"), count.Either(n, "is", "are"), count.Either(n, "it", "them"))}
}

// named are answers as they are shown.
func (a *answering) named(all []answer.Answer) ([]Answer, error) {
	if err := a.origins.Settle(a.ctx, all); err != nil {
		return nil, err
	}
	named := make([]Answer, len(all))
	for i, one := range all {
		named[i] = name(a.Graph, one.Entities)
		named[i].Probability, named[i].Known, named[i].Implied = float32(one.Probability), one.Known, one.Implied
		if a.Asking.Why {
			named[i].Derivation = a.derivation(one)
		}
		if a.truth != nil {
			right, err := a.truth.Holds(a.ctx, a.variables, one.Entities)
			if err != nil {
				return nil, err
			}
			named[i].Right = &right
		}
	}
	return named, nil
}

// name gives one entity as such and several as a list.
func name(g *kg.Graph, entities []kg.Entity) (a Answer) {
	for i, e := range entities {
		text, id := g.Entity(e), g.Entities.LabelledID(uint32(e))
		if len(entities) == 1 {
			return Answer{Entity: text, ID: id}
		}
		a.Entities = append(a.Entities, text)
		if id != "" {
			if a.IDs == nil {
				a.IDs = make([]string, len(entities))
			}
			a.IDs[i] = id
		}
	}
	return a
}

// derivation is the links of an answer's, as they are shown.
func (a *answering) derivation(of answer.Answer) []DerivedLink {
	var all []DerivedLink
	for _, l := range of.Links {
		all = append(all, DerivedLink{
			a.Graph.Entity(l.Fact.Head), a.Graph.Relation(l.Fact.Relation), a.Graph.Entity(l.Fact.Tail), l.Probability, l.Stated, l.Implied, l.Negated,
		})
	}
	return all
}

// values are the likeliest values of each variable in the derivations of the answers found.
func (a *answering) values(c candidates) []Variable {
	var all []Variable
	for v, variable := range a.normal.Variables {
		var top []Answer
		seen := map[kg.Entity]bool{}
		for _, f := range slices.Concat(c.known, c.predicted) {
			e, bound := f.Value(v)
			if len(top) == a.Asking.Top || !bound || seen[e] || f.Probability < a.Asking.Threshold {
				continue
			}
			seen[e] = true
			one := name(a.Graph, []kg.Entity{e})
			one.Probability, one.Known = float32(f.Probability), f.Known
			top = append(top, one)
		}
		if len(top) > 0 {
			all = append(all, Variable{variable, top})
		}
	}
	return all
}

// marginals are the answers of each answer variable by itself.
func (a *answering) marginals(j *joining) ([]Variable, error) {
	all := make([]Variable, a.normal.Answers)
	for v := range all {
		c, err := j.candidates([]int{v}, a.wants())
		if err == nil && a.judge != nil {
			err = c.settle(a.ctx, a.judge, a.normal, []int{v}, !a.known.IsPositive())
		}
		if err != nil {
			return nil, err
		}
		all[v] = Variable{Variable: a.normal.Variables[v], Top: []Answer{}}
		for _, f := range (answer.Wanted{Threshold: a.Asking.Threshold, Limit: a.Asking.Limit}).List(c.known, c.predicted).Answers {
			one := name(a.Graph, f.Entities)
			one.Probability, one.Known = float32(f.Probability), f.Known
			all[v].Top = append(all[v].Top, one)
		}
	}
	return all, nil
}

// leastOfStep is the probability from which on a member of a step's set may be named.
const leastOfStep = 0.1

// steps describes the trace, leaving out the Loads: what takes a loaded set refers to the step that made it.
func (a *answering) steps(t trace) ([]Step, error) {
	p, v := a.Program, a.Graph.Vocabulary
	number := make([]int, len(p.Code)) // of the step made from an instruction
	var steps []Step
	for i, in := range p.Code {
		if in.Op == plan.Load {
			continue
		}
		number[i] = len(steps)
		at := t.sets(i)
		top, err := a.members(i, at)
		if err != nil {
			return nil, err
		}
		s := Step{Op: in.Op.String(), Inputs: []int{}, Cardinality: at.set.Cardinality(), Top: top}
		switch in.Op {
		case plan.Entity:
			s.Entity = v.Entity(in.Entity)
		case plan.Project:
			s.Relation = v.Relation(in.Relation)
			cut := t.run.Cut(t.program, i)
			s.LeftOut, s.LikeliestLeftOut, s.LeftOutBy = cut.LeftOut, cut.Likeliest, cut.By
		}
		for _, input := range p.Inputs[i] {
			s.Inputs = append(s.Inputs, number[input])
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// members are those to name at a step: the likeliest, up to half of them predictions.
func (a *answering) members(i int, at sets) ([]Answer, error) {
	if op := a.Program.Code[i].Op; a.Asking.Top == 0 || op == plan.Not || op == plan.Everything { // nearly all entities are in it
		return []Answer{}, nil
	}
	c := ofSets(at.set, at.known, wanted{known: a.Asking.Top, predicted: a.Asking.Top, threshold: leastOfStep, least: leastOfStep})
	of := &answering{Engine: a.Engine, Question: &Question{Question: a.Question.Question, Asking: Asking{}}, ctx: a.ctx, variables: a.variables}
	of.normal = a.Program.Normal(i)
	of.origins = answer.NewOrigins(a.Graph, of.normal, of.variables)
	if a.truth != nil {
		of.truth = join.NewChecker(a.Engine.Truth, of.normal)
	}
	if a.judge != nil {
		positive := join.NewChecker(a.Graph, of.normal).IsPositive()
		if err := c.settle(a.ctx, a.judge, of.normal, a.variables, !positive); err != nil {
			return nil, err
		}
	}
	return of.named(answer.Wanted{Threshold: leastOfStep, Limit: a.Asking.Top}.List(c.known, c.predicted).Answers)
}

// trace is one program of the runs.
type trace struct {
	*runs
	program int
}

// sets is the set after an instruction, and the same by traversal of the graph.
type sets struct{ set, known fuzzy.View }

func (t trace) sets(instruction int) sets {
	return sets{t.run.View(t.program, instruction), t.exact.View(t.program, instruction)}
}
