package factor

import "github.com/lacuna-kg/lacuna/kg"

// Blend is how the logits of a network and of vectors are put together: weighted and added.
type Blend struct {
	Network float32 `json:"network"`
	Vectors float32 `json:"vectors"`
}

// Check refuses weights that are none.
func (b Blend) Check() error {
	if !(b.Network >= 0 && b.Vectors >= 0 && b.Network+b.Vectors > 0 && b.Network+b.Vectors < 100) {
		return kg.Errorf(kg.Invalid, "factors", "weights %v and %v, expected two of 0 or more", b.Network, b.Vectors)
	}
	return nil
}
