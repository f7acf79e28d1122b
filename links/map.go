package links

import (
	"cmp"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/lacuna-kg/lacuna/kg"
)

// Map makes the probability of a link from what the network says of its row. It is plain data
// with a JSON form, as it is fitted to a graph (package links/fit) and kept beside it. Rows of which
// nothing, little and much is stated differ in what they lack, so a map has parts. None at all stands
// for METHOD's map, Uncalibrated.
type Map []Part

// Part is the map of rows with up to UpTo stated tails, and more than the part before has; of the
// last part, with any number more.
//
// With z the logit of a link (h, q, t) for the input set {h}, over the tails that are not stated, n the number of
// those that are, and the room that h has for one more tail, and t for one more head (Domains), its score and its probability are
//
//	s = Logit·z + Total·log Σ exp z + Top·max z + Stated·log max(1, n) + None·[n = 0] + Room·room(h, q) + Range·room(t, q⁻¹) + Relations[q] + Bias
//	p = Ceiling·sigmoid(Curve(s))
//
// Logit is above 0 and the curve ascends: but for what tails have no room, the order of a row stays the network's. All links of a row together promise no more facts
// than Lacks says (Share).
type Part struct {
	UpTo   int     `json:"up_to"`
	Logit  float64 `json:"logit"`
	Total  float64 `json:"total"`
	Top    float64 `json:"top"`
	Stated float64 `json:"stated"`
	None   float64 `json:"none"`
	Room   float64 `json:"room,omitempty"`
	Range  float64 `json:"range,omitempty"`
	Bias   float64 `json:"bias"`
	// Relations is how much likelier the links of a relation proved to be than those of all together.
	Relations map[kg.Relation]float64 `json:"relations,omitempty"`
	Curve     Curve                   `json:"curve,omitempty"`
	// Ceiling is the probability of a link that is certainly true: not all that is true and not stated is a fact that the graph lacks in the
	// sense of the fit. 0 stands for 1.
	Ceiling float64 `json:"ceiling,omitempty"`
	Ends    *Ends   `json:"ends,omitempty"`  // how both ends of a link have a say; of the first part alone, for all
	Lacks   float64 `json:"lacks,omitempty"` // facts that the graph lacks for each that it states; 0: nobody counted them
}

// Uncalibrated is METHOD's map: the odds of a link are max(1, n) times its share of the softmax.
func Uncalibrated() Map { return Map{{Logit: 1, Total: -1, Stated: 1}} }

// Fitted tells whether the map is another than METHOD's.
func (m Map) Fitted() bool { return len(m) > 0 && !reflect.DeepEqual(m, Uncalibrated()) }

// Of gives the part for rows with so many stated tails.
func (m Map) Of(stated int) Part {
	if len(m) == 0 {
		m = Uncalibrated()
	}
	for _, part := range m[:len(m)-1] {
		if stated <= part.UpTo {
			return part
		}
	}
	return m[len(m)-1]
}

// Probability is that of a link by its logit, whatever the rest of its row promises (Share).
func (m Map) Probability(logit float64, e Evidence) float64 {
	part := m.Of(e.Stated)
	return part.probability(part.Score(logit, e))
}

// readsDomains tells whether any part asks what room the ends of a link have.
func (m Map) readsDomains() bool {
	return slices.ContainsFunc(m, func(part Part) bool { return part.Room != 0 || part.Range != 0 })
}

// Under is the map for other facts that the graph lacks than those it was fitted to: a link that is certainly true is one of them with the probability
// that is the ceiling. A map without one was fitted to all that the graph lacks, and stays.
func (m Map) Under(ceiling float64) Map {
	m = slices.Clone(m)
	for i, part := range m {
		if part.Ceiling > 0 && part.Ceiling < 1 {
			m[i].Lacks, m[i].Ceiling = part.Lacks*ceiling/part.Ceiling, ceiling
		}
	}
	return m
}

// Check refuses a map that no fit gives.
func (m Map) Check() error {
	for i, part := range m {
		if i > 0 && i < len(m)-1 && part.UpTo <= m[i-1].UpTo {
			return kg.Errorf(kg.Invalid, "", "part %d of a map of links is up to %d stated tails, expected more than %d", i+1, part.UpTo, m[i-1].UpTo)
		}
		if err := part.check(); err != nil {
			return err
		}
	}
	return nil
}

// maxWeight bounds the numbers of a map: more than any fit gives, and scores stay finite.
const maxWeight = 1000

