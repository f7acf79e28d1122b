package selftest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// witness is a device that looks at what it computes: after an operation some rows of its result are computed once more, by
// the plain definition, from the rows of its input that they depend on.
type witness struct {
	kernel.Device
	topology   *kernel.Graph
	meanLog    float64
	incidence  *kernel.Incidence
	nodes      []int32 // whose states are checked
	relations  []int32 // whose hearing is
	isChecking bool
	rows       []Row
}

// What is checked of a layer: entities drawn, the first and the last, and hubs of so many edges at most. Of relations those
// with so many entities at most.
const checkedNodes, mostEdges, checkedRelations, mostEntities = 60, 200_000, 6, 1_000_000

// choose picks the entities and relations to look at, among them the largest that are not too large.
func (w *witness) choose() {
	draw := rand.New(rand.NewPCG(1, 1))
	hub := 0
	for v := range w.topology.Nodes {
		if d := w.topology.In.Degree(v); d <= mostEdges && d > w.topology.In.Degree(hub) {
			hub = v
		}
	}
	w.nodes = []int32{0, int32(hub), int32(w.topology.Nodes - 1)}
	for len(w.nodes) < checkedNodes {
		w.nodes = append(w.nodes, draw.Int32N(int32(w.topology.Nodes)))
	}
	slices.Sort(w.nodes)
	w.nodes = slices.Compact(w.nodes)
	w.nodes = slices.DeleteFunc(w.nodes, func(v int32) bool { return w.topology.In.Degree(int(v)) > mostEdges })
	for r := range int32(w.incidence.Relations) {
		if n := w.incidence.EntityAt[r+1] - w.incidence.EntityAt[r]; n > 0 && n <= mostEntities && len(w.relations) < checkedRelations {
			w.relations = append(w.relations, r)
		}
	}
}

// NewIncidence remembers the incidence.
func (w *witness) NewIncidence(i *kernel.Incidence) kernel.DeviceIncidence {
	w.incidence = i
	return w.Device.NewIncidence(i)
}

// report adds a comparison.
func (w *witness) report(name string, got, want []float32) {
	i := slices.IndexFunc(w.rows, func(r Row) bool { return r.Name == name })
	if i < 0 {
		i, w.rows = len(w.rows), append(w.rows, Row{Name: name})
	}
	off := relative(got, want)
	var err error
	if !(off <= largeForward) || len(want) == 0 {
		err = fmt.Errorf("%s: %d numbers are off by %.2g", name, len(want), off)
	}
	w.rows[i].add(off, 0, err)
}

// largeForward is what rounding may do to a sum over a million entities.
const largeForward = 1e-4

// gather reads rows of a buffer.
func (w *witness) gather(from kernel.Buffer, rows []int32, width int) []float32 {
	b := w.NewBuffer(len(rows) * width)
	defer w.Free(b)
	w.Gather(b, from, rows, width)
	return download(w.Device, b)
}

// rowsOf are the rows of entities in every sample.
func (w *witness) rowsOf(nodes []int32, samples int) (rows []int32) {
	for b := range samples {
		for _, v := range nodes {
			rows = append(rows, int32(b*w.topology.Nodes)+v)
		}
	}
	return rows
}

// moved is a buffer of the plain device with what another device's holds.
func (w *witness) moved(to *plain.Device[float32], b kernel.Buffer) kernel.Buffer {
	if b == nil {
		return nil
	}
	return placed(to, download(w.Device, b))
}

func placed(to *plain.Device[float32], values []float32) kernel.Buffer {
	b := to.NewBuffer(len(values))
	to.Upload(b, values)
	return b
}

// LayerForward checks the states of some entities, by the graph of the edges that reach them.
func (w *witness) LayerForward(l kernel.Layer, g kernel.DeviceGraph, out kernel.Buffer, kept kernel.Kept, in kernel.LayerInput, weights kernel.LayerWeights) {
	w.Device.LayerForward(l, g, out, kept, in, weights)
	if !w.isChecking {
		return
	}
	part, members := w.around()
	samples, d := len(in.RelationOf), plain.New()
	rows := w.rowsOf(members, samples)
	in.Hidden, in.Set = placed(d, w.gather(in.Hidden, rows, l.Width)), placed(d, w.gather(in.Set, rows, 1))
	in.Query, in.Relations = w.moved(d, in.Query), w.moved(d, in.Relations)
	weights = kernel.LayerWeights{Weight: w.moved(d, weights.Weight), Bias: w.moved(d, weights.Bias),
		NormScale: w.moved(d, weights.NormScale), Shift: w.moved(d, weights.Shift), Loop: w.moved(d, weights.Loop)}
	result := d.NewBuffer(samples * len(members) * l.Width)
	d.LayerForward(l, d.NewGraph(part), result, kernel.Kept{}, in, weights)
	var want []float32 // those that are checked are the first members
	for b := range samples {
		first := b * len(members) * l.Width
		want = append(want, d.Values(result)[first:first+len(w.nodes)*l.Width]...)
	}
	w.report("layer", w.gather(out, w.rowsOf(w.nodes, samples), l.Width), want)
}

