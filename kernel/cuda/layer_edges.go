package cuda

import "github.com/lacuna-kg/lacuna/kernel"

// edgesBackward takes the gradient along the edges, for messages whose columns are independent.
func (r *layerRun) edgesBackward(din kernel.LayerGradient, coefficients, stats address) {
	if r.isSummed() {
		r.summedBackward(din, coefficients)
		return
	}
	if r.isVector() {
		r.vectorBackward(din, coefficients, stats)
		return
	}
	d, g, places := r.l.Width, r.g, r.g.shape.places
	runs := r.floats(r.samples * g.shape.reached.count * d)
	ties := r.bytes(8 * r.samples * places * blocks(d, 32))
	r.moved = r.edgeBytes(1) + r.edgeBytes(1)/16 + 4*int64(r.samples*g.shape.reached.count*d)
	r.launch(r.edgeKernel("inward"), r.overSegments(g.in), 0, runs, ties, coefficients, stats, r.call(), g.in.record(), int32(g.shape.reached.count), int32(places))
	r.addRuns(din, runs, g.shape.reached, g.alive)
	parts := r.floats(r.samples * g.out.parts * d)
	to := r.states(din.Hidden)
	r.moved = r.edgeBytes(1)
	r.launch(r.edgeKernel("outward"), r.overSegments(g.out), 0, to, parts, ties, coefficients, r.call(), g.out.record(), int32(places))
	r.joinSent(to, parts)
}

// joinSent adds up what the segments of one node sent.
func (r *layerRun) joinSent(to, parts address) {
	r.moved = 4 * int64(r.samples*r.g.out.parts*r.l.Width)
	r.launch("outward_joined", r.warps(r.g.out.splits), 0, to, parts, r.g.out.record(), int32(r.g.nodes), int32(r.l.Width))
}

// vectorBackward is edgesBackward for four columns at a time (message_vector.cu). What the edges bring back to the node that
// sent them gives the gradient of relations too, so that the edges as they arrive only leave ties.
func (r *layerRun) vectorBackward(din kernel.LayerGradient, coefficients, stats address) {
	d, g, sent, places := r.l.Width, r.g, r.g.shape.sent, r.g.shape.places
	runs, parts := r.floats(r.samples*sent.count*d), r.floats(r.samples*g.out.parts*d)
	to, alive := r.states(din.Hidden), g.sentAlive
	ties := r.ties(stats)
	if r.marks != 0 {
		alive = r.cleared(r.samples * sent.count)
		r.launch("outward32_pna_first", r.overTurns(g.out), 0, to, parts, runs, alive, ties, coefficients, r.call(), g.out.record(), int32(sent.count), int32(places))
	} else {
		r.moved = r.edgeBytes(r.gathered()) + 4*int64(r.samples*sent.count*d)
		r.launch(r.edgeKernel("outward"), r.overSegments(g.out), 0, to, parts, runs, ties, coefficients, r.call(), g.out.record(), int32(sent.count), int32(places))
	}
	r.joinSent(to, parts)
	r.addRuns(din, runs, sent, alive)
}

// ties has for every edge a bit for each column in which its message is its tail's largest or smallest; only PNA asks.
func (r *layerRun) ties(stats address) address {
	g, tiles := r.g, blocks(r.l.Width, 32)
	if r.l.Aggregate != kernel.PNA {
		return 0
	}
	ties, aligned := r.bytes(8*r.samples*g.shape.places*tiles), r.aligned(stats, r.rows()*4*r.l.Width)
	if r.marks != 0 {
		r.launch("inward32_pna_first", r.overTurns(g.in), 0, ties, aligned, r.call(), g.in.record(), int32(g.shape.places), r.marks)
		return ties
	}
	r.moved = r.edgeBytes(1) + int64(8*r.samples*g.edges*tiles)
	r.launch(r.edgeKernel("inward"), r.overSegments(g.in), 0, ties, aligned, r.call(), g.in.record(), int32(g.shape.places))
	return ties
}

// gathered is how many numbers per edge and column outward reads at the tail, ties apart.
func (r *layerRun) gathered() int {
	if r.l.Aggregate == kernel.PNA {
		return 2
	}
	return 1
}

// addRuns adds the runs of every relation up: chunks first, then the chunks of all samples of a table.
func (r *layerRun) addRuns(din kernel.LayerGradient, values address, of runs, alive address) {
	d, apart := r.l.Width, 0
	if r.marks != 0 {
		apart = of.count // every sample has its own
	} else {
		r.moved = 4 * int64(r.samples*of.count*d)
	}
	chunked := r.floats(r.samples * of.chunkCount * d)
	r.launch("sum_runs", r.warps(of.chunkCount), 0, chunked, values, of.chunks, alive, int64(apart), int32(of.chunkCount), int32(of.count), int32(d))
	r.addRelations(din, chunked, of.firstChunk, of.chunkCount, d)
}

