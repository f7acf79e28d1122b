package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The messages and the aggregations, as they appear in function names.
var (
	messages   = []string{"DistMult", "TransE", "RotatE"}
	aggregates = []string{"Sum", "Max", "PNA"}
)

// statistics is the number of running values per column: PNA has sum, max, min and Σm².
func statistics(aggregate string) int {
	if aggregate == "PNA" {
		return 4
	}
	return 1
}

// block is a set of columns that a kernel holds in registers: one vector or two. In
// RotatE the second is the imaginary half of the first.
type block struct {
	set  vectors
	vecs int
	half Register // RotatE: the distance of the halves in bytes
}

// column is vector j of the row at an address.
func (b block) column(row Register, j int) Mem {
	if j == 1 && b.half != nil {
		return Mem{Base: row, Index: b.half, Scale: 1}
	}
	return Mem{Base: row, Disp: j * b.set.bytes()}
}

// edgeOffsets loads an edge and gives its head's and its relation's row in bytes.
func edgeOffsets(edge Mem, width Register) (head, relation Register) {
	head, relation = GP64(), GP64()
	MOVLQSX(edge, head)
	MOVLQSX(edge.Offset(4), relation)
	IMULQ(width, head)
	IMULQ(width, relation)
	return head, relation
}

// message computes the messages of a block. RotatE is rounded as the plain definition
// rounds it: a product is never fused into the sum around it, because backward finds
// the messages that reached a maximum by their bits.
func (b block) message(kind string, head Mem, relation Register) []VecVirtual {
	m := b.set.regs(b.vecs)
	if kind == "RotatE" {
		b.rotate(m, head.Base, relation)
		return m
	}
	for j := range m {
		VMOVUPS(head.Offset(j*b.set.bytes()), m[j])
		switch kind {
		case "DistMult":
			VMULPS(b.column(relation, j), m[j], m[j])
		case "TransE":
			VADDPS(b.column(relation, j), m[j], m[j])
		}
	}
	return m
}

func (b block) rotate(m []VecVirtual, head, relation Register) {
	hr, hi, t := b.set.reg(), b.set.reg(), b.set.reg()
	VMOVUPS(b.column(head, 0), hr)
	VMOVUPS(b.column(head, 1), hi)
	VMULPS(b.column(relation, 0), hr, m[0])
	VMULPS(b.column(relation, 1), hi, t)
	VSUBPS(t, m[0], m[0])
	VMULPS(b.column(relation, 1), hr, m[1])
	VMULPS(b.column(relation, 0), hi, t)
	VADDPS(t, m[1], m[1])
}

// accumulateKernels: the messages of rows that have equally many edges each are added to
// their running statistics.
//
// RotatE needs both halves, so its one-vector version does not exist: the two-vector
// one has half as many columns in each half.
func accumulateKernels(set vectors, vecs int) {
	for _, message := range messages {
		for _, aggregate := range aggregates {
			if message == "RotatE" && vecs == 1 {
				continue
			}
			accumulate(set, vecs, message, aggregate)
		}
		if message != "RotatE" || vecs == 2 {
			featuresPNA(set, vecs, message)
		}
	}
}

func accumulate(set vectors, vecs int, message, aggregate string) {
	function(set, fmt.Sprintf("accumulate%s%s%d", aggregate, message, vecs*set.lanes),
		"(acc, hidden, relations []float32, edges [][2]int32, rows, degree, accRow, width int)",
		"adds the messages of rows of equal degree to their statistics.")
	acc, hidden, relations, edges := base("acc"), base("hidden"), base("relations"), base("edges")
	rows, degree, accRow, width := number("rows"), number("degree"), stride("accRow"), stride("width")
	b := block{set: set, vecs: vecs}
	if message == "RotatE" {
		b.half = copyOf(width)
		SHRQ(Imm(1), b.half)
	}
	loop("row", rows, 1, func() {
		stats := b.open(acc, width, statistics(aggregate))
		b.takeEdges(message, aggregate, stats, edges, hidden, relations, degree, width)
		b.close(acc, width, stats)
		ADDQ(accRow, acc)
	})
	finish()
}

// featuresPNA is startPNA, accumulate and finishPNA in one, so that statistics never leave the registers and the square
// roots of a node run beside the messages of the next.
func featuresPNA(set vectors, vecs int, message string) {
	function(set, fmt.Sprintf("featuresPNA%s%d", message, vecs*set.lanes),
		"(x, hidden, relations, values, query []float32, nodes []int32, edges [][2]int32, degree, width int, share float32)",
		"fills the features of nodes of equal degree: their state and the statistics of their messages.")
	x, hidden, relations, values, query := base("x"), base("hidden"), base("relations"), base("values"), base("query")
	nodes, rows, edges, degree, width := base("nodes"), length("nodes"), base("edges"), number("degree"), stride("width")
	b := block{set: set, vecs: vecs}
	if message == "RotatE" {
		b.half = copyOf(width)
		SHRQ(Imm(1), b.half)
	}
	loop("row", rows, 1, func() {
		stats := b.begin(x, nodeRow(hidden, nodes, width), query, truth(set, values, nodes))
		ADDQ(Imm(4), nodes)
		ADDQ(width, x)
		b.takeEdges(message, "PNA", stats, edges, hidden, relations, degree, width)
		b.settle(stats)
		b.close(x, width, stats)
		LEAQ(Mem{Base: x, Index: width, Scale: 4}, x)
	})
	finish()
}

