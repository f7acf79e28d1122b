package cuda

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	"github.com/lacuna-kg/lacuna/kernel"
)

// segmentEdges is the most edges of a segment: the hub of FB15k-237 has 7,614, and alone would
// take longer than all other nodes together.
const segmentEdges = 128

// chunkRuns and chunkEdges are how many runs, or edges, of a relation one warp adds up.
const chunkRuns, chunkEdges = 64, 256

// quad is a record of four numbers; graph.cuh says of each which.
type quad [4]int32

// graph is a graph on the device, whole or thinned.
type graph struct {
	device                  *device
	nodes, relations, edges int
	topology                func() *kernel.Graph // on the host, for a graph thinned twice
	shape                   *shape               // shared by a graph and those thinned from it

	in, out             side
	sentEdges           address  // those of Out once more, for message_sum.cu
	scale               address  // (V) {1/deg, s, 1/max(s, 0.01), in-degree}
	degrees             *degrees // nodes by degree; nil of a thinned graph, whose degrees the host does not know
	inDegree, outDegree address  // (V)
	dropped             address  // of a thinned graph: marks of edges gone
	alive, sentAlive    address  // the same: marks of runs left, of In and of Out
	owned               []lent
}

// side is one side of the graph, cut into segments.
type side struct {
	segments, strands, edges, split, of address
	count, splits, parts                int
	long                                int // segments of more than shortEdges edges, which come first
}

func (s side) record() record {
	return record{s.segments, s.strands, s.edges, s.split, s.of, int32(s.count), int32(s.splits), int32(s.parts), int32(0)}
}

// shape is what thinning leaves as it is.
type shape struct {
	edgesOf, firstEdge         address // by relation: {head, tail, id, 0}, and (R+1) where each begins
	mostEdges                  int     // of one relation
	places                     int     // of edges in In, gaps included
	reached, sent              runs    // of In, and of Out
	groups                     groups  // of Out's segments
	edgeChunks, firstEdgeChunk address
	edgeChunkCount             int
	inverse                    address // (R) or none
	logs                       address // log(k+1) for every in-degree k
	users                      int     // graphs that use it
	owned                      []lent
}

// runs are those of equal relations in the strands of a side, numbered by relation and cut into chunks.
type runs struct {
	count              int
	chunks, firstChunk address // {relation, first run, behind the last, 0}, and (R+1)
	chunkCount         int
}

func (g *graph) Nodes() int     { return g.nodes }
func (g *graph) Relations() int { return g.relations }
func (g *graph) Edges() int     { return g.edges }

// segments is a side on the host.
type segments struct {
	list, edges, split []quad
	strands            [][2]int32
	of                 [][2]int32 // (V) the segments of each node: first, and behind the last
	parts, long        int
}

// cut makes segments of one node each; a node without edges has one too, since its boundary is a message. Nodes
// that are alike stand together: the warps of a block then end at the same time, and share rows in the L1. third is
// the third number of each edge.
func cut(a kernel.Adjacency, third []int32) *segments {
	nodes := len(a.At) - 1
	s := &segments{edges: make([]quad, len(a.Node)+edgesBeyond), of: make([][2]int32, nodes)}
	for i := range a.Node {
		s.edges[i] = quad{a.Node[i], a.Relation[i], third[i], 0}
	}
	for _, v := range alike(a) {
		s.of[v][0] = int32(len(s.list))
		s.cutNode(v, a.At[v], a.At[v+1])
		s.of[v][1] = int32(len(s.list))
		if a.Degree(int(v)) > shortEdges {
			s.long = len(s.list)
		}
	}
	return s
}

// alike orders the nodes by the length of their work, the longest first, then by the relations of their first and last
// edges, then by whom the first edge leads to.
func alike(a kernel.Adjacency) []int32 {
	type keyed struct {
		key  uint64
		node int32
	}
	nodes := make([]keyed, len(a.At)-1)
	for v := range nodes {
		from, to := a.At[v], a.At[v+1]
		steps := uint64(min((to-from+strands-1)/strands, segmentEdges/strands+1))
		nodes[v] = keyed{(63 - steps) << 58, int32(v)}
		if to > from {
			nodes[v].key |= uint64(a.Relation[from]&0x1fff)<<45 | uint64(a.Relation[to-1]&0x1fff)<<32 | uint64(uint32(a.Node[from]))
		}
	}
	slices.SortFunc(nodes, func(x, y keyed) int { return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.node, y.node)) })
	order := make([]int32, len(nodes))
	for i, n := range nodes {
		order[i] = n.node
	}
	return order
}

