package plain

import (
	"fmt"
	"testing"

	"github.com/lacuna-kg/lacuna/kernel"
)

func smallIncidence(t *testing.T) *kernel.Incidence {
	i, err := kernel.NewIncidence(smallGraph(t, 8, 4))
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestMeetGradient(t *testing.T) {
	for _, withEntities := range []bool{false, true} {
		t.Run(fmt.Sprintf("entities=%v", withEntities), func(t *testing.T) {
			const samples, d = 2, 3
			c := newDifferences(3)
			i := c.NewIncidence(smallIncidence(t))
			in, din := kernel.MeetInput{Width: d}, kernel.MeetInput{Width: d}
			if withEntities {
				in.Entities, din.Entities = c.input("entities", samples*i.Entities()*d, -1, 1)
			}
			in.Relations, din.Relations = c.input("relations", samples*i.Relations()*d, -1, 1)
			in.Messages, din.Messages = c.input("messages", samples*i.Relations()*2*d, -1, 1)
			out, dout := c.NewBuffer(3*in.Relations.Len()), c.random(3*in.Relations.Len(), -1, 1)
			c.check(t, out, dout, func() { c.MeetForward(i, out, in) }, func() { c.MeetBackward(i, din, dout, in) })
		})
	}
}

func TestNormGradient(t *testing.T) {
	const rows, d = 5, 4
	c := newDifferences(8)
	x, dx := c.input("x", rows*d, -1, 1)
	before, dbefore := c.input("before", rows*d, -1, 1)
	scale, dscale := c.input("scale", d, -2, 2)
	shift, dshift := c.input("shift", d, -1, 1)
	out, dout := c.NewBuffer(rows*d), c.random(rows*d, -1, 1)
	c.check(t, out, dout,
		func() { c.NormForward(out, x, before, scale, shift) },
		func() { c.NormBackward(dx, dbefore, dscale, dshift, dout, x, scale, shift) })
}

// The factorised sums are those over all pairs of relations that share an entity: as heads, as tails, and across.
func TestMeetIsTheSumOverPairs(t *testing.T) {
	const d = 2
	p, topology := New64(), smallIncidence(t)
	i := p.NewIncidence(topology)
	c := newDifferences(5)
	x, z, y := c.random(i.Entities()*d, -1, 1), c.random(i.Relations()*d, -1, 1), c.random(i.Relations()*2*d, -1, 1)
	out := p.NewBuffer(i.Relations() * 3 * d)
	p.MeetForward(i, out, kernel.MeetInput{Width: d, Entities: x, Relations: z, Messages: y})
	weight := i.(incidence[float64]).weight
	isHead := func(v, r int) bool {
		for _, e := range topology.Entity[topology.EntityAt[r]:topology.EntityAt[r+1]] {
			if int(e) == v {
				return true
			}
		}
		return false
	}
	ends := func(r, side int) int { // whose heads are r's heads, or its tails
		if side == 1 {
			return int(topology.Inverse[r])
		}
		return r
	}
	for r := range i.Relations() {
		for side := range 2 {
			for k := range d {
				sum := 0.0
				for other := range i.Relations() {
					for otherSide := range 2 {
						for v := range i.Entities() {
							if to, from := ends(r, side), ends(other, otherSide); isHead(v, to) && isHead(v, from) {
								sum += weight[to] * weight[from] * p.Values(x)[v*d+k] * p.Values(y)[(2*other+otherSide)*d+k]
							}
						}
					}
				}
				if got := p.Values(out)[(3*r+1+side)*d+k]; got-sum > 1e-12 || sum-got > 1e-12 {
					t.Errorf("relation %d, side %d: %v, expected %v", r, side, got, sum)
				}
			}
		}
	}
}
