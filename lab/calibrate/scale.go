package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kg"
)

// scaleLogits makes the model give σ(a·z + b) where it gave σ(z): the last Linear of its head
// has its weight and bias multiplied by a, and b added to the bias. Undo puts the old
// values back, to the bit.
func scaleLogits(m *gnn.Model, a, b float64) (undo func(), err error) {
	var restore []func()
	for _, tensor := range m.Parameters.Tensors {
		isBias := strings.HasSuffix(tensor.Name, "mlp.2.bias")
		if !isBias && !strings.HasSuffix(tensor.Name, "mlp.2.weight") {
			continue
		}
		buffer := m.Parameters.Of(tensor.Name)
		old := make([]float32, tensor.Len())
		m.Device().Download(old, buffer)
		scaled := make([]float32, len(old))
		for i, x := range old {
			scaled[i] = float32(a * float64(x))
			if isBias {
				scaled[i] = float32(a*float64(x) + b)
			}
		}
		m.Device().Upload(buffer, scaled)
		restore = append(restore, func() { m.Device().Upload(buffer, old) })
	}
	if len(restore) != 2 {
		return nil, fmt.Errorf("calibrate: %d tensors of a last Linear in the model, expected 2", len(restore))
	}
	m.Changed()
	undo = func() {
		for _, put := range restore {
			put()
		}
		m.Changed()
	}
	return undo, m.Device().Sync()
}

// maxShift is the most that Shift adds: it makes 1 % of 80 %.
const maxShift = 6.0

// Shift adds b to the logits of the model's answers and changes nothing else: sets that
// enter a projection are read as before, and under ¬ what stood for so much still does.
func Shift(m *gnn.Model, b float64) error {
	if !(math.Abs(b) <= maxShift) {
		return kg.Errorf(kg.Invalid, "", "a bias of %v: expected -%v to %v", b, maxShift, maxShift)
	}
	if _, err := scaleLogits(m, 1, b); err != nil {
		return err
	}
	c := &m.Adjustments
	c.InputOdds = float32(cmp.Or(float64(c.InputOdds), 1) * math.Exp(-b))
	if c.Threshold > 0 {
		c.Threshold = float32(sigmoid(logit(float64(c.Threshold)) + b))
	}
	c.Negation = negationAfter(c.Negation, b)
	return nil
}

// negationAfter is λ that does to odds raised by b what λ did before.
func negationAfter(lambda float32, b float64) float32 {
	return float32((1+float64(lambda))*math.Exp(-b) - 1)
}

// apply is scaleLogits by a fit that also moves the model's threshold and complement, if it has
// its own: what exceeded the old threshold before the map exceeds the new after it, and
// odds that b raises are lowered as much again under ¬.
func apply(m *gnn.Model, f Fit) (undo func(), err error) {
	rescale, err := scaleLogits(m, f.Scale, f.Bias)
	if err != nil {
		return nil, err
	}
	old := m.Adjustments
	if old.Threshold > 0 {
		m.Adjustments.Threshold = float32(sigmoid(f.Scale*logit(float64(old.Threshold)) + f.Bias))
	}
	if old.Negation != 0 {
		m.Adjustments.Negation = negationAfter(old.Negation, f.Bias)
	}
	return func() { rescale(); m.Adjustments = old }, nil
}
