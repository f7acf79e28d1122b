package eval

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// HideOf draws a share of a relation's facts, at least one, to hide them from a model. The same seed gives the same facts.
func HideOf(g *kg.Graph, r kg.Relation, share float64, seed uint64) []kg.Triple {
	var facts []kg.Triple
	for t := range g.Triples() {
		if t.Relation == r {
			facts = append(facts, t)
		}
	}
	random := rand.New(rand.NewPCG(seed, 0x72656c61))
	random.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
	return facts[:min(len(facts), max(1, int(share*float64(len(facts))+0.5)))]
}

// RelationOptions say how one relation is measured: by pairs of an entity that may be its head and one that may be its tail.
type RelationOptions struct {
	Graph    string    // its name, for the report
	Seen     *kg.Graph // without the hidden facts
	Relation kg.Relation
	Hidden   []kg.Triple // facts of the relation
	// Heads and Tails are the entities that are paired. They contain the ends of the hidden facts.
	Heads, Tails []kg.Entity
	Model        string
	// Score gives a number for each fact, in their order, that is higher where it is more likely.
	Score func(context.Context, []kg.Triple) ([]float32, error)
}

// RelationReport says how well the hidden facts of a relation are found among all pairs that the graph does not state.
type RelationReport struct {
	Graph    string         `json:"graph"`
	Relation string         `json:"relation"`
	Hidden   int            `json:"hidden"`
	Heads    int            `json:"heads"`
	Tails    int            `json:"tails"`
	Pairs    int            `json:"pairs"` // not stated, the hidden ones included
	Rows     []RelationRank `json:"rows"`  // the model, then the baselines
}

// RelationRank is how one way of scoring ranks the hidden facts.
type RelationRank struct {
	Model string  `json:"model"`
	All   Ranking `json:"all"`
	Tails Ranking `json:"tails"` // (h, r, ?)
	Heads Ranking `json:"heads"` // (?, r, t)
	AUROC float64 `json:"auroc"` // how often a hidden pair stands above another one
	AUPRC float64 `json:"auprc"` // average precision
}

// MostPairs is the most pairs that OneRelation scores.
const MostPairs = 10_000_000

// OneRelation measures a model on the hidden facts of one relation, and two baselines beside it: the number of facts of the
// relation at both ends, and the number of all facts there.
func OneRelation(ctx context.Context, o RelationOptions) (*RelationReport, error) {
	if n := len(o.Heads) * len(o.Tails); n > MostPairs {
		return nil, kg.Errorf(kg.Invalid, o.Seen.Vocabulary.Relation(o.Relation), "%d heads by %d tails are more than %d pairs: expected a relation between fewer entities", len(o.Heads), len(o.Tails), MostPairs)
	}
	pairs := o.pairs()
	scores, err := o.Score(ctx, pairs)
	if err != nil {
		return nil, err
	}
	report := &RelationReport{Graph: o.Graph, Relation: o.Seen.Vocabulary.Relation(o.Relation), Hidden: len(o.Hidden), Heads: len(o.Heads), Tails: len(o.Tails), Pairs: len(pairs)}
	report.Rows = append(report.Rows, o.rank(o.Model, pairs, scores))
	ofRelation := func(e kg.Entity, r kg.Relation) int { return len(o.Seen.Tails(e, r)) }
	ofAll := func(e kg.Entity, _ kg.Relation) int { _, tails := o.Seen.Edges(e); return len(tails) }
	report.Rows = append(report.Rows, o.rank("most frequent", pairs, products(pairs, ofRelation)), o.rank("degree product", pairs, products(pairs, ofAll)))
	return report, nil
}

// pairs are those of a head and a tail that are not stated, by head and then by tail.
func (o RelationOptions) pairs() (pairs []kg.Triple) {
	for _, h := range o.Heads {
		for _, t := range o.Tails {
			if pair := (kg.Triple{Head: h, Relation: o.Relation, Tail: t}); !o.Seen.Has(pair) {
				pairs = append(pairs, pair)
			}
		}
	}
	return pairs
}

// products multiplies the degrees of both ends, each raised by one: an entity without facts is unlikely and not impossible.
func products(pairs []kg.Triple, degree func(kg.Entity, kg.Relation) int) []float32 {
	scores := make([]float32, len(pairs))
	for i, p := range pairs {
		scores[i] = float32(1+degree(p.Head, p.Relation)) * float32(1+degree(p.Tail, p.Relation.Inverse()))
	}
	return scores
}

func (o RelationOptions) rank(model string, pairs []kg.Triple, scores []float32) RelationRank {
	right := make(map[kg.Triple]float32, len(o.Hidden))
	for _, t := range o.Hidden {
		right[t] = 0
	}
	byHead, byTail := map[kg.Entity][]float32{}, map[kg.Entity][]float32{} // the scores of wrong pairs
	hidden := make([]bool, len(pairs))
	for i, p := range pairs {
		if _, hidden[i] = right[p]; hidden[i] {
			right[p] = scores[i]
			continue
		}
		byHead[p.Head] = append(byHead[p.Head], scores[i])
		byTail[p.Tail] = append(byTail[p.Tail], scores[i])
	}
	r := RelationRank{Model: model}
	for _, t := range o.Hidden {
		tails, heads := standing(right[t], byHead[t.Head]), standing(right[t], byTail[t.Tail])
		r.Tails.addQuery([]kernel.Rank{tails})
		r.Heads.addQuery([]kernel.Rank{heads})
		r.All.addQuery([]kernel.Rank{tails})
		r.All.addQuery([]kernel.Rank{heads})
	}
	n := len(o.Hidden)
	r.Tails, r.Heads, r.All = r.Tails.mean(n), r.Heads.mean(n), r.All.mean(2*n)
	r.AUROC, r.AUPRC = Areas(scores, hidden)
	return r
}

func standing(score float32, wrong []float32) (rank kernel.Rank) {
	for _, x := range wrong {
		switch {
		case x > score:
			rank.Greater++
		case x == score:
			rank.Equal++
		}
	}
	return rank
}

// Areas are those under two curves, of scores that tell right from wrong. AUROC is the chance that a right one stands above a wrong
// one, half where they tie; AUPRC is the mean, over the right ones, of the share that is right among all that score as much or more.
// Both are 0 where all are right or all are wrong.
func Areas(scores []float32, right []bool) (auroc, auprc float64) {
	order := make([]int, len(scores))
	rights := 0
	for i := range order {
		order[i] = i
		if right[i] {
			rights++
		}
	}
	if rights == 0 || rights == len(scores) {
		return 0, 0
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	found, above := 0, 0 // right and wrong ones above the ties at hand
	for at := 0; at < len(order); {
		good, bad := 0, 0
		for score := scores[order[at]]; at < len(order) && scores[order[at]] == score; at++ {
			if right[order[at]] {
				good++
			} else {
				bad++
			}
		}
		auroc += float64(bad) * (float64(found) + float64(good)/2)
		found, above = found+good, above+bad
		auprc += float64(good) * float64(found) / float64(found+above)
	}
	return auroc / (float64(rights) * float64(len(scores)-rights)), auprc / float64(rights)
}
