package factor

import "github.com/lacuna-kg/lacuna/kg"

// Blend is how much the logits of vectors weigh beside those of a network, which weigh 1. The more tails of a row are
// stated, the more vectors know of it; so a blend has parts, by the number of stated tails, as a map of links has.
type Blend []Part

// Part is for rows with up to UpTo stated tails, and more than the part before has; the last, with any number more.
type Part struct {
	UpTo    int     `json:"up_to"`
	Vectors float32 `json:"vectors"`
}

// Of gives the weight of vectors for rows with so many stated tails.
func (b Blend) Of(stated int) float32 {
	for _, part := range b[:len(b)-1] {
		if stated <= part.UpTo {
			return part.Vectors
		}
	}
	return b[len(b)-1].Vectors
}

// Check refuses weights that are none.
func (b Blend) Check() error {
	if len(b) == 0 {
		return kg.Errorf(kg.Invalid, "factors", "no weight of vectors")
	}
	for i, part := range b {
		if !(part.Vectors >= 0 && part.Vectors <= 100) || i > 0 && i < len(b)-1 && part.UpTo <= b[i-1].UpTo {
			return kg.Errorf(kg.Invalid, "factors", "part %d weighs vectors %v for up to %d stated tails, expected 0 or more, and more tails than before", i+1, part.Vectors, part.UpTo)
		}
	}
	return nil
}
