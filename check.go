package lacuna

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/answer"
	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/join"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/links/fit"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sample"
	"github.com/lacuna-kg/lacuna/sample/pattern"
)

// CheckOptions say how probabilities of whole questions are compared with facts that they were not fitted to.
type CheckOptions struct {
	Held      []kg.Triple // true facts that the graph does not state, to compare with
	FitTo     []kg.Triple // others, to fit the probabilities of links to; none: to facts that are hidden
	Elsewhere int         // how many more it does not state that are in neither
	File      string      // take the fit of a file that FitLinks wrote instead
	Questions int         // of each shape; 0 is DefaultCheckQuestions
	// FromAll draws questions from all facts, those held out among them. A question is then asked only because it has an answer, which no
	// user's question promises: it is for comparison with what was measured so.
	FromAll  bool
	Seed     uint64
	Progress func(done, total int)
}

// DefaultCheckQuestions is how many questions of each shape are asked.
const DefaultCheckQuestions = 60

// Checked says how probabilities of the answers that people are shown hold: of the ten likeliest predictions of each question.
type Checked struct {
	Held   int            `json:"held"`
	Seed   uint64         `json:"seed"`
	Groups []CheckedGroup `json:"groups"`
}

// CheckedGroup is of the questions of some shapes.
type CheckedGroup struct {
	Name      string  `json:"name"`
	Questions int     `json:"questions"`
	Expected  float64 `json:"expected"` // how many of the answers shown are right, by what they promise
	Found     float64 `json:"found"`    // and by the facts held out
	fit.Reliability
}

// checkedShapes are the questions that are asked, those alike together.
var checkedShapes = []struct {
	name             string
	shapes, patterns []string
}{
	{name: "1 step", shapes: []string{"1p"}},
	{name: "2 steps", shapes: []string{"2p"}},
	{name: "3 steps", shapes: []string{"3p"}},
	{name: "intersection", shapes: []string{"2i", "3i", "pi", "ip"}},
	{name: "negation", shapes: []string{"2in", "3in", "inp", "pin", "pni"}},
	{name: "no tree", patterns: []string{"2m", "3pm", "3c", "diamond", "triangle-of-one", "2il", "pair", "pair-i", "pair-c", "2nm", "pair-n"}},
	{name: "yes or no", patterns: []string{"yes-2p", "yes-triangle"}},
}

// CheckLinks asks whole questions, drawn from what the graph states as a user would ask them, one of sixteen for something at random, and compares the
// probabilities of the answers that are shown with facts held out.
func (e *Engine) CheckLinks(ctx context.Context, o CheckOptions) (*Checked, error) {
	c, err := e.checking(ctx, o)
	if err != nil {
		return nil, err
	}
	report := &Checked{Held: len(o.Held), Seed: o.Seed}
	for i, g := range checkedShapes {
		tally := &checkTally{Tally: fit.NewTally()}
		for _, shape := range g.shapes {
			if err := c.trees(ctx, shape, tally); err != nil {
				return nil, err
			}
		}
		for _, name := range g.patterns {
			if err := c.joins(ctx, name, tally); err != nil {
				return nil, err
			}
		}
		if tally.questions > 0 {
			report.Groups = append(report.Groups, CheckedGroup{g.name, tally.questions, tally.expected, tally.found, tally.Result()})
		}
		if o.Progress != nil {
			o.Progress(i+1, len(checkedShapes))
		}
	}
	return report, nil
}

// checking is an engine whose probabilities are being checked, and the truth.
type checking struct {
	*Engine
	CheckOptions
	drawn  *kg.Graph // that questions are drawn from
	full   *kg.Graph
	random *rand.Rand
}

func (e *Engine) checking(ctx context.Context, o CheckOptions) (*checking, error) {
	model, err := e.own("calibrate: plain traversal has no probabilities to check")
	if err != nil {
		return nil, err
	}
	if len(o.Held) == 0 {
		return nil, kg.Errorf(kg.Invalid, "calibrate", "no facts are held out to compare with")
	}
	var fitted links.Map
	if o.File != "" {
		fitted, err = fit.Read(o.File, e.model)
	} else {
		fitted, _, err = fit.Quick(ctx, fit.Options{Graph: e.Graph, Model: model, Held: o.FitTo, Elsewhere: o.Elsewhere + len(o.Held), Seed: o.Seed}, 0)
	}
	if err != nil {
		return nil, err
	}
	if missing := len(o.FitTo) + len(o.Held) + o.Elsewhere; len(o.FitTo) > 0 { // those to check may be more than were fitted to, or fewer
		fitted = fitted.Under(float64(len(o.Held)) / float64(missing))
	}
	with := *e
	linking := e.linking
	linking.Rows.Map, linking.File = fitted, ""
	if with.links, err = linking.on(e.model, newCalibration(CalibrationOptions{Off: true})); err != nil {
		return nil, err
	}
	c := &checking{Engine: &with, CheckOptions: o, drawn: e.Graph, random: rand.New(rand.NewPCG(o.Seed, 0xc4ec))}
	if c.Questions == 0 {
		c.Questions = DefaultCheckQuestions
	}
	if c.full, err = (&kg.Splits{Train: e.Graph, Valid: o.Held}).UpToValid(ctx); err == nil && o.FromAll {
		c.drawn = c.full
	}
	return c, err
}

