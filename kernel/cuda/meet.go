package cuda

import (
	"math"

	"github.com/lacuna-kg/lacuna/kernel"
)

// incidence is a kernel.Incidence on the device.
type incidence struct {
	entities, relations int
	first, relation     address // (V+1), (N) by entity
	entity              address // (N) by relation
	chunks, firstChunk  address // of a relation's entities: {relation, first, behind the last, 0}, and (R+1)
	chunkCount          int
	weight, inverse     address // (R)
	tiles               *tiles  // nil where they are not worth it
	owned               []lent
}

func (i *incidence) Entities() int  { return i.entities }
func (i *incidence) Relations() int { return i.relations }

// PrepareIncidence cuts the entities into tiles, which is most of the host's work.
func (d *device) PrepareIncidence(host *kernel.Incidence) {
	host.Ahead = aheadOfIncidence{newTiling(host)}
}

// aheadOfIncidence is what the host makes of an incidence before the device has any of it.
type aheadOfIncidence struct{ tiling *tiling }

// tilingOf is what was prepared, or is now.
func tilingOf(host *kernel.Incidence) *tiling {
	if a, done := host.Ahead.(aheadOfIncidence); done {
		return a.tiling
	}
	return newTiling(host)
}

func (d *device) NewIncidence(host *kernel.Incidence) kernel.DeviceIncidence {
	i := &incidence{entities: host.Entities, relations: host.Relations}
	f := d.frame()
	if f == nil {
		return i
	}
	defer f.close()
	weight := make([]float32, host.Relations)
	for r := range weight {
		if n := host.EntityAt[r+1] - host.EntityAt[r]; n > 0 {
			weight[r] = float32(1 / math.Sqrt(float64(n)))
		}
	}
	chunks, firstChunk := chunk(host.EntityAt, chunkEdges)
	i.first, i.relation = keep(f, &i.owned, host.At), keep(f, &i.owned, host.Relation)
	i.entity, i.weight, i.inverse = keep(f, &i.owned, host.Entity), keep(f, &i.owned, weight), keep(f, &i.owned, host.Inverse)
	i.chunks, i.firstChunk, i.chunkCount = keep(f, &i.owned, chunks), keep(f, &i.owned, firstChunk), len(chunks)
	i.tiles = f.keepTiles(i, tilingOf(host))
	return i
}

func (d *device) FreeIncidence(i kernel.DeviceIncidence) {
	this := i.(*incidence)
	for _, l := range this.owned {
		d.pool.give(l.at, l.size)
	}
	this.owned = nil
}

// meetRun is one call of MeetForward or MeetBackward.
type meetRun struct {
	*frame
	*incidence
	d, samples int
}

func (d *device) openMeet(i kernel.DeviceIncidence, out kernel.Buffer, in kernel.MeetInput) (meetRun, bool) {
	m := meetRun{incidence: i.(*incidence), d: in.Width}
	table := m.relations * m.d
	want(table > 0 && in.Relations.Len()%table == 0, "meet", in.Relations.Len(), table)
	m.samples = in.Relations.Len() / table
	want(in.Messages.Len() == 2*m.samples*table && out.Len() == 3*m.samples*table, "meet", []int{in.Messages.Len(), out.Len()}, []int{m.samples, m.relations, m.d})
	want(in.Entities == nil || in.Entities.Len() == m.samples*m.entities*m.d, "meet entities", in.Entities, []int{m.samples, m.entities, m.d})
	m.frame = d.frame()
	return m, m.frame != nil
}

func (d *device) MeetForward(i kernel.DeviceIncidence, out kernel.Buffer, in kernel.MeetInput) {
	m, ok := d.openMeet(i, out, in)
	if !ok {
		return
	}
	defer m.close()
	if m.isTiled() {
		m.tiledForward(out, in)
		return
	}
	heard := m.table(at(in.Messages), 2*m.d, 0)
	total := m.pass(0, at(in.Entities), heard, 0)
	n := m.samples * m.relations * m.d
	m.launch("meet_out", over(n), 0, at(out), at(in.Relations), total, m.inverse, int32(m.relations), int32(m.d), int64(n))
}

