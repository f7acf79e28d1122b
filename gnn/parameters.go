package gnn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
)

// start is how a tensor begins, after PyTorch's defaults.
type start uint8

const (
	zeros   start = iota
	ones          // LayerNorm's scale
	normal        // N(0,1), an Embedding
	uniform       // U(±1/√fanIn), a Linear
)

// Tensor is one row of the table: where in the slab it lies and how it begins.
type Tensor struct {
	Name   string
	Shape  []int
	Offset int
	start  start
	fanIn  int // of the Linear, for uniform
}

// Len is the number of values.
func (t Tensor) Len() int {
	n := 1
	for _, s := range t.Shape {
		n *= s
	}
	return n
}

// Table lists the tensors of a slab in order.
type Table struct {
	Tensors []Tensor
	Len     int
	byName  map[string]int
}

func (t *Table) add(name string, begin start, fanIn int, shape ...int) {
	tensor := Tensor{Name: name, Shape: shape, Offset: t.Len, start: begin, fanIn: fanIn}
	if t.byName == nil {
		t.byName = map[string]int{}
	}
	t.byName[name] = len(t.Tensors)
	t.Tensors = append(t.Tensors, tensor)
	t.Len += tensor.Len()
}

// linear adds weight (out,in) and bias (out).
func (t *Table) linear(name string, out, in int) {
	t.add(name+".weight", uniform, in, out, in)
	t.add(name+".bias", uniform, in, out)
}

// Find gives a tensor by name.
func (t *Table) Find(name string) (Tensor, bool) {
	i, ok := t.byName[name]
	if !ok {
		return Tensor{}, false
	}
	return t.Tensors[i], true
}

// Table lists the parameters of a network for so many relations; names as in the golden
// files and the public checkpoints. A foundation model has the same for any number of relations.
func (c Config) Table(relations int) (*Table, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	n, err := c.network()
	if err != nil {
		return nil, err
	}
	layer, err := n.layer(c)
	if err != nil {
		return nil, err
	}
	return n.table(c, layer, relations), nil
}

// norm adds LayerNorm's scale and shift.
func (t *Table) norm(name string, width int) {
	t.add(name+".weight", ones, 0, width)
	t.add(name+".bias", zeros, 0, width)
}

// head adds the MLP that ends a network.
func (t *Table) head(prefix string, feature int) {
	t.linear(prefix+"mlp.0", feature, feature)
	t.linear(prefix+"mlp.2", 1, feature)
}

// initial gives the values a slab begins with. Every tensor draws from a stream of its
// own, so that adding one leaves the others as they were.
func (t *Table) initial(seed uint64) []float32 {
	values := make([]float32, t.Len)
	for i, tensor := range t.Tensors {
		draw := rand.New(rand.NewPCG(seed, uint64(i)))
		bound := 1 / math.Sqrt(float64(tensor.fanIn))
		for k := range tensor.Len() {
			values[tensor.Offset+k] = float32(first(tensor.start, draw, bound))
		}
	}
	return values
}

func first(begin start, draw *rand.Rand, bound float64) float64 {
	switch begin {
	case ones:
		return 1
	case normal:
		return draw.NormFloat64()
	case uniform:
		return bound * (2*draw.Float64() - 1)
	}
	return 0
}

// Slab is one value for every parameter, in one buffer: the parameters themselves,
// their gradients, and each of Adam's moments.
type Slab struct {
	*Table
	Values kernel.Buffer
}

// Of is the part of the slab that a tensor names, which must exist.
func (s Slab) Of(name string) kernel.Buffer {
	tensor, ok := s.Find(name)
	if !ok {
		panic(fmt.Sprintf("gnn: no parameter %q", name))
	}
	return s.Values.Slice(tensor.Offset, tensor.Offset+tensor.Len())
}

// layer gives the weights of layer i of the network whose names begin with prefix.
func (s Slab) layer(prefix string, i int) kernel.LayerWeights {
	name := fmt.Sprintf("%slayers.%d.", prefix, i)
	w := kernel.LayerWeights{
		Weight: s.Of(name + "linear.weight"), Bias: s.Of(name + "linear.bias"),
		NormScale: s.Of(name + "layer_norm.weight"), Shift: s.Of(name + "layer_norm.bias"),
	}
	if _, ok := s.Find(name + "loop_relation.weight"); ok {
		w.Loop = s.Of(name + "loop_relation.weight")
	}
	return w
}

func (s Slab) head(prefix string) kernel.HeadWeights {
	return kernel.HeadWeights{
		Weight0: s.Of(prefix + "mlp.0.weight"), Bias0: s.Of(prefix + "mlp.0.bias"),
		Weight2: s.Of(prefix + "mlp.2.weight"), Bias2: s.Of(prefix + "mlp.2.bias"),
	}
}

// distinct gives the different relations of a batch in ascending order, and for each
// sample the position of its own among them.
func distinct(relations []int32) (unique, position []int32) {
	unique = slices.Compact(slices.Sorted(slices.Values(relations)))
	position = make([]int32, len(relations))
	for i, r := range relations {
		k, _ := slices.BinarySearch(unique, r)
		position[i] = int32(k)
	}
	return unique, position
}
