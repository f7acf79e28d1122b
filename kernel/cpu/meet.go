package cpu

import (
	"math"
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
)

// incidence is a kernel.Incidence as this device wants it.
type incidence struct {
	*kernel.Incidence
	weight []float32 // (R) 1/√n_r
	counts []int32   // (V) relations of each entity
	parts  []rows    // of entities, with about as many pairs each
}

func (i *incidence) Entities() int  { return i.Incidence.Entities }
func (i *incidence) Relations() int { return i.Incidence.Relations }

// meetParts is how many parts a sample is cut into, whose totals are added in order: a row is the same to the bit in every batch.
const meetParts = 8

func (d *Device) NewIncidence(host *kernel.Incidence) kernel.DeviceIncidence {
	i := &incidence{Incidence: host, weight: make([]float32, host.Relations), counts: make([]int32, host.Entities)}
	for r := range i.weight {
		if n := host.EntityAt[r+1] - host.EntityAt[r]; n > 0 {
			i.weight[r] = float32(1 / math.Sqrt(float64(n)))
		}
	}
	for v := range i.counts {
		i.counts[v] = host.At[v+1] - host.At[v]
	}
	from := 0
	for k := 1; k <= meetParts; k++ {
		end := int32(len(host.Relation) * k / meetParts)
		to, _ := slices.BinarySearch(host.At, end)
		to = min(to, host.Entities)
		if k == meetParts {
			to = host.Entities
		}
		i.parts = append(i.parts, rows{from, max(from, to)})
		from = max(from, to)
	}
	return i
}

func (d *Device) FreeIncidence(kernel.DeviceIncidence) {}

// meeting is one call of MeetForward or MeetBackward, opened. Weights are put on tables (R,D) before entities
// read them and on totals after, so that the inner loops only add.
type meeting struct {
	*incidence
	device    *Device
	d         int
	samples   int
	spans     []span
	entities  []float32 // (B,V,D), or nil
	relations []float32 // (B,R,D)
	messages  []float32 // (B,R,2D)
}

func (d *Device) openMeeting(i kernel.DeviceIncidence, out kernel.Buffer, in kernel.MeetInput) *meeting {
	m := &meeting{incidence: i.(*incidence), device: d, d: in.Width, spans: d.use.spans(in.Width, 1)}
	table := i.Relations() * m.d
	want(table > 0 && in.Relations.Len()%table == 0, "meet", in.Relations.Len(), table)
	m.samples = in.Relations.Len() / table
	want(in.Messages.Len() == 2*m.samples*table && out.Len() == 3*m.samples*table, "meet", []int{in.Messages.Len(), out.Len()}, []int{m.samples, i.Relations(), m.d})
	want(in.Entities == nil || in.Entities.Len() == m.samples*i.Entities()*m.d, "meet entities", in.Entities, []int{m.samples, i.Entities(), m.d})
	m.entities, m.relations, m.messages = d.floats(in.Entities), d.floats(in.Relations), d.floats(in.Messages)
	return m
}

// table is what every relation of every sample says: weight · (first of r + second of r⁻¹), two columns of D at
// an offset in rows of a stride.
func (m *meeting) table(name string, from []float32, stride, offset int) []float32 {
	table := m.device.scratch.floats(name, len(m.relations))
	m.device.parallel(m.samples, func(_ *worker, b int) {
		in, out := row(from, b, m.Relations()*stride), row(table, b, m.Relations()*m.d)
		for r, w := range m.weight {
			said := row(out, r, m.d)
			first, second := in[r*stride+offset:][:len(said)], in[int(m.Inverse[r])*stride+offset+m.d:][:len(said)]
			for c := range said {
				said[c] = w * (first[c] + second[c])
			}
		}
	})
	return table
}

// meetRelations is the relations whose totals a task adds up.
const meetRelations = 128

// totals adds up what the parts of every sample pass on, and hands out the sums of them (D) by relation, weighed.
func (m *meeting) totals(add func(total []float32, b int, part rows), take func(b, r int, total []float32)) {
	sums := m.sumsOfParts
	if m.samples >= m.device.cuts.samples {
		sums = m.sumsOfSamples
	}
	partial, parts := sums(add)
	size, tasks := m.Relations()*m.d, (m.Relations()+meetRelations-1)/meetRelations
	m.device.parallel(m.samples*tasks, func(w *worker, task int) {
		b, from := task/tasks, task%tasks*meetRelations
		to := min(from+meetRelations, m.Relations())
		sum := w.tile.floats("meet total", meetRelations*m.d)[:(to-from)*m.d]
		copy(sum, row(partial, b*parts, size)[from*m.d:])
		for k := 1; k < parts; k++ {
			m.device.use.add(sum, row(partial, b*parts+k, size)[from*m.d:to*m.d], 1)
		}
		for r := from; r < to; r++ {
			total, weight := row(sum, r-from, m.d), m.weight[r]
			for c := range total {
				total[c] *= weight
			}
			take(b, r, total)
		}
	})
}