func (m Part) check() error {
	if !(m.Logit > 0) {
		return kg.Errorf(kg.Invalid, "", "a map of links with logit %v, expected more than 0", m.Logit)
	}
	weights := append(slices.Collect(maps.Values(m.Relations)), m.Logit, m.Total, m.Top, m.Stated, m.None, m.Room, m.Range, m.Bias)
	for _, weight := range weights {
		if !(math.Abs(weight) <= maxWeight) {
			return kg.Errorf(kg.Invalid, "", "a map of links with the weight %v, expected at most %d", weight, maxWeight)
		}
	}
	if m.Range < 0 {
		return kg.Errorf(kg.Invalid, "", "a map of links with the range %v, expected 0 or more", m.Range)
	}
	if !(m.Lacks >= 0 && m.Lacks <= maxWeight) {
		return kg.Errorf(kg.Invalid, "", "a map of links that lacks %v facts for each, expected 0 to %d", m.Lacks, maxWeight)
	}
	if !(m.Ceiling >= 0 && m.Ceiling <= 1) {
		return kg.Errorf(kg.Invalid, "", "a map of links with the ceiling %v, expected 0 to 1", m.Ceiling)
	}
	return cmp.Or(m.Ends.check(), m.Curve.check())
}

// Evidence is what a map reads of a row: of the tails that are not stated log Σ exp z and max z, how many are stated, its relation and the room of
// its head. Of a single link it has the room of its tail, too (Of).
type Evidence struct {
	Total, Top float64
	Stated     int
	Relation   kg.Relation
	Room, Tail float64
	tails      *domain // nil where nobody counted
}

// Of is the evidence of the link to a tail.
func (e Evidence) Of(tail kg.Entity) Evidence {
	e.Tail = e.tails.tail(tail)
	return e
}

// Score is the score of a link by its logit.
func (m Part) Score(logit float64, e Evidence) float64 { return m.Logit*logit + m.offset(e) }

func (m Part) offset(e Evidence) float64 {
	s := m.Bias + m.Relations[e.Relation] + m.Total*e.Total + m.Top*e.Top + m.Room*e.Room + m.Range*e.Tail
	if e.Stated == 0 {
		return s + m.None
	}
	return s + m.Stated*math.Log(float64(e.Stated))
}

// bound is odds that links below a least probability do not exceed, and few others: what a device leaves out.
func (m Map) bound(e Evidence, least float32) float32 {
	if least <= 0 || math.IsInf(e.Total, -1) { // everything is stated
		return 0
	}
	part := m.Of(e.Stated)
	if part.Lacks > 0 {
		least = min(least, LeastPromised)
	}
	share := float64(least) / part.ceiling()
	if share >= 1 {
		return float32(math.Inf(1))
	}
	return float32(0.999 * math.Exp((part.Curve.inverse(logit(share))-part.offset(e))/part.Logit))
}

// row makes a row of the tails that exceed the bound and their odds, which it overwrites. Links
// less likely than least are left out, and those of probability 0.
func (m Map) row(stated []kg.Entity, tails []int32, odds []float32, e Evidence, least float32) Row {
	part := m.Of(e.Stated)
	part.probabilities(tails, odds, e)
	part.temper(odds, e)
	row := Row{Stated: stated}
	kept := 0
	for _, p := range odds {
		if p >= least && p > 0 {
			kept++
		}
	}
	row.Tails, row.Probabilities = make([]kg.Entity, 0, kept), make([]float32, 0, kept)
	for i, p := range odds {
		if p >= least && p > 0 {
			row.Tails, row.Probabilities = append(row.Tails, kg.Entity(tails[i])), append(row.Probabilities, p)
		}
	}
	return row
}

// probabilities replaces the odds of links by their probabilities.
func (m Part) probabilities(tails []int32, odds []float32, e Evidence) {
	probability := m.reader(e)
	for i, x := range odds {
		odds[i] = probability(kg.Entity(tails[i]), x)
	}
}

// reader makes probabilities of the odds of tails. A map that only multiplies odds, as METHOD's, needs no logarithm.
func (m Part) reader(e Evidence) func(tail kg.Entity, odds float32) float32 {
	offset := m.offset(e)
	if m.Logit == 1 && len(m.Curve) == 0 && m.ceiling() == 1 && m.Range == 0 {
		factor := math.Exp(offset)
		return func(_ kg.Entity, x float32) float32 { return float32(1 - 1/(1+factor*float64(x))) }
	}
	if m.Range == 0 {
		return func(_ kg.Entity, x float32) float32 {
			return float32(m.probability(m.Logit*math.Log(float64(x)) + offset))
		}
	}
	return func(tail kg.Entity, x float32) float32 {
		return float32(m.probability(m.Logit*math.Log(float64(x)) + offset + m.Range*e.tails.tail(tail)))
	}
}

// probability is that of a link by its score.
func (m Part) probability(score float64) float64 {
	return m.ceiling() / (1 + math.Exp(-m.Curve.at(score)))
}

func (m Part) ceiling() float64 {
	if m.Ceiling == 0 {
		return 1
	}
	return m.Ceiling
}

func logit(p float64) float64 { return math.Log(p / (1 - p)) }
