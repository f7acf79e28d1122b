// Package plain defines every numeric operation of Lacuna, once, in plain Go: the device
// to which kernel/conformance holds the fast ones, and on which gradients are checked.
//
// Its place in the flow: kernel says what a device must do, this package what each operation
// means, a file an operation: message, aggregate (ablation for CompGCN and RGCN), features and
// dense make a layer; then the head, logic on sets, ranks, evidence of rows, the loss and Adam. Forward and
// Backward stand together. The truth functions of logic.go serve sets in Go memory too.
package plain

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/kernel"
)

// Float is the number type of the plain kernels: float32 as used, float64 to check
// gradients against finite differences.
type Float interface{ float32 | float64 }

// Device defines every operation: sequential, in plain Go.
type Device[F Float] struct {
	scratch map[string][]F // grown on demand and kept, so that no call allocates in its loops
}

// New is the plain device.
func New() *Device[float32] { return &Device[float32]{scratch: map[string][]float32{}} }

// New64 computes in float64.
func New64() *Device[float64] { return &Device[float64]{scratch: map[string][]float64{}} }

// floats is the plain device's buffer.
type floats[F Float] []F

func (b floats[F]) Len() int                         { return len(b) }
func (b floats[F]) Slice(from, to int) kernel.Buffer { return b[from:to:to] }

// Values opens a buffer of this device, for tests and for readers on the host.
func (p *Device[F]) Values(b kernel.Buffer) []F {
	if b == nil {
		return nil
	}
	return b.(floats[F])
}

// temporary is zeroed memory that lives until the next call asks for the same name.
func (p *Device[F]) temporary(name string, n int) []F {
	if cap(p.scratch[name]) < n {
		p.scratch[name] = make([]F, n)
	}
	t := p.scratch[name][:n]
	clear(t)
	return t
}

func (p *Device[F]) Name() string {
	if _, double := any(F(0)).(float64); double {
		return "plain64"
	}
	return "plain"
}

// Describe is its name: there is nothing to tell apart.
func (p *Device[F]) Describe() string { return p.Name() }

// Memory is 0: it computes in the host's.
func (p *Device[F]) Memory() int64 { return 0 }

// FallsBack is false: every kind of layer is computed in the same way.
func (p *Device[F]) FallsBack(kernel.Layer) bool { return false }

func (p *Device[F]) Sync() error { return nil }

func (p *Device[F]) Close() error { return nil }

func (p *Device[F]) NewBuffer(n int) kernel.Buffer { return make(floats[F], n) }

func (p *Device[F]) Free(kernel.Buffer) {}

func (p *Device[F]) Upload(dst kernel.Buffer, src []float32) {
	out := p.Values(dst)
	want(len(out) == len(src), "upload", len(out), len(src))
	for i, x := range src {
		out[i] = F(x)
	}
}

func (p *Device[F]) Download(dst []float32, src kernel.Buffer) {
	in := p.Values(src)
	want(len(dst) == len(in), "download", len(dst), len(in))
	for i, x := range in {
		dst[i] = float32(x)
	}
}

func (p *Device[F]) Fill(dst kernel.Buffer, value float32) {
	out := p.Values(dst)
	for i := range out {
		out[i] = F(value)
	}
}

func (p *Device[F]) Copy(dst, src kernel.Buffer) {
	want(dst.Len() == src.Len(), "copy", dst.Len(), src.Len())
	copy(p.Values(dst), p.Values(src))
}

func (p *Device[F]) Gather(out, table kernel.Buffer, rows []int32, width int) {
	o, t := p.Values(out), p.Values(table)
	want(len(o) == len(rows)*width, "gather", len(o), len(rows)*width)
	for i, r := range rows {
		copy(row(o, i, width), row(t, int(r), width))
	}
}

func (p *Device[F]) Scatter(table, in kernel.Buffer, rows []int32, width int) {
	t, x := p.Values(table), p.Values(in)
	want(len(x) == len(rows)*width, "scatter", len(x), len(rows)*width)
	for i, r := range rows {
		copy(row(t, int(r), width), row(x, i, width))
	}
}

func (p *Device[F]) ScatterAdd(table, in kernel.Buffer, rows []int32, width int) {
	t, x := p.Values(table), p.Values(in)
	want(len(x) == len(rows)*width, "scatter add", len(x), len(rows)*width)
	for i, r := range rows {
		addTo(row(t, int(r), width), row(x, i, width))
	}
}

// graph is the graph with what the kernels derive from it, computed once.
type graph[F Float] struct {
	*kernel.Graph
	scale []F // (V) PNA's s_v
}

func (g graph[F]) Nodes() int     { return g.Graph.Nodes }
func (g graph[F]) Relations() int { return g.Graph.Relations }

// Prepare has nothing to do.
func (p *Device[F]) Prepare(*kernel.Graph) {}

// PrepareIncidence has nothing to do.
func (p *Device[F]) PrepareIncidence(*kernel.Incidence) {}

func (p *Device[F]) NewGraph(g *kernel.Graph) kernel.DeviceGraph {
	scale := make([]F, g.Nodes)
	for v, s := range scales(g) {
		scale[v] = F(s)
	}
	return graph[F]{g, scale}
}

func (p *Device[F]) Thin(g kernel.DeviceGraph, dropped []int32) kernel.DeviceGraph {
	return p.NewGraph(g.(graph[F]).Graph.Thin(dropped))
}

func (p *Device[F]) FreeGraph(kernel.DeviceGraph) {}

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
