package sample

import (
	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
)

// The shapes of BetaE's training queries. Those with a complement are a tenth as many as the others.
var (
	trainPositive = []string{"1p", "2p", "3p", "2i", "3i"}
	trainNegative = []string{"2in", "3in", "inp", "pin", "pni"}
)

// BetaEvaluation is the number of queries of each shape in BetaE's validation and
// test sets of FB15k-237; NELL has 4,000, FB15k 8,000.
const BetaEvaluation = 5000

// BetaESizes are the numbers of queries in BetaE's sets: for training as many of
// each positive shape as the graph has 1p queries, and a tenth of each negative
// one; for validation and test the given number of each of the 14 shapes. A split
// without facts is left out.
func BetaESizes(s *kg.Splits, evaluation int) map[dataset.Split][]Count {
	sizes := map[dataset.Split][]Count{}
	if links := countLinks(s.Train); links > 0 {
		sizes[dataset.Train] = append(Counts(trainPositive, links), Counts(trainNegative, max(1, links/10))...)
	}
	if len(s.Valid) > 0 {
		sizes[dataset.Valid] = Counts(query.Shapes, evaluation)
	}
	if len(s.Test) > 0 {
		sizes[dataset.Test] = Counts(query.Shapes, evaluation)
	}
	return sizes
}

// Counts asks for the same number of queries of each shape.
func Counts(shapes []string, queries int) []Count {
	list := make([]Count, len(shapes))
	for i, shape := range shapes {
		list[i] = Count{shape, queries}
	}
	return list
}

func countLinks(g *kg.Graph) int {
	count := 0
	for e := range kg.Entity(g.NumEntities()) {
		relations, _ := g.Edges(e)
		for i, r := range relations {
			if i == 0 || relations[i-1] != r {
				count++
			}
		}
	}
	return count
}
