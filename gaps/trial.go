package gaps

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// Trial says how far an audit is to be trusted on a graph: wrong facts are planted, and looked at as the graph's own are.
type Trial struct {
	Planted int `json:"planted"`
	// Told is how often a planted fact looks worse than one of the graph's own: one half is chance.
	Told float64 `json:"told"`
	// Listed is how many of the planted ones would stand in the list, were it as long as it is.
	Listed int `json:"listed"`
}

// Useful tells whether the audit does better than chance.
func (t Trial) Useful() bool { return t.Planted > 0 && t.Told >= leastTold }

// leastTold is where an audit begins to be worth reading.
const leastTold = 0.6

// Most that are planted, and the share of the graph's facts that they are at most.
const (
	mostPlanted  = 100
	plantedShare = 20
)

// Try plants wrong facts in a copy of the graph, true ones with another tail of the same relation, and
// compares them with what an audit thought of the graph's own, of which the first listed were shown.
func (f *Finder) Try(ctx context.Context, a Audit, o Options, own []Doubt, listed int) (Trial, error) {
	wrong, size := f.plant(a, o)
	if len(wrong) == 0 || len(own) == 0 {
		return Trial{}, nil
	}
	g := kg.Build(f.graph.Vocabulary, slices.Concat(slices.Collect(f.graph.Triples()), wrong))
	model, err := f.model.Model.On(ctx, g, "the graph with wrong facts")
	if err != nil {
		return Trial{}, err
	}
	defer model.Close()
	with := New(links.New(g, model, links.Options{Map: f.rows.Map()}), model)
	var planted []Doubt
	for some := range slices.Chunk(wrong, size) {
		doubts, err := with.doubts(ctx, some, o)
		if err != nil {
			return Trial{}, err
		}
		planted = append(planted, doubts...)
		o.progress(len(planted), len(wrong))
	}
	return judge(planted, own, listed), nil
}

// judge compares planted facts with the graph's own.
func judge(planted, own []Doubt, listed int) Trial {
	t, worse := Trial{Planted: len(planted)}, 0.0
	bound := 0.0 // of the list
	if own = Gravest(slices.Clone(own), len(own)); listed > 0 {
		bound = own[min(listed, len(own))-1].Against
	}
	for _, p := range planted {
		for _, d := range own {
			switch {
			case p.Against > d.Against:
				worse++
			case p.Against == d.Against:
				worse += 0.5
			}
		}
		if p.Against > bound {
			t.Listed++
		}
	}
	t.Told = worse / float64(len(planted)*len(own))
	return t
}

// Gravest are the facts that most speaks against, in that order, at most so many.
func Gravest(doubts []Doubt, most int) []Doubt {
	slices.SortStableFunc(doubts, func(a, b Doubt) int {
		switch {
		case a.Against > b.Against:
			return -1
		case a.Against < b.Against:
			return 1
		}
		return a.Triple().Compare(b.Triple())
	})
	return doubts[:min(most, len(doubts))]
}

// plant draws wrong facts, and says how many are left out at a time.
func (f *Finder) plant(a Audit, o Options) (wrong []kg.Triple, size int) {
	facts, size := f.toAudit(Audit{Relations: a.Relations, Seed: a.Seed + 1}, o)
	tails := map[kg.Relation][]kg.Entity{}
	for _, t := range facts {
		tails[t.Relation] = append(tails[t.Relation], t.Tail)
	}
	random := rand.New(rand.NewPCG(a.Seed, 0x9147))
	for _, t := range facts {
		if len(wrong) == min(mostPlanted, len(facts)/plantedShare) {
			break
		}
		t.Tail = tails[t.Relation][random.IntN(len(tails[t.Relation]))]
		if t.Head != t.Tail && !f.graph.Has(t) && !slices.Contains(wrong, t) {
			wrong = append(wrong, t)
		}
	}
	return wrong, size
}
