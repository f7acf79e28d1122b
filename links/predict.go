package links

import (
	"cmp"
	"context"
	"slices"

	"github.com/lacuna-kg/lacuna/internal/parallel"
	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kg"
)

// predict makes rows by the model. Take gets them in order, some at a time, from one goroutine at a time; what is
// wrong with it ends the work. Of pairs that nothing can be predicted of, nothing is computed.
func (r *Rows) predict(ctx context.Context, pairs []Pair, take func([]Row) error) error {
	open := slices.DeleteFunc(slices.Clone(pairs), r.ranges.Closed)
	if len(open) == len(pairs) {
		return r.predictOpen(ctx, pairs, take)
	}
	left := pairs // of which take has no row yet
	closed := func() (rows []Row) {
		for len(left) > len(rows) && r.ranges.Closed(left[len(rows)]) {
			rows = append(rows, Row{Stated: r.graph.Tails(left[len(rows)].Head, left[len(rows)].Relation)})
		}
		left = left[len(rows):]
		return rows
	}
	err := r.predictOpen(ctx, open, func(some []Row) error {
		var rows []Row
		for _, row := range some {
			rows = append(append(rows, closed()...), row)
			left = left[1:]
		}
		return take(rows)
	})
	if rest := closed(); err == nil && len(rest) > 0 {
		err = take(rest)
	}
	return err
}

// predictOpen makes rows of which something can be predicted. The device turns a row into odds and keeps what is too unlikely to itself; a few percent
// of a row come back. While it computes the next ones, the others become probabilities here.
func (r *Rows) predictOpen(ctx context.Context, pairs []Pair, take func([]Row) error) error {
	heads, relations := make([]kg.Entity, len(pairs)), make([]kg.Relation, len(pairs))
	for i, p := range pairs {
		heads[i], relations[i] = p.Head, p.Relation
	}
	var finishing parallel.Group
	var failed error // of take; read after a wait
	err := r.source.Tails(ctx, heads, relations, func(from int, device kernel.Device, probabilities kernel.Buffer, columns []kg.Entity) error {
		f, err := r.fetch(pairs[from:from+rowsIn(probabilities, columns, r.graph.NumEntities())], device, probabilities, columns)
		if finishing.Wait(); err != nil || failed != nil {
			return cmp.Or(err, failed)
		}
		finishing.Go(func() { failed = take(f.rows(r.options)) })
		return nil
	})
	finishing.Wait()
	return cmp.Or(err, failed)
}

// rowsIn is how many rows a buffer holds.
func rowsIn(probabilities kernel.Buffer, columns []kg.Entity, entities int) int {
	if columns != nil {
		entities = len(columns)
	}
	return probabilities.Len() / entities
}

// fetched is what came back of some pairs: their likelier tails, and the evidence of the whole rows.
type fetched struct {
	stated   [][]kg.Entity
	evidence []Evidence
	tails    kernel.Lists
	odds     []float32
}

// fetch cuts rows on the device.
func (r *Rows) fetch(pairs []Pair, device kernel.Device, probabilities kernel.Buffer, columns []kg.Entity) (*fetched, error) {
	f := &fetched{stated: make([][]kg.Entity, len(pairs)), evidence: make([]Evidence, len(pairs))}
	for i, p := range pairs {
		f.stated[i] = r.graph.Tails(p.Head, p.Relation)
	}
	bounds := make([]float32, len(pairs))
	for i, e := range device.Observe(probabilities, Listed(r.ranges.withBarred(f.stated, pairs, columns), columns)) {
		f.evidence[i] = r.domains.Evidence(e, pairs[i], len(f.stated[i]))
		bounds[i] = r.options.Map.bound(f.evidence[i], r.options.Least)
	}
	f.tails, f.odds = device.Above(probabilities, bounds)
	if columns != nil {
		for i, at := range f.tails.Items {
			f.tails.Items[i] = int32(columns[at])
		}
	}
	return f, device.Sync()
}

// Listed is lists of entities, ascending, as a device takes them: by the columns that stand for them, nil where these are every entity.
func Listed(rows [][]kg.Entity, columns []kg.Entity) kernel.Lists {
	l := kernel.Lists{At: make([]int32, 1, len(rows)+1)}
	for _, row := range rows {
		left, passed := columns, 0
		for _, e := range row {
			if columns == nil {
				l.Items = append(l.Items, int32(e))
				continue
			}
			at, found := slices.BinarySearch(left, e)
			left, passed = left[at:], passed+at
			if found {
				l.Items = append(l.Items, int32(passed))
			}
		}
		l.At = append(l.At, int32(len(l.Items)))
	}
	return l
}

// rows maps what came back to probabilities.
func (f *fetched) rows(o Options) []Row {
	rows := make([]Row, len(f.stated))
	parallel.Each(context.Background(), len(rows), func(i int) {
		from, to := f.tails.At[i], f.tails.At[i+1]
		rows[i] = o.Map.row(f.stated[i], f.tails.Items[from:to], f.odds[from:to], f.evidence[i], o.Least)
	})
	return rows
}
