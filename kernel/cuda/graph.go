package cuda

import (
	"math"
	"unsafe"

	"github.com/lacuna-kg/lacuna/kernel"
)

// quad is a record of four numbers; graph.cuh says of each which.
type quad [4]int32

// graph is a graph on the device, whole or thinned.
type graph struct {
	device                  *device
	nodes, relations, edges int
	topology                func() *kernel.Graph // on the host, for a graph thinned twice
	base                    *graph               // of a thinned graph: the one it was made of
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
	count, splits, parts                int // parts are the segments of nodes that have several, which come first
	partEdges                           int // of those nodes
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
	hasGradients, hasEdges     bool    // what only gradients need is there; edgesOf and its chunks are
	cutIn, cutOut              *segments
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

// ahead is what the host makes of a graph before the device has any of it.
type ahead struct {
	in, out *segments
	scales  [][4]float32 // by the degrees of a larger graph; none where they are its own
	order   []int32      // the nodes by degree
	classes [][2]int32   // {first, nodes} of every degree
}

// Prepare cuts a graph into segments, so that those who put many graphs on the device one after the other make the next ones meanwhile.
func (d *device) Prepare(topology *kernel.Graph) { topology.Ahead = prepare(topology) }

func prepare(topology *kernel.Graph) *ahead {
	a := &ahead{in: cut(topology.In), out: cut(topology.Out)}
	a.order, a.classes = byDegree(topology)
	if topology.Whole != nil {
		a.scales = a.scalesOfWhole(topology)
	}
	return a
}

// preparedOrNot is what was prepared, or is now.
func preparedOrNot(topology *kernel.Graph) *ahead {
	if a, done := topology.Ahead.(*ahead); done {
		return a
	}
	return prepare(topology)
}

// NewGraph cuts a graph into segments and puts it on the device. What only gradients need follows when they are first asked for.
func (d *device) NewGraph(topology *kernel.Graph) kernel.DeviceGraph {
	want(topology.Edges() <= math.MaxInt32-edgesBeyond, "graph", topology.Edges(), math.MaxInt32-edgesBeyond)
	g := &graph{device: d, nodes: topology.Nodes, relations: topology.Relations, edges: topology.Edges(),
		topology: func() *kernel.Graph { return topology }, shape: &shape{users: 1, places: topology.Edges()}}
	f := d.frame()
	if f == nil {
		return g
	}
	defer f.close()
	a := preparedOrNot(topology)
	g.in, g.out = f.side(g, a.in), f.side(g, a.out)
	if g.edges <= fewEdges {
		g.shape.cutIn, g.shape.cutOut = a.in, a.out
	}
	f.fillShape(g.shape, topology)
	g.degrees = f.degrees(g, a)
	f.measure(g)
	if a.scales != nil { // in the place of those that measure computed
		f.upload(g.scale, unsafe.Pointer(unsafe.SliceData(a.scales)), 16*g.nodes)
	}
	return g
}

// fewEdges is how many edges a graph may have for its segments to be kept on the host until gradients ask for them; those of larger ones are made again.
const fewEdges = 1 << 22

// fillShape keeps what forward needs of the shape.
func (f *frame) fillShape(s *shape, topology *kernel.Graph) {
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

// scalesOfWhole are scalers by the degrees of a larger graph.
func (a *ahead) scalesOfWhole(topology *kernel.Graph) [][4]float32 {
	mean, scales := topology.MeanLog(), make([][4]float32, topology.Nodes)
	for _, class := range a.classes {
		nodes := a.order[class[0] : class[0]+class[1]]
		s := 1.0
		if mean != 0 {
			s = math.Log(float64(topology.ScaleDegree(int(nodes[0]))+1)) / mean
		}
		most := 1 / max(float32(s), 1e-2)
		for _, v := range nodes {
			degree := float32(topology.In.Degree(int(v)))
			scales[v] = [4]float32{1 / (degree + 1), float32(s), most, degree}
		}
	}
	return scales
}

// side puts segments on the device. Kernels count strands in 32 bits, which is enough for 536 million nodes: one state of width 32 of theirs is 69 GB.
func (f *frame) side(g *graph, s *segments) side {
	want(len(s.strands) <= math.MaxInt32, "strands", len(s.strands), math.MaxInt32)
	return side{
		segments: keep(f, &g.owned, s.list), strands: keep(f, &g.owned, s.strands), edges: keep(f, &g.owned, s.edges),
		split: keep(f, &g.shape.owned, s.split), of: keep(f, &g.shape.owned, s.of),
		count: len(s.list), splits: len(s.split), parts: s.parts, partEdges: s.partEdges, long: s.long,
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

// uploadList puts a list where there is room for it.
func uploadList[T any](f *frame, to address, list []T) {
	var one T
	f.upload(to, unsafe.Pointer(unsafe.SliceData(list)), len(list)*int(unsafe.Sizeof(one)))
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
