package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// setKernels: rank counting and the optimiser.
func setKernels(set vectors) {
	count(set)
	adam(set)
}

// count compares every score with one, whole vectors only.
func count(set vectors) {
	function(set, "count", "(scores []float32, score float32) (above, equal int)",
		"counts the scores that are not at most score, and those equal to it.")
	scores, score := base("scores"), set.broadcast("score")
	above, equal := GP64(), GP64()
	XORQ(above, above)
	XORQ(equal, equal)
	elements(set, "scores", func(c Register) {
		x := set.reg()
		VMOVUPS(row(scores, c), x)
		countWhere(set, above, notLess, x, score)
		countWhere(set, equal, equality, x, score)
	})
	Store(above, ReturnIndex(0))
	Store(equal, ReturnIndex(1))
	finish()
}

func countWhere(set vectors, total Register, predicate uint8, x, score VecVirtual) {
	bits := GP64()
	if set.lanes == 16 {
		mask := K()
		VCMPPS(Imm(uint64(predicate)), score, x, mask)
		KMOVW(mask, bits.As32())
	} else {
		mask := set.reg()
		VCMPPS(Imm(uint64(predicate)), score, x, mask)
		VMOVMSKPS(mask, bits.As32())
	}
	POPCNTL(bits.As32(), bits.As32())
	ADDQ(bits, total)
}

// adam is rounded as the plain definition is, so that a device changes no step.
func adam(set vectors) {
	function(set, "adam", "(param, grad, first, second []float32, b1, b2, c1, c2, rate, root, epsilon float32)",
		"is one step of Adam.")
	param, grad, first, second := base("param"), base("grad"), base("first"), base("second")
	b1, b2, c1, c2 := set.broadcast("b1"), set.broadcast("b2"), set.broadcast("c1"), set.broadcast("c2")
	rate, root, epsilon := set.broadcast("rate"), set.broadcast("root"), set.broadcast("epsilon")
	elements(set, "param", func(c Register) {
		g, m, v, t := set.reg(), set.reg(), set.reg(), set.reg()
		VMOVUPS(row(grad, c), g)
		VMULPS(row(first, c), b1, m)
		VMULPS(g, c1, t)
		VADDPS(t, m, m)
		VMOVUPS(m, row(first, c))
		VMULPS(row(second, c), b2, v)
		VMULPS(c2, g, t)
		VMULPS(g, t, t)
		VADDPS(t, v, v)
		VMOVUPS(v, row(second, c))
		VSQRTPS(v, v)
		VMULPS(root, v, v)
		VADDPS(epsilon, v, v)
		VMULPS(rate, m, m)
		VDIVPS(v, m, m)
		VMOVUPS(row(param, c), t)
		VSUBPS(m, t, t)
		VMOVUPS(t, row(param, c))
	})
	finish()
}
