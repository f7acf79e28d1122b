// Package kernel is the contract between Lacuna and hardware: the Device seam, and the
// descriptions that pass through it (a layer, its input, a graph's topology, steps of logic).
//
// Its place in the flow: exec holds the fuzzy sets of a batch and package gnn the
// layers of a projection; both speak only to a Device. What each operation means is
// in kernel/plain, once, in plain Go; kernel/cpu (SIMD) and kernel/cuda must agree with it,
// and kernel/conformance checks that they do. DEVICE.md gives layouts and laws.
//
// Dimension letters: B samples, V entities, E edges (inverses counted), R relations
// (inverses counted), U distinct relation tables of a batch, D width, T layers.
// Every array is row-major with the last letter fastest.
package kernel

// Buffer is memory on a device, float32 as the caller sees it. A slice of a buffer
// shares its memory, as Go's slices do.
type Buffer interface {
	Len() int
	Slice(from, to int) Buffer
}

// DeviceGraph is a Graph as its device holds it.
type DeviceGraph interface {
	Nodes() int
	Relations() int
	Edges() int
}

// Device runs the operations. The laws, for all of them:
//   - Calls take effect in the order they are made, but may run later: only Download,
//     Ranks, Cardinality, Observe, Above and Sync wait. Slices passed in may be reused at once.
//   - Outputs come first. Forward overwrites its outputs; Backward adds to its own.
//     Nil is allowed only where an operation says so.
//   - Outputs overlap nothing else in the call, unless an operation says so.
//   - The result is the same bits on every run and for any number of threads.
//   - A wrong shape panics: it is the programmer's error. What fails at run time (memory,
//     a driver) turns later calls into no-ops and is returned by Sync.
//   - One goroutine uses a device at a time.
type Device interface {
	Hardware
	Buffers
	Graphs
	Projection
	Sets
	Training

	// Sync waits for all work and returns the first failure since the device was opened.
	Sync() error
	// Close gives back what the device holds of the machine; its buffers and graphs are gone with it.
	Close() error
}

// Hardware is what a device says of itself, for those who choose sizes and tell the user.
type Hardware interface {
	// Name is the device in a word: "plain", "avx512", "cuda".
	Name() string
	// Describe is the device in a line, for people.
	Describe() string
	// Memory is what the device has of its own, in bytes; 0 where it computes in the host's.
	Memory() int64
	// FallsBack tells whether a kind of layer runs on kernels that serve every kind, right but several
	// times slower, for want of some made for it.
	FallsBack(l Layer) bool
}

// Buffers moves numbers. NewBuffer gives zeros; rows of Gather and Scatter have the given width.
type Buffers interface {
	NewBuffer(n int) Buffer
	Free(b Buffer)
	Upload(dst Buffer, src []float32)
	Download(dst []float32, src Buffer)
	Fill(dst Buffer, value float32)
	Copy(dst, src Buffer)
	// Gather sets out[i] = table[rows[i]].
	Gather(out, table Buffer, rows []int32, width int)
	// Scatter sets table[rows[i]] = in[i]; rows are distinct.
	Scatter(table, in Buffer, rows []int32, width int)
	// ScatterAdd adds in[i] to table[rows[i]], in order of i; rows may repeat.
	ScatterAdd(table, in Buffer, rows []int32, width int)
}

// Graphs holds the graph on the device.
type Graphs interface {
	NewGraph(g *Graph) DeviceGraph
	// Prepare does, on the host, what of NewGraph needs no device, and leaves it in g.Ahead. Any goroutine may call it, while others use the device;
	// without it NewGraph does all.
	Prepare(g *Graph)
	// Thin is g without the edges whose ids (positions in Graph.In, ascending) are
	// dropped; degrees are those of the thinned graph. g stays as it is.
	Thin(g DeviceGraph, dropped []int32) DeviceGraph
	FreeGraph(g DeviceGraph)

	NewIncidence(i *Incidence) DeviceIncidence
	// PrepareIncidence is to NewIncidence what Prepare is to NewGraph.
	PrepareIncidence(i *Incidence)
	FreeIncidence(i DeviceIncidence)
}