func (s *segments) cutNode(v, from, to int32) {
	if to-from <= segmentEdges {
		s.add(v, from, to-from, -1)
		return
	}
	pieces := int32(0)
	for at := from; at < to; at += segmentEdges {
		s.add(v, at, min(segmentEdges, to-at), int32(s.parts)+pieces)
		pieces++
	}
	s.split = append(s.split, quad{v, int32(s.parts), pieces, 0})
	s.parts += int(pieces)
}

// edgesBeyond is how many records follow the last: kernels read ahead.
const edgesBeyond = 16

// strands is how many parts of a segment a warp takes at a time, an edge of each.
const strands = 4

// add appends a segment of n edges of v, from place first on: all strands have a quarter of them, the first may have one more.
func (s *segments) add(v, first, n, part int32) {
	s.list = append(s.list, quad{v, part, n / strands, (n + strands - 1) / strands})
	for i := range int32(strands) {
		edges := n / strands
		if i < n%strands {
			edges++
		}
		s.strands = append(s.strands, [2]int32{first, edges})
		first += edges
	}
}

// numberRuns gives every run of equal relations within a strand a number, in order of relation, so that the
// runs of one relation are neighbours. It writes them to a field of the edges, and returns where each relation's begin (R+1).
func (s *segments) numberRuns(relations, field int) []int32 {
	first := make([]int32, relations+1)
	s.eachRun(func(relation int32, _ []quad) { first[relation+1]++ })
	for r := range relations {
		first[r+1] += first[r]
	}
	next := append([]int32(nil), first...)
	s.eachRun(func(relation int32, run []quad) {
		for i := range run {
			run[i][field] = next[relation]
		}
		next[relation]++
	})
	return first
}

func (s *segments) eachRun(visit func(relation int32, run []quad)) {
	for _, strand := range s.strands {
		edges := s.edges[strand[0] : strand[0]+strand[1]]
		for len(edges) > 0 {
			n := 1
			for n < len(edges) && edges[n][1] == edges[0][1] {
				n++
			}
			visit(edges[0][1], edges[:n])
			edges = edges[n:]
		}
	}
}

// byRelation lists the edges {head, tail, id, 0} of each relation, and where each relation's begin (R+1).
func byRelation(g *kernel.Graph) (edges []quad, first []int32) {
	first = make([]int32, g.Relations+1)
	for _, r := range g.In.Relation {
		first[r+1]++
	}
	for r := range g.Relations {
		first[r+1] += first[r]
	}
	next := append([]int32(nil), first...)
	edges = make([]quad, g.Edges())
	for v := range g.Nodes {
		for id := g.In.At[v]; id < g.In.At[v+1]; id++ {
			r := g.In.Relation[id]
			edges[next[r]] = quad{g.In.Node[id], int32(v), id, 0}
			next[r]++
		}
	}
	return edges, first
}

// chunk cuts what lies between first[r] and first[r+1] into pieces of at most size.
func chunk(first []int32, size int32) (chunks []quad, firstChunk []int32) {
	firstChunk = make([]int32, 1, len(first))
	for r := range len(first) - 1 {
		for at := first[r]; at < first[r+1]; at += size {
			chunks = append(chunks, quad{int32(r), at, min(at+size, first[r+1]), 0})
		}
		firstChunk = append(firstChunk, int32(len(chunks)))
	}
	return chunks, firstChunk
}

// NewGraph cuts a graph into segments and puts it on the device.
func (d *device) NewGraph(topology *kernel.Graph) kernel.DeviceGraph {
	want(len(topology.In.Node) < math.MaxInt32/2, "graph", topology.Edges(), math.MaxInt32/2)
	g := &graph{device: d, nodes: topology.Nodes, relations: topology.Relations, edges: topology.Edges(),
		topology: func() *kernel.Graph { return topology }, shape: &shape{users: 1}}
	f := d.frame()
	if f == nil {
		return g
	}
	defer f.close()
	in, out := cut(topology.In, make([]int32, g.edges)), cut(topology.Out, topology.OutID)
	g.shape.places = g.edges
	g.shape.reached, g.shape.sent = f.runs(g.shape, in.numberRuns(g.relations, 2)), f.runs(g.shape, out.numberRuns(g.relations, 3))
	g.in, g.out = f.side(g, in), f.side(g, out)
	f.groups(g, out)
	f.fillShape(g.shape, topology)
	g.degrees = f.degrees(g, topology)
	f.measure(g)
	if topology.Whole != nil {
		f.scaleByWhole(g, topology)
	}
	return g
}

