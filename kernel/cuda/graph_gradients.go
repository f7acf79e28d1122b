package cuda

import "github.com/lacuna-kg/lacuna/kernel"

// chunkRuns and chunkEdges are how many runs, or edges, of a relation one warp adds up.
const chunkRuns, chunkEdges = 64, 256

// needGradients makes what only gradients and thinning need: of every edge its place and run, the runs by relation, and groups. A thinned
// graph has it from the one it was made of.
func (f *frame) needGradients(g *graph) {
	s := g.shape
	if s.hasGradients {
		return
	}
	topology := g.topology()
	want(len(topology.OutID) == g.edges, "places of edges", len(topology.OutID), g.edges)
	in, out := s.cutIn, s.cutOut
	if in == nil {
		in, out = cut(topology.In), cut(topology.Out)
	}
	for i, id := range topology.OutID {
		out.edges[i][2] = id
	}
	s.reached, s.sent = f.runs(s, in.numberRuns(g.relations, 2)), f.runs(s, out.numberRuns(g.relations, 3))
	uploadList(f, g.in.edges, in.edges)
	uploadList(f, g.out.edges, out.edges)
	f.groups(g, out)
	s.hasGradients, s.cutIn, s.cutOut = true, nil, nil
}

func (f *frame) runs(s *shape, first []int32) runs {
	chunks, firstChunk := chunk(first, chunkRuns)
	return runs{int(first[len(first)-1]), keep(f, &s.owned, chunks), keep(f, &s.owned, firstChunk), len(chunks)}
}

// needEdges makes the lists of edges by relation, for traversal and for gradients of unusual layers.
func (f *frame) needEdges(g *graph) {
	s := g.shape
	if s.hasEdges {
		return
	}
	s.hasEdges = true
	edges, firstEdge := byRelation(g.whole())
	s.edgesOf, s.firstEdge = keep(f, &s.owned, edges), keep(f, &s.owned, firstEdge)
	for r := range g.relations {
		s.mostEdges = max(s.mostEdges, int(firstEdge[r+1]-firstEdge[r]))
	}
	chunks, first := chunk(firstEdge, chunkEdges)
	s.edgeChunks, s.firstEdgeChunk, s.edgeChunkCount = keep(f, &s.owned, chunks), keep(f, &s.owned, first), len(chunks)
}

// whole is the topology whose shape a graph has: its own, or of a thinned one that of the graph it was made of.
func (g *graph) whole() *kernel.Graph {
	if g.base != nil {
		return g.base.whole()
	}
	return g.topology()
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
		for at := int64(first[r]); at < int64(first[r+1]); at += int64(size) {
			chunks = append(chunks, quad{int32(r), int32(at), int32(min(at+int64(size), int64(first[r+1]))), 0})
		}
		firstChunk = append(firstChunk, int32(len(chunks)))
	}
	return chunks, firstChunk
}