// Projection is the learned relation projection, METHOD "Relation projection".
type Projection interface {
	// Boundary sets out (B,V,D) to set (B,V) times query (B,D).
	Boundary(out, set, query Buffer)
	// BoundaryBackward adds to dquery; the set is detached and has no gradient.
	BoundaryBackward(dquery, dout, set Buffer)

	// LayerForward is one layer: messages, aggregation, Linear, LayerNorm, ReLU, short cut.
	// out is (B,V,D).
	LayerForward(l Layer, g DeviceGraph, out Buffer, kept Kept, in LayerInput, w LayerWeights)
	// LayerBackward takes what LayerForward got and kept; a nil buffer in kept is recomputed.
	// Set, Query and their gradients may be nil for Directed and Bases, Loop for all but Directed.
	LayerBackward(l Layer, g DeviceGraph, din LayerGradient, dw LayerWeights, dout Buffer, kept Kept, in LayerInput, w LayerWeights)

	// LinearForward sets out (N,O) = act(x (N,I) · weightᵀ (O,I) + bias (O)).
	LinearForward(out, x, weight, bias Buffer, act Activation)
	// LinearBackward: dx may be nil; out is what forward gave.
	LinearBackward(dx, dweight, dbias, dout, out, x, weight Buffer, act Activation)

	// MeetForward sets out (B,R,3D) to what every relation r is and hears: its state, then the sums over its heads
	// and over its tails of what entities pass on. With H(v) the relations that v is a head of, n_r the heads of
	// r, w_r = 1/√n_r and (a, b) the messages,
	//
	//	s_v = Σ_{r ∈ H(v)} w_r · (a_r + b_{r⁻¹})    p_v = x_v ⊙ s_v    heads_r = w_r · Σ_{v: r ∈ H(v)} p_v    tails_r = heads_{r⁻¹}
	//
	// With x = 1 two relations hear each other by the cosine of the sets of entities that they share.
	MeetForward(i DeviceIncidence, out Buffer, in MeetInput)
	MeetBackward(i DeviceIncidence, din MeetInput, dout Buffer, in MeetInput)

	// NormForward sets out (N,D) = ReLU(LayerNorm(x)) + before; scale and shift are (D).
	NormForward(out, x, before, scale, shift Buffer)
	NormBackward(dx, dbefore, dscale, dshift, dout, x, scale, shift Buffer)

	// HeadForward sets prob (B,V) = sigmoid(MLP([hidden…, query])).
	HeadForward(prob Buffer, in HeadInput, w HeadWeights)
	HeadBackward(din HeadInput, dw HeadWeights, dprob, prob Buffer, in HeadInput, w HeadWeights)
}

// Sets works on pools of fuzzy sets, (S,V): slot i is row i.
type Sets interface {
	// Singletons sets slot slots[i] to the set {entities[i]}.
	Singletons(sets Buffer, nodes int, slots, entities []int32)
	// Logic runs the steps in order; a step's Out differs from its X and Y. A Not has the
	// same Complement in every logic.
	Logic(l Logic, sets Buffer, nodes int, steps []LogicStep)
	// LogicBackward runs them in reverse; every X and Y must still hold its set.
	LogicBackward(l Logic, dsets, sets Buffer, nodes int, steps []LogicStep)
	// Threshold sets every probability that does not exceed least to 0, in place.
	Threshold(sets Buffer, least float32)
	// Odds multiplies the odds of every probability by a factor, in place; see plain.ScaleOdds.
	Odds(sets Buffer, factor float32)
	// Blend puts probabilities prob (B,V) together with logits z (B,V) of another origin, in place: row b becomes
	// sigmoid(own[b]·logit(prob) + other[b]·(z − max z)). A row's level is left to its reader; this one stays within float32.
	Blend(prob, z Buffer, own, other []float32)
	// Traverse is the exact projection: out_v = max of in_u over the edges (u, relations[b], v), 0 without any.
	Traverse(g DeviceGraph, out, in Buffer, relations []int32)
	// Ranks gives, for each hard answer of each row of prob (B,V), how it compares with the
	// entities that are no answers at all. hard is a sublist of answers, row by row.
	Ranks(prob Buffer, hard, answers Lists) []Rank
	// Cardinality gives, for each of the len(out) rows, the sum of the probabilities above least.
	Cardinality(out []float64, sets Buffer, least float32)
	// Observe turns every probability p of sets (B,V) into its odds (p+ε)/(1−p+ε), ε = OddsEpsilon, in place, those of the
	// listed entities into 0, and says what each row comes to.
	Observe(sets Buffer, listed Lists) []Evidence
	// Above lists the entities of each row of sets (B,V) whose values exceed the row's bound, ascending, and their
	// values in the same order: of a row that stays on the device, the little that a reader wants.
	Above(sets Buffer, bounds []float32) (Lists, []float32)
}

// Training is the loss and the optimiser.
type Training interface {
	// Loss sets losses (B), unweighted, and dprob (B,V) to the gradient of Σ weights[b]·losses[b];
	// dprob may be nil. METHOD "Training" defines it, but for the answers that are known: they
	// share the answers' weight unequally with the others. No answer is ever a negative.
	Loss(losses, dprob, prob Buffer, answers Lists, known Known, objective Objective, weights []float32)
	// CrossEntropy sets losses (B), unweighted, to n·log Σ exp z − Σ z of the targets, for each row of logits z (B,V) with n
	// targets, and the row to the gradient of weights[b]·losses[b]: n·softmax(z), less 1 for each target. Each row has a target.
	CrossEntropy(losses, z Buffer, targets Lists, weights []float32)
	// Adagrad updates param and the sum of squares of all its gradients in place.
	Adagrad(param, grad, squares Buffer, rate float32)
	// Adam updates param and both moments in place.
	Adam(param, grad, first, second Buffer, step AdamStep)
}
