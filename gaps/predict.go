package gaps

import (
	"context"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// Prediction says what is wanted of the places of a column.
type Prediction struct {
	Column
	Top    int     `json:"top"`              // predicted facts of a place, the likeliest; 0 is no bound
	Least  float32 `json:"least"`            // nor those below this probability
	Stated bool    `json:"stated,omitempty"` // what is stated, too
	First  bool    `json:"first,omitempty"`  // the likeliest of each place in any case, however unlikely
	// Coverage asks for as many facts of each place, whatever Top and Least say, as it takes to have the right one with this frequency; 0 does not.
	Coverage float64 `json:"coverage,omitempty"`
}

// Places is how many rows a prediction takes.
func (f *Finder) Places(p Prediction) int { return len(p.pairs(f.graph)) }

// rowsOfPart is how many rows are made together: what an end loses at most. A GPU takes more of them at once.
const (
	rowsOfPart      = 64
	rowsOfPartOnGPU = 2048
)

func (f *Finder) rowsOfPart() int {
	if f.model.Model.Network.Device().Memory() > 0 {
		return rowsOfPartOnGPU
	}
	return rowsOfPart
}

// Predict fills the places of a column, in their order, the likeliest fact of each first. Use is called with
// the facts of some places at a time.
func (f *Finder) Predict(ctx context.Context, p Prediction, o Options, use func([]Fact) error) error {
	if err := f.checkPredictable(p.Relation, o); err != nil {
		return err
	}
	pairs, size := p.pairs(f.graph), f.rowsOfPart()
	task, err := f.task("predict", p, o)
	if err != nil {
		return err
	}
	return work[[]Fact]{
		task: task, parts: (len(pairs) + size - 1) / size,
		make: func(ctx context.Context, part int) ([]Fact, error) {
			return f.fill(ctx, pairs[part*size:min((part+1)*size, len(pairs))], p, o)
		},
		use: func(part int, facts []Fact) error {
			o.progress(min((part+1)*size, len(pairs)), len(pairs))
			return use(facts)
		},
	}.run(ctx, o.Keep)
}

func (f *Finder) fill(ctx context.Context, pairs []links.Pair, p Prediction, o Options) ([]Fact, error) {
	facts, err := f.chooseFrom(ctx, pairs, p, o)
	if err != nil {
		return nil, err
	}
	if err := settle(ctx, f.rowsFor(o), facts); err != nil {
		return nil, err
	}
	if p.Coverage > 0 {
		p.Top, p.Least = 0, 0
	}
	facts = p.chosen(facts)
	if o.Why {
		err = f.addReasons(ctx, facts)
	}
	return facts, err
}

// chooseFrom are facts of places that may be wanted.
func (f *Finder) chooseFrom(ctx context.Context, pairs []links.Pair, p Prediction, o Options) ([]Fact, error) {
	if p.Coverage == 0 {
		return f.candidates(ctx, pairs, p.toChooseFrom(), o)
	}
	if f.Sets == nil {
		return nil, kg.Errorf(kg.Invalid, "", "coverage %v: nothing is calibrated", p.Coverage)
	}
	sets, err := f.Sets(ctx)
	if err != nil {
		return nil, err
	}
	of, err := sets.Of(ctx, pairs, p.Coverage)
	if err != nil {
		return nil, err
	}
	var facts []Fact
	for i, pair := range pairs {
		if p.Stated {
			for _, t := range f.graph.Tails(pair.Head, pair.Relation) {
				facts = append(facts, Fact{Head: pair.Head, Relation: pair.Relation, Tail: t, Probability: 1, Stated: true})
			}
		}
		for _, m := range of[i] {
			facts = append(facts, Fact{Head: pair.Head, Relation: pair.Relation, Tail: m.Entity})
		}
	}
	return facts, nil
}

// spare is how many candidates of a place are looked at from both ends beyond those that are wanted, and mostOfPlace how many where all are.
const spare, mostOfPlace = 2, 64

// toChooseFrom asks for some more facts, as both ends have a say in their order and in which are likely enough.
func (p Prediction) toChooseFrom() Prediction {
	if p.Least = float32(links.Lowest(float64(p.Least))); p.First {
		p.Least = 0
	}
	if p.Top += spare; p.Top == spare {
		p.Top = mostOfPlace
	}
	return p
}

// chosen are those of the facts of each place that are wanted, the likeliest first.
func (p Prediction) chosen(facts []Fact) []Fact {
	all := []Fact{}
	for len(facts) > 0 {
		n := 1
		for n < len(facts) && facts[n].Head == facts[0].Head && facts[n].Relation == facts[0].Relation {
			n++
		}
		place := likeliest(facts[:n], n)
		facts = facts[n:]
		predicted := 0
		for _, fact := range place {
			if !fact.Stated {
				predicted++
				isLikely := fact.Probability >= p.Least || p.First && predicted == 1
				if !isLikely || fact.Probability == 0 && p.Coverage == 0 || p.Top > 0 && predicted > p.Top {
					continue
				}
			}
			all = append(all, fact)
		}
	}
	return all
}

// candidates are the facts of places by the rows of their heads.
func (f *Finder) candidates(ctx context.Context, pairs []links.Pair, p Prediction, o Options) ([]Fact, error) {
	rows, err := f.rowsFor(o).Get(ctx, pairs)
	if err != nil {
		return nil, err
	}
	var facts []Fact
	for i, row := range rows {
		if p.Stated {
			for _, t := range row.Stated {
				facts = append(facts, Fact{Head: pairs[i].Head, Relation: pairs[i].Relation, Tail: t, Probability: 1, Stated: true})
			}
		}
		facts = append(facts, best(pairs[i], row, p.Top, p.Least)...)
	}
	return facts, nil
}

// best are the likeliest facts of a row that are not stated, the likeliest first. That something leads to itself is
// left out: networks begin at the head and think too well of it.
func best(p links.Pair, row links.Row, top int, least float32) (facts []Fact) {
	for i, t := range row.Tails {
		if row.Probabilities[i] >= least && t != p.Head {
			facts = append(facts, Fact{Head: p.Head, Relation: p.Relation, Tail: t, Probability: row.Probabilities[i]})
		}
	}
	if top == 0 {
		top = len(facts)
	}
	return likeliest(facts, top)
}

// Of gives the likeliest facts of one entity that are not stated, at either end.
func (f *Finder) Of(ctx context.Context, e kg.Entity, most int, least float32, o Options) ([]Fact, error) {
	var pairs []links.Pair
	for _, r := range Likely(f.graph, e) {
		if !f.leadsToValues(r, o) {
			pairs = append(pairs, links.Pair{Head: e, Relation: r})
		}
	}
	facts, err := f.fill(ctx, pairs, Prediction{Top: most, Least: least}, Options{Literals: o.Literals})
	if err != nil {
		return nil, err
	}
	facts = likeliest(facts, most)
	if o.Why {
		err = f.addReasons(ctx, facts)
	}
	return facts, err
}

// task says what parts are of. It stands in their file.
type task struct {
	Kind     string    `json:"kind"`
	Graph    string    `json:"graph"` // links.GraphHash
	Model    string    `json:"model"`
	Map      links.Map `json:"map"`
	Literals bool      `json:"literals"`
	Why      bool      `json:"why"`
	Of       any       `json:"of"`
}

func (f *Finder) task(kind string, of any, o Options) (any, error) {
	if o.Keep == "" {
		return nil, nil
	}
	model, err := f.model.Model.Hash()
	return task{kind, links.GraphHash(f.graph), model, f.rows.Map(), o.Literals, o.Why, of}, err
}
