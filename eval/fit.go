package eval

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/internal/sorted"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/neural"
	"github.com/lacuna-kg/lacuna/query"
)

// The values of FitOptions that are left zero.
const (
	DefaultHidden  = 500
	DefaultFitTime = 40 * time.Second
)

// hiddenShare keeps the graph much as it is: the model answers on what is left of it.
const hiddenShare = 0.1

// FitOptions say how Estimate goes about it.
type FitOptions struct {
	Graph *kg.Graph
	Model *neural.Model
	// HeldOut are facts that are true as well, though the graph does not state them: those that a folder holds out. None of them
	// is a wrong answer to rank a hidden fact among.
	HeldOut []kg.Triple
	// Hidden is the most facts to hide, 0 for DefaultHidden; a tenth of the graph at most.
	Hidden int
	// Time is after how long no more of them are asked for, 0 for DefaultFitTime.
	Time time.Duration
	Seed uint64
	// Progress, if given, is called after every batch, by the goroutine of the caller.
	Progress func(asked, hidden int)
}

// Fit is how well links of a graph are recovered that were hidden from the model.
type Fit struct {
	Facts    int      `json:"facts"`  // of the graph
	Hidden   int      `json:"hidden"` // of those
	Asked    int      `json:"asked"`  // of those, each from both of its ends; fewer where time was up
	Model    Recovery `json:"model"`
	Frequent Recovery `json:"frequent"` // by naming the most frequent ends of the relation
	Gain     Interval `json:"gain"`     // of the model over that in MRR, fact by fact
	Seconds  float64  `json:"seconds"`
}

// Recovery is how high hidden facts rank among the entities that are no answers.
type Recovery struct {
	MRR    Interval `json:"mrr"`
	Hits1  Interval `json:"hits@1"`
	Hits10 Interval `json:"hits@10"`
}

// Interval is a mean and where that of other samples of the same size would lie, 19 times of 20.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Estimate hides facts of a graph and asks the model for them on what is left, from one end of a fact at a time:
// what it ranks is the row of links that answers go by, and no probability fitted to the graph changes the order in a row.
// The time it takes is bounded, whatever the size of the graph, but for reading the graph once.
// A model that was trained on these very facts recovers them all too well.
func Estimate(ctx context.Context, o FitOptions) (*Fit, error) {
	start := time.Now()
	hidden := Hide(o.Graph, cmp.Or(o.Hidden, DefaultHidden), hiddenShare, o.Seed)
	if len(hidden) == 0 {
		return nil, kg.Errorf(kg.Invalid, "", "no fact can be hidden: the graph has %s, and every entity needs one", count.Of(o.Graph.NumTriples(), "fact"))
	}
	heldOut, err := kg.BuildContext(ctx, o.Graph.Vocabulary, o.HeldOut)
	if err != nil {
		return nil, err
	}
	rest, err := o.Model.OnRest(ctx, o.Graph, hidden)
	if err != nil {
		return nil, err
	}
	defer rest.Close()
	rest.Lock()
	executor, err := rest.Executor(ctx, false)
	rest.Unlock()
	if err != nil {
		return nil, err
	}
	e := &estimate{
		full: o.Graph, heldOut: heldOut, frequent: newFrequent(rest.Graph), until: start.Add(cmp.Or(o.Time, DefaultFitTime)),
		method: Alone{Learned{Executor: executor}, rest},
	}
	if err := e.ask(ctx, hidden, o.Progress); err != nil {
		return nil, err
	}
	return &Fit{
		Facts: o.Graph.NumTriples(), Hidden: len(hidden), Asked: len(e.model),
		Model: recovery(e.model, o.Seed), Frequent: recovery(e.guessed, o.Seed), Gain: e.gain(o.Seed),
		Seconds: time.Since(start).Seconds(),
	}, nil
}

// estimate is a run of Estimate on its way: what each fact came to so far.
type estimate struct {
	full     *kg.Graph
	heldOut  *kg.Graph // what is true beside
	method   Method
	frequent *frequent
	until    time.Time

	model, guessed []Retrieval // of each fact, the mean of its two ends
}

// ask goes through the hidden facts in batches that grow while they take little time.
func (e *estimate) ask(ctx context.Context, hidden []kg.Triple, progress func(asked, hidden int)) error {
	for batch := 1; len(e.model) < len(hidden); {
		start := time.Now()
		left := hidden[len(e.model):]
		part := left[:min(batch, len(left))]
		if err := e.batch(ctx, part); err != nil {
			return err
		}
		if progress != nil {
			progress(len(e.model), len(hidden))
		}
		each := time.Since(start) / time.Duration(len(part))
		batch = min(2*batch, DefaultBatch/2, int(time.Until(e.until)/max(each, 1)))
		if batch < 1 {
			break
		}
	}
	return nil
}

func (e *estimate) batch(ctx context.Context, facts []kg.Triple) error {
	var questions []Question
	for _, t := range facts {
		questions = append(questions, e.question(t), e.question(t.Inverse()))
	}
	outcomes, err := e.method.Answer(ctx, questions)
	if err != nil {
		return err
	}
	for i, t := range facts {
		var model, guessed Retrieval
		for end, link := range []kg.Triple{t, t.Inverse()} {
			q := 2*i + end
			model.add(retrieved(outcomes[q].Ranks[0]))
			guessed.add(retrieved(e.frequent.rank(link.Relation, link.Tail, questions[q].Answers)))
		}
		e.model, e.guessed = append(e.model, model.over(2)), append(e.guessed, guessed.over(2))
	}
	return kg.Stopped(ctx)
}

// gain compares on the same facts, which tells more than two intervals side by side.
func (e *estimate) gain(seed uint64) Interval {
	differences := make([]float64, len(e.model))
	for i := range differences {
		differences[i] = e.model[i].MRR - e.guessed[i].MRR
	}
	return bootstrap(differences, seed)
}

// question asks for the tail of a fact, filtered by all that is known to be true.
func (e *estimate) question(t kg.Triple) Question {
	return Question{
		Expr:    query.Projection{Relation: t.Relation, Of: query.Anchor{Entity: t.Head}},
		Targets: []kg.Entity{t.Tail}, shape: "1p",
		Answers: sorted.Union(nil, e.full.Tails(t.Head, t.Relation), e.heldOut.Tails(t.Head, t.Relation)),
	}
}

// retrieved takes the mean of the best and the worst rank among ties.
func retrieved(r kernel.Rank) Retrieval { return at(1 + float64(r.Greater) + float64(r.Equal)/2) }

func recovery(facts []Retrieval, seed uint64) Recovery {
	of := func(figure func(Retrieval) float64) Interval {
		values := make([]float64, len(facts))
		for i, f := range facts {
			values[i] = figure(f)
		}
		return bootstrap(values, seed)
	}
	return Recovery{
		MRR:    of(func(r Retrieval) float64 { return r.MRR }),
		Hits1:  of(func(r Retrieval) float64 { return r.Hits1 }),
		Hits10: of(func(r Retrieval) float64 { return r.Hits10 }),
	}
}

// bootstrap gives the mean and the middle 95 % of the means of samples drawn from the
// values with replacement. Facts are drawn, not queries: the two ends of one are not independent.
func bootstrap(values []float64, seed uint64) Interval {
	const samples = 1000
	random := rand.New(rand.NewPCG(seed, samples))
	means := make([]float64, samples)
	for i := range means {
		sum := 0.0
		for range values {
			sum += values[random.IntN(len(values))]
		}
		means[i] = sum / float64(len(values))
	}
	slices.Sort(means)
	return Interval{mean(values), means[samples/40], means[samples-1-samples/40]}
}
