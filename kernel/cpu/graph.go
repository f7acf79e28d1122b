package cpu

import (
	"slices"
	"sort"
	"sync"

	"github.com/lacuna-kg/lacuna/kernel"
)

// graph is a kernel.Graph as this device wants it: rows by falling in-degree, then by the degree of PNA's scalers
// where that is another, so that neighbouring rows share these, and edges in order of the rows.
type graph struct {
	plain    kernel.DeviceGraph // for layers without fast kernels
	topology *kernel.Graph

	order   []int32    // (V) the node of each row
	at      []int32    // (V+1) the first edge of each row
	edges   [][2]int32 // (E) head, relation
	tasks   []rows     // equal work each, in order of rows
	hubs    int        // the first rows, cut into segments
	mean    float64    // of log(deg_v) over nodes: what PNA's scaler divides by
	degrees []int32    // all that PNA's scalers go by, falling
	isRare  []bool     // (V) rows of a degree that few others have
	alike   []int32    // (V) where the run of alike rows ends that a row is of

	mu         sync.Mutex
	heads      map[int][]headBlock // backward's order of edges, per number of blocks
	byRelation *relationIndex
}

// rows is a run of rows.
type rows struct{ from, to int }

func (g *graph) Nodes() int     { return g.topology.Nodes }
func (g *graph) Relations() int { return g.topology.Relations }
func (g *graph) Edges() int     { return g.topology.Edges() }

func (g *graph) degree(row int) int { return int(g.at[row+1] - g.at[row]) }

// scaleDegree is what PNA's scalers of a row go by.
func (g *graph) scaleDegree(row int) int {
	if g.topology.Whole != nil {
		return int(g.topology.Whole.Of[g.order[row]])
	}
	return g.degree(row)
}

// Prepare has nothing to do: all is done on the host.
func (d *Device) Prepare(*kernel.Graph) {}

// PrepareIncidence has nothing to do either.
func (d *Device) PrepareIncidence(*kernel.Incidence) {}

func (d *Device) NewGraph(topology *kernel.Graph) kernel.DeviceGraph {
	g := &graph{plain: d.definition.NewGraph(topology), topology: topology, heads: map[int][]headBlock{}}
	g.sortRows()
	g.listDegrees()
	g.markRuns(d.rare)
	g.cutTasks()
	g.mean = topology.MeanLog()
	for g.hubs < g.Nodes() && g.degree(g.hubs) > d.hub {
		g.hubs++
	}
	return g
}

// listDegrees collects those that PNA's scalers go by.
func (g *graph) listDegrees() {
	for row := range g.order {
		if n := int32(g.scaleDegree(row)); len(g.degrees) == 0 || g.degrees[len(g.degrees)-1] != n {
			g.degrees = append(g.degrees, n)
		}
	}
	if g.topology.Whole != nil { // rows of one degree have several of them
		slices.SortFunc(g.degrees, func(a, b int32) int { return int(b - a) })
		g.degrees = slices.Compact(g.degrees)
	}
}

// markRuns finds the runs of alike rows, and the rows whose degrees are not worth a matrix of their own.
func (g *graph) markRuns(most int) {
	g.isRare, g.alike = make([]bool, len(g.order)), make([]int32, len(g.order))
	for from, to := 0, 0; from < len(g.order); from = to {
		for to = from + 1; to < len(g.order) && g.isAlike(from, to); to++ {
		}
		for row := from; row < to; row++ {
			g.isRare[row], g.alike[row] = to-from <= most, int32(to)
		}
	}
}

// isAlike tells whether two rows have as many edges and the same scalers.
func (g *graph) isAlike(a, b int) bool {
	return g.degree(a) == g.degree(b) && g.scaleDegree(a) == g.scaleDegree(b)
}

func (d *Device) Thin(g kernel.DeviceGraph, dropped []int32) kernel.DeviceGraph {
	return d.NewGraph(g.(*graph).topology.Thin(dropped))
}

func (d *Device) FreeGraph(kernel.DeviceGraph) {}

