package cpu

import "github.com/lacuna-kg/lacuna/kernel"

// The rows of a task: forward they take some 20 µs, what it takes to wake another core.
const (
	normRows        = 256
	normRowsForward = 1024
)

func (d *Device) NormForward(out, x, before, scale, shift kernel.Buffer) {
	o, z, from, width := d.floats(out), d.floats(x), d.floats(before), scale.Len()
	want(len(o) == len(z) && len(from) == len(z) && len(z)%width == 0 && shift.Len() == width, "norm", []int{len(o), len(z), len(from)}, width)
	norm, nodes := d.use.rows(width).normForward, countUp(min(normRowsForward, len(z)/width))
	d.ranges(len(z)/width, normRowsForward, func(_ *worker, first, end int) {
		norm(o[first*width:end*width], from[first*width:end*width], z[first*width:end*width], d.floats(scale), d.floats(shift), nodes[:end-first], width)
	})
}

// countUp lists 0 … n−1: the kernels of a tile of nodes take rows where lists say.
func countUp(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

func (d *Device) NormBackward(dx, dbefore, dscale, dshift, dout, x, scale, shift kernel.Buffer) {
	dz, do, z, width := d.floats(dx), d.floats(dout), d.floats(x), scale.Len()
	want(len(dz) == len(z) && len(do) == len(z) && dbefore.Len() == len(z) && len(z)%width == 0, "norm backward", []int{len(dz), len(do), len(z)}, width)
	tasks := (len(z)/width + normRows - 1) / normRows
	norm, nodes := d.use.rows(width).normBackward, countUp(normRows)
	fresh, sums := d.scratch.floats("dnorm", len(z)), d.scratch.zeros("norm sums", tasks*3*width)
	d.ranges(len(z)/width, normRows, func(_ *worker, first, end int) {
		from, to := first*width, end*width
		norm(fresh[from:to], row(sums, first/normRows, 3*width), do[from:to], z[from:to], d.floats(scale), d.floats(shift), nodes[:end-first], width)
		d.use.add(dz[from:to], fresh[from:to], 1)
		d.use.add(d.floats(dbefore)[from:to], do[from:to], 1)
	})
	for task := range tasks {
		sum := row(sums, task, 3*width)
		d.use.add(d.floats(dscale), sum[:width], 1)
		d.use.add(d.floats(dshift), sum[width:2*width], 1)
	}
}
