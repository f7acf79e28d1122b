package kernel

import "fmt"

// Float is the number type of the plain kernels: float32 as used, float64 to check
// gradients against finite differences.
type Float interface{ float32 | float64 }

// Plain is the device that defines every operation: sequential, in plain Go.
type Plain[F Float] struct {
	scratch map[string][]F // grown on demand and kept, so that no call allocates in its loops
}

// NewPlain is the plain device.
func NewPlain() *Plain[float32] { return &Plain[float32]{scratch: map[string][]float32{}} }

// NewPlain64 computes in float64.
func NewPlain64() *Plain[float64] { return &Plain[float64]{scratch: map[string][]float64{}} }

// floats is the plain device's buffer.
type floats[F Float] []F

func (b floats[F]) Len() int                  { return len(b) }
func (b floats[F]) Slice(from, to int) Buffer { return b[from:to:to] }

// Values opens a buffer of this device, for tests and for readers on the host.
func (p *Plain[F]) Values(b Buffer) []F {
	if b == nil {
		return nil
	}
	return b.(floats[F])
}

// temporary is zeroed memory that lives until the next call asks for the same name.
func (p *Plain[F]) temporary(name string, n int) []F {
	if cap(p.scratch[name]) < n {
		p.scratch[name] = make([]F, n)
	}
	t := p.scratch[name][:n]
	clear(t)
	return t
}

func (p *Plain[F]) Name() string {
	if _, double := any(F(0)).(float64); double {
		return "plain64"
	}
	return "plain"
}

func (p *Plain[F]) Sync() error { return nil }

func (p *Plain[F]) NewBuffer(n int) Buffer { return make(floats[F], n) }

func (p *Plain[F]) Free(Buffer) {}

func (p *Plain[F]) Upload(dst Buffer, src []float32) {
	out := p.Values(dst)
	want(len(out) == len(src), "upload", len(out), len(src))
	for i, x := range src {
		out[i] = F(x)
	}
}

func (p *Plain[F]) Download(dst []float32, src Buffer) {
	in := p.Values(src)
	want(len(dst) == len(in), "download", len(dst), len(in))
	for i, x := range in {
		dst[i] = float32(x)
	}
}

func (p *Plain[F]) Fill(dst Buffer, value float32) {
	out := p.Values(dst)
	for i := range out {
		out[i] = F(value)
	}
}

func (p *Plain[F]) Copy(dst, src Buffer) {
	want(dst.Len() == src.Len(), "copy", dst.Len(), src.Len())
	copy(p.Values(dst), p.Values(src))
}

func (p *Plain[F]) Gather(out, table Buffer, rows []int32, width int) {
	o, t := p.Values(out), p.Values(table)
	want(len(o) == len(rows)*width, "gather", len(o), len(rows)*width)
	for i, r := range rows {
		copy(row(o, i, width), row(t, int(r), width))
	}
}

func (p *Plain[F]) Scatter(table, in Buffer, rows []int32, width int) {
	t, x := p.Values(table), p.Values(in)
	want(len(x) == len(rows)*width, "scatter", len(x), len(rows)*width)
	for i, r := range rows {
		copy(row(t, int(r), width), row(x, i, width))
	}
}

func (p *Plain[F]) ScatterAdd(table, in Buffer, rows []int32, width int) {
	t, x := p.Values(table), p.Values(in)
	want(len(x) == len(rows)*width, "scatter add", len(x), len(rows)*width)
	for i, r := range rows {
		addTo(row(t, int(r), width), row(x, i, width))
	}
}

// plainGraph is the graph with what the kernels derive from it, computed once.
type plainGraph[F Float] struct {
	*Graph
	scale []F // (V) PNA's s_v
}

func (g plainGraph[F]) Nodes() int     { return g.Graph.Nodes }
func (g plainGraph[F]) Relations() int { return g.Graph.Relations }

func (p *Plain[F]) NewGraph(g *Graph) DeviceGraph {
	scale := make([]F, g.Nodes)
	for v, s := range g.Scales() {
		scale[v] = F(s)
	}
	return plainGraph[F]{g, scale}
}

func (p *Plain[F]) Thin(g DeviceGraph, dropped []int32) DeviceGraph {
	return p.NewGraph(g.(plainGraph[F]).Graph.Thin(dropped))
}

func (p *Plain[F]) FreeGraph(DeviceGraph) {}

// want holds a call to its shapes.
func want(ok bool, what string, got, expected any) {
	if !ok {
		panic(fmt.Sprintf("kernel: %s: shape %v does not fit %v", what, got, expected))
	}
}

// row is row i of x, whose rows are n wide.
func row[F Float](x []F, i, n int) []F { return x[i*n : (i+1)*n : (i+1)*n] }

func addTo[F Float](y, x []F) {
	for i := range x {
		y[i] += x[i]
	}
}

// addScaled adds a·x to y.
func addScaled[F Float](y []F, a F, x []F) {
	for i := range x {
		y[i] += F(a * x[i])
	}
}

func dot[F Float](x, y []F) F {
	var sum F
	for i := range x {
		sum += F(x[i] * y[i])
	}
	return sum
}