func (f *frame) runs(s *shape, first []int32) runs {
	chunks, firstChunk := chunk(first, chunkRuns)
	return runs{int(first[len(first)-1]), keep(f, &s.owned, chunks), keep(f, &s.owned, firstChunk), len(chunks)}
}

func (f *frame) fillShape(s *shape, topology *kernel.Graph) {
	edges, firstEdge := byRelation(topology)
	s.edgesOf, s.firstEdge = keep(f, &s.owned, edges), keep(f, &s.owned, firstEdge)
	for r := range topology.Relations {
		s.mostEdges = max(s.mostEdges, int(firstEdge[r+1]-firstEdge[r]))
	}
	chunks, first := chunk(firstEdge, chunkEdges)
	s.edgeChunks, s.firstEdgeChunk, s.edgeChunkCount = keep(f, &s.owned, chunks), keep(f, &s.owned, first), len(chunks)
	if topology.Inverse != nil {
		s.inverse = keep(f, &s.owned, topology.Inverse)
	}
	most := 0
	for v := range topology.Nodes {
		most = max(most, topology.In.Degree(v))
	}
	logs := make([]float64, most+1)
	for k := range logs {
		logs[k] = math.Log(float64(k + 1))
	}
	s.logs = keep(f, &s.owned, logs)
}

// measure computes degrees and scalers on the device.
func (f *frame) measure(g *graph) {
	g.inDegree, g.outDegree, g.scale = f.own(&g.owned, 4*g.nodes), f.own(&g.owned, 4*g.nodes), f.own(&g.owned, 16*g.nodes)
	f.launch("degrees", over(g.nodes), 0, g.inDegree, g.in.strands, g.in.of, int32(g.nodes))
	f.launch("degrees", over(g.nodes), 0, g.outDegree, g.out.strands, g.out.of, int32(g.nodes))
	f.launch("scales", grid{x: 1, threads: 1024}, 0, g.scale, g.inDegree, g.shape.logs, int32(g.nodes))
}

// scaleByWhole puts scalers by the degrees of a larger graph in the place of those that measure computed.
func (f *frame) scaleByWhole(g *graph, topology *kernel.Graph) {
	mean, scales := topology.MeanLog(), make([][4]float32, g.nodes)
	for v := range scales {
		s := 1.0
		if mean != 0 {
			s = math.Log(float64(topology.ScaleDegree(v)+1)) / mean
		}
		degree := float32(topology.In.Degree(v))
		scales[v] = [4]float32{1 / (degree + 1), float32(s), 1 / max(float32(s), 1e-2), degree}
	}
	f.upload(g.scale, unsafe.Pointer(unsafe.SliceData(scales)), 16*g.nodes)
}

func (f *frame) side(g *graph, s *segments) side {
	return side{
		segments: keep(f, &g.owned, s.list), strands: keep(f, &g.owned, s.strands), edges: keep(f, &g.owned, s.edges),
		split: keep(f, &g.shape.owned, s.split), of: keep(f, &g.shape.owned, s.of),
		count: len(s.list), splits: len(s.split), parts: s.parts, long: s.long,
	}
}

// own allocates memory that lives as long as its owner.
func (f *frame) own(owned *[]lent, bytes int) address {
	l := f.allocate(bytes)
	if l.at != 0 {
		*owned = append(*owned, l)
	}
	return l.at
}

// keep puts a list on the device for as long as its owner lives.
func keep[T any](f *frame, owned *[]lent, list []T) address {
	var one T
	bytes := len(list) * int(unsafe.Sizeof(one))
	at := f.own(owned, bytes)
	f.upload(at, unsafe.Pointer(unsafe.SliceData(list)), bytes)
	return at
}

// FreeGraph gives a graph's memory back; what it shares with thinned graphs goes with the last of them.
func (d *device) FreeGraph(g kernel.DeviceGraph) {
	this := g.(*graph)
	for _, l := range this.owned {
		d.pool.give(l.at, l.size)
	}
	this.owned = nil
	if this.shape.users--; this.shape.users > 0 {
		return
	}
	for _, l := range this.shape.owned {
		d.pool.give(l.at, l.size)
	}
	this.shape.owned = nil
}
