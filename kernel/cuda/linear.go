package cuda

import "github.com/lacuna-kg/lacuna/kernel"

// matrix says where element (i,k) lies: at i·row + k·column.
type matrix struct {
	at          address
	row, column int
}

// rowMajor has rows of n numbers; transposed reads it the other way.
func rowMajor(at address, n int) matrix { return matrix{at, n, 1} }
func (m matrix) transposed() matrix     { return matrix{m.at, m.column, m.row} }

// product is out (M,N) = a (M,K) · b (N,K)ᵀ, and what follows.
type product struct {
	out     address
	stride  int // between the rows of out; 0: N
	a, b    matrix
	m, n, k int
	bias    address
	relu    bool
	add     bool // to out
}

// Few tiles with long sums are split among more blocks, which are added up in order.
const fullGrid, shortestSplit = 512, 256

func (f *frame) multiply(p product) {
	if p.stride == 0 {
		p.stride = p.n
	}
	tiles := blocks(p.m, 64) * blocks(p.n, 64)
	splits := max(1, min(fullGrid/max(tiles, 1), p.k/shortestSplit))
	perSplit := align(blocks(p.k, splits), 16)
	splits = max(1, blocks(p.k, perSplit))
	g := grid{x: blocks(p.m, 64), y: blocks(p.n, 64), z: splits, threads: 256}
	f.moved = 4 * int64(p.m*p.k*g.y+p.n*p.k*g.x+p.m*p.n)
	if splits == 1 {
		f.launch("matmul", g, 0, p.out, p.a.at, int64(p.a.row), int64(p.a.column), p.b.at, int64(p.b.row), int64(p.b.column), p.bias,
			int64(p.m), int64(p.n), int64(p.stride), int64(p.k), int64(perSplit), truth(p.relu), truth(p.add), truth(false))
		return
	}
	mark := f.mark()
	defer f.release(mark)
	part := f.floats(splits * p.m * p.n)
	f.launch("matmul", g, 0, part, p.a.at, int64(p.a.row), int64(p.a.column), p.b.at, int64(p.b.row), int64(p.b.column), address(0),
		int64(p.m), int64(p.n), int64(p.n), int64(p.k), int64(perSplit), truth(false), truth(false), truth(true))
	f.launch("finish_matmul", over(p.m*p.n), 0, p.out, part, p.bias, int64(p.n), int64(p.stride), int64(p.m*p.n), int32(splits), truth(p.relu), truth(p.add))
}

// truth is a C int.
func truth(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

func (d *device) LinearForward(out, x, weight, bias kernel.Buffer, act kernel.Activation) {
	outs, ins := bias.Len(), weight.Len()/bias.Len()
	want(out.Len()/outs == x.Len()/ins && out.Len()%outs == 0 && x.Len()%ins == 0, "linear", []int{out.Len(), x.Len()}, []int{outs, ins})
	f := d.frame()
	if f == nil {
		return
	}
	defer f.close()
	if name, there := rowsKernels()[[2]int{ins, outs}]; there && x.Len()/ins >= fewRows {
		f.linearRows(name, out, x, weight, bias, act)
		return
	}
	f.multiply(product{out: at(out), a: rowMajor(at(x), ins), b: rowMajor(at(weight), ins), m: x.Len() / ins, n: outs, k: ins, bias: at(bias), relu: act == kernel.ReLU})
}

// rowsKernels are the kernels of linear_rows.cu by inputs and outputs.
func rowsKernels() map[[2]int]string {
	return map[[2]int]string{{32, 32}: "linear32_32", {32, 64}: "linear32_64", {96, 32}: "linear96_32"}
}

// fewRows are too few to make factors of the weights for.
const fewRows = 128

func (f *frame) linearRows(name string, out, x, weight, bias kernel.Buffer, act kernel.Activation) {
	rows := out.Len() / bias.Len()
	from, to := f.aligned(at(x), x.Len()), f.alignedOutput(at(out), out.Len())
	f.moved = 4 * int64(x.Len()+out.Len())
	f.launch(name, grid{x: min(f.persistent().x, blocks(rows, 128)), threads: 256}, 0,
		record{to, from, at(weight), at(bias), int64(rows), truth(act == kernel.ReLU), int32(0)})
	f.putBack(at(out), to, out.Len())
}

func (d *device) LinearBackward(dx, dweight, dbias, dout, out, x, weight kernel.Buffer, act kernel.Activation) {
	outs, ins := dbias.Len(), weight.Len()/dbias.Len()
	want(dout.Len() == out.Len() && out.Len()/outs == x.Len()/ins, "linear backward", []int{out.Len(), x.Len()}, []int{outs, ins})
	f := d.frame()
	if f == nil {
		return
	}
	defer f.close()
	rows, dy := out.Len()/outs, at(dout)
	if act == kernel.ReLU {
		dy = f.floats(out.Len())
		f.launch("relu_backward", over(out.Len()), 0, dy, at(dout), at(out), int64(out.Len()))
	}
	f.sumRows(at(dbias), dy, 0, 1, rows, outs)
	f.multiply(product{out: at(dweight), a: rowMajor(dy, outs).transposed(), b: rowMajor(at(x), ins).transposed(), m: outs, n: ins, k: rows, add: true})
	if dx != nil {
		f.multiply(product{out: at(dx), a: rowMajor(dy, outs), b: rowMajor(at(weight), ins).transposed(), m: rows, n: ins, k: outs, add: true})
	}
}
