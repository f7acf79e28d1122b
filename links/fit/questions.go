package fit

import (
	"cmp"
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sample"
	"github.com/lacuna-kg/lacuna/symbolic"
)

// shapes of the questions that are asked.
var shapes = []string{"1p", "2p", "3p", "2i", "3i", "pi", "ip", "2in", "3in", "inp", "pin", "pni"}

// inRound is how many questions of each shape run as a batch: many, as rows are computed best in numbers, and not too many for
// those who have little time.
const inRound = 4

// asked are the predictions for each question, by the kind of question.
type asked [links.NumKinds][][]link

// ask draws questions of each shape from all facts, those held out among them and whether or not one of these is
// an answer, asks them of the graph without, and collects the answers that it does not state. Of the questions
// of a shape every other one goes into the second half.
func (w *world) ask(ctx context.Context, m links.Map) (halves [2]asked, err error) {
	rows := links.New(w.predictor.Graph, w.predictor, links.Options{Map: m, Bytes: rowBytes})
	executor := links.NewExecutor(rows, links.Follow{Most: links.FollowOn(w.predictor.Model.Network.Device())})
	machine := exec.Machine{Executor: executor, Logic: fuzzy.Product, AnswersOnly: true}
	known := symbolic.NewTraverser(w.predictor.Graph)
	byShape, err := w.draw()
	if err != nil {
		return halves, err
	}
	for from := 0; from < w.options.Questions; from += inRound {
		for half := range halves {
			if err := w.askBatch(ctx, machine, known, round(byShape, from, half), &halves[half]); err != nil {
				return halves, err
			}
		}
		w.options.Progress(min(from+inRound, w.options.Questions), w.options.Questions)
	}
	return halves, nil
}

// round are the questions of each shape of a round, every other one.
func round(byShape [][]dataset.Query, from, first int) (batch []dataset.Query) {
	for _, questions := range byShape {
		for i := from + first; i < min(from+inRound, len(questions)); i += 2 {
			batch = append(batch, questions[i])
		}
	}
	return batch
}

// rowBytes keeps the rows of some hundred questions.
const rowBytes = 1 << 30

// draw gives questions of each shape with all their answers, none where the graph yields none. One of sixteen asks for something else in the end, as
// people and programs do that do not know the graph: it has no answer.
func (w *world) draw() (byShape [][]dataset.Query, err error) {
	pairs, full := w.newDrawing(), symbolic.NewTraverser(w.full)
	for _, shape := range shapes {
		drawer, err := sample.NewDrawer(w.full, []sample.Count{{Shape: shape, Queries: 1}}, w.options.Seed)
		if err != nil {
			return nil, err
		}
		var questions []dataset.Query
		for i := range max(0, w.options.Questions) {
			_, q, err := drawer.Draw(uint64(i))
			if err != nil { // the graph has none of this shape
				break
			}
			if i%oneIn == oneIn-1 {
				q = w.astray(q, pairs, full)
			}
			questions = append(questions, q)
		}
		byShape = append(byShape, questions)
	}
	return byShape, nil
}

// oneIn is of how many questions one goes astray.
const oneIn = 16

// astray asks for any relation in the end instead of the one that leads to answers. Where that has answers, too, it is not far astray, and the
// question stays.
func (w *world) astray(q dataset.Query, pairs drawing, full *symbolic.Traverser) dataset.Query {
	expr := lastRelation(q.Expr, pairs.any().Relation)
	if len(full.Answers(expr)) > 0 {
		return q
	}
	return dataset.Query{Expr: expr}
}

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

// askBatch answers some questions and collects what is predicted.
func (w *world) askBatch(ctx context.Context, machine exec.Machine, known *symbolic.Traverser, batch []dataset.Query, into *asked) error {
	programs := make([]*plan.Program, len(batch))
	for i, q := range batch {
		programs[i] = plan.Compile(q.Expr, plan.Options{})
	}
	run, err := machine.Run(ctx, programs)
	if err != nil {
		return err
	}
	defer run.Release()
	for i, q := range batch {
		of := &into[links.KindOf(programs[i])]
		*of = append(*of, w.predictions(run.Answers(i), w.set(known.Answers(q.Expr)), w.set(q.Easy)))
	}
	return nil
}

// set is a set of entities.
func (w *world) set(members []kg.Entity) fuzzy.Set {
	all := make(fuzzy.Set, w.full.NumEntities())
	for _, e := range members {
		all[e] = 1
	}
	return all
}

// predictions are the answers to a question that the graph does not state, as observe has the links of a row: the likeliest whole,
// all that are true, and of the others a few that stand for all.
func (w *world) predictions(degrees, known, answers fuzzy.Set) []link {
	var open []kg.Entity
	for e, d := range degrees {
		if known[e] == 0 && (d > 0 || answers[e] > 0 && !links.IsValue(w.full.Vocabulary, kg.Entity(e))) {
			open = append(open, kg.Entity(e))
		}
	}
	slices.SortStableFunc(open, func(a, b kg.Entity) int { return cmp.Compare(degrees[b], degrees[a]) })
	evidence := links.Look(fuzzy.ViewOf(degrees), fuzzy.ViewOf(known))
	var taken, others []link
	for rank, e := range open {
		l := link{logit: logit(float64(degrees[e])), evidence: evidence, rank: rank, weight: 1, held: answers[e] > 0}
		if rank < takenWhole || l.held {
			taken = append(taken, l)
		} else {
			others = append(others, l)
		}
	}
	return append(taken, few(w.random, others, func(l link) link { return l })...)
}
