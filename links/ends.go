package links

import (
	"context"
	"math"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
	"github.com/lacuna-kg/lacuna/kg"
)

// A link has two ends: the row of its head says how likely it is, and so does the row of its tail, read backwards. Both together put answers in a better
// order than the first alone (docs/lab/ranking.md), at one row more for a link, and promise a little less than there is. So who ranks reads the likeliest
// links of a step from both ends, wherever rows are cheap.

// usualEnds is how many links of a step are read from both ends where rows are cheap: on graphs of up to fewFacts a row takes a core
// some milliseconds, on those of up to fewFactsOnGPU it takes a GPU a tenth of one.
const usualEnds, fewFacts, fewFactsOnGPU = 32, 50_000, 1_000_000

// EndsOn is how many links of a step are read from both ends on a graph by those who rank, where rows are computed by a device.
func EndsOn(g *kg.Graph, device kernel.Device) int {
	most := fewFacts
	if device.Memory() > 0 {
		most = fewFactsOnGPU
	}
	if g.NumTriples() > most {
		return 0
	}
	return usualEnds
}

// FromBothEnds is the executor that reads so many links of a step, the likeliest, from their tails as well; none for 0 or less.
func (x Executor) FromBothEnds(most int) Executor {
	x.ends = max(0, most)
	return x
}

// Ends is how many links of a step are read from both ends.
func (x Executor) Ends() int { return x.ends }

// ofTail is what the reading from the tail weighs. The head's is the better one: what else is stated of it is what the network starts from.
// newcomer is what a tail counts for that has no stated link of the relation from anywhere: its row promises a first one too readily.
const ofTail, newcomer = 0.3, 0.6

// fromBoth is the reading of a link from both ends: its probability in the row of its head, and in the row back from its tail.
func fromBoth(p float32, back Row, head kg.Entity, least float32) float32 {
	read := math.Pow(float64(p), 1-ofTail) * math.Pow(float64(max(least, back.probability(head))), ofTail)
	if len(back.Stated) == 0 {
		read *= newcomer
	}
	return float32(read)
}

// place is a link of a step: the number of its row, and that of the link in it.
type place struct{ row, link int }

// readBack reads the likeliest links of steps from their tails, whose rows are made together.
func (x Executor) readBack(ctx context.Context, norm kernel.Logic, steps []step) error {
	if x.ends == 0 {
		return nil
	}
	likeliest := make([][]place, len(steps))
	var pairs []Pair
	for i := range steps {
		likeliest[i] = steps[i].likeliest(norm, x.ends)
		for _, at := range likeliest[i] {
			pairs = append(pairs, Pair{steps[i].rows[at.row].Tails[at.link], steps[i].Relation.Inverse()})
		}
	}
	back, err := x.rows.Get(ctx, pairs)
	if err != nil {
		return err
	}
	for i := range steps {
		n := len(likeliest[i])
		steps[i].weigh(likeliest[i], back[:n], x.rows.options.Least)
		back = back[n:]
	}
	return nil
}

// likeliest are the predicted links of a step that give their tails most.
func (s *step) likeliest(norm kernel.Logic, most int) []place {
	c, first := newCandidates(most), make([]int, len(s.rows)) // of each row's links among all
	n := 0
	for i, row := range s.rows {
		first[i] = n
		for k, p := range row.Probabilities {
			c.add(kg.Entity(n+k), plain.Apply(norm, kernel.And, s.followed[i].degree, p), true)
		}
		n += len(row.Tails)
	}
	chosen, _ := c.choose(n, 0)
	places := make([]place, len(chosen))
	for j, link := range chosen {
		row := len(first) - 1
		for first[row] > int(link.head) {
			row--
		}
		places[j] = place{row, int(link.head) - first[row]}
	}
	return places
}

// weigh puts the readings of both ends together. A row leaves out what is below a least probability, which then counts as that. What was not
// read from its tail is lowered as the others were on average.
func (s *step) weigh(places []place, back []Row, least float32) {
	read, lowered := make([]float32, len(places)), 0.0
	for j, at := range places {
		p := s.rows[at.row].Probabilities[at.link]
		read[j] = fromBoth(p, back[j], s.followed[at.row].head, least)
		lowered += math.Log(float64(max(read[j], math.SmallestNonzeroFloat32)) / float64(p))
	}
	others := float32(math.Exp(min(0, lowered/float64(max(1, len(places))))))
	for i, row := range s.rows {
		s.rows[i].Probabilities = make([]float32, len(row.Probabilities)) // rows are shared
		for k, p := range row.Probabilities {
			s.rows[i].Probabilities[k] = p * others
		}
	}
	for j, at := range places {
		s.rows[at.row].Probabilities[at.link] = read[j]
	}
}

// probability is that of a predicted link to a tail, 0 where the row leaves it out.
func (r Row) probability(tail kg.Entity) float32 {
	for k, t := range r.Tails {
		if t == tail {
			return r.Probabilities[k]
		}
	}
	return 0
}
