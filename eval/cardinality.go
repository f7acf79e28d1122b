package eval

import (
	"cmp"
	"math"
	"slices"
)

// cardinalities are, for each query, the predicted and the true number of answers.
type cardinalities struct{ predicted, truth []float64 }

func (c *cardinalities) add(predicted, truth float64) {
	c.predicted = append(c.predicted, predicted)
	c.truth = append(c.truth, truth)
}

// mape is the mean absolute error relative to the truth, which is at least 1. A
// prediction of no answers at all is a full error of 1, without a special rule.
func (c cardinalities) mape() float64 {
	if len(c.truth) == 0 {
		return 0
	}
	sum := 0.0
	for i, truth := range c.truth {
		sum += math.Abs(c.predicted[i]-truth) / truth
	}
	return sum / float64(len(c.truth))
}

// spearman is the correlation of the ranks of prediction and truth, nil where
// either is the same for all queries and it is not defined.
func (c cardinalities) spearman() *float64 {
	rho := pearson(averageRanks(c.predicted), averageRanks(c.truth))
	if math.IsNaN(rho) {
		return nil
	}
	return &rho
}

// averageRanks gives equal values the mean of the ranks that they take up together.
func averageRanks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	ranks := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+to+1) / 2
		}
		from = to
	}
	return ranks
}

// pearson is the correlation of x and y, NaN if either does not vary.
func pearson(x, y []float64) float64 {
	meanX, meanY := mean(x), mean(y)
	var xx, yy, xy float64
	for i := range x {
		dx, dy := x[i]-meanX, y[i]-meanY
		xx, yy, xy = xx+dx*dx, yy+dy*dy, xy+dx*dy
	}
	return xy / math.Sqrt(xx*yy)
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
