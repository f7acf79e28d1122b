// Command gen writes the assembly of package cpu. It is a module of its own, so that
// avo, which only this program needs, stays out of Lacuna's. Run it by
//
//	go generate ./kernel/cpu
//
// Every kernel exists once here and is emitted per instruction set and per block of
// columns. All instructions are VEX or EVEX encoded: one legacy SSE instruction among
// them costs a transition each time, four to six times the run time in all.
package main

import (
	. "github.com/mmcloughlin/avo/build"
)

func main() {
	ConstraintExpr("amd64,!purego")
	for _, set := range []vectors{avx512, avx2} {
		for _, vecs := range []int{2, 1} {
			accumulateKernels(set, vecs)
			scatterKernels(set, vecs)
			gemm(set, vecs)
			meetKernels(set, vecs)
		}
		touch(set)
		startKernels(set)
		finishKernels(set)
		normForward(set)
		normBackward(set)
		coefficientKernels(set)
		denseKernels(set)
		headKernels(set)
		setKernels(set)
	}
	Generate()
}
