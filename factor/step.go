package factor

import (
	"context"
	"math"

	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kernel"
)

// learner is a model in training. The three matrix products of a batch run on the device, all the rest in
// Go memory.
type learner struct {
	Options
	*Model
	examples *examples
	device   kernel.Device
	tables   [2]table // of entities and of relations
}

// table is vectors as the device has them.
type table struct {
	values, squares []float32 // squares: of all gradients so far, for Adagrad
	gradient        []float32
	weight, dweight kernel.Buffer
	bias, dbias     kernel.Buffer // 0: the seam's Linear has one
}

const entities, relations = 0, 1

func newLearner(m *Model, x *examples, device kernel.Device, o Options) *learner {
	l := &learner{Options: o, Model: m, examples: x, device: device}
	for i, values := range [][]float32{m.Entities, m.Relations} {
		n := len(values)
		rows := n / m.Width()
		l.tables[i] = table{
			values: values, squares: make([]float32, n), gradient: make([]float32, n),
			weight: device.NewBuffer(n), dweight: device.NewBuffer(n), bias: device.NewBuffer(rows), dbias: device.NewBuffer(rows),
		}
	}
	return l
}

func (l *learner) free() {
	for _, t := range l.tables {
		for _, b := range []kernel.Buffer{t.weight, t.dweight, t.bias, t.dbias} {
			l.device.Free(b)
		}
	}
}

// step learns from some pairs and gives the loss of each of their facts, the norm left out.
func (l *learner) step(ctx context.Context, pairs []int) (float64, error) {
	loss, _, err := l.gradient(ctx, pairs)
	if err != nil {
		return 0, err
	}
	for _, t := range l.tables {
		parallel.Shares(ctx, len(t.values), func(from, to int) {
			adagrad(t.values[from:to], t.squares[from:to], t.gradient[from:to], float32(l.Rate))
		})
	}
	return loss, nil
}

// adagrad is a step of Adagrad (Duchi et al. 2011): the more a number was moved, the less it is.
func adagrad(values, squares, gradient []float32, rate float32) {
	squares, gradient = squares[:len(values)], gradient[:len(values)]
	for i, g := range gradient {
		if g != 0 {
			squares[i] += g * g
			values[i] -= rate * g / (float32(math.Sqrt(float64(squares[i]))) + 1e-10)
		}
	}
}

// gradient sets the gradients of both tables to that of a batch: of the mean over facts of what tails and, by their weight,
// relations lose, and of the norm.
func (l *learner) gradient(ctx context.Context, pairs []int) (loss, norm float64, err error) {
	share := 1 / float64(l.examples.facts(pairs))
	for _, t := range l.tables {
		l.device.Upload(t.weight, t.values)
		l.device.Fill(t.dweight, 0)
	}
	b := newBatch(l, pairs)
	b.ask(ctx)
	dquestions, ofTails := l.predict(ctx, entities, b.questions, b.tails, share)
	dbetween, ofRelations := []float32(nil), 0.0
	if l.RelationWeight > 0 {
		dbetween, ofRelations = l.predict(ctx, relations, b.between, b.relations, l.RelationWeight*share)
	}
	for _, t := range l.tables {
		l.device.Download(t.gradient, t.dweight)
	}
	if err := l.device.Sync(); err != nil {
		return 0, 0, err
	}
	b.backward(dquestions, dbetween)
	norm = b.norm(l.Norm * share)
	return share * (ofTails + l.RelationWeight*ofRelations), norm, ctx.Err()
}

// predict has each row of x (n, 2·Rank) predict its targets among all rows of a table, adds to the table's gradient,
// and gives the rows' own and the loss.
func (l *learner) predict(ctx context.Context, of int, x []float32, targets [][]int32, weight float64) (dx []float32, loss float64) {
	t, d := &l.tables[of], l.device
	width, n := l.Width(), len(targets)
	columns := len(t.values) / width
	in, din := d.NewBuffer(n*width), d.NewBuffer(n*width)
	out, dout := d.NewBuffer(n*columns), d.NewBuffer(n*columns)
	defer func() {
		for _, b := range []kernel.Buffer{in, din, out, dout} {
			d.Free(b)
		}
	}()
	d.Upload(in, x)
	d.LinearForward(out, in, t.weight, t.bias, kernel.Identity)
	z := make([]float32, n*columns)
	d.Download(z, out)
	losses := make([]float64, n)
	parallel.Each(ctx, n, func(i int) { losses[i] = crossEntropy(row(z, i, columns), targets[i], float32(weight)) })
	d.Upload(dout, z)
	d.LinearBackward(din, t.dweight, t.dbias, dout, out, in, t.weight, kernel.Identity)
	dx = make([]float32, n*width)
	d.Download(dx, din)
	for _, x := range losses {
		loss += x
	}
	return dx, loss
}
