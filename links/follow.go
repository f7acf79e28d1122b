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
	// Lacking is the most members among them whose rows a file lacks, as these have to be computed: 0 is
	// FollowOnCPU where the file has none of them and none beside some that it has, negative is no bound. It
	// counts where rows come from a file, whatever is kept meanwhile.
	Lacking int

	sparing bool // none beside some that a file has
	filled  bool // defaults are filled in, so that zeros are meant
}

// How many members are followed by default: what is quick where rows are computed by a CPU,
// by a GPU, and where they are read from a file.
const (
	FollowOnCPU   = 32
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

// LackingOn is Follow.Lacking by default where the rows that a file lacks are computed by a device: a row takes a CPU as long as
// all else of a question together.
func LackingOn(device kernel.Device) int {
	if device.Memory() > 0 {
		return FollowOnGPU
	}
	return 0
}

// withDefaults fills in what is left zero, once: who is given the result may pass it on.
func (f Follow) withDefaults(entities int) Follow {
	if f.filled {
		return f
	}
	f.filled = true
	switch {
	case f.Most == 0:
		f.Most = FollowOnCPU
	case f.Most < 0:
		f.Most = entities
	}
	switch {
	case f.Lacking == 0:
		f.Lacking, f.sparing = FollowOnCPU, true
	case f.Lacking < 0:
		f.Lacking = entities
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

// candidates are the likeliest members of a set so far. One number is a member: its degree turned
// round, whether it states nothing of the relation, its id; so the lowest are the likeliest
// and, of equal ones, those that the relation is known to go from: they are likelier to have another
// link of it. Of a set of millions, all that is not among the likeliest is forgotten on the way.
type candidates struct {
	most    int
	keys    []uint64
	dropped uint64 // the lowest that was forgotten
	bound   uint64 // above it nothing is kept
}

const (
	statesNothing = 1 << 31
	none          = math.MaxUint64
)

func newCandidates(most int) *candidates { return &candidates{most: most, dropped: none, bound: none} }

func (c *candidates) add(e kg.Entity, degree float32, states bool) {
	key := uint64(^math.Float32bits(degree))<<32 | uint64(e)
	if !states {
		key |= statesNothing
	}
	if key > c.bound {
		c.dropped = min(c.dropped, key)
		return
	}
	if c.keys = append(c.keys, key); len(c.keys) > 2*c.most+8 {
		c.settle()
	}
}

// settle keeps the likeliest, in order.
func (c *candidates) settle() {
	slices.Sort(c.keys)
	if len(c.keys) <= c.most {
		return
	}
	c.dropped = min(c.dropped, c.keys[c.most])
	c.keys, c.bound = c.keys[:c.most], c.keys[c.most]
}

// choose gives those to follow of a set with so many members of some degree, and what is cut.
// Below is the highest degree of the members that are no candidates.
func (c *candidates) choose(members int, below float32) ([]followed, exec.Cut) {
	c.settle()
	chosen := make([]followed, len(c.keys))
	for i, key := range c.keys {
		chosen[i] = followed{entityOf(key), degreeOf(key)}
	}
	cut := exec.Cut{LeftOut: members - len(chosen)}
	switch {
	case c.dropped != none:
		cut.Likeliest, cut.By = degreeOf(c.dropped), exec.ByNumber
	case cut.LeftOut > 0:
		cut.Likeliest, cut.By = below, exec.ByDegree
	}
	return chosen, cut
}

// withoutLacking leaves out members whose rows a file lacks, but for the likeliest few.
func (f Follow) withoutLacking(file *File, q kg.Relation, chosen []followed, cut exec.Cut) ([]followed, exec.Cut) {
	has := make([]bool, len(chosen))
	most := f.Lacking
	for i, c := range chosen {
		if _, has[i] = file.find(Pair{c.head, q}); has[i] && f.sparing {
			most = 0
		}
	}
	kept, lacking := chosen[:0], 0
	for i, c := range chosen {
		if !has[i] {
			if lacking++; lacking > most {
				cut.LeftOut++
				cut.Likeliest, cut.By = max(cut.Likeliest, c.degree), exec.ByLacking // those that were chosen are likelier than others
				continue
			}
		}
		kept = append(kept, c)
	}
	return kept, cut
}

func entityOf(key uint64) kg.Entity { return kg.Entity(key & (statesNothing - 1)) }

func degreeOf(key uint64) float32 { return math.Float32frombits(^uint32(key >> 32)) }
