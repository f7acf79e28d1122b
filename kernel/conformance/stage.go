package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/lacuna-kg/lacuna/kernel"
)

// role says what an operation may do to a buffer, and how it is compared.
type role uint8

const (
	input    role = iota // not written
	output               // overwritten: it begins as garbage
	gradient             // added to: it begins at random
	scratch              // the same, but its end is not compared
)

// guard is the number of floats around every buffer that nobody may write. They are
// not NaN, so that a kernel may load them in a vector it masks, but a use of them shows.
const (
	guard      = 19
	guardValue = -12345.5
	garbage    = 777.25
)

// stage hands a script its buffers. Both devices get the same numbers, because the
// script asks for them in the same order.
type stage struct {
	kernel.Device
	draw    *rand.Rand
	buffers []guarded
	graphs  []kernel.DeviceGraph
	values  []result // results that never were in a buffer
}

type guarded struct {
	name   string
	role   role
	whole  kernel.Buffer
	from   int
	length int
	start  []float32 // inputs: what must still be there
}

type result struct {
	name   string
	role   role
	values []float32
}

func newStage(device kernel.Device) *stage {
	return &stage{Device: device, draw: rand.New(rand.NewPCG(17, 4))}
}

// place puts values into a buffer whose alignment differs from the one before.
func (s *stage) place(name string, r role, values []float32) kernel.Buffer {
	from := guard + len(s.buffers)%5
	whole := make([]float32, from+len(values)+guard)
	for i := range whole {
		whole[i] = guardValue
	}
	copy(whole[from:], values)
	b := guarded{name: name, role: r, whole: s.NewBuffer(len(whole)), from: from, length: len(values)}
	if r == input {
		b.start = append([]float32(nil), values...)
	}
	s.Upload(b.whole, whole)
	s.buffers = append(s.buffers, b)
	return b.whole.Slice(from, from+len(values))
}

// input is random in (low, high).
func (s *stage) input(name string, n int, low, high float32) kernel.Buffer {
	return s.place(name, input, s.random(n, low, high))
}

// tied is random in few values, so that equal messages are common and products exact.
func (s *stage) tied(name string, n int) kernel.Buffer {
	values := s.random(n, -1, 1)
	for i, x := range values {
		values[i] = float32(math.Round(float64(x)*2)) / 2
	}
	return s.place(name, input, values)
}

func (s *stage) random(n int, low, high float32) []float32 {
	values := make([]float32, n)
	for i := range values {
		values[i] = low + (high-low)*s.draw.Float32()
	}
	return values
}

func (s *stage) output(name string, n int) kernel.Buffer {
	values := make([]float32, n)
	for i := range values {
		values[i] = garbage
	}
	return s.place(name, output, values)
}

func (s *stage) gradient(name string, n int) kernel.Buffer {
	return s.place(name, gradient, s.random(n, -0.1, 0.1))
}

// scratch is a gradient of which only a part means anything; what follows from that part is compared.
func (s *stage) scratch(name string, n int) kernel.Buffer {
	return s.place(name, scratch, s.random(n, -0.1, 0.1))
}

// note records a result that the device gave to the host.
func (s *stage) note(name string, values ...float32) {
	s.values = append(s.values, result{name, output, values})
}

// graph puts a graph on the device.
func (s *stage) graph(g *kernel.Graph) kernel.DeviceGraph {
	if g.Nodes%2 == 1 { // of some what the host can do is done ahead
		s.Prepare(g)
	}
	d := s.NewGraph(g)
	s.graphs = append(s.graphs, d)
	return d
}

// results reads every buffer and checks guard zones and inputs.
func (s *stage) results() ([]result, error) {
	results := s.values
	for _, b := range s.buffers {
		whole := make([]float32, b.whole.Len())
		s.Download(whole, b.whole)
		for i, x := range whole {
			if (i < b.from || i >= b.from+b.length) && x != guardValue {
				return nil, fmt.Errorf("%s: wrote %v outside the buffer, at %d of %d", b.name, x, i-b.from, b.length)
			}
		}
		values := whole[b.from : b.from+b.length]
		for i, x := range b.start {
			if values[i] != x {
				return nil, fmt.Errorf("%s: an input was changed at %d, from %v to %v", b.name, i, x, values[i])
			}
		}
		results = append(results, result{b.name, b.role, values})
	}
	return results, nil
}

func (s *stage) free() {
	for _, b := range s.buffers {
		s.Free(b.whole)
	}
	for _, g := range s.graphs {
		s.FreeGraph(g)
	}
}
