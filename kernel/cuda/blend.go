package cuda

import "github.com/lacuna-kg/lacuna/kernel"

func (d *device) Blend(prob, z kernel.Buffer, own, other []float32) {
	rows := len(own)
	want(prob.Len() == z.Len() && len(other) == rows && rows > 0 && prob.Len()%rows == 0, "blend", prob.Len(), rows)
	f := d.frame()
	if f == nil || prob.Len() == 0 {
		return
	}
	defer f.close()
	nodes := prob.Len() / rows
	f.moved = 16 * int64(prob.Len())
	f.launch("blend", grid{x: rows, threads: 256}, 0, at(prob), at(z), send(f, own), send(f, other), int64(nodes))
}
