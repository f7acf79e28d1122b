package cpu

import "github.com/lacuna-kg/lacuna/kernel"

// The inner loops of the package, each in plain Go (plain_*.go) and, made by gen, in the
// vector instructions of a CPU. Everything above them is the same for all.

// kernels are the inner loops in one set of instructions. Rows they work on are a
// multiple of lanes wide; element-wise ones leave what is over to plain Go.
type kernels struct {
	lanes int

	touch                 func(table []float32, nodes []int32, width int) // only for speed
	startOne, startPNA    func(x, hidden, values, query []float32, nodes []int32, width int)
	finishMean, finishPNA func(x []float32, rows, width int, share float32)
	normForward           func(out, before, z, scale, shift []float32, nodes []int32, width int)
	normBackward          func(dz, sums, dout, z, scale, shift []float32, nodes []int32, width int)
	coefficients          [aggregates]coefficientsFunc
	addRows               func(dhidden, dout, dx []float32, nodes []int32, dxRow, width int)
	dots                  func(out, bias, weight, x []float32)
	headLogits            func(out, middle, weight []float32)
	headBackward          func(middle, dweight, dbias, dlogits, weight []float32)
	boundary              func(out, values, query []float32)
	boundaryBackward      func(dquery, dout, values []float32)

	combine   func(out, w0, w1, w2 []float32, s, t float32)
	addScaled func(y, x []float32, a float32)
	count     func(scores []float32, score float32) (above, equal int)
	adam      func(param, grad, first, second []float32, b1, b2, c1, c2, rate, root, epsilon float32)
}

type coefficientsFunc func(coef, dquery, dx, x, values, query []float32, nodes []int32, share float32, columns, coefStep, width int)

// block is the inner loops that hold a number of columns in registers. Plain Go's
// takes any number; the blocks of a device end with it.
type block struct {
	columns    int
	lanes      int
	accumulate [aggregates][messages]accumulateFunc
	features   [messages]featuresFunc // PNA's start, accumulate and finish in one
	scatter    [aggregates][messages]scatterFunc
	gemm       gemmFunc

	meetForward  meetForwardFunc
	meetBackward meetBackwardFunc
}

type (
	accumulateFunc   func(acc, hidden, relations []float32, edges [][2]int32, rows, degree, accRow, width int)
	featuresFunc     func(x, hidden, relations, values, query []float32, nodes []int32, edges [][2]int32, degree, width int, share float32)
	scatterFunc      func(dhidden, drelations, hidden, relations []float32, edges [][2]int32, counts []int32, coef []float32, width int)
	meetForwardFunc  func(total, table, x []float32, counts, relations []int32, xRow, width int)
	meetBackwardFunc func(dtable, dx, told, table, x []float32, counts, relations []int32, width int)
	gemmFunc         func(out, start, x, w []float32, rows, depth, outRow, startRow, xRow, xStep, wStep int)
)

// The kinds of aggregation as the inner loops know them: a mean is a sum, scaled.
const (
	sum = iota
	maximum
	pna
	aggregates
)

// messages is the number of kinds of message that have inner loops: DistMult, TransE, RotatE.
const messages = 3

// aggregateOf says which inner loop serves a layer.
func aggregateOf(a kernel.Aggregate) int {
	switch a {
	case kernel.Max:
		return maximum
	case kernel.PNA:
		return pna
	}
	return sum
}

// coefficientsOf is the number of values per column that the gradient of a message needs.
func coefficientsOf(aggregate int) int { return [aggregates]int{sum: 1, maximum: 2, pna: 6}[aggregate] }

// instructions is a choice of kernels: several sets, widest first, plain Go last.
type instructions struct {
	name   string
	sets   []*kernels
	blocks []block // none of plain Go
}

// rows is the fastest set whose lanes divide the width.
func (i *instructions) rows(width int) *kernels {
	for _, k := range i.sets {
		if width%k.lanes == 0 {
			return k
		}
	}
	return &plainKernels
}

// span is a run of columns that one block takes.
type span struct {
	from, columns int
	block         *block // nil: plain Go
}

// spans cuts columns into blocks, the widest that fit first. Of blocks of two vectors
// RotatE takes one in each half: halves is 2 for it, and columns are those of a half.
func (i *instructions) spans(columns, halves int) (list []span) {
	from := 0
	for k := range i.blocks {
		b := &i.blocks[k]
		if halves == 2 && b.columns == b.lanes {
			continue
		}
		for n := b.columns / halves; from+n <= columns; from += n {
			list = append(list, span{from, n, b})
		}
	}
	if from < columns {
		list = append(list, span{from, columns - from, nil})
	}
	return list
}

// add adds a·x to y.
func (i *instructions) add(y, x []float32, a float32) {
	k := i.sets[0]
	k.addScaled(y, x, a)
	if done := len(y) - len(y)%k.lanes; done < len(y) {
		plainAddScaled(y[done:], x[done:], a)
	}
}

// combine sets out = w0 + s·w1 + t·w2.
func (i *instructions) combine(out, w0, w1, w2 []float32, s, t float32) {
	k := i.sets[0]
	k.combine(out, w0, w1, w2, s, t)
	if done := len(out) - len(out)%k.lanes; done < len(out) {
		plainCombine(out[done:], w0[done:], w1[done:], w2[done:], s, t)
	}
}

// matrix is a row-major matrix, or with row and step exchanged its transpose.
type matrix struct {
	values    []float32
	row, step int
}

// gemm sets out (rows × columns) = start + x · w, with x rows × depth and w depth × columns.
// Rows of out, start and w are contiguous; start with row 0 is one row for all.
func (i *instructions) gemm(out, start, x, w matrix, rows, depth, columns int) {
	from := 0
	for k := range i.blocks {
		for b := &i.blocks[k]; from+b.columns <= columns; from += b.columns {
			b.gemm(out.values[from:], start.values[from:], x.values, w.values[from:], rows, depth, out.row, start.row, x.row, x.step, w.row)
		}
	}
	if from < columns {
		plainGemm(columns-from, out.values[from:], start.values[from:], x.values, w.values[from:], rows, depth, out.row, start.row, x.row, x.step, w.row)
	}
}

// plainInstructions are plain Go for everything.
var plainInstructions = instructions{name: "plain", sets: []*kernels{&plainKernels}}

// set is the kernels with so many lanes.
func (i *instructions) set(lanes int) *kernels {
	for _, k := range i.sets {
		if k.lanes == lanes {
			return k
		}
	}
	return &plainKernels
}
