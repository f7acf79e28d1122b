package kernel

// Evidence is what a row of odds comes to: their sum and the highest, 0 where all are.
type Evidence struct {
	Sum float64
	Top float32
}

// OddsEpsilon keeps the odds of 0 and 1 finite. It is the loss's, so that their logarithms are the
// logits that a model was trained on.
const OddsEpsilon = 1e-10
