package cuda

import "github.com/lacuna-kg/lacuna/kernel"

func (d *device) CrossEntropy(losses, z kernel.Buffer, targets kernel.Lists, weights []float32) {
	rows := targets.Len()
	want(rows > 0 && losses.Len() == rows && len(weights) == rows && z.Len()%rows == 0, "cross entropy", z.Len(), rows)
	f := d.frame()
	if f == nil {
		return
	}
	defer f.close()
	f.moved = 16 * int64(z.Len())
	f.launch("cross_entropy", grid{x: rows, threads: 512}, 0, at(losses), at(z), send(f, targets.At), send(f, targets.Items), send(f, weights), int64(z.Len()/rows))
}

func (d *device) Adagrad(param, grad, squares kernel.Buffer, rate float32) {
	n := param.Len()
	want(grad.Len() == n && squares.Len() == n, "adagrad", n, grad.Len())
	f := d.frame()
	if f == nil {
		return
	}
	defer f.close()
	f.moved = 20 * int64(n)
	f.launch("adagrad", over(n), 0, at(param), at(grad), at(squares), rate, int64(n))
}