// checkTally sums up what is promised and what is found.
type checkTally struct {
	*fit.Tally
	questions       int
	expected, found float64
}

// Of a question ten predictions are shown, chosen from some more.
var checkedWants = wanted{predicted: answer.Shown + spare, threshold: fuzzy.Threshold, least: 1e-6}

// asTogether is how many questions run as a batch.
const askedTogether = 16

// trees asks questions of a shape.
func (c *checking) trees(ctx context.Context, shape string, tally *checkTally) error {
	drawer, err := sample.NewDrawer(c.drawn, []sample.Count{{Shape: shape, Queries: 1}}, c.Seed)
	if err != nil {
		return err
	}
	var batch []*Question
	for i := range c.Questions {
		_, q, err := drawer.Draw(uint64(i))
		if err != nil { // the graph has none of this shape
			break
		}
		if i%oneAstray == oneAstray-1 {
			q.Expr = lastRelation(q.Expr, kg.Relation(c.random.IntN(c.Graph.NumRelations())))
		}
		asking := Asking{Execution: Execution{By: Links, Logic: fuzzy.Product}}
		batch = append(batch, &Question{Question: plan.QuestionOf(q.Expr, c.compiling(asking.Execution)), Asking: asking})
	}
	for some := range slices.Chunk(batch, askedTogether) {
		if err := c.askTrees(ctx, some, tally); err != nil {
			return err
		}
	}
	return nil
}

func (c *checking) askTrees(ctx context.Context, batch []*Question, tally *checkTally) error {
	programs := make([]*plan.Program, len(batch))
	for i, q := range batch {
		programs[i] = q.Program
	}
	runs, err := c.run(ctx, programs, batch[0].Asking.Execution)
	if err != nil {
		return err
	}
	defer runs.release()
	for i, q := range batch {
		a, err := c.answering(ctx, q)
		if err != nil {
			return err
		}
		s := trace{runs, i}.sets(q.Program.Result())
		if err := c.compare(a, ofSets(s.set, s.known, checkedWants), tally); err != nil {
			return err
		}
	}
	return nil
}

// oneAstray is of how many questions one asks for any relation in the end, as people and programs do that do not know the graph.
const oneAstray = 16

// lastRelation replaces the relation that leads to the answers or, of several that meet, the first of them.
func lastRelation(e query.Expr, by kg.Relation) query.Expr {
	switch e := e.(type) {
	case query.Projection:
		e.Relation = by
		return e
	case query.Intersection:
		of := slices.Clone(e.Of)
		of[0] = lastRelation(of[0], by)
		return query.Intersection{Of: of}
	}
	return e
}

// Bounds on one question that is joined. They count, whatever the machine is busy with, so that what is seen is the same each time.
const (
	checkedSteps = 200_000 // of the search
	drawPatience = 4000    // attempts of which none yields a question of the pattern
)

// joins asks questions of a pattern whose variables form no tree, a quarter as many.
func (c *checking) joins(ctx context.Context, name string, tally *checkTally) error {
	p, err := pattern.Parse(name, c.drawn.Vocabulary)
	if err != nil {
		return err
	}
	drawn, _, err := pattern.Run(ctx, &kg.Splits{Train: c.drawn}, dataset.Train, pattern.Options{
		Patterns: []*pattern.Pattern{p}, Wanted: map[dataset.Split]int{dataset.Train: max(1, c.Questions/4)}, Seed: c.Seed, Patience: drawPatience,
	})
	if kg.KindOf(err) == kg.Invalid {
		return nil // the graph has none of this pattern
	}
	if err != nil {
		return err
	}
	for _, q := range drawn {
		normal, err := query.Normalise(q.Query)
		if err != nil {
			return err
		}
		asking := Asking{Execution: Execution{By: Links, Logic: fuzzy.Product}}
		a, err := c.answering(ctx, &Question{Question: &plan.Question{Query: q.Query, Normal: normal}, Asking: asking})
		if err != nil {
			return err
		}
		found := candidates{predicted: []answer.Answer{{}}}
		if normal.Answers > 0 {
			j := newJoining(ctx, normal, a.rows, a.follow, asking)
			j.how.Steps = checkedSteps
			if found, err = j.candidates(a.variables, checkedWants); err != nil {
				return err
			}
		} else if known, err := a.known.Holds(ctx, nil, nil); known || err != nil {
			found.predicted = nil
		}
		if err := c.compare(a, found, tally); err != nil {
			return err
		}
	}
	return nil
}

// compare settles what would be shown of a question and looks it up in the truth.
func (c *checking) compare(a *answering, found candidates, tally *checkTally) error {
	if err := found.settle(a.ctx, a.judge, a.normal, a.variables, false); err != nil {
		return err
	}
	list := answer.Wanted{Limit: answer.Shown}.List(nil, found.predicted)
	truth := join.NewChecker(c.full, a.normal)
	for _, one := range list.Answers {
		isRight, err := truth.Holds(a.ctx, a.variables, one.Entities)
		if err != nil {
			return err
		}
		tally.Add(one.Probability, isRight)
		tally.expected += one.Probability
		if isRight {
			tally.found++
		}
	}
	tally.questions++
	return nil
}