// sumsOfParts has every part of every sample add to a table of its own, so that few samples keep all cores at work.
func (m *meeting) sumsOfParts(add func(total []float32, b int, part rows)) (partial []float32, parts int) {
	size := m.Relations() * m.d
	partial = m.device.scratch.floats("meet parts", m.samples*meetParts*size)
	m.device.perSample(m.samples, meetParts, func(_ *worker, b, k int) {
		own := row(partial, b*meetParts+k, size)
		clear(own)
		add(own, b, m.parts[k])
	})
	return partial, meetParts
}

// sumsOfSamples has a worker add up a sample, part after part, so that many samples take a table each.
func (m *meeting) sumsOfSamples(add func(total []float32, b int, part rows)) (partial []float32, parts int) {
	size := m.Relations() * m.d
	partial = m.device.scratch.floats("meet parts", m.samples*size)
	m.device.parallel(m.samples, func(w *worker, b int) {
		total, own := row(partial, b, size), w.tile.floats("meet part", size)
		clear(total)
		add(total, b, m.parts[0])
		for _, part := range m.parts[1:] {
			clear(own)
			add(own, b, part)
			m.device.use.add(total, own, 1)
		}
	})
	return partial, 1
}

// of gives the relations of the entities of a part, one after the other.
func (m *meeting) of(part rows) (counts, relations []int32) {
	return m.counts[part.from:part.to], m.Relation[m.At[part.from]:m.At[part.to]]
}

func (d *Device) MeetForward(i kernel.DeviceIncidence, out kernel.Buffer, in kernel.MeetInput) {
	m := d.openMeeting(i, out, in)
	o, heard := d.floats(out), m.table("heard", m.messages, 2*m.d, 0)
	add := func(total []float32, b int, part rows) { m.pass(total, heard, b, part) }
	m.totals(add, func(b, r int, total []float32) {
		at, other := b*m.Relations()+r, b*m.Relations()+int(m.Inverse[r])
		to := row(o, at, 3*m.d)
		copy(to, row(m.relations, at, m.d))
		copy(to[m.d:], total)
		copy(row(o, other, 3*m.d)[2*m.d:], total) // no other relation writes there
	})
}

// pass adds what the entities of a part pass on of what they heard.
func (m *meeting) pass(total, heard []float32, b int, part rows) {
	counts, relations := m.of(part)
	table := row(heard, b, m.Relations()*m.d)
	x, xRow := ones(m.d), 0
	if m.entities != nil {
		x, xRow = m.entities[(b*m.Entities()+part.from)*m.d:], m.d
	}
	for _, s := range m.spans {
		if s.block == nil {
			plainMeetForward(s.columns, total[s.from:], table[s.from:], x[s.from:], counts, relations, xRow, m.d)
			continue
		}
		s.block.meetForward(total[s.from:], table[s.from:], x[s.from:], counts, relations, xRow, m.d)
	}
}

// ones is a state of ones.
func ones(n int) []float32 {
	ones := make([]float32, n)
	for i := range ones {
		ones[i] = 1
	}
	return ones
}

func (d *Device) MeetBackward(i kernel.DeviceIncidence, din kernel.MeetInput, dout kernel.Buffer, in kernel.MeetInput) {
	m := d.openMeeting(i, dout, in)
	do, dentities, drelations, dmessages := d.floats(dout), d.floats(din.Entities), d.floats(din.Relations), d.floats(din.Messages)
	heard, told := m.table("heard", m.messages, 2*m.d, 0), m.table("told", do, 3*m.d, m.d)
	add := func(total []float32, b int, part rows) {
		if m.entities == nil { // they pass the gradient on as they passed on what they heard
			m.pass(total, told, b, part)
			return
		}
		m.passBackward(total, dentities, told, heard, b, part)
	}
	m.totals(add, func(b, r int, total []float32) {
		at, other := b*m.Relations()+r, b*m.Relations()+int(m.Inverse[r])
		plainAddScaled(row(drelations, at, m.d), do[at*3*m.d:], 1)
		plainAddScaled(row(dmessages, at, 2*m.d)[:m.d], total, 1)
		plainAddScaled(row(dmessages, other, 2*m.d)[m.d:], total, 1)
	})
}

func (m *meeting) passBackward(total, dentities, told, heard []float32, b int, part rows) {
	counts, relations := m.of(part)
	size, from := m.Relations()*m.d, (b*m.Entities()+part.from)*m.d
	table, gradient, x, dx := row(heard, b, size), row(told, b, size), m.entities[from:], dentities[from:]
	for _, s := range m.spans {
		if s.block == nil {
			plainMeetBackward(s.columns, total[s.from:], dx[s.from:], gradient[s.from:], table[s.from:], x[s.from:], counts, relations, m.d)
			continue
		}
		s.block.meetBackward(total[s.from:], dx[s.from:], gradient[s.from:], table[s.from:], x[s.from:], counts, relations, m.d)
	}
}
