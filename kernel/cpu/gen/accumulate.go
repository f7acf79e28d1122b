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

// edgeOffsets loads the next edge and gives its head's and its relation's row in bytes.
func edgeOffsets(edges, width Register) (head, relation Register) {
	head, relation = GP64(), GP64()
	MOVLQSX(Mem{Base: edges}, head)
	MOVLQSX(Mem{Base: edges, Disp: 4}, relation)
	IMULQ(width, head)
	IMULQ(width, relation)
	ADDQ(Imm(8), edges)
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
		left := copyOf(degree)
		loop("edge", left, 1, func() {
			b.prefetch(edges, width, hidden)
			head, relation := edgeOffsets(edges, width)
			ADDQ(relations, relation)
			from := Mem{Base: hidden, Index: head, Scale: 1}
			if message == "RotatE" { // whose second column needs the index
				ADDQ(hidden, head)
				from = Mem{Base: head}
			}
			b.take(aggregate, stats, b.message(message, from, relation))
		})
		b.close(acc, width, stats)
		ADDQ(accRow, acc)
	})
	finish()
}

// ahead is how many edges before its use a head's row is asked for. The array of edges
// goes on for so many after its end.
const ahead = 32

// prefetch asks for the row of a head that comes soon, in one table or several: the
// processor itself looks ahead only to the end of a node's edges, and no further when it
// expected another end.
func (b block) prefetch(edges, width Register, tables ...Register) {
	for _, table := range tables {
		head := GP64()
		MOVLQSX(Mem{Base: edges, Disp: 8 * ahead}, head)
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

// take adds a message to the statistics. Σm² is not fused: the statistics then agree
// with the plain definition to the bit, and what follows cancels (mean of squares less
// square of mean) without telling the two apart.
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
			VMULPS(m[j], m[j], m[j])
			VADDPS(m[j], stats[3][j], stats[3][j])
		}
	}
}
