package links

import (
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// Follow says which members of a set a projection follows along predicted links: the
// likeliest. What the graph states is followed from every member, as traversal does; it costs next to nothing.
type Follow struct {
	Most   int     // members; 0 is FollowOnCPU, negative all
	Weight float32 // the least degree of a member that is followed; 0 is DefaultWeight, negative any
}

// How many members are followed by default: what is quick where rows are computed by a CPU,
// by a GPU, and where they are read from a file.
const (
	FollowOnCPU   = 48
	FollowOnGPU   = 256
	FollowInFile  = 1024
	DefaultWeight = 1e-3
)

// FollowOn is how many members are followed by default where rows are computed by a device.
func FollowOn(device kernel.Device) int {
	if device.Memory() > 0 {
		return FollowOnGPU
	}
	return FollowOnCPU
}

func (f Follow) withDefaults(entities int) Follow {
	switch {
	case f.Most == 0:
		f.Most = FollowOnCPU
	case f.Most < 0:
		f.Most = entities
	}
	switch {
	case f.Weight == 0:
		f.Weight = DefaultWeight
	case f.Weight < 0:
		f.Weight = 0
	}
	return f
}

// followed is a member of a set that is followed, with its degree.
type followed struct {
	head   kg.Entity
	degree float32
}

// candidates ranks the members of a set that may be followed. One number is a member: its
// degree turned round, whether it states nothing of the relation, its id; so the lowest are the
// likeliest and, of equal ones, those that the relation is known to go from: they are likelier to have another link of it.
type candidates []uint64

const statesNothing = 1 << 31

func (c *candidates) add(e kg.Entity, degree float32, states bool) {
	key := uint64(^math.Float32bits(degree))<<32 | uint64(e)
	if !states {
		key |= statesNothing
	}
	*c = append(*c, key)
}

// choose gives those to follow of a set with so many members of some degree, and what is cut.
// Below is the highest degree of the members that are no candidates.
func (c candidates) choose(most, members int, below float32) ([]followed, exec.Cut) {
	slices.Sort(c)
	n := min(most, len(c))
	chosen := make([]followed, n)
	for i, key := range c[:n] {
		chosen[i] = followed{kg.Entity(key & (statesNothing - 1)), degreeOf(key)}
	}
	cut := exec.Cut{LeftOut: members - n}
	switch {
	case n < len(c):
		cut.Likeliest = degreeOf(c[n])
	case cut.LeftOut > 0:
		cut.Likeliest = below
	}
	return chosen, cut
}

func degreeOf(key uint64) float32 { return math.Float32frombits(^uint32(key >> 32)) }