// addRelations adds (samples, chunks, width) to the tables of the samples.
func (r *layerRun) addRelations(din kernel.LayerGradient, chunked, firstChunk address, chunks, width int) {
	table := r.g.relations * width
	tables := din.Relations.Len() / table
	if tables == 1 && r.samples > 1 && table <= oneTable {
		r.addToOne(at(din.Relations), chunked, firstChunk, chunks, width)
		return
	}
	first, samples := samplesOf(r.in.RelationOf[r.first:r.first+r.samples], tables)
	at0, list := send(r.frame, first), send(r.frame, samples)
	for from := 0; from < tables; from += maxRows {
		r.launch("add_relations", over(table).by(min(maxRows, tables-from)), 0, at(din.Relations).row(from, table), chunked, at0.plus(4*from), list, firstChunk,
			int32(chunks), int32(r.g.relations), int32(width))
	}
}

// oneTable is the most numbers of a table that is added up by addToOne.
const oneTable = 1 << 12

// addToOne adds the chunks of each sample up apart, then the samples: one table of few relations
// would keep too few threads busy.
func (r *layerRun) addToOne(to, chunked, firstChunk address, chunks, width int) {
	table := r.g.relations * width
	apart, list := r.floats(r.samples*table), make([]int32, r.samples+1)
	for b := range list {
		list[b] = int32(b)
	}
	r.fill(apart, 0, r.samples*table)
	samples := send(r.frame, list)
	r.launch("add_relations", over(table).by(r.samples), 0, apart, chunked, samples, samples, firstChunk, int32(chunks), int32(r.g.relations), int32(width))
	r.sumRows(to, apart, 0, 1, r.samples, table)
}

// samplesOf lists the samples of each table: those of table u are samples[first[u]:first[u+1]], ascending.
func samplesOf(relationOf []int32, tables int) (first, samples []int32) {
	first = make([]int32, tables+1)
	for _, u := range relationOf {
		first[u+1]++
	}
	for u := range tables {
		first[u+1] += first[u]
	}
	next := append([]int32(nil), first...)
	samples = make([]int32, len(relationOf))
	for b, u := range relationOf {
		samples[next[u]] = int32(b)
		next[u]++
	}
	return first, samples
}

// edgesBackwardAny is the same for every kind of message and aggregation.
func (r *layerRun) edgesBackwardAny(din kernel.LayerGradient, coefficients, stats address) {
	s := r.g.shape
	r.needEdges(r.g)
	rest := r.rest(coefficients, stats)
	width := r.l.RelationWidth()
	chunked := r.floats(r.samples * s.edgeChunkCount * width)
	name, g := "relations_backward_any", r.warps(s.edgeChunkCount)
	if r.l.Aggregate == kernel.Bases {
		name, g.z = "bases_backward", r.l.Bases
	}
	r.launch(name, g, 0, chunked, s.edgeChunks, s.edgesOf, r.g.dropped, r.call(), rest, int32(s.edgeChunkCount))
	r.addRelations(din, chunked, s.firstEdgeChunk, s.edgeChunkCount, width)
	r.moved = r.edgeBytes(1)
	r.launch("hidden_backward_any", r.warps(r.g.nodes), 0, r.states(din.Hidden), r.call(), r.g.out.record(), rest)
}

// Boundary sets out (B,V,D) to set times query.
func (d *device) Boundary(out, set, query kernel.Buffer) {
	width := boundaryWidth(out.Len(), set.Len(), query.Len())
	f := d.frame()
	if f == nil {
		return
	}
	defer f.close()
	samples := query.Len() / width
	nodes := set.Len() / samples
	for from := 0; from < samples; from += maxRows {
		n := min(maxRows, samples-from)
		f.moved = 4 * int64(n*nodes*(width+1))
		f.launch("boundary", grid{x: blocks(nodes, 64), threads: 256}.by(n), 0, at(out).row(from, nodes*width), at(set).row(from, nodes), at(query).row(from, width), int32(nodes), int32(width))
	}
}

func (d *device) BoundaryBackward(dquery, dout, set kernel.Buffer) {
	width := boundaryWidth(dout.Len(), set.Len(), dquery.Len())
	f := d.frame()
	if f == nil {
		return
	}
	defer f.close()
	samples := dquery.Len() / width
	f.sumRows(at(dquery), at(dout), at(set), samples, set.Len()/samples, width)
}

// boundaryWidth derives D from the sizes of (B,V,D), (B,V) and (B,D).
func boundaryWidth(hidden, set, query int) int {
	want(set > 0 && hidden%set == 0, "boundary", hidden, set)
	d := hidden / set
	want(query%d == 0 && query > 0 && set%(query/d) == 0, "boundary", hidden, query)
	return d
}
