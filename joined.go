package lacuna

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/join"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/query"
)

// Questions whose variables form no tree have no sets: they are joined over links, with a model
// over its links, whatever the way to answer trees, and without over what is stated (package join).

// ShapeOfJoin is the shape of a question whose variables form no tree.
const ShapeOfJoin = "join"

// joinTime bounds how long a question is joined; what was found by then is the answer, which says so.
var joinTime = 20 * time.Second

// joinComputing bounds how long of it rows are computed: then what is there has to do. 192 rows of FB15k-237 take two free cores less.
var joinComputing = 4 * time.Second

// Predicted leaves out of the answers what traversal of the graph finds.
func Predicted(on bool) AskOption {
	return func(c *choices) error { c.Predicted = on; return nil }
}

// Marginal gives each of several answer variables a list of its own beside the answers for all of
// them: an entity is as likely as the best answer that it is in.
func Marginal(on bool) AskOption {
	return func(c *choices) error { c.Marginal = on; return nil }
}

// Why gives the answers to a question whose variables form no tree their best derivations. Those to trees are
// explained by Explain.
func Why(on bool) AskOption {
	return func(c *choices) error { c.Why = on; return nil }
}

// DerivedLink is a link of a derivation.
type DerivedLink struct {
	From        string  `json:"from"`
	Relation    string  `json:"relation"`
	To          string  `json:"to"`
	Probability float32 `json:"probability"`
	Known       bool    `json:"known"`             // the graph states it
	Negated     bool    `json:"negated,omitempty"` // the question wants it not to be
}

// Variable is a variable of a question that was joined, with its likeliest values.
type Variable struct {
	Variable string   `json:"variable"`
	Top      []Answer `json:"top"`
}

// JoinCut is what a join left out.
type JoinCut struct {
	LeftOut   int     `json:"left_out,omitempty"`  // rows of predicted links that were not followed
	Stopped   string  `json:"stopped,omitempty"`   // "time" or "steps", where a bound of these ended it
	Likeliest float32 `json:"likeliest,omitempty"` // no derivation that lacks is likelier
}

// Links is how many relation steps the question has.
func (q *Question) Links() int {
	if q.IsTree() {
		return q.Program.Projections()
	}
	return countLinks(q.Normal.Body)
}

func countLinks(c query.Condition) int {
	if _, ok := c.(query.Link); ok {
		return 1
	}
	n := 0
	for _, part := range query.Parts(c) {
		n += countLinks(part)
	}
	return n
}

// joining is one question being joined.
type joining struct {
	*Engine
	*Question
	ctx    context.Context
	rows   *links.Rows
	follow links.Follow
	known  *join.Checker
	truth  *join.Checker // nil without
	line   links.Line    // what the degrees of predictions come to
	start  time.Time
	names  map[kg.Entity]entityName

	answers []int     // the answer variables, by number
	until   time.Time // rows are computed
	stopped join.Cut  // of a search beside that for the answers that met its bound; the zero value for none
}

func (e *Engine) newJoining(ctx context.Context, q *Question) (*joining, error) {
	j := &joining{Engine: e, Question: q, ctx: ctx, known: join.NewChecker(e.Graph, q.Normal), start: time.Now(), names: map[kg.Entity]entityName{}}
	for v := range q.Normal.Answers {
		j.answers = append(j.answers, v)
	}
	if e.predictor(q.Asking.Execution) == nil {
		j.rows = links.New(e.Graph, nil, links.Options{})
	} else {
		executor, err := e.links.ready(ctx, q.Asking.Literals)
		if err != nil {
			return nil, err
		}
		j.rows, j.follow = executor.Rows(), executor.Follow()
	}
	if e.truth != nil {
		j.truth = join.NewChecker(e.truth, q.Normal)
	}
	j.until = time.Now().Add(joinComputing)
	return j, j.chooseLine()
}

// search begins one for some of the answer variables, from a probability on and perhaps without what stated links alone derive.
func (j *joining) search(answers []int, least float64, predicted bool) *join.Search {
	return join.NewMarginal(j.rows, j.Normal, answers, join.Options{
		Logic: j.Asking.Logic, Least: j.leastDegree(least), Follow: j.follow, Time: joinTime, ComputeUntil: j.until, Predicted: predicted,
	})
}

// answerJoin answers a question whose variables form no tree.
func (e *Engine) answerJoin(ctx context.Context, q *Question) (*Result, error) {
	j, err := e.newJoining(ctx, q)
	if err != nil {
		return nil, err
	}
	r := &Result{Query: q.Query.String(), Shape: ShapeOfJoin, Answers: []Answer{}, Steps: []Step{}, Picture: explain.NewPicture(q.Normal, e.Graph), CutTo: e.cutTo(q.Asking.Execution), Hints: e.statedOnly(q)}
	err = j.fill(r)
	r.Stats = Stats{
		Entities: e.Graph.NumEntities(), Triples: e.Graph.NumTriples(), Questions: 1, Batches: []int{},
		PrepareMS: milliseconds(q.prepared), ProjectMS: milliseconds(time.Since(j.start)),
	}
	return r, err
}

