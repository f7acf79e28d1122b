package gaps

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// screen looks at facts quickly: each in one row, from the end that has fewer values of the relation, or in two where there is work for them. Where there is not enough
// for all, those are left out that simple patterns support best.
type screen struct {
	finder         *Finder
	audit          Audit
	options        Options
	sight          *sight
	facts          []kg.Triple
	size           int // of them are left out at a time
	bothEnds       bool
	skipped, alone int
	enough         float64 // support from which on a fact is left out
}

func (f *Finder) screen(ctx context.Context, a Audit, o Options) (*screen, error) {
	s := &screen{finder: f, audit: a, options: o, enough: 2}
	s.facts, s.alone = f.toAudit(a, o)
	s.size = together(len(s.facts))
	if a.Facts > 0 {
		s.facts = s.facts[:min(a.Facts, len(s.facts))]
	}
	var err error
	if s.sight, err = f.newSight(ctx, 2*len(s.facts), func(kg.Entity) bool { return false }); err != nil {
		return nil, err
	}
	exact := float64(2*(1+insteadOfEnd)*(shortlisted*a.List+mostPlanted/2)) * f.costOfRow()
	most := s.sight.within(exact)
	s.bothEnds = a.All || a.Facts > 0 || 2*len(s.facts) <= most
	if !s.bothEnds && len(s.facts) > most {
		s.leaveOut(most)
	}
	return s, nil
}

// leaveOut keeps the facts that are supported least.
func (s *screen) leaveOut(most int) {
	const looked = 4 // times as many as are kept: a large graph has too many to look at each
	draw := s.facts[:min(len(s.facts), looked*most)]
	support := make(map[kg.Triple]float64, len(draw))
	for _, t := range draw {
		support[t] = s.finder.support(t)
	}
	slices.SortStableFunc(draw, func(a, b kg.Triple) int { return cmp.Compare(support[a], support[b]) })
	s.enough = support[draw[most-1]]
	s.skipped, s.facts = len(s.facts)-most, draw[:most]
	random := rand.New(rand.NewPCG(s.audit.Seed, 0x5c4e))
	random.Shuffle(most, func(i, j int) { s.facts[i], s.facts[j] = s.facts[j], s.facts[i] })
}

// all looks at the facts.
func (s *screen) all(ctx context.Context) (all []Doubt, err error) {
	task, err := s.finder.task("audit on the core", s.audit, s.options)
	if err != nil {
		return nil, err
	}
	n := len(s.facts)
	err = work[[]Doubt]{
		task: task, parts: (n + s.size - 1) / s.size,
		make: func(ctx context.Context, part int) ([]Doubt, error) {
			return s.look(ctx, s.facts[part*s.size:min((part+1)*s.size, n)])
		},
		use: func(part int, doubts []Doubt) error {
			all = append(all, doubts...)
			s.options.progress(min((part+1)*s.size, n), n)
			return nil
		},
	}.run(ctx, s.options.Keep)
	return all, err
}

// look leaves some facts out together.
func (s *screen) look(ctx context.Context, facts []kg.Triple) ([]Doubt, error) {
	rest, done, err := s.sight.without(ctx, facts)
	if err != nil {
		return nil, err
	}
	defer done()
	var asked []kg.Triple
	for _, t := range facts {
		if s.bothEnds {
			asked = append(asked, t, t.Inverse())
		} else {
			asked = append(asked, s.finder.fromFewer(t))
		}
	}
	seen, err := s.finder.newLook(ctx, rest, facts, s.options).rows(ctx, asked)
	if err != nil {
		return nil, err
	}
	ends := len(asked) / len(facts)
	doubts := make([]Doubt, len(facts))
	for i, t := range facts {
		doubts[i] = Doubt{Fact: Fact{Head: t.Head, Relation: t.Relation, Tail: t.Tail, Probability: seen[ends*i].own, Stated: true}}
		for _, end := range seen[ends*i : ends*(i+1)] {
			if len(end.instead) > 0 {
				doubts[i].Against += against(end.own, end.instead[0].Probability)
			}
		}
	}
	return doubts, nil
}

// fromFewer reads a fact from the end that has fewer values of its relation.
func (f *Finder) fromFewer(t kg.Triple) kg.Triple {
	back := t.Inverse()
	if len(f.graph.Tails(back.Head, back.Relation)) < len(f.graph.Tails(t.Head, t.Relation)) {
		return back
	}
	return t
}

// mostAlike bounds what the support of a fact is counted on: other facts of its head, and entities that have one of these.
const mostAlike, mostOthers = 256, 24

// support is how well a simple pattern supports a fact: of the entities that share another fact with its head and have a value of the relation, the share that
// has this very value, whichever other fact says most for it.
func (f *Finder) support(t kg.Triple) (most float64) {
	t = f.fromFewer(t)
	relations, tails := f.graph.Edges(t.Head)
	same := f.graph.Tails(t.Tail, t.Relation.Inverse()) // that have this value
	stride := 1 + len(relations)/mostOthers
	for i := 0; i < len(relations); i += stride {
		if relations[i] == t.Relation && tails[i] == t.Tail {
			continue
		}
		alike := f.graph.Tails(tails[i], relations[i].Inverse())
		has, agrees := 0, 0
		for k := 0; k < len(alike); k += 1 + len(alike)/mostAlike {
			e := alike[k]
			if e == t.Head || len(f.graph.Tails(e, t.Relation)) == 0 {
				continue
			}
			has++
			if _, isSame := slices.BinarySearch(same, e); isSame {
				agrees++
			}
		}
		most = max(most, float64(agrees)/float64(has+2))
	}
	return most
}
