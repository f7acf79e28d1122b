package fit

import (
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/plan"
	"github.com/lacuna-kg/lacuna/sample"
	"github.com/lacuna-kg/lacuna/symbolic"
)

// shapes of the questions that are asked.
var shapes = []string{"1p", "2p", "3p", "2i", "3i", "pi", "ip", "2in", "3in", "inp", "pin", "pni"}

// together is how many questions run as a batch: many, as rows are computed best in numbers.
const together = 64

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
	for at, shape := range shapes {
		questions, err := w.draw(shape)
		if err != nil {
			return halves, err
		}
		for from := 0; from < len(questions); from += together {
			batch := questions[from:min(from+together, len(questions))]
			if err := w.askBatch(ctx, machine, known, batch, from, &halves); err != nil {
				return halves, err
			}
			w.options.Progress(at*w.options.Questions+from+len(batch), len(shapes)*w.options.Questions)
		}
	}
	return halves, nil
}

// rowBytes keeps the rows of some hundred questions.
const rowBytes = 1 << 30

// draw gives questions of a shape with all their answers, none where the graph yields none.
func (w *world) draw(shape string) (questions []dataset.Query, err error) {
	drawer, err := sample.NewDrawer(w.full, []sample.Count{{Shape: shape, Queries: 1}}, w.options.Seed)
	if err != nil {
		return nil, err
	}
	for i := range max(0, w.options.Questions) {
		_, q, err := drawer.Draw(uint64(i))
		if err != nil { // the graph has none of this shape
			return questions, nil
		}
		questions = append(questions, q)
	}
	return questions, nil
}

// askBatch answers some questions, of which the first has a number, and collects what is predicted.
func (w *world) askBatch(ctx context.Context, machine exec.Machine, known *symbolic.Traverser, batch []dataset.Query, number int, halves *[2]asked) error {
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
		of := &halves[(number+i)%2][links.KindOf(programs[i])]
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
		if known[e] == 0 && (d > 0 || answers[e] > 0) {
			open = append(open, kg.Entity(e))
		}
	}
	slices.SortStableFunc(open, func(a, b kg.Entity) int { return descending(degrees[a], degrees[b]) })
	evidence := links.Look(degrees, known)
	var taken, others []link
	for rank, e := range open {
		l := link{logit(float64(degrees[e])), evidence, rank, 1, answers[e] > 0}
		if rank < takenWhole || l.held {
			taken = append(taken, l)
		} else {
			others = append(others, l)
		}
	}
	return append(taken, few(w.random, others)...)
}
