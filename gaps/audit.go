package gaps

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
)

// Audit says which stated facts are looked at.
type Audit struct {
	Relations []kg.Relation `json:"relations,omitempty"` // nil for all
	Facts     int           `json:"facts,omitempty"`     // look at so many, drawn at random; 0 is as many as some seconds allow for
	All       bool          `json:"all,omitempty"`       // look at every one, however long it takes
	List      int           `json:"list"`                // so many that most speaks against
	Seed      uint64        `json:"seed"`
}

// Audited is what an audit came to.
type Audited struct {
	Facts   int     `json:"facts"`   // looked at
	Skipped int     `json:"skipped"` // to save time: of those looked at, the ones that simple patterns support best
	Alone   int     `json:"alone"`   // left out, as one of their ends has no other fact by which it could be judged
	List    []Doubt `json:"list"`    // what most speaks against first
	Trial   Trial   `json:"trial"`
}

// Doubt is a stated fact as the rest of the graph sees it.
type Doubt struct {
	Fact // with its probability, were it not stated
	// Instead is what the rest of the graph holds likeliest in its place, with another tail or another head, read from both its ends.
	Instead Fact `json:"i"`
	// Against is how much the rest speaks against the fact; above 0, and higher is more.
	Against float64 `json:"a"`
}

// against is how much speaks against a fact: by how much something else is likelier, in logarithms, weighed
// by how sure that is. Where an entity has few other facts nothing is likely, and nothing speaks against any.
func against(own, instead float32) float64 {
	if instead <= own {
		return 0
	}
	const least = 1e-12 // keeps what is impossible finite
	return math.Sqrt(float64(instead)) * math.Log(float64(instead)/max(float64(own), least))
}

// together is how many of so many facts are left out at a time, drawn at random: few, so that what would tell one is still there.
func together(facts int) int { return max(1, min(facts/fewOf, mostTogether)) }

const (
	fewOf        = 50
	mostTogether = 256
)

// shortlisted is how many facts are looked at on all of the graph for each that is listed.
const shortlisted = 3

// Audit looks at facts as if the graph did not state them, and lists those that the rest speaks against most. All are looked at
// quickly; the gravest are then read from both ends, and so is what the graph says instead.
func (f *Finder) Audit(ctx context.Context, a Audit, o Options) (*Audited, error) {
	s, err := f.screen(ctx, a, o)
	if err != nil {
		return nil, err
	}
	defer s.sight.close()
	quick, err := s.all(ctx)
	if err != nil {
		return nil, err
	}
	found := &Audited{Facts: len(quick), Skipped: s.skipped, Alone: s.alone}
	short := Gravest(slices.Clone(quick), shortlisted*a.List)
	for some := range slices.Chunk(short, s.size) {
		doubts, err := f.doubts(ctx, triplesOf(some), o)
		if err != nil {
			return nil, err
		}
		found.List = append(found.List, doubts...)
	}
	found.List = Gravest(found.List, a.List)
	found.Trial, err = f.try(ctx, a, o, s, quick, found.List)
	o.progress(len(quick), len(quick))
	return found, err
}

func triplesOf(doubts []Doubt) []kg.Triple {
	facts := make([]kg.Triple, len(doubts))
	for i, d := range doubts {
		facts[i] = d.Triple()
	}
	return facts
}

// toAudit are the facts of some relations in a random order, and how many more have an end without another fact.
func (f *Finder) toAudit(a Audit, o Options) (facts []kg.Triple, alone int) {
	isValue := func(e kg.Entity) bool { return links.IsValue(f.graph.Vocabulary, e) }
	for t := range f.graph.Triples() {
		isChosen := a.Relations == nil || slices.Contains(a.Relations, t.Relation)
		if !isChosen || !o.Literals && (isValue(t.Tail) || isValue(t.Head)) {
			continue
		}
		if f.graph.Degree(t.Head) == 1 || f.graph.Degree(t.Tail) == 1 {
			alone++
			continue
		}
		facts = append(facts, t)
	}
	random := rand.New(rand.NewPCG(a.Seed, 0xa0d1))
	random.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
	return facts, alone
}

// doubts leaves some facts out and asks for each from both of its ends, on all of the graph, and for what seems likelier.
func (f *Finder) doubts(ctx context.Context, facts []kg.Triple, o Options) ([]Doubt, error) {
	rest, done, err := (&sight{finder: f}).without(ctx, facts)
	if err != nil {
		return nil, err
	}
	defer done()
	l := f.newLook(ctx, rest, facts, o)
	asked := make([]kg.Triple, 0, 2*len(facts))
	for _, t := range facts {
		asked = append(asked, t, t.Inverse())
	}
	seen, err := l.rows(ctx, asked)
	if err != nil {
		return nil, err
	}
	var others []kg.Triple // what seems likelier, from its other end
	for _, s := range seen {
		for _, fact := range s.instead {
			others = append(others, fact.Triple().Inverse())
		}
	}
	back, err := l.rows(ctx, others)
	if err != nil {
		return nil, err
	}
	doubts, q := make([]Doubt, len(facts)), f.rows.Map()
	for i, t := range facts {
		own := q.Both(t.Relation, links.HasOther(f.graph, t), seen[2*i].own, seen[2*i+1].own)
		doubts[i] = Doubt{Fact: Fact{Head: t.Head, Relation: t.Relation, Tail: t.Tail, Probability: own, Stated: true}}
		for _, s := range seen[2*i : 2*i+2] {
			for _, other := range s.instead {
				other.Probability = q.Both(t.Relation, f.hasOther(other.Triple(), t), other.Probability, back[0].own)
				if back = back[1:]; other.Probability > doubts[i].Instead.Probability {
					doubts[i].Instead = other
				}
			}
		}
		doubts[i].Against = against(own, doubts[i].Instead.Probability)
	}
	return doubts, nil
}

// Gravest are the facts that most speaks against, in that order, at most so many; those that nothing speaks against are none.
func Gravest(doubts []Doubt, most int) []Doubt {
	doubts = slices.DeleteFunc(doubts, func(d Doubt) bool { return d.Against <= 0 })
	slices.SortStableFunc(doubts, func(a, b Doubt) int {
		return cmp.Or(cmp.Compare(b.Against, a.Against), a.Triple().Compare(b.Triple()))
	})
	return doubts[:min(most, len(doubts))]
}

// hasOther tells whether the head of a fact has another value, were a stated fact none.
func (f *Finder) hasOther(t, without kg.Triple) bool {
	if t.Stated().Head == without.Stated().Head {
		t = without
	}
	return links.HasOther(f.graph, t)
}
