package factor

import (
	"context"

	"github.com/lacuna-kg/lacuna/kernel"
)

// learner is a model in training. The tables of all vectors stay on the device, where the matrix products, the loss
// and Adagrad run; the few vectors of a batch come to Go memory, where they are multiplied.
type learner struct {
	Options
	examples *examples
	device   kernel.Device
	width    int
	tables   [2]table // of entities and of relations
}

// table is vectors on the device.
type table struct {
	rows            int
	weight, dweight kernel.Buffer
	squares         kernel.Buffer // of all gradients so far
	bias, dbias     kernel.Buffer // 0: the seam's Linear has one
}

const entities, relations = 0, 1

func newLearner(m *Model, x *examples, device kernel.Device, o Options) *learner {
	l := &learner{Options: o, examples: x, device: device, width: m.Width()}
	for i, values := range [][]float32{m.Entities, m.Relations} {
		n := len(values)
		rows := n / l.width
		l.tables[i] = table{
			rows: rows, weight: device.NewBuffer(n), dweight: device.NewBuffer(n), squares: device.NewBuffer(n),
			bias: device.NewBuffer(rows), dbias: device.NewBuffer(rows),
		}
		device.Upload(l.tables[i].weight, values)
	}
	return l
}

// read copies the vectors back.
func (l *learner) read(m *Model) error {
	l.device.Download(m.Entities, l.tables[entities].weight)
	l.device.Download(m.Relations, l.tables[relations].weight)
	return l.device.Sync()
}

func (l *learner) free() {
	for _, t := range l.tables {
		for _, b := range []kernel.Buffer{t.weight, t.dweight, t.squares, t.bias, t.dbias} {
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
		l.device.Adagrad(t.weight, t.dweight, t.squares, float32(l.Rate))
	}
	return loss, nil
}

// gradient sets the gradients of both tables to that of a batch: of the mean over facts of what tails and, by their weight,
// relations lose, and of the norm.
func (l *learner) gradient(ctx context.Context, pairs []int) (loss, norm float64, err error) {
	for _, t := range l.tables {
		l.device.Fill(t.dweight, 0)
	}
	b := l.newBatch(pairs)
	b.ask(ctx)
	share := 1 / float64(len(b.tails.index))
	dquestions, ofTails := l.predict(entities, b.questions, b.tailsOf, share)
	dbetween, ofRelations := []float32(nil), 0.0
	if l.RelationWeight > 0 {
		dbetween, ofRelations = l.predict(relations, b.between, b.relationOf, l.RelationWeight*share)
	}
	if err := l.device.Sync(); err != nil {
		return 0, 0, err
	}
	b.backward(ctx, dquestions, dbetween)
	norm = b.norm(l.Norm * share)
	for _, v := range []vectors{b.heads, b.relations, b.tails} {
		l.add(v)
	}
	return share * (ofTails + l.RelationWeight*ofRelations), norm, ctx.Err()
}

// predict has each row of x (n, 2·Rank) predict its targets among all rows of a table, adds to the table's gradient,
// and gives the rows' own and the loss.
func (l *learner) predict(of int, x []float32, targets [][]int32, weight float64) (dx []float32, loss float64) {
	t, d, n := &l.tables[of], l.device, len(targets)
	in, din := d.NewBuffer(len(x)), d.NewBuffer(len(x))
	z, dz, losses := d.NewBuffer(n*t.rows), d.NewBuffer(n*t.rows), d.NewBuffer(n)
	defer func() {
		for _, b := range []kernel.Buffer{in, din, z, dz, losses} {
			d.Free(b)
		}
	}()
	weights, each := make([]float32, n), make([]float32, n)
	for i := range weights {
		weights[i] = float32(weight)
	}
	d.Upload(in, x)
	d.LinearForward(z, in, t.weight, t.bias, kernel.Identity)
	d.Copy(dz, z)
	d.CrossEntropy(losses, dz, kernel.NewLists(targets), weights)
	d.LinearBackward(din, t.dweight, t.dbias, dz, z, in, t.weight, kernel.Identity)
	dx = make([]float32, len(x))
	d.Download(dx, din)
	d.Download(each, losses)
	for _, x := range each {
		loss += float64(x)
	}
	return dx, loss
}

// vectors are some of a table's, in Go memory, with their gradients.
type vectors struct {
	of               int
	index            []int32 // rows of the table, which may repeat
	values, gradient []float32
}

// fetch brings vectors of a table from the device.
func (l *learner) fetch(of int, index []int32) vectors {
	v := vectors{of, index, make([]float32, len(index)*l.width), make([]float32, len(index)*l.width)}
	rows := l.device.NewBuffer(len(v.values))
	defer l.device.Free(rows)
	l.device.Gather(rows, l.tables[of].weight, index, l.width)
	l.device.Download(v.values, rows)
	return v
}

// add adds the gradients of some vectors to those of their table.
func (l *learner) add(v vectors) {
	rows := l.device.NewBuffer(len(v.gradient))
	defer l.device.Free(rows)
	l.device.Upload(rows, v.gradient)
	l.device.ScatterAdd(l.tables[v.of].dweight, rows, v.index, l.width)
}
