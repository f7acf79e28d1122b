package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// meetKernels: entities add up the rows of a table that their relations name, and add
// what they pass on to the same rows of another. Columns do not see each other.
func meetKernels(set vectors, vecs int) {
	meetForward(set, vecs)
	meetBackward(set, vecs)
}

// meetForward: for each entity s = Σ table[r], then total[r] += x ⊙ s. xRow 0 is one state for all.
func meetForward(set vectors, vecs int) {
	function(set, fmt.Sprintf("meetForward%d", vecs*set.lanes),
		"(total, table, x []float32, counts, relations []int32, xRow, width int)",
		"adds what entities pass on of what they heard to the rows of their relations.")
	total, table, x := base("total"), base("table"), base("x")
	counts, entities, relations := base("counts"), length("counts"), base("relations")
	xRow, width := stride("xRow"), stride("width")
	b := block{set: set, vecs: vecs}
	loop("entity", entities, 1, func() {
		count := b.nextCount(counts)
		heard := b.sumRows("hear", relations, count, width, table)[0]
		for j, v := range heard {
			VMULPS(b.column(x, j), v, v)
		}
		b.addRows("pass", total, relations, count, width, heard)
		ADDQ(xRow, x)
	})
	finish()
}

// meetBackward: with t = Σ told[r] the gradient of what an entity passed on, dx += s ⊙ t and dtable[r] += x ⊙ t.
func meetBackward(set vectors, vecs int) {
	function(set, fmt.Sprintf("meetBackward%d", vecs*set.lanes),
		"(dtable, dx, told, table, x []float32, counts, relations []int32, width int)",
		"takes the gradient of what entities passed on to their states and to the rows of their relations.")
	dtable, dx, told, table, x := base("dtable"), base("dx"), base("told"), base("table"), base("x")
	counts, entities, relations, width := base("counts"), length("counts"), base("relations"), stride("width")
	b := block{set: set, vecs: vecs}
	loop("entity", entities, 1, func() {
		count := b.nextCount(counts)
		sums := b.sumRows("hear", relations, count, width, told, table)
		for j, t := range sums[0] {
			d := set.reg()
			VMOVUPS(b.column(dx, j), d)
			VMULPS(sums[1][j], t, sums[1][j])
			VADDPS(sums[1][j], d, d)
			VMOVUPS(d, b.column(dx, j))
			VMULPS(b.column(x, j), t, t)
		}
		b.addRows("pass", dtable, relations, count, width, sums[0])
		ADDQ(width, x)
		ADDQ(width, dx)
	})
	finish()
}

// nextCount loads how many relations the next entity has.
func (b block) nextCount(counts Register) Register {
	count := GP64()
	MOVLQSX(Mem{Base: counts}, count)
	ADDQ(Imm(4), counts)
	return count
}

// relationOffset loads the next relation and gives its row in bytes.
func relationOffset(list, width Register) Register {
	r := GP64()
	MOVLQSX(Mem{Base: list}, r)
	IMULQ(width, r)
	ADDQ(Imm(4), list)
	return r
}

// sumRows adds up the listed rows of every table; the list stays where it is.
func (b block) sumRows(name string, list, count, width Register, tables ...Register) [][]VecVirtual {
	sums := make([][]VecVirtual, len(tables))
	for k := range sums {
		sums[k] = b.set.regs(b.vecs)
		for _, v := range sums[k] {
			b.set.zero(v)
		}
	}
	at, left := copyOf(list), copyOf(count)
	loop(name, left, 1, func() {
		row := relationOffset(at, width)
		for k, table := range tables {
			for j, v := range sums[k] {
				VADDPS(Mem{Base: table, Index: row, Scale: 1, Disp: j * b.set.bytes()}, v, v)
			}
		}
	})
	return sums
}

// addRows adds a row to all listed rows of a table; the list moves on behind them.
func (b block) addRows(name string, table, list, count, width Register, row []VecVirtual) {
	loop(name, count, 1, func() {
		offset := relationOffset(list, width)
		for j, v := range row {
			t, place := b.set.reg(), Mem{Base: table, Index: offset, Scale: 1, Disp: j * b.set.bytes()}
			VADDPS(place, v, t)
			VMOVUPS(t, place)
		}
	})
}
