package links

import (
	"math"

	"github.com/lacuna-kg/lacuna/kg"
)

// Map makes the probabilities of a row's links from what the network says of its tails. It
// is plain data with a JSON form, as it is fitted to a graph and kept beside it. The zero
// value is METHOD's: with z the logits of the network for the input set {h} and n the tails that are
// stated,
//
//	x_t = max(1, n) · softmax(z / τ)_t      p_t = x_t / (1 + x_t)
//
// It increases strictly with z: the order of a row stays the network's.
type Map struct {
	Temperature float64 `json:"temperature,omitempty"` // τ; 0 is 1
}

// logitEpsilon is the loss's: logit = log((p+ε)/(1−p+ε)) (METHOD, "Training").
const logitEpsilon = 1e-10

// Check refuses a map that no fit gives.
func (m Map) Check() error {
	if m.Temperature != 0 && !(m.Temperature >= 0.1 && m.Temperature <= 100) {
		return kg.Errorf(kg.Invalid, "", "a map of links with temperature %v, expected 0.1 to 100", m.Temperature)
	}
	return nil
}

// row makes a row of the network's probabilities of all entities, which it overwrites. Links
// less likely than least are left out, and those of probability 0.
func (m Map) row(values []float32, stated []kg.Entity, least float32) Row {
	sum := m.exponentials(values)
	scale := max(1, float64(len(stated))) / sum // of an exponential to x
	for _, t := range stated {
		values[t] = 0 // no prediction
	}
	bound := float32(0) // of exponentials: a link below it is below least, and most are
	if least > 0 {
		bound = float32(0.999 * float64(least) / (1 - float64(least)) / scale)
	}
	var tails []kg.Entity
	var probabilities []float32
	for t, e := range values {
		if e <= bound {
			continue
		}
		x := scale * float64(e)
		if p := float32(x / (1 + x)); p >= least && p > 0 {
			tails, probabilities = append(tails, kg.Entity(t)), append(probabilities, p)
		}
	}
	return newRow(stated, tails, probabilities)
}

// exponentials replaces probabilities by exp(z/τ), the odds to the power of 1/τ, and gives their sum.
func (m Map) exponentials(values []float32) (sum float64) {
	for i, p := range values {
		values[i] = (p + logitEpsilon) / (1 - p + logitEpsilon)
	}
	if m.Temperature != 0 && m.Temperature != 1 {
		for i, odds := range values {
			values[i] = float32(math.Pow(float64(odds), 1/m.Temperature))
		}
	}
	for _, e := range values {
		sum += float64(e)
	}
	return sum
}