func (j *joining) fill(r *Result) error {
	if j.Normal.Answers == 0 {
		return j.yesOrNo(r)
	}
	search := j.search(j.answers, j.Asking.Threshold, j.separates())
	found, more, err := j.collect(search)
	if err != nil {
		return err
	}
	r.Answers, r.Total = make([]Answer, len(found)), len(found)
	for i, f := range found {
		a := j.answer(f)
		if a.Derivation, err = j.derivation(search, f.of); err != nil {
			return err
		}
		r.Answers[i] = a
		if a.Known {
			r.KnownTotal++
		}
		r.Cardinality += float64(a.Probability)
	}
	r.More, r.Variables = more, j.variables(found)
	if err := j.lessLikely(r); err != nil {
		return err
	}
	if err := j.doubted(r, found); err != nil {
		return err
	}
	r.Hints = append(r.Hints, doubts(r.Doubted)...)
	slices.SortStableFunc(r.LessLikely, func(a, b Answer) int { return cmp.Compare(b.Probability, a.Probability) })
	for _, list := range [][]Answer{r.Answers, r.LessLikely} {
		for i := range list {
			r.Expected += float64(list[i].Probability)
		}
	}
	if j.Asking.Marginal && j.Normal.Answers > 1 {
		r.Marginals, err = j.marginals()
	}
	r.Cut = j.cutWith(search)
	return err
}

// lessLikely adds the likeliest predictions below the threshold, so that as many are shown as of any question.
func (j *joining) lessLikely(r *Result) error {
	most := ShownPredictions - (r.Total - r.KnownTotal)
	if limit := j.Asking.Limit; limit >= 0 {
		most = min(most, limit-(r.Total-r.KnownTotal))
	}
	if j.predictor(j.Asking.Execution) == nil || j.Asking.Threshold <= leastShown {
		return nil
	}
	search := j.search(j.answers, leastShown, true)
	for n := 0; len(r.LessLikely) < most && n < looks; n++ {
		a, ok, err := search.Next(j.ctx)
		if err != nil || !ok {
			return err
		}
		if j.line.At(a.Degree) >= j.Asking.Threshold {
			continue
		}
		answer, err := j.judged(a)
		if err != nil {
			return err
		}
		if !answer.known {
			r.LessLikely = append(r.LessLikely, j.answer(answer))
		}
	}
	return nil
}

// doubted adds known answers below the threshold, those of which the model predicts what the question negates. Where the list of answers was cut
// short they need not be: it says that there are more.
func (j *joining) doubted(r *Result, found []*joined) error {
	if j.separates() || !j.rows.Predicts() || j.Asking.Predicted || r.More {
		return nil
	}
	listed := map[string]bool{}
	for _, f := range found {
		listed[fmt.Sprint(f.of.Entities)] = true
	}
	stated := j.stated()
	for n := 0; n < looks; n++ {
		a, ok, err := stated.Next(j.ctx)
		if err != nil || !ok {
			return err
		}
		if listed[fmt.Sprint(a.Entities)] {
			continue
		}
		if r.Doubted >= ShownPredictions {
			r.Doubted++ // it is counted only
			continue
		}
		given := join.NewGiven(j.rows, j.Normal, a.Entities, join.Options{Logic: j.Asking.Logic, Follow: j.follow, Time: joinTime, ComputeUntil: j.until})
		found, _, err := given.Next(j.ctx)
		if err != nil {
			return err
		}
		if found.Degree >= j.Asking.Threshold {
			continue // a bound kept the search from it, which is said
		}
		answer, err := j.judged(join.Answer{Entities: a.Entities, Degree: found.Degree})
		if err != nil {
			return err
		}
		r.Doubted++
		r.LessLikely = append(r.LessLikely, j.answer(answer))
	}
	return nil
}

// note remembers that a search met its bound.
func (j *joining) note(s *join.Search) {
	if cut := s.Cut(); cut.Stopped != "" {
		j.stopped = join.Cut{Stopped: cut.Stopped, Likeliest: max(j.stopped.Likeliest, cut.Likeliest)}
	}
}

// cutWith is what the search for the answers left out, and the bounds that others met: for what is known, or for one variable.
func (j *joining) cutWith(s *join.Search) *JoinCut {
	cut := s.Cut()
	cut.Stopped, cut.Likeliest = cmp.Or(cut.Stopped, j.stopped.Stopped), max(cut.Likeliest, j.stopped.Likeliest)
	return asCut(cut)
}

func cutOf(s *join.Search) *JoinCut { return asCut(s.Cut()) }

func asCut(cut join.Cut) *JoinCut {
	if cut == (join.Cut{}) {
		return nil
	}
	return &JoinCut{cut.LeftOut, cut.Stopped, float32(cut.Likeliest)}
}