func (d *device) MeetBackward(i kernel.DeviceIncidence, din kernel.MeetInput, dout kernel.Buffer, in kernel.MeetInput) {
	m, ok := d.openMeet(i, dout, in)
	if !ok {
		return
	}
	defer m.close()
	total := m.passBack(din, dout, in)
	n := m.samples * m.relations * m.d
	m.launch("meet_out_backward", over(n), 0, at(din.Relations), at(din.Messages), at(dout), total, m.inverse, int32(m.relations), int32(m.d), int64(n))
}

// passBack is what relations are told, (B,R,D), by the gradients of what entities passed on.
func (m meetRun) passBack(din kernel.MeetInput, dout kernel.Buffer, in kernel.MeetInput) address {
	if m.isTiled() {
		return m.tiledPass(din, dout, in)
	}
	heard, told := m.table(at(in.Messages), 2*m.d, 0), m.table(at(dout), 3*m.d, m.d)
	return m.pass(at(din.Entities), at(in.Entities), heard, told)
}

// table is what every relation says, (B,R,D), from two columns of rows.
func (m meetRun) table(from address, stride, offset int) address {
	n := m.samples * m.relations * m.d
	table := m.floats(n)
	m.launch("meet_table", over(n), 0, table, from, m.weight, m.inverse, int32(m.relations), int32(m.d), int32(stride), int32(offset), int64(n))
	return table
}

// pass is what relations hear, (B,R,D), some samples at a time: what entities pass on then stays in the scratch's bound.
func (m meetRun) pass(dstates, states, heard, told address) address {
	total := m.floats(m.samples * m.relations * m.d)
	most := int(m.device.scratch / int64(4*m.d*(m.entities+m.chunkCount)+1))
	step := min(max(1, most), maxRows)
	for from := 0; from < m.samples; from += step {
		m.passSome(total, dstates, states, heard, told, from, min(step, m.samples-from))
	}
	return total
}

func (m meetRun) passSome(total, dstates, states, heard, told address, from, samples int) {
	mark := m.mark()
	defer m.release(mark)
	d, state, table := int32(m.d), m.entities*m.d, m.relations*m.d
	passed, part := m.floats(samples*state), m.floats(samples*m.chunkCount*m.d)
	warps := func(n int) grid { return grid{x: blocks(n, 8), threads: 256}.by(samples) }
	m.launch("meet_entities", warps(m.entities), 0, passed, dstates.row(from, state), states.row(from, state), heard.row(from, table), told.row(from, table),
		m.first, m.relation, int32(m.entities), int32(m.relations), d)
	m.launch("meet_part", warps(m.chunkCount), 0, part, passed, m.chunks, m.entity, int32(m.chunkCount), int32(m.entities), d)
	m.launch("meet_total", over(samples*table), 0, total.row(from, table), part, m.weight, m.firstChunk, int32(m.chunkCount), int32(m.relations), d, int64(samples*table))
}

func (d *device) NormForward(out, x, before, scale, shift kernel.Buffer) {
	n, width := x.Len(), scale.Len()
	want(out.Len() == n && before.Len() == n && n%width == 0 && shift.Len() == width, "norm", []int{out.Len(), n, before.Len()}, width)
	if f := d.frame(); f != nil {
		f.launch("norm_forward", grid{x: blocks(n/width, 8), threads: 256}, 0, at(out), at(x), at(scale), at(shift), at(before), int32(width), int64(n/width))
		f.close()
	}
}

func (d *device) NormBackward(dx, dbefore, dscale, dshift, dout, x, scale, shift kernel.Buffer) {
	n, width := x.Len(), scale.Len()
	want(dx.Len() == n && dout.Len() == n && dbefore.Len() == n && n%width == 0, "norm backward", []int{dx.Len(), dout.Len(), n}, width)
	f := d.frame()
	if f == nil {
		return
	}
	defer f.close()
	dz, scales, shifts := f.floats(n), f.floats(n), f.floats(n)
	f.launch("norm_backward", grid{x: blocks(n/width, 8), threads: 256}, 0, dz, scales, shifts, at(dbefore), at(dout), at(x), at(scale), at(shift), int32(width), int64(n/width))
	f.launch("add_parts", over(n), 0, at(dx), dz, int32(1), int32(width), int64(n))
	f.sumRows(at(dscale), scales, 0, 1, n/width, width)
	f.sumRows(at(dshift), shifts, 0, 1, n/width, width)
}
