package plain

import (
	"math"

	"github.com/lacuna-kg/lacuna/kernel"
)

// incidence is what the plain device holds of one.
type incidence[F Float] struct {
	*kernel.Incidence
	weight []F // (R) 1/√n_r
}

func (i incidence[F]) Entities() int  { return i.Incidence.Entities }
func (i incidence[F]) Relations() int { return i.Incidence.Relations }

func (p *Device[F]) NewIncidence(i *kernel.Incidence) kernel.DeviceIncidence {
	weight := make([]F, i.Relations)
	for r := range weight {
		if n := i.EntityAt[r+1] - i.EntityAt[r]; n > 0 {
			weight[r] = F(1 / math.Sqrt(float64(n)))
		}
	}
	return incidence[F]{i, weight}
}

func (p *Device[F]) FreeIncidence(kernel.DeviceIncidence) {}

// of gives the relations that meet v.
func (i incidence[F]) of(v int) []int32 { return i.Relation[i.At[v]:i.At[v+1]] }

// meeting is one sample of MeetInput, or of its gradient, opened.
type meeting[F Float] struct {
	incidence[F]
	d                             int
	entities, relations, messages []F // (V,D) or nil, (R,D), (R,2D)
}

func (p *Device[F]) openMeeting(i kernel.DeviceIncidence, in kernel.MeetInput, b int) meeting[F] {
	m := meeting[F]{incidence: i.(incidence[F]), d: in.Width}
	if in.Entities != nil {
		m.entities = row(p.Values(in.Entities), b, i.Entities()*m.d)
	}
	m.relations = row(p.Values(in.Relations), b, i.Relations()*m.d)
	m.messages = row(p.Values(in.Messages), b, i.Relations()*2*m.d)
	return m
}

// meetSamples is B, held to the shapes of a call.
func meetSamples(i kernel.DeviceIncidence, out kernel.Buffer, in kernel.MeetInput) int {
	table := i.Relations() * in.Width
	want(table > 0 && in.Relations.Len()%table == 0, "relations", in.Relations, table)
	b := in.Relations.Len() / table
	want(in.Messages.Len() == 2*b*table && out.Len() == 3*b*table, "meet", []int{in.Messages.Len(), out.Len()}, []int{b, i.Relations(), in.Width})
	want(in.Entities == nil || in.Entities.Len() == b*i.Entities()*in.Width, "meet", in.Entities, []int{b, i.Entities(), in.Width})
	return b
}

func (p *Device[F]) MeetForward(i kernel.DeviceIncidence, out kernel.Buffer, in kernel.MeetInput) {
	d := in.Width
	heard, passed := p.temporary("heard", d), p.temporary("passed", d)
	for b := range meetSamples(i, out, in) {
		m, o := p.openMeeting(i, in, b), row(p.Values(out), b, i.Relations()*3*d)
		for r := range i.Relations() {
			clear(row(o, r, 3*d))
			copy(row(o, r, 3*d), row(m.relations, r, d))
		}
		for v := range i.Entities() {
			m.hear(heard, v)
			m.pass(passed, heard, v)
			for _, r := range m.of(v) {
				addScaled(row(o, int(r), 3*d)[d:2*d], m.weight[r], passed)
				addScaled(row(o, int(m.Inverse[r]), 3*d)[2*d:], m.weight[r], passed)
			}
		}
	}
}

// hear sets s to what the relations of v say to it.
func (m meeting[F]) hear(s []F, v int) {
	clear(s)
	for _, r := range m.of(v) {
		addScaled(s, m.weight[r], row(m.messages, int(r), 2*m.d)[:m.d])
		addScaled(s, m.weight[r], row(m.messages, int(m.Inverse[r]), 2*m.d)[m.d:])
	}
}

// pass sets p to what v passes on of s.
func (m meeting[F]) pass(p, s []F, v int) {
	copy(p, s)
	if m.entities != nil {
		for k, x := range row(m.entities, v, m.d) {
			p[k] *= x
		}
	}
}

// MeetBackward: what v passed on has the gradient that the relations it told have, weighed as they
// were told. The sum of it goes through the product to the state, and to what v heard.
func (p *Device[F]) MeetBackward(i kernel.DeviceIncidence, din kernel.MeetInput, dout kernel.Buffer, in kernel.MeetInput) {
	d := in.Width
	heard, dpassed, dheard := p.temporary("heard", d), p.temporary("dpassed", d), p.temporary("dheard", d)
	for b := range meetSamples(i, dout, in) {
		m, g, do := p.openMeeting(i, in, b), p.openMeeting(i, din, b), row(p.Values(dout), b, i.Relations()*3*d)
		for r := range i.Relations() {
			addTo(row(g.relations, r, d), row(do, r, 3*d)[:d])
		}
		for v := range i.Entities() {
			clear(dpassed)
			for _, r := range m.of(v) {
				addScaled(dpassed, m.weight[r], row(do, int(r), 3*d)[d:2*d])
				addScaled(dpassed, m.weight[r], row(do, int(m.Inverse[r]), 3*d)[2*d:])
			}
			m.hear(heard, v)
			m.pass(dheard, dpassed, v)
			if g.entities != nil {
				for k, dp := range dpassed {
					g.entities[v*d+k] += F(dp * heard[k])
				}
			}
			for _, r := range m.of(v) {
				addScaled(row(g.messages, int(r), 2*d)[:d], m.weight[r], dheard)
				addScaled(row(g.messages, int(m.Inverse[r]), 2*d)[d:], m.weight[r], dheard)
			}
		}
	}
}

func (p *Device[F]) NormForward(out, x, before, scale, shift kernel.Buffer) {
	o, z, from, d := p.Values(out), p.Values(x), p.Values(before), scale.Len()
	want(len(o) == len(z) && len(from) == len(z) && len(z)%d == 0 && shift.Len() == d, "norm", []int{len(o), len(z), len(from)}, d)
	for i := range len(z) / d {
		normForward(row(o, i, d), row(z, i, d), p.Values(scale), p.Values(shift), row(from, i, d))
	}
}

func (p *Device[F]) NormBackward(dx, dbefore, dscale, dshift, dout, x, scale, shift kernel.Buffer) {
	dz, do, z, d := p.Values(dx), p.Values(dout), p.Values(x), scale.Len()
	want(len(dz) == len(z) && len(do) == len(z) && dbefore.Len() == len(z) && len(z)%d == 0, "norm backward", []int{len(dz), len(do), len(z)}, d)
	one := p.temporary("dlinear", d)
	for i := range len(z) / d {
		normBackward(one, p.Values(dscale), p.Values(dshift), row(do, i, d), row(z, i, d), p.Values(scale), p.Values(shift))
		addTo(row(dz, i, d), one)
	}
	addTo(p.Values(dbefore), do)
}
