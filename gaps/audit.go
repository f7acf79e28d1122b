package gaps

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/neural"
)

// Audit says which stated facts are looked at.
type Audit struct {
	Relations []kg.Relation `json:"relations,omitempty"` // nil for all
	Facts     int           `json:"facts,omitempty"`     // look at so many, drawn at random; 0 is all
	Seed      uint64        `json:"seed"`
}

// Doubt is a stated fact as the rest of the graph sees it.
type Doubt struct {
	Fact // with its probability, were it not stated
	// Instead is what the rest of the graph holds likeliest in its place, with another tail or, where it is surer
	// of that, read from the tail with another head.
	Instead Fact `json:"i"`
	// Against is how much the rest speaks against the fact; above 0, and higher is more.
	Against float64 `json:"a"`
}

// against is how much a row speaks against a fact: by how much something else is likelier, in logarithms, weighed
// by how sure it is of that. Where an entity has few other facts nothing is likely, and nothing speaks against any.
func (s seen) against() float64 {
	if s.instead.Probability <= s.own {
		return 0
	}
	const least = 1e-12 // keeps what is impossible finite
	return math.Sqrt(float64(s.instead.Probability)) * math.Log(float64(s.instead.Probability)/max(float64(s.own), least))
}

// together is how many of so many facts are left out at a time, drawn at random: few, so that what would tell one is still there.
func together(facts int) int { return max(1, min(facts/fewOf, mostTogether)) }

const (
	fewOf        = 50
	mostTogether = 64
)

// Audit looks at facts as if the graph did not state them, and hands each to use with what the rest thinks of it.
func (f *Finder) Audit(ctx context.Context, a Audit, o Options, use func(Doubt)) error {
	facts, size := f.toAudit(a, o)
	task, err := f.task("audit by few", a, o)
	if err != nil {
		return err
	}
	return work[[]Doubt]{
		task: task, parts: (len(facts) + size - 1) / size,
		make: func(ctx context.Context, part int) ([]Doubt, error) {
			return f.doubts(ctx, facts[part*size:min((part+1)*size, len(facts))], o)
		},
		use: func(part int, doubts []Doubt) error {
			for _, d := range doubts {
				use(d)
			}
			o.progress(min((part+1)*size, len(facts)), len(facts))
			return nil
		},
	}.run(ctx, o.Keep)
}

// toAudit are the facts in a random order, and how many of them are left out at a time.
func (f *Finder) toAudit(a Audit, o Options) (facts []kg.Triple, size int) {
	isValue := func(e kg.Entity) bool { return links.IsValue(f.graph.Vocabulary, e) }
	for t := range f.graph.Triples() {
		isChosen := a.Relations == nil || slices.Contains(a.Relations, t.Relation)
		if isChosen && (o.Literals || !isValue(t.Tail) && !isValue(t.Head)) {
			facts = append(facts, t)
		}
	}
	random := rand.New(rand.NewPCG(a.Seed, 0xa0d1))
	random.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
	size = together(len(facts))
	if a.Facts > 0 {
		facts = facts[:min(a.Facts, len(facts))]
	}
	return facts, size
}

// doubts leaves some facts out and asks for each from both of its ends.
func (f *Finder) doubts(ctx context.Context, facts []kg.Triple, o Options) ([]Doubt, error) {
	var rest *neural.Predictor
	var err error
	f.model.Locked(func() { rest, err = f.model.Without(ctx, facts) })
	if err != nil {
		return nil, err
	}
	defer f.model.Locked(rest.Close)
	asked := make([]kg.Triple, 0, 2*len(facts))
	for _, t := range facts {
		asked = append(asked, t, t.Inverse())
	}
	sight, err := f.look(ctx, rest, facts, asked, o)
	if err != nil {
		return nil, err
	}
	doubts := make([]Doubt, len(facts))
	for i, t := range facts {
		ahead, back := sight[2*i], sight[2*i+1]
		doubts[i] = Doubt{
			Fact:    Fact{Head: t.Head, Relation: t.Relation, Tail: t.Tail, Probability: f.rows.Map().Both(t.Relation, ahead.own, back.own), Stated: true},
			Instead: ahead.instead, Against: ahead.against() + back.against(),
		}
		if back.against() > ahead.against() {
			doubts[i].Instead = back.instead
		}
	}
	return doubts, nil
}

// seen is a fact from one of its ends.
type seen struct {
	own     float32
	instead Fact
}

// look gives what a model without some facts thinks of each of them from its head.
func (f *Finder) look(ctx context.Context, rest *neural.Predictor, hidden, asked []kg.Triple, o Options) ([]seen, error) {
	order := make([]int, len(asked)) // those of one relation together, as networks share what depends on it alone
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(asked[i].Relation, asked[j].Relation) })
	pairs, stated := make([]links.Pair, len(asked)), make([][]kg.Entity, len(asked))
	for k, i := range order {
		pairs[k] = links.Pair{Head: asked[i].Head, Relation: asked[i].Relation}
		stated[k] = f.statedWithout(pairs[k], hidden)
	}
	sight, domains := make([]seen, len(asked)), f.rows.Domains()
	if domains != nil { // a fact that is left out takes no room
		domains = links.NewDomains(rest.Graph)
	}
	err := links.EachOdds(ctx, rest, domains, f.rowsFor(o).Ranges(), pairs, stated, func(k int, odds links.Odds, e links.Evidence) {
		sight[order[k]] = f.see(asked[order[k]], odds, e)
	})
	return sight, err
}

// statedWithout are the tails of a pair that are stated when some facts are not.
func (f *Finder) statedWithout(p links.Pair, hidden []kg.Triple) []kg.Entity {
	return slices.DeleteFunc(slices.Clone(f.graph.Tails(p.Head, p.Relation)), func(tail kg.Entity) bool {
		return slices.Contains(hidden, kg.Triple{Head: p.Head, Relation: p.Relation, Tail: tail}.Stated())
	})
}

// see reads a row in which all facts of the graph but the hidden ones are stated.
func (f *Finder) see(t kg.Triple, row links.Odds, evidence links.Evidence) seen {
	reader, all := f.rows.Map().Reader(row, evidence), f.graph.Tails(t.Head, t.Relation)
	s := seen{own: reader.Probability(t.Tail, row.Of(t.Tail))}
	for e, odds := range row.All() {
		if odds == 0 || e == t.Head {
			continue
		}
		if _, isStated := slices.BinarySearch(all, e); isStated {
			continue
		}
		if p := reader.Probability(e, odds); p > s.instead.Probability {
			s.instead = Fact{Head: t.Head, Relation: t.Relation, Tail: e, Probability: p}
		}
	}
	return s
}
