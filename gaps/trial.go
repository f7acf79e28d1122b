package gaps

import (
	"context"
	"math"
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

// try plants wrong facts in a copy of the graph, true ones with another tail of the same relation, and compares them with what a screen thought of the graph's own,
// of which the gravest are listed.
func (f *Finder) try(ctx context.Context, a Audit, o Options, by *screen, own, listed []Doubt) (Trial, error) {
	wrong := f.plant(a, o)
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
	screen := screen{finder: with, options: Options{Literals: o.Literals}, facts: wrong, size: by.size, bothEnds: by.bothEnds}
	screen.sight = &sight{finder: with, cost: by.sight.cost}
	if by.sight.core != nil {
		if screen.sight, err = with.newSight(ctx, math.MaxInt, func(kg.Entity) bool { return false }); err != nil {
			return Trial{}, err
		}
	}
	defer screen.sight.close()
	planted, err := screen.all(ctx)
	if err != nil {
		return Trial{}, err
	}
	for i, d := range planted {
		if with.support(d.Triple()) > by.enough {
			planted[i].Against = 0
		}
	}
	t := Trial{Planted: len(planted), Told: told(planted, own, by.skipped)}
	t.Listed, err = with.listed(ctx, planted, own, listed, by.size, o)
	return t, err
}

// told is how often a planted fact looks worse than one of the graph's own, of which some were skipped: nothing spoke against these.
func told(planted, own []Doubt, skipped int) float64 {
	worse := 0.0
	for _, p := range planted {
		if worse += float64(skipped); p.Against == 0 {
			worse -= float64(skipped) / 2
		}
		for _, d := range own {
			switch {
			case p.Against > d.Against:
				worse++
			case p.Against == d.Against:
				worse += 0.5
			}
		}
	}
	return worse / float64(len(planted)*(len(own)+skipped))
}

// listed is how many planted facts would be on the shortlist and, looked at closely, in the list.
func (f *Finder) listed(ctx context.Context, planted, own, list []Doubt, size int, o Options) (n int, err error) {
	if len(list) == 0 {
		return 0, nil
	}
	short := Gravest(slices.Clone(own), shortlisted*len(list))
	bound := short[len(short)-1].Against
	close := slices.DeleteFunc(slices.Clone(planted), func(d Doubt) bool { return d.Against <= bound })
	for some := range slices.Chunk(close, size) {
		doubts, err := f.doubts(ctx, triplesOf(some), o)
		if err != nil {
			return 0, err
		}
		for _, d := range doubts {
			if d.Against > list[len(list)-1].Against {
				n++
			}
		}
	}
	return n, nil
}

// plant draws wrong facts.
func (f *Finder) plant(a Audit, o Options) (wrong []kg.Triple) {
	facts, _ := f.toAudit(Audit{Relations: a.Relations, Seed: a.Seed + 1}, o)
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
	return wrong
}
