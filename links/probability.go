package links

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/pace"
	"github.com/lacuna-kg/lacuna/kg"
)

// A fact has one probability, whichever end it is read from (docs/probability.md). A network reads a link from its head, in the row of
// (head, relation), and from its tail, in the row of (tail, relation backwards), and the two readings differ. The probability is
// their mean in log-odds, as far as hidden facts do not speak for something else (Ends), but at most e^Doubt times the odds of the more sceptical one: a link that one end rules out is not likely
// because the other is sure of it, and either reading alone bounds the probability from above, so that a search may stop early.

// Doubt is how far above the more sceptical reading, in log-odds, the probability of a link may be at most.
const Doubt = 2

// Ends is how the readings of a link from its two ends make its probability. A head that has a value of the relation already differs from one
// that has none: of the one it is asked whether there is another, of the other which it is.
type Ends struct {
	Doubt float64 `json:"doubt"` // of heads that have a value; above 0, and at most the constant, which counts for others
	First *Blend  `json:"first,omitempty"`
	More  *Blend  `json:"more,omitempty"`
}

// Blend makes one score of two readings in log-odds:
//
//	Mean·(their mean) + Apart·(half of their distance) + Bias + Relations[q]
//
// Apart is at most Mean and at least its negative, so that a higher reading never lowers a probability. None at all is the mean.
type Blend struct {
	Mean  float64 `json:"mean"`
	Apart float64 `json:"apart"`
	Bias  float64 `json:"bias"`
	// Relations, none read backwards, is how much likelier their links proved to be than those of all together.
	Relations map[kg.Relation]float64 `json:"relations,omitempty"`
}

// Score is that of a link of a relation by its readings in log-odds.
func (b *Blend) Score(q kg.Relation, low, high float64) float64 {
	if b == nil {
		return (low + high) / 2
	}
	return b.Mean*(low+high)/2 + b.Apart*(high-low)/2 + b.Bias + b.Relations[kg.Forward(q.Base())]
}

// score is that of a link whose head, read forwards, has a value of the relation or has none.
func (e *Ends) score(q kg.Relation, has bool, low, high float64) float64 {
	if e == nil {
		return min((low+high)/2, low+Doubt)
	}
	if has {
		return min(e.More.Score(q, low, high), low+e.Doubt)
	}
	return min(e.First.Score(q, low, high), low+Doubt)
}

func (e *Ends) check() error {
	if e == nil {
		return nil
	}
	if !(e.Doubt > 0 && e.Doubt <= Doubt) {
		return kg.Errorf(kg.Invalid, "", "a map of links with the doubt %v, expected more than 0 and at most %d", e.Doubt, Doubt)
	}
	return cmp.Or(e.First.check(), e.More.check())
}

func (b *Blend) check() error {
	if b == nil {
		return nil
	}
	if !(b.Mean > 0 && math.Abs(b.Apart) <= b.Mean && b.Mean <= maxWeight && math.Abs(b.Bias) <= maxWeight) {
		return kg.Errorf(kg.Invalid, "", "a map of links with the ends %v, %v and %v, expected a mean above 0 and no more apart", b.Mean, b.Apart, b.Bias)
	}
	for _, weight := range b.Relations {
		if !(math.Abs(weight) <= maxWeight) {
			return kg.Errorf(kg.Invalid, "", "a map of links with the weight %v, expected at most %d", weight, maxWeight)
		}
	}
	return nil
}

// Both is the probability of a link of a relation by its two readings under a map, of which one that is not to be had is below 0. Has tells whether its head, read
// forwards, has a value of the relation beside this one.
func (m Map) Both(q kg.Relation, has bool, fromHead, fromTail float32) float32 {
	ceiling := m.Of(0).ceiling() // the probability of a link that is certainly true
	low, high := float64(min(fromHead, fromTail))/ceiling, float64(max(fromHead, fromTail))/ceiling
	switch {
	case high <= 0: // no reading, or both say never
		return 0
	case low < 0: // one end was not looked at from the other
		return float32(ceiling * high)
	case low == 0:
		return 0
	}
	score := m.Of(0).Ends.score(q, has, logit(min(low, belowOne)), logit(min(high, belowOne)))
	return float32(ceiling / (1 + math.Exp(-score)))
}

// Highest bounds the probability of a link from above by one of its readings.
func Highest(reading float32) float32 {
	if reading <= 0 || reading >= 1 {
		return reading
	}
	return float32(1 / (1 + math.Exp(-logit(float64(reading))-Doubt)))
}

// Lowest is the least reading of a link that may have a probability: the way back from Highest.
func Lowest(probability float64) float64 {
	if probability <= 0 || probability >= 1 {
		return probability
	}
	return 1 / (1 + math.Exp(Doubt-logit(probability)))
}

