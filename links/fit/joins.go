package fit

import (
	"context"
	"encoding/binary"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/join"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/sample/pattern"
)

// patterns of the questions that are no trees: cycles, several answer variables, negations, yes or no.
var patterns = []string{"2m", "3pm", "3c", "diamond", "triangle-of-one", "2il", "pair", "pair-i", "pair-c", "2nm", "pair-n", "yes-2p", "yes-triangle"}

// Bounds on one question. They count, whatever the machine is busy with, so that what is seen is the same each time.
const (
	joinSteps    = 200_000 // of the search
	joinedLooks  = 2000    // answers looked at for predictions among them
	joinedWhole  = takenWhole
	drawPatience = 4000 // attempts of which none yields a question of the pattern
)

// askJoins asks questions that are no trees as ask asks trees: drawn from all facts, asked of the graph without those held out.
func (w *world) askJoins(ctx context.Context, m links.Map, questions int) (seen asked, err error) {
	rows := links.New(w.predictor.Graph, w.predictor, links.Options{Map: m, Bytes: rowBytes})
	for n, name := range patterns {
		drawn, err := w.drawPattern(ctx, name, questions)
		if err != nil {
			return seen, err
		}
		for _, q := range drawn {
			if err := w.askJoin(ctx, rows, q, &seen); err != nil {
				return seen, err
			}
		}
		w.options.Progress(n+1, len(patterns))
	}
	return seen, nil
}

// drawPattern gives questions of a pattern with all their answers, none where the graph yields none. As among trees, one of sixteen goes astray;
// those of yes or no come with their opposites.
func (w *world) drawPattern(ctx context.Context, name string, questions int) ([]dataset.TupleQuery, error) {
	p, err := pattern.Parse(name, w.full.Vocabulary)
	if err != nil {
		return nil, err
	}
	drawn, _, err := pattern.Run(ctx, &kg.Splits{Train: w.full}, dataset.Train, pattern.Options{
		Patterns: []*pattern.Pattern{p}, Wanted: map[dataset.Split]int{dataset.Train: questions}, Seed: w.options.Seed, Patience: drawPatience,
	})
	if kg.KindOf(err) == kg.Invalid {
		return nil, nil
	}
	pairs := w.newDrawing()
	for i := oneIn - 1; i < len(drawn); i += oneIn {
		if drawn[i], err = w.joinAstray(ctx, drawn[i], pairs.any().Relation); err != nil {
			return nil, err
		}
	}
	return drawn, err
}

// joinAstray asks for another relation in the last of the links, unless that has answers, too.
func (w *world) joinAstray(ctx context.Context, q dataset.TupleQuery, by kg.Relation) (dataset.TupleQuery, error) {
	if len(q.Query.Answers) == 0 {
		return q, nil
	}
	other := *q.Query
	other.Body = lastLink(q.Query.Body, by)
	normal, err := query.Normalise(&other)
	if err != nil {
		return q, err
	}
	if has, err := join.NewChecker(w.full, normal).Holds(ctx, nil, nil); has || err != nil {
		return q, err
	}
	return dataset.TupleQuery{Type: q.Type, Query: &other}, nil
}

// lastLink replaces the relation of the last link.
func lastLink(f query.Formula, by kg.Relation) query.Formula {
	links, at := 0, 0
	query.Map(f, func(f query.Formula) query.Formula {
		if _, isLink := f.(query.Atom); isLink {
			links++
		}
		return f
	})
	return query.Map(f, func(f query.Formula) query.Formula {
		if a, isLink := f.(query.Atom); isLink {
			if at++; at == links {
				a.Relation = query.RelationName{Name: query.Name{ID: uint32(by), ByID: true}}
				return a
			}
		}
		return f
	})
}

// joined is a question that is no tree being asked.
type joined struct {
	*world
	dataset.TupleQuery
	normal *query.Normal
	known  *join.Checker // by the graph without the facts held out
	search *join.Search
	stated int // 1 where the graph states some answer
}

// askJoin asks one question and collects what is predicted.
func (w *world) askJoin(ctx context.Context, rows *links.Rows, q dataset.TupleQuery, into *asked) error {
	normal, err := query.Normalise(q.Query)
	if err != nil {
		return err
	}
	j := joined{world: w, TupleQuery: q, normal: normal, known: join.NewChecker(w.predictor.Graph, normal)}
	some, err := j.known.Any(ctx)
	if err != nil {
		return err
	}
	if some {
		j.stated = 1
	}
	follow := links.Follow{Most: links.FollowOn(w.predictor.Model.Network.Device())}
	j.search = join.New(rows, normal, join.Options{Follow: follow, Steps: joinSteps, Predicted: true})
	predictions, err := j.predictions(ctx)
	of := &into[links.KindOfJoin(normal)]
	*of = append(*of, predictions)
	return err
}

// predictions are the likeliest answers that the graph does not state.
func (j joined) predictions(ctx context.Context) (list []link, err error) {
	if j.normal.Answers == 0 {
		return j.yesOrNo(ctx)
	}
	right := map[string]bool{}
	for _, tuple := range j.Easy {
		right[keyOf(tuple)] = true
	}
	for looked := 0; looked < joinedLooks && len(list) < joinedWhole; looked++ {
		a, ok, err := j.search.Next(ctx)
		if err != nil || !ok {
			return list, err
		}
		isKnown, err := j.known.Holds(ctx, j.variables(), a.Entities)
		if err != nil {
			return list, err
		}
		if !isKnown {
			list = append(list, j.prediction(a.Degree, len(list), right[keyOf(a.Entities)]))
		}
	}
	return list, nil
}

// yesOrNo is the question itself, unless the graph says yes.
func (j joined) yesOrNo(ctx context.Context) ([]link, error) {
	if j.stated > 0 {
		return nil, nil
	}
	a, ok, err := j.search.Next(ctx)
	if err != nil || !ok {
		return nil, err
	}
	return []link{j.prediction(a.Degree, 0, len(j.Right) > 0)}, nil
}

func (j joined) prediction(degree float64, rank int, isRight bool) link {
	return link{logit: logit(degree), evidence: links.Evidence{Stated: j.stated}, rank: rank, weight: 1, held: isRight}
}

func (j joined) variables() []int {
	all := make([]int, j.normal.Answers)
	for i := range all {
		all[i] = i
	}
	return all
}

func keyOf(tuple []kg.Entity) string {
	var text []byte
	for _, e := range tuple {
		text = binary.LittleEndian.AppendUint32(text, uint32(e))
	}
	return string(text)
}