// around is the graph of the edges that reach the entities that are checked, which come first; degrees are the whole graph's.
func (w *witness) around() (part *kernel.Graph, members []int32) {
	members = slices.Clone(w.nodes)
	number := map[int32]int32{}
	for k, v := range members {
		number[v] = int32(k)
	}
	var edges []kernel.Edge
	for k, v := range w.nodes {
		for i := w.topology.In.At[v]; i < w.topology.In.At[v+1]; i++ {
			head := w.topology.In.Node[i]
			if _, there := number[head]; !there {
				number[head] = int32(len(members))
				members = append(members, head)
			}
			edges = append(edges, kernel.Edge{Head: number[head], Relation: w.topology.In.Relation[i], Tail: int32(k)})
		}
	}
	part, err := kernel.NewGraph(len(members), w.topology.Relations, edges, w.topology.Inverse)
	if err != nil {
		panic(err) // edges of a graph are within it
	}
	part.Whole = &kernel.Degrees{Of: make([]int32, len(members)), MeanLog: w.meanLog}
	for k, v := range members {
		part.Whole.Of[k] = int32(w.topology.In.Degree(int(v)))
	}
	return part, members
}

// MeetForward checks what some relations hear, in float64.
func (w *witness) MeetForward(i kernel.DeviceIncidence, out kernel.Buffer, in kernel.MeetInput) {
	w.Device.MeetForward(i, out, in)
	if !w.isChecking {
		return
	}
	messages, heard := download(w.Device, in.Messages), download(w.Device, out)
	d, table := in.Width, w.incidence.Relations*in.Width
	for b := range in.Relations.Len() / table {
		said := w.saidBy(messages[2*b*table:2*(b+1)*table], d)
		for _, r := range w.relations {
			want := w.heardBy(r, b, said, in)
			at := 3 * (b*w.incidence.Relations + int(r)) * d
			w.report("meet, heads", heard[at+d:at+2*d], want)
			at = 3 * (b*w.incidence.Relations + int(w.incidence.Inverse[r])) * d
			w.report("meet, tails", heard[at+2*d:at+3*d], want)
		}
	}
}

// weight is 1/√n of the n entities of a relation.
func (w *witness) weight(r int32) float64 {
	return 1 / math.Sqrt(float64(w.incidence.EntityAt[r+1]-w.incidence.EntityAt[r]))
}

// saidBy is w_r · (a_r + b_{r⁻¹}) of every relation.
func (w *witness) saidBy(messages []float32, d int) []float64 {
	said := make([]float64, w.incidence.Relations*d)
	for r := range w.incidence.Relations {
		other := int(w.incidence.Inverse[r])
		for c := range d {
			if w.incidence.EntityAt[r+1] > w.incidence.EntityAt[r] {
				said[r*d+c] = w.weight(int32(r)) * (float64(messages[2*r*d+c]) + float64(messages[(2*other+1)*d+c]))
			}
		}
	}
	return said
}

// heardBy is w_r · Σ x_v ⊙ s_v over the entities of a relation, s_v the sum of what is said to v.
func (w *witness) heardBy(r int32, b int, said []float64, in kernel.MeetInput) []float32 {
	d, entities := in.Width, w.incidence.Entity[w.incidence.EntityAt[r]:w.incidence.EntityAt[r+1]]
	var states []float32
	if in.Entities != nil {
		all := w.topology.Nodes * d
		states = w.gather(in.Entities.Slice(b*all, (b+1)*all), entities, d)
	}
	sum, told := make([]float64, d), make([]float64, d)
	for k, v := range entities {
		clear(told)
		for _, q := range w.incidence.Relation[w.incidence.At[v]:w.incidence.At[v+1]] {
			for c := range d {
				told[c] += said[int(q)*d+c]
			}
		}
		for c := range d {
			x := 1.0
			if states != nil {
				x = float64(states[k*d+c])
			}
			sum[c] += x * told[c]
		}
	}
	heard := make([]float32, d)
	for c := range d {
		heard[c] = float32(w.weight(r) * sum[c])
	}
	return heard
}

// HeadForward checks the probabilities of some entities.
func (w *witness) HeadForward(prob kernel.Buffer, in kernel.HeadInput, weights kernel.HeadWeights) {
	w.Device.HeadForward(prob, in, weights)
	if !w.isChecking {
		return
	}
	d, samples := plain.New(), prob.Len()/w.topology.Nodes
	rows, width := w.rowsOf(w.nodes, samples), in.Hidden[0].Len()/prob.Len()
	few := kernel.HeadInput{Query: w.moved(d, in.Query)}
	for _, h := range in.Hidden {
		few.Hidden = append(few.Hidden, placed(d, w.gather(h, rows, width)))
	}
	want := d.NewBuffer(len(rows))
	d.HeadForward(want, few, kernel.HeadWeights{Weight0: w.moved(d, weights.Weight0), Bias0: w.moved(d, weights.Bias0),
		Weight2: w.moved(d, weights.Weight2), Bias2: w.moved(d, weights.Bias2)})
	w.report("head", w.gather(prob, rows, 1), d.Values(want))
}
