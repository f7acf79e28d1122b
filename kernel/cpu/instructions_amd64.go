//go:build amd64 && !purego

package cpu

//go:generate go -C gen run . -out ../kernels_amd64.s -stubs ../stubs_amd64.go -pkg cpu

import xcpu "golang.org/x/sys/cpu"

// available lists the instruction sets of this CPU, best first. Plain Go is always there.
func available() []*instructions {
	list := []*instructions{&plainInstructions}
	if xcpu.X86.HasAVX2 && xcpu.X86.HasFMA {
		list = append([]*instructions{&avx2Instructions}, list...)
	}
	if xcpu.X86.HasAVX2 && xcpu.X86.HasFMA && xcpu.X86.HasAVX512F && xcpu.X86.HasPOPCNT {
		list = append([]*instructions{&avx512Instructions}, list...)
	}
	return list
}

// AVX-512 hands what is left of a row to AVX2, and that to plain Go.
var (
	avx512Instructions = instructions{name: "avx512", sets: []*kernels{&avx512Kernels, &avx2Kernels}, blocks: []block{avx512Blocks[0], avx512Blocks[1], avx2Blocks[0], avx2Blocks[1]}}
	avx2Instructions   = instructions{name: "avx2", sets: []*kernels{&avx2Kernels}, blocks: avx2Blocks[:]}
)

var avx512Kernels = kernels{
	lanes:    16,
	touch:    touchAVX512,
	startOne: startOneAVX512, startPNA: startPNAAVX512,
	finishMean: finishMeanAVX512, finishPNA: finishPNAAVX512,
	normForward: normForwardAVX512, normBackward: normBackwardAVX512,
	coefficients: [aggregates]coefficientsFunc{sum: coefficientsSumAVX512, maximum: coefficientsMaxAVX512, pna: coefficientsPNAAVX512},
	addRows:      addRowsAVX512,
	dots:         dotsAVX512,
	headLogits:   headLogitsAVX512, headBackward: headBackwardAVX512,
	boundary: boundaryAVX512, boundaryBackward: boundaryBackwardAVX512,
	combine: combineAVX512, addScaled: addScaledAVX512,
	count: countAVX512, adam: adamAVX512,
}

var avx2Kernels = kernels{
	lanes:    8,
	touch:    touchAVX2,
	startOne: startOneAVX2, startPNA: startPNAAVX2,
	finishMean: finishMeanAVX2, finishPNA: finishPNAAVX2,
	normForward: normForwardAVX2, normBackward: normBackwardAVX2,
	coefficients: [aggregates]coefficientsFunc{sum: coefficientsSumAVX2, maximum: coefficientsMaxAVX2, pna: coefficientsPNAAVX2},
	addRows:      addRowsAVX2,
	dots:         dotsAVX2,
	headLogits:   headLogitsAVX2, headBackward: headBackwardAVX2,
	boundary: boundaryAVX2, boundaryBackward: boundaryBackwardAVX2,
	combine: combineAVX2, addScaled: addScaledAVX2,
	count: countAVX2, adam: adamAVX2,
}

var avx512Blocks = [2]block{
	{
		columns: 32, lanes: 16, gemm: gemm32AVX512, meetForward: meetForward32AVX512, meetBackward: meetBackward32AVX512,
		features: [messages]featuresFunc{featuresPNADistMult32AVX512, featuresPNATransE32AVX512, featuresPNARotatE32AVX512},
		accumulate: [aggregates][messages]accumulateFunc{
			sum:     {accumulateSumDistMult32AVX512, accumulateSumTransE32AVX512, accumulateSumRotatE32AVX512},
			maximum: {accumulateMaxDistMult32AVX512, accumulateMaxTransE32AVX512, accumulateMaxRotatE32AVX512},
			pna:     {accumulatePNADistMult32AVX512, accumulatePNATransE32AVX512, accumulatePNARotatE32AVX512},
		},
		scatter: [aggregates][messages]scatterFunc{
			sum:     {scatterSumDistMult32AVX512, scatterSumTransE32AVX512, scatterSumRotatE32AVX512},
			maximum: {scatterMaxDistMult32AVX512, scatterMaxTransE32AVX512, scatterMaxRotatE32AVX512},
			pna:     {scatterPNADistMult32AVX512, scatterPNATransE32AVX512, scatterPNARotatE32AVX512},
		},
	},
	{
		columns: 16, lanes: 16, gemm: gemm16AVX512, meetForward: meetForward16AVX512, meetBackward: meetBackward16AVX512,
		features: [messages]featuresFunc{featuresPNADistMult16AVX512, featuresPNATransE16AVX512},
		accumulate: [aggregates][messages]accumulateFunc{
			sum:     {accumulateSumDistMult16AVX512, accumulateSumTransE16AVX512},
			maximum: {accumulateMaxDistMult16AVX512, accumulateMaxTransE16AVX512},
			pna:     {accumulatePNADistMult16AVX512, accumulatePNATransE16AVX512},
		},
		scatter: [aggregates][messages]scatterFunc{
			sum:     {scatterSumDistMult16AVX512, scatterSumTransE16AVX512},
			maximum: {scatterMaxDistMult16AVX512, scatterMaxTransE16AVX512},
			pna:     {scatterPNADistMult16AVX512, scatterPNATransE16AVX512},
		},
	},
}

var avx2Blocks = [2]block{
	{
		columns: 16, lanes: 8, gemm: gemm16AVX2, meetForward: meetForward16AVX2, meetBackward: meetBackward16AVX2,
		features: [messages]featuresFunc{featuresPNADistMult16AVX2, featuresPNATransE16AVX2, featuresPNARotatE16AVX2},
		accumulate: [aggregates][messages]accumulateFunc{
			sum:     {accumulateSumDistMult16AVX2, accumulateSumTransE16AVX2, accumulateSumRotatE16AVX2},
			maximum: {accumulateMaxDistMult16AVX2, accumulateMaxTransE16AVX2, accumulateMaxRotatE16AVX2},
			pna:     {accumulatePNADistMult16AVX2, accumulatePNATransE16AVX2, accumulatePNARotatE16AVX2},
		},
		scatter: [aggregates][messages]scatterFunc{
			sum:     {scatterSumDistMult16AVX2, scatterSumTransE16AVX2, scatterSumRotatE16AVX2},
			maximum: {scatterMaxDistMult16AVX2, scatterMaxTransE16AVX2, scatterMaxRotatE16AVX2},
			pna:     {scatterPNADistMult16AVX2, scatterPNATransE16AVX2, scatterPNARotatE16AVX2},
		},
	},
	{
		columns: 8, lanes: 8, gemm: gemm8AVX2, meetForward: meetForward8AVX2, meetBackward: meetBackward8AVX2,
		features: [messages]featuresFunc{featuresPNADistMult8AVX2, featuresPNATransE8AVX2},
		accumulate: [aggregates][messages]accumulateFunc{
			sum:     {accumulateSumDistMult8AVX2, accumulateSumTransE8AVX2},
			maximum: {accumulateMaxDistMult8AVX2, accumulateMaxTransE8AVX2},
			pna:     {accumulatePNADistMult8AVX2, accumulatePNATransE8AVX2},
		},
		scatter: [aggregates][messages]scatterFunc{
			sum:     {scatterSumDistMult8AVX2, scatterSumTransE8AVX2},
			maximum: {scatterMaxDistMult8AVX2, scatterMaxTransE8AVX2},
			pna:     {scatterPNADistMult8AVX2, scatterPNATransE8AVX2},
		},
	},
}