// sortRows orders nodes by falling in-degree, those of one by the falling degree of PNA's scalers, then by id.
func (g *graph) sortRows() {
	g.order = make([]int32, g.topology.Nodes)
	for v := range g.order {
		g.order[v] = int32(v)
	}
	if whole := g.topology.Whole; whole != nil {
		g.order = falling(g.order, func(v int32) int { return int(whole.Of[v]) })
	}
	g.order = falling(g.order, func(v int32) int { return g.topology.In.Degree(int(v)) })
	g.copyEdges()
}

// falling sorts nodes by falling degree, by counting; nodes of one degree keep their order.
func falling(nodes []int32, degree func(v int32) int) []int32 {
	most := 0
	for _, v := range nodes {
		most = max(most, degree(v))
	}
	place := make([]int32, most+2) // of the next node of each degree, one further on
	for _, v := range nodes {
		place[degree(v)]++
	}
	for d := most; d >= 0; d-- {
		place[d] += place[d+1]
	}
	sorted := make([]int32, len(nodes))
	for _, v := range nodes {
		next := &place[degree(v)+1]
		sorted[*next] = v
		*next++
	}
	return sorted
}

func (g *graph) copyEdges() {
	in := g.topology.In
	g.at = make([]int32, len(g.order)+1)
	g.edges = make([][2]int32, 0, len(in.Node)+prefetched)
	for row, v := range g.order {
		for e := in.At[v]; e < in.At[v+1]; e++ {
			g.edges = append(g.edges, [2]int32{in.Node[e], in.Relation[e]})
		}
		g.at[row+1] = int32(len(g.edges))
	}
	g.edges = padded(g.edges)
}

// prefetched is how far the inner loops read ahead of the edges they are given, to ask
// for the rows that come next; gen calls it ahead.
const prefetched = 32

// padded makes edges readable, as zeros, beyond their end.
func padded(edges [][2]int32) [][2]int32 {
	return append(edges, make([][2]int32, prefetched)...)[:len(edges)]
}

// A task is worth about taskWork edges at least, and there are about taskCount at most:
// enough to share among many cores, few enough for their partial sums.
const (
	taskWork  = 4096
	taskCount = 64
	rowWork   = 12 // a row costs as much as so many edges: Linear and norm
)

// cutTasks cuts rows into runs of about equal work.
func (g *graph) cutTasks() {
	total := len(g.edges) + rowWork*len(g.order)
	share := max(taskWork, total/taskCount)
	from, work := 0, 0
	for row := range g.order {
		work += g.degree(row) + rowWork
		if work >= share || row+1 == len(g.order) {
			g.tasks = append(g.tasks, rows{from, row + 1})
			from, work = row+1, 0
		}
	}
}

// headBlock is the edges whose heads lie in one range of nodes, in order of rows. A block
// owns the gradients of its heads: blocks scatter at the same time without atomics.
type headBlock struct {
	edges  [][2]int32
	counts []int32 // (V) edges of each row
}

// headBlocks cuts the edges into n blocks of about equal size by their heads. It is built
// once per graph and number.
func (g *graph) headBlocks(n int) []headBlock {
	g.mu.Lock()
	defer g.mu.Unlock()
	if blocks, there := g.heads[n]; there {
		return blocks
	}
	blockOf := g.headRanges(n)
	blocks := make([]headBlock, n)
	for i := range blocks {
		blocks[i] = headBlock{make([][2]int32, 0, len(g.edges)/n+len(g.edges)/(4*n)+prefetched), make([]int32, len(g.order))}
	}
	for row := range g.order {
		for _, e := range g.edges[g.at[row]:g.at[row+1]] {
			b := &blocks[blockOf[e[0]]]
			b.edges = append(b.edges, e)
			b.counts[row]++
		}
	}
	for i := range blocks {
		blocks[i].edges = padded(blocks[i].edges)
	}
	g.heads[n] = blocks
	return blocks
}

// headRanges gives every node its block: ranges of nodes that send equally much.
func (g *graph) headRanges(n int) []uint8 {
	out := g.topology.Out.At
	blockOf := make([]uint8, g.Nodes())
	for b := 1; b < n; b++ {
		from := sort.Search(g.Nodes(), func(v int) bool { return int(out[v]) >= b*len(g.edges)/n })
		for v := from; v < len(blockOf); v++ {
			blockOf[v] = uint8(b)
		}
	}
	return blockOf
}
