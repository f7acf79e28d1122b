package lacuna

import (
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/links"
)

// An answer that a join predicts is as likely as a line says of the degree of its best derivation, as those of trees are (links.Answers).

// chooseLine takes the line of such questions, where there is one. Lines are fitted to products.
func (j *joining) chooseLine() error {
	j.line = links.Line{Slope: 1}
	lines, found := j.rows.Answers()[links.KindOfJoin(j.Normal)]
	if !found || !j.rows.Predicts() || j.Asking.Logic.Norm != kernel.Product {
		return nil
	}
	some, err := j.known.Any(j.ctx)
	j.line = lines.Of(some)
	return err
}

// probability is that of an answer from its degree. What is known stays as it is.
func (j *joining) probability(degree float64, known bool) float64 {
	if known {
		return degree
	}
	return j.line.At(degree)
}

// leastDegree is the least that an answer of some probability has.
func (j *joining) leastDegree(probability float64) float64 {
	least := j.line.Degree(probability)
	if !j.separates() { // known answers are found beside predictions
		least = min(least, probability)
	}
	return least
}