// begin writes the state of a node and gives the statistics of its boundary alone.
func (b block) begin(x, state, query Register, truth VecVirtual) [][]VecVirtual {
	stats := [][]VecVirtual{b.set.regs(b.vecs), b.set.regs(b.vecs), b.set.regs(b.vecs), b.set.regs(b.vecs)}
	for j, first := range stats[0] {
		h := b.set.reg()
		VMOVUPS(b.column(state, j), h)
		VMOVUPS(h, b.column(x, j))
		VMULPS(b.column(query, j), truth, first)
		VMOVAPS(first, stats[1][j])
		VMOVAPS(first, stats[2][j])
		VMULPS(first, first, stats[3][j])
	}
	return stats
}

// settle turns sum and Σm² into mean and std, rounded as finishPNA does.
func (b block) settle(stats [][]VecVirtual) {
	share, floor := b.set.broadcast("share"), b.set.constant("stdFloor", 1e-6)
	for j, mean := range stats[0] {
		variance, t := stats[3][j], b.set.reg()
		VMULPS(share, mean, mean)
		VMULPS(share, variance, variance)
		VMULPS(mean, mean, t)
		VSUBPS(t, variance, variance)
		VMAXPS(floor, variance, variance)
		VSQRTPS(variance, variance)
	}
}

// takeEdges adds the messages of a node to its statistics; the edges move on behind them.
func (b block) takeEdges(message, aggregate string, stats [][]VecVirtual, edges, hidden, relations, degree, width Register) {
	left := copyOf(degree)
	for _, n := range []int{2, 1} { // two at a time save operations of counting
		loop(fmt.Sprintf("edge%d", n), left, n, func() {
			for k := range n {
				b.takeEdge(message, aggregate, stats, Mem{Base: edges, Disp: 8 * k}, hidden, relations, width)
			}
			ADDQ(Imm(uint64(8*n)), edges)
		})
	}
}

func (b block) takeEdge(message, aggregate string, stats [][]VecVirtual, edge Mem, hidden, relations, width Register) {
	b.prefetch(edge, width, hidden)
	head, relation := edgeOffsets(edge, width)
	ADDQ(relations, relation)
	from := Mem{Base: hidden, Index: head, Scale: 1}
	if message == "RotatE" { // whose second column needs the index
		ADDQ(hidden, head)
		from = Mem{Base: head}
	}
	b.take(aggregate, stats, b.message(message, from, relation))
}

// ahead is how many edges before its use a head's row is asked for. The array of edges
// goes on for so many after its end.
const ahead = 32

// prefetch asks for the row of a head that comes soon, in one table or several: the
// processor itself looks ahead only to the end of a node's edges, and no further when it
// expected another end.
func (b block) prefetch(edge Mem, width Register, tables ...Register) {
	for _, table := range tables {
		head := GP64()
		MOVLQSX(edge.Offset(8*ahead), head)
		IMULQ(width, head)
		if b.half != nil {
			ADDQ(table, head)
			PREFETCHT0(b.column(head, 0))
			PREFETCHT0(b.column(head, 1))
			continue
		}
		row := Mem{Base: table, Index: head, Scale: 1}
		PREFETCHT0(row)
		if b.vecs*b.set.bytes() > 64 { // another cache line
			PREFETCHT0(row.Offset(b.set.bytes()))
		}
	}
}

// open loads the running statistics of a row.
func (b block) open(acc, width Register, n int) [][]VecVirtual {
	stats := make([][]VecVirtual, n)
	row := copyOf(acc)
	for k := range stats {
		stats[k] = b.set.regs(b.vecs)
		for j, v := range stats[k] {
			VMOVUPS(b.column(row, j), v)
		}
		ADDQ(width, row)
	}
	return stats
}

func (b block) close(acc, width Register, stats [][]VecVirtual) {
	row := copyOf(acc)
	for _, stat := range stats {
		for j, v := range stat {
			VMOVUPS(v, b.column(row, j))
		}
		ADDQ(width, row)
	}
}

// take adds a message to the statistics. Σm² is fused, which is a sixth of the operations of an edge less; it then differs
// from the plain definition in its last bits. Extremes do not: backward finds the messages that reached one by their bits.
func (b block) take(aggregate string, stats [][]VecVirtual, m []VecVirtual) {
	for j := range m {
		switch aggregate {
		case "Sum":
			VADDPS(m[j], stats[0][j], stats[0][j])
		case "Max":
			VMAXPS(m[j], stats[0][j], stats[0][j])
		case "PNA":
			VADDPS(m[j], stats[0][j], stats[0][j])
			VMAXPS(m[j], stats[1][j], stats[1][j])
			VMINPS(m[j], stats[2][j], stats[2][j])
			VFMADD231PS(m[j], m[j], stats[3][j])
		}
	}
}