// yesOrNo says how likely the question is.
func (j *joining) yesOrNo(r *Result) error {
	search := j.search(nil, 0, false)
	a, _, err := search.Next(j.ctx)
	if err != nil {
		return err
	}
	known, err := j.known.Holds(j.ctx, nil, nil)
	if err != nil {
		return err
	}
	if r.Derivation, err = j.derivation(search, a); err != nil {
		return err
	}
	likely := j.probability(a.Degree, known)
	probability := float32(likely)
	r.Probability, r.Known, r.Cut, r.Cardinality = &probability, &known, cutOf(search), likely
	if a.Degree > 0 {
		r.Variables = j.variables([]*joined{{of: a, known: known}})
	}
	return nil
}

// derivation is that of an answer, where it is wanted.
func (j *joining) derivation(search *join.Search, a join.Answer) ([]DerivedLink, error) {
	if !j.Asking.Why || a.Degree == 0 {
		return nil, nil
	}
	steps, err := search.Derivation(j.ctx, a)
	if err != nil {
		return nil, err
	}
	links := make([]DerivedLink, len(steps))
	for i, s := range steps {
		links[i] = DerivedLink{
			j.Graph.Entity(s.Link.Head), j.Graph.Relation(s.Link.Relation), j.Graph.Entity(s.Link.Tail), float32(s.Degree), s.Stated, s.Negated,
		}
	}
	return links, nil
}

// joined is an answer with its derivation, and what is known of it; it is named when it is listed.
type joined struct {
	of    join.Answer
	known bool
	right *bool // by the truth; nil without
}

// judged says what is known of an answer.
func (j *joining) judged(a join.Answer) (*joined, error) {
	known, err := j.isKnown(j.answers, a)
	if err != nil || j.truth == nil {
		return &joined{of: a, known: known}, err
	}
	right, err := j.truth.Holds(j.ctx, j.answers, a.Entities)
	return &joined{a, known, &right}, err
}

// answer names one.
func (j *joining) answer(f *joined) Answer {
	a := j.named(f.of.Entities)
	a.Probability, a.Known, a.Right = float32(j.probability(f.of.Degree, f.known)), f.known, f.right
	return a
}

// isKnown tells whether traversal finds an answer; without a model it is what found it. A search without what is stated may give another
// derivation than the best, so that its degree tells nothing.
func (j *joining) isKnown(answers []int, a join.Answer) (bool, error) {
	if !j.rows.Predicts() {
		return true, nil
	}
	return j.known.Holds(j.ctx, answers, a.Entities)
}

// named gives one entity as such and several as a list.
func (j *joining) named(entities []kg.Entity) Answer {
	if len(entities) == 1 {
		n := j.nameOf(entities[0])
		return Answer{Entity: n.name, ID: n.id}
	}
	var a Answer
	if len(entities) > 0 {
		a.Entities = make([]string, len(entities))
	}
	for i, e := range entities {
		n := j.nameOf(e)
		if a.Entities[i] = n.name; n.id != "" {
			if a.IDs == nil {
				a.IDs = make([]string, len(entities))
			}
			a.IDs[i] = n.id
		}
	}
	return a
}

// entityName is an entity's readable name and, where that is a label, its identifier.
type entityName struct{ name, id string }

// nameOf remembers names: tuples repeat them.
func (j *joining) nameOf(e kg.Entity) entityName {
	n, known := j.names[e]
	if !known {
		n = entityName{j.Graph.Entity(e), j.Graph.Entities.LabelledID(uint32(e))}
		j.names[e] = n
	}
	return n
}

// variables are the likeliest values of each variable in the derivations of the answers found.
func (j *joining) variables(found []*joined) []Variable {
	var all []Variable
	for v, name := range j.Normal.Variables {
		var top []Answer
		seen := map[kg.Entity]bool{}
		for _, f := range found {
			if len(top) == j.Asking.Top {
				break
			}
			e, bound := f.of.Value(v)
			if !bound || seen[e] {
				continue
			}
			seen[e] = true
			a := j.named([]kg.Entity{e})
			a.Probability, a.Known = float32(j.probability(f.of.Degree, f.known)), f.known
			top = append(top, a)
		}
		if len(top) > 0 {
			all = append(all, Variable{name, top})
		}
	}
	return all
}

// marginals are the answers of each answer variable by itself.
func (j *joining) marginals() ([]Variable, error) {
	all := make([]Variable, j.Normal.Answers)
	for v := range all {
		all[v] = Variable{Variable: j.Normal.Variables[v], Top: []Answer{}}
		search := j.search([]int{v}, j.Asking.Threshold, false)
		found, err := search.All(j.ctx, j.Asking.Limit)
		if err != nil {
			return nil, err
		}
		j.note(search)
		for _, f := range found {
			a := j.named(f.Entities)
			if a.Known, err = j.isKnown([]int{v}, f); err != nil {
				return nil, err
			}
			if p := j.probability(f.Degree, a.Known); p >= j.Asking.Threshold {
				a.Probability = float32(p)
				all[v].Top = append(all[v].Top, a)
			}
		}
	}
	return all, nil
}
