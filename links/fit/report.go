package fit

import (
	"math"

	"github.com/lacuna-kg/lacuna/links"
)

// Report is what a fit came to, on rows that were not fitted on.
type Report struct {
	Held   int         `json:"held"`   // facts held out
	Hidden bool        `json:"hidden"` // they were hidden from the graph, which has no validation facts
	Rows   int         `json:"rows"`
	Seed   uint64      `json:"seed"`
	Before Reliability `json:"before"` // by METHOD's map
	After  Reliability `json:"after"`
}

// Reliability compares probabilities with what is there.
type Reliability struct {
	Bins []Bin `json:"bins"`
	// Likely are the links of one half or more.
	Likely Bin `json:"likely"`
	// ECE is the expected calibration error of the ten likeliest links of each row, in bins of a tenth.
	ECE float64 `json:"ece"`
	// Surprise is the mean negative log likelihood of a row.
	Surprise float64 `json:"surprise"`
}

// Bin is the links with probabilities from From up to To: how many facts they should be together, and are.
type Bin struct {
	From     float64 `json:"from"`
	To       float64 `json:"to"`
	Expected float64 `json:"expected"`
	Found    float64 `json:"found"`
}

func (b *Bin) add(l link, p float64) {
	b.Expected += l.weight * p
	if l.held {
		b.Found += l.weight
	}
}

// likeliest links of a row are what a user looks at.
const likeliest = 10

func (o observations) measure(m links.Map) Reliability {
	r := Reliability{Likely: Bin{From: 0.5, To: 1}}
	edges := []float64{0, 0.02, 0.1, 0.2, 0.4, 0.6, 0.8, 1}
	for i := range len(edges) - 1 {
		r.Bins = append(r.Bins, Bin{From: edges[i], To: edges[i+1]})
	}
	var tenths [10]Bin
	looked := 0.0
	for _, l := range o.links {
		p := m.Probability(l.logit, l.evidence)
		r.bin(p).add(l, p)
		if p >= r.Likely.From {
			r.Likely.add(l, p)
		}
		if l.rank < likeliest {
			tenths[min(9, int(10*p))].add(l, p)
			looked++
		}
		r.Surprise -= l.weight * math.Log(max(1e-12, truth(p, l.held))) / float64(o.rows)
	}
	for _, b := range tenths {
		r.ECE += math.Abs(b.Expected-b.Found) / looked
	}
	return r
}

// truth is the probability given to what is the case.
func truth(p float64, held bool) float64 {
	if held {
		return p
	}
	return 1 - p
}

func (r *Reliability) bin(p float64) *Bin {
	for i := range r.Bins {
		if p < r.Bins[i].To {
			return &r.Bins[i]
		}
	}
	return &r.Bins[len(r.Bins)-1]
}
