package coverage

import (
	"context"
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/eval"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/links"
	"github.com/lacuna-kg/lacuna/neural"
)

// Measured is how sets of one coverage did on facts that they were not calibrated on, beside those of KGCP's softmax score on the same rows: one group, no smoothing.
type Measured struct {
	Coverage float64 `json:"coverage"`
	Covered  float64 `json:"covered"` // share of the rows whose set has the fact
	Size     float64 `json:"size"`    // entities of a set, in the mean
	KGCP     float64 `json:"kgcp_covered"`
	KGCPSize float64 `json:"kgcp_size"`
	Hidden   int     `json:"hidden"` // rows of facts calibrated on
	Rows     int     `json:"rows"`   // measured on
}

// Measure calibrates on held-out facts and asks for others, which the graph does not state either: test facts. Without held-out facts
// the graph's own are hidden, half of them to calibrate on and half to ask for.
func Measure(ctx context.Context, o Options, test []kg.Triple, facts int, coverages []float64) ([]Measured, error) {
	held := o.Held
	var p *neural.Predictor
	var err error
	if len(held) > 0 && len(test) > 0 {
		p, err = o.Model.On(ctx, o.Graph, "the graph")
	} else {
		hidden := eval.HideEach(o.Graph, share, o.Seed)
		mixed := draw(hidden, len(hidden), o.Seed+1)
		held, test = nil, nil
		for i := 0; i+1 < len(mixed); i += 4 {
			held = append(held, mixed[i])
		}
		for i := 2; i+1 < len(mixed); i += 4 {
			test = append(test, mixed[i])
		}
		p, err = o.Model.OnRest(ctx, o.Graph, hidden)
	}
	if err != nil {
		return nil, err
	}
	defer p.Close()
	own, softmax := &Scores{Of: map[kg.Relation][]float32{}}, []float32{}
	err = eachRow(ctx, p, draw(held, o.facts(), o.Seed), o.Progress, func(t kg.Triple, odds links.Odds, e links.Evidence) {
		own.add(t, newRow(odds, e, false))
		softmax = append(softmax, newRow(odds, e, true).score(t.Tail))
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(softmax)
	m := measuring{sets: NewSets(p.Graph, p, own), softmax: softmax, all: make([]Measured, len(coverages))}
	for i, c := range coverages {
		m.all[i] = Measured{Coverage: c, Hidden: len(softmax)}
	}
	err = eachRow(ctx, p, draw(test, facts, o.Seed+2), o.Progress, m.row)
	return m.means(), err
}

type measuring struct {
	sets    *Sets
	softmax []float32
	all     []Measured
}

func (m measuring) row(t kg.Triple, odds links.Odds, e links.Evidence) {
	own, plain := newRow(odds, e, false), newRow(odds, e, true)
	pair := links.Pair{Head: t.Head, Relation: t.Relation}
	for i := range m.all {
		c := &m.all[i]
		c.Rows++
		members := m.sets.set(pair, own, 1-c.Coverage)
		c.Size += float64(len(members))
		if slices.ContainsFunc(members, func(x Member) bool { return x.Entity == t.Tail }) {
			c.Covered++
		}
		bound := quantile(m.softmax, c.Coverage)
		for x, o := range odds.All() {
			if o != 0 && plain.score(x) >= bound {
				if c.KGCPSize++; x == t.Tail {
					c.KGCP++
				}
			}
		}
	}
}

// quantile is the bound of split conformal prediction as KGCP has it: the score that so many of the hidden facts reach.
func quantile(scores []float32, coverage float64) float32 {
	at := len(scores) - int(math.Ceil(float64(len(scores)+1)*coverage))
	if at < 0 {
		return never
	}
	return scores[at]
}

func (m measuring) means() []Measured {
	for i := range m.all {
		c := &m.all[i]
		n := float64(max(1, c.Rows))
		c.Covered, c.Size, c.KGCP, c.KGCPSize = c.Covered/n, c.Size/n, c.KGCP/n, c.KGCPSize/n
	}
	return m.all
}
