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
	Cut    bool        `json:"cut,omitempty"`    // these are fewer than were wanted: there was no time for more
	Around int         `json:"around,omitempty"` // each was predicted on so many entities around its head; 0 for all of the graph
	Seed   uint64      `json:"seed"`
	Before Reliability `json:"before"` // by METHOD's map
	After  Reliability `json:"after"`
	// Relations is how the links of each hold, those with the most facts first.
	Relations []RelationReport `json:"relations,omitempty"`
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

// likeliest links of a row are what a user looks at; half is where they are likelier than not.
const (
	likeliest = 10
	half      = 0.5
)

// measure compares the probabilities of a map with what was observed.
func (o observations) measure(m links.Map) Reliability {
	t := NewTally()
	t.observe(o, m)
	return t.Result()
}

// Tally sums up what probabilities say and what is there.
type Tally struct {
	Reliability
	tenths       [10]Bin // of the likeliest
	looked, rows float64
}

// NewTally begins with nothing.
func NewTally() *Tally {
	t := &Tally{Reliability: Reliability{Likely: Bin{From: half, To: 1}}}
	edges := []float64{0, 0.02, 0.1, 0.2, 0.4, 0.6, 0.8, 1}
	for i := range len(edges) - 1 {
		t.Bins = append(t.Bins, Bin{From: edges[i], To: edges[i+1]})
	}
	return t
}

// Add counts one of the ten likeliest answers to a question: its probability, and whether it is right.
func (t *Tally) Add(p float64, isRight bool) { t.add(link{weight: 1, held: isRight}, p) }

func (t *Tally) add(l link, p float64) {
	t.bin(p).add(l, p)
	if p >= half {
		t.Likely.add(l, p)
	}
	if l.rank < likeliest {
		t.tenths[min(9, int(10*p))].add(l, p)
		t.looked += l.weight
	}
	t.Surprise -= l.weight * math.Log(max(1e-12, truth(p, l.held)))
}

func (t *Tally) observe(o observations, m links.Map) {
	t.rows += float64(o.rows)
	promised := o.promised(m)
	for _, l := range o.links {
		t.add(l, m.Probability(l.logit, l.evidence)*m.Of(l.evidence.Stated).Share(promised[l.row], l.evidence))
	}
}

// promised is how many facts the links of each row promise together.
func (o observations) promised(m links.Map) map[int]float64 {
	promised := map[int]float64{}
	for _, l := range o.links {
		if p := m.Probability(l.logit, l.evidence); p >= links.LeastPromised {
			promised[l.row] += l.inRow * p
		}
	}
	return promised
}

// Result is what it came to.
func (t *Tally) Result() Reliability {
	r := t.Reliability
	r.Surprise /= max(1, t.rows)
	for _, b := range t.tenths {
		r.ECE += math.Abs(b.Expected-b.Found) / max(1, t.looked)
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
