package gnn

import (
	"context"
	"fmt"
	"math"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// Attribution says which edges a prediction rests on: NBFNet's interpretation by paths.
// Put a weight of 1 on the message of every edge in every layer. The derivative of the
// prediction's logit by such a weight tells, to first order, what the message added.
// Relation vectors are held as they are, also where alternating computed them from messages.
//
// Only the corridor is looked at: a node counts at level t if the sources reach it in t
// steps or fewer and it reaches the target in the T−t that are left. Every path from a
// source to the target runs inside it, and the derivatives there are exact.
type Attribution struct {
	Logit       float32
	Probability float32

	graph    *kernel.Graph // that messages run on
	reversed bool          // its edges are the facts turned round
	sources  []int32
	target   int32
	levels   [][]int32   // (T+1) nodes of the corridor
	weights  [][]float32 // (T,E) by layer and edge of graph
}

// Attribution explains one prediction: how probable target is in the projection of set
// (V) along relation.
func (g *Graph) Attribution(ctx context.Context, set []float32, relation, target int32) (*Attribution, error) {
	m, topology := g.model, g.Topology()
	if target < 0 || int(target) >= topology.Nodes {
		return nil, fmt.Errorf("attribution: entity %d, the graph has %d", target, topology.Nodes)
	}
	a := &Attribution{graph: topology, target: target}
	if g.isTurned() {
		a.graph, a.reversed = topology.Reverse(), true
	}
	a.sources = m.sourcesOf(set)
	a.levels = corridor(a.graph, a.sources, target, m.Config.Layers)
	return a, m.attribute(ctx, a, g, set, relation)
}

// sourcesOf are the nodes whose degree the network sees.
func (m *Model) sourcesOf(set []float32) (sources []int32) {
	for v, x := range set {
		if x > m.Adjustments.Threshold {
			sources = append(sources, int32(v))
		}
	}
	return sources
}

// attribute runs the network forward on the device and backward on the host.
func (m *Model) attribute(ctx context.Context, a *Attribution, g *Graph, set []float32, relation int32) error {
	nodes, relations := g.Nodes(), []int32{relation}
	work := m.buffers.take(2 * nodes)
	defer m.buffers.give(work)
	in, prob := work.Slice(0, nodes), work.Slice(nodes, 2*nodes)
	if err := m.check(g, prob, in, relations); err != nil {
		return err
	}
	m.device.Upload(in, set)
	in, own := m.incoming(in)
	defer m.buffers.give(own)
	b, err := m.remembered(ctx, g, relations)
	if err != nil {
		return err
	}
	s, err := m.run(ctx, b, prob, in, true)
	defer m.release(s)
	if err != nil {
		return err
	}
	if err := m.attributeLayers(ctx, a, s); err != nil {
		return err
	}
	return m.device.Sync()
}

// attributeLayers takes the gradient of the target's logit from layer to layer.
func (m *Model) attributeLayers(ctx context.Context, a *Attribution, s *state) error {
	hidden := make([][]float32, len(s.hidden))
	for i, h := range s.hidden {
		hidden[i] = m.download(h.Buffer)
	}
	query, set := m.download(s.query.Buffer), m.download(s.set)
	head := m.headRecord(s, hidden, query, a.target)
	logit, dstates := head.Attribute()
	a.Logit, a.Probability = logit, float32(1/(1+math.Exp(-float64(logit))))
	a.weights = make([][]float32, m.Config.Layers)
	var gradient []float32
	for i := m.Config.Layers - 1; i >= 0; i-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		after := gradient
		if after == nil {
			after = make([]float32, len(hidden[0]))
		}
		if k := len(dstates) - (m.Config.Layers - i); k >= 0 { // the head reads the state after layer i
			addRow(after, int(a.target), dstates[k])
		}
		gradient = make([]float32, len(after))
		layer := m.layerRecord(a.graph, s, i)
		layer.Hidden, layer.Query, layer.Set = hidden[i], query, set
		a.weights[i] = make([]float32, a.graph.Edges())
		layer.Attribute(a.weights[i], gradient, after, a.levels[i], a.levels[i+1])
	}
	return nil
}

// addRow adds x to row v of y, whose rows are as wide.
func addRow(y []float32, v int, x []float32) {
	for i := range x {
		y[v*len(x)+i] += x[i]
	}
}

func (m *Model) download(b kernel.Buffer) []float32 {
	if b == nil {
		return nil
	}
	values := make([]float32, b.Len())
	m.device.Download(values, b)
	return values
}

// headRecord opens the head at the target.
func (m *Model) headRecord(s *state, hidden [][]float32, query []float32, target int32) *plain.HeadRecord[float32] {
	w, d := m.Parameters.head(s.prefix), m.Config.Width
	record := &plain.HeadRecord[float32]{
		Query: query, Weight0: m.download(w.Weight0), Bias0: m.download(w.Bias0),
		Weight2: m.download(w.Weight2), Bias2: m.download(w.Bias2),
	}
	for _, h := range hidden[len(hidden)-m.Config.states():] {
		record.Hidden = append(record.Hidden, h[int(target)*d:(int(target)+1)*d])
	}
	return record
}

// layerRecord opens layer i but for the states, which consecutive layers share.
func (m *Model) layerRecord(g *kernel.Graph, s *state, i int) *plain.LayerRecord[float32] {
	w := m.Parameters.layer(s.prefix, i)
	return &plain.LayerRecord[float32]{
		Layer: m.layer, Graph: g, Linear: m.download(s.linear[i].Buffer), Relations: m.download(s.tables.vectors[i]),
		Weight: m.download(w.Weight), NormScale: m.download(w.NormScale), Shift: m.download(w.Shift), Loop: m.download(w.Loop),
	}
}

// corridor gives, for every level, the nodes that lie on some walk of so many steps or
// fewer from a source to the target.
func corridor(g *kernel.Graph, sources []int32, target int32, layers int) [][]int32 {
	before := distances(g.Out, sources, layers)
	after := distances(g.In, []int32{target}, layers)
	levels := make([][]int32, layers+1)
	for v := range int32(g.Nodes) {
		for t := before[v]; t <= layers-after[v]; t++ {
			levels[t] = append(levels[t], v)
		}
	}
	return levels
}

// distances counts steps along edges, up to most; what is further off is at most+1.
func distances(edges kernel.Adjacency, from []int32, most int) []int {
	distance := make([]int, len(edges.At)-1)
	for v := range distance {
		distance[v] = most + 1
	}
	for _, v := range from {
		distance[v] = 0
	}
	queue := append([]int32(nil), from...)
	for ; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		if distance[v] == most {
			break
		}
		for _, u := range edges.Node[edges.At[v]:edges.At[v+1]] {
			if distance[u] > most {
				distance[u] = distance[v] + 1
				queue = append(queue, u)
			}
		}
	}
	return distance
}