// HasOther tells whether the graph states a value of a fact's relation for its head, read forwards, beside the fact itself.
func HasOther(g *kg.Graph, t kg.Triple) bool {
	t = t.Stated()
	others := len(g.Tails(t.Head, t.Relation))
	if others == 1 && g.Has(t) {
		others = 0
	}
	return others > 0
}

// Probabilities gives the probability of each possible fact: 1 where the graph states it, else by both its ends. Rows that are not kept
// are computed together.
func (r *Rows) Probabilities(ctx context.Context, facts []kg.Triple) ([]float32, error) {
	probabilities := make([]float32, len(facts))
	var readings []Reading
	var open []int
	for i, t := range facts {
		if r.graph.Has(t.Stated()) {
			probabilities[i] = 1
		} else if r.source != nil {
			open = append(open, i)
			readings = append(readings, ReadingOf(t), ReadingOf(t.Inverse()))
		}
	}
	read, err := r.Readings(ctx, readings)
	if err != nil {
		return nil, err
	}
	for k, i := range open {
		probabilities[i] = r.options.Map.Both(facts[i].Relation, HasOther(r.graph, facts[i]), read[2*k], read[2*k+1])
	}
	return probabilities, nil
}

// Reading is a link as the row of a pair has it.
type Reading struct {
	Pair
	Tail kg.Entity
}

// ReadingOf is how the row of its head has a link; t.Inverse() is read from the tail.
func ReadingOf(t kg.Triple) Reading { return Reading{Pair{t.Head, t.Relation}, t.Tail} }

// Compare orders readings by their rows.
func (a Reading) Compare(b Reading) int {
	return cmp.Or(a.Pair.compare(b.Pair), cmp.Compare(a.Tail, b.Tail))
}

// unread is the value of a reading that is not to be had: on a large graph an entity is predicted on what is around it only.
const unread = -1

// Readings gives what rows say of links, however little: a row that is kept leaves out what is unlikely, and is then computed anew.
func (r *Rows) Readings(ctx context.Context, wanted []Reading) ([]float32, error) {
	values := make([]float32, len(wanted))
	var open []int
	for i, w := range wanted {
		if r.ranges.Closed(w.Pair) || !r.ranges.Admits(w.Pair, w.Tail) {
			continue
		}
		row, found := r.cache.row(w.Pair)
		if values[i] = row.probability(w.Tail); !found || values[i] == 0 {
			open = append(open, i)
		}
	}
	slices.SortFunc(open, func(i, j int) int { return wanted[i].Compare(wanted[j]) })
	var pairs []Pair
	var stated [][]kg.Entity
	var of [][]int // the readings of each pair
	for _, i := range open {
		if p := wanted[i].Pair; len(pairs) == 0 || pairs[len(pairs)-1] != p {
			pairs, stated, of = append(pairs, p), append(stated, r.graph.Tails(p.Head, p.Relation)), append(of, nil)
		}
		of[len(of)-1] = append(of[len(of)-1], i)
	}
	most := r.portion(ctx, len(pairs))
	for from := 0; from < len(pairs); from += most {
		to := min(from+most, len(pairs))
		err := r.eachOdds(ctx, pairs[from:to], stated[from:to], func(i int, odds Odds, e Evidence) {
			reader := r.options.Map.Reader(odds, e)
			for _, link := range of[from+i] {
				if values[link] = unread; odds.has(wanted[link].Tail) {
					values[link] = reader.Probability(wanted[link].Tail, odds.Of(wanted[link].Tail))
				}
			}
			r.cache.put(pairs[from+i], reader.row(stated[from+i], odds, r.options.Least))
		})
		if err != nil {
			return nil, err
		}
		pace.Rest(ctx)
	}
	return values, nil
}

// eachOdds is EachOdds of these rows, while nobody else computes some.
func (r *Rows) eachOdds(ctx context.Context, pairs []Pair, stated [][]kg.Entity, use func(i int, odds Odds, e Evidence)) error {
	r.computing.Lock()
	defer r.computing.Unlock()
	return EachOdds(pace.Still(ctx), r.source, r.domains, r.ranges, pairs, stated, use)
}

// row is the row that a reader reads, as compute makes it.
func (r Reader) row(stated []kg.Entity, odds Odds, least float32) Row {
	row := Row{Stated: stated}
	for e, x := range odds.All() {
		if p := r.Probability(e, x); p >= least && p > 0 {
			row.Tails, row.Probabilities = append(row.Tails, e), append(row.Probabilities, p)
		}
	}
	return row
}

// Exact are the same rows without the file that they were read from, which rounds probabilities.
func (r *Rows) Exact() *Rows {
	if r.options.File == nil {
		return r
	}
	return r.exact()
}

// By are rows by the same map of another source, such as a model on the graph without some facts. Nothing is taken from a file.
func (r *Rows) By(source Source) *Rows { return New(r.graph, source, r.options.withoutFile()) }
