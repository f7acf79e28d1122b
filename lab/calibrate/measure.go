package calibrate

import (
	"context"
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Measure is how far probabilities of a shape can be trusted; Rules say what is measured.
type Measure struct {
	Queries int     `json:"queries"`
	ECE     float64 `json:"ece"`
	ECEAll  float64 `json:"ece_all"`
	MAPE    float64 `json:"mape"`
	MRR     float64 `json:"mrr"`            // of the hidden answers, which may change but for 1p
	Bins    []Bin   `json:"bins,omitempty"` // behind ECE
}

// Bin is the candidates whose probability lies between bounds.
type Bin struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Count int     `json:"count"`
	Mean  float64 `json:"mean"`  // of the probabilities
	Truth float64 `json:"truth"` // the share that is true
}

const (
	numBins = 10
	likely  = 10 // candidates of a query that a user looks at
)

// measure answers all queries and gives the figures of each shape.
func (w *world) measure(ctx context.Context, o Options, stage string) ([]Measure, error) {
	var measures []Measure
	done := 0
	for _, s := range w.shapes {
		t := &tally{}
		err := w.answers(ctx, s.queries, func(q dataset.Query, set fuzzy.Set) {
			t.add(q, set)
			done++
			o.Progress(stage, done, w.total())
		})
		if err != nil {
			return nil, err
		}
		measures = append(measures, t.measure())
	}
	return measures, nil
}

// tally sums over the queries of a shape.
type tally struct {
	eval.Tally
	top, all bins

	candidates []candidate // scratch
}

type candidate struct {
	probability float32
	truth       bool
}

func (t *tally) add(q dataset.Query, set fuzzy.Set) {
	t.candidates = unknown(t.candidates[:0], q, set)
	for _, c := range t.candidates {
		t.all.add(c)
	}
	t.Add(eval.Outcome{Ranks: ranks(t.candidates), Answered: set.Cardinality()}, len(q.Easy)+len(q.Hard))
	for _, c := range likeliest(t.candidates, likely) {
		t.top.add(c)
	}
}

// unknown appends the entities that are no easy answers. Both lists of answers ascend.
func unknown(to []candidate, q dataset.Query, set fuzzy.Set) []candidate {
	easy, hard := q.Easy, q.Hard
	for e, p := range set {
		switch {
		case len(easy) > 0 && easy[0] == kg.Entity(e):
			easy = easy[1:]
		case len(hard) > 0 && hard[0] == kg.Entity(e):
			hard = hard[1:]
			to = append(to, candidate{p, true})
		default:
			to = append(to, candidate{p, false})
		}
	}
	return to
}

// likeliest gives the first few by probability; of equals those that come first.
func likeliest(candidates []candidate, few int) []candidate {
	top := make([]candidate, 0, few+1)
	for _, c := range candidates {
		if len(top) == few && c.probability <= top[few-1].probability {
			continue
		}
		at := len(top)
		for at > 0 && top[at-1].probability < c.probability {
			at--
		}
		top = slices.Insert(top, at, c)
		top = top[:min(len(top), few)]
	}
	return top
}

// ranks are the standings of the true candidates among the false ones.
func ranks(candidates []candidate) []kernel.Rank {
	var list []kernel.Rank
	for _, c := range candidates {
		if !c.truth {
			continue
		}
		var rank kernel.Rank
		for _, other := range candidates {
			switch {
			case other.truth || other.probability < c.probability:
			case other.probability > c.probability:
				rank.Greater++
			default:
				rank.Equal++
			}
		}
		list = append(list, rank)
	}
	return list
}

func (t *tally) measure() Measure {
	m := t.Metrics()
	return Measure{Queries: m.Queries, ECE: t.top.error(), ECEAll: t.all.error(), MAPE: m.MAPE, MRR: m.MRR, Bins: t.top.list()}
}

// bins sum candidates by their probability.
type bins [numBins]struct {
	count, truth int
	probability  float64
}

func (b *bins) add(c candidate) {
	bin := &b[min(int(numBins*c.probability), numBins-1)]
	bin.count++
	bin.probability += float64(c.probability)
	if c.truth {
		bin.truth++
	}
}

// error is Σ |sum of probabilities − number of true ones| over the number of all.
func (b *bins) error() float64 {
	sum, count := 0.0, 0
	for _, bin := range b {
		sum += math.Abs(bin.probability - float64(bin.truth))
		count += bin.count
	}
	if count == 0 {
		return 0
	}
	return sum / float64(count)
}

func (b *bins) list() []Bin {
	var list []Bin
	for i, bin := range b {
		if bin.count > 0 {
			n := float64(bin.count)
			list = append(list, Bin{float64(i) / numBins, float64(i+1) / numBins, bin.count, bin.probability / n, float64(bin.truth) / n})
		}
	}
	return list
}

// meanOf weighs every shape the same.
func meanOf(shapes []Measure) Measure {
	var m Measure
	n := float64(len(shapes))
	for _, s := range shapes {
		m.Queries += s.Queries
		m.ECE += s.ECE / n
		m.ECEAll += s.ECEAll / n
		m.MAPE += s.MAPE / n
		m.MRR += s.MRR / n
	}
	return m
}
