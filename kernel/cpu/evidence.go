package cpu

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
	"github.com/lacuna-kg/lacuna/kernel/plain"
)

// Observe gives every worker whole rows. A row takes a hundredth of the time of the network that made it,
// so that plain Go will do.
func (d *Device) Observe(sets kernel.Buffer, listed kernel.Lists) []kernel.Evidence {
	x, rows := d.floats(sets), listed.Len()
	want(rows > 0 && len(x)%rows == 0, "observe", len(x), rows)
	evidence := make([]kernel.Evidence, rows)
	d.parallel(rows, func(_ *worker, b int) {
		evidence[b] = plain.ObserveRow(row(x, b, len(x)/rows), listed.Row(b))
	})
	return evidence
}

func (d *Device) Above(sets kernel.Buffer, bounds []float32) (kernel.Lists, []float32) {
	x := d.floats(sets)
	want(len(bounds) > 0 && len(x)%len(bounds) == 0, "above", len(x), len(bounds))
	items, found := make([][]int32, len(bounds)), make([][]float32, len(bounds))
	d.parallel(len(bounds), func(_ *worker, b int) {
		items[b], found[b] = plain.AppendAbove(nil, nil, row(x, b, len(x)/len(bounds)), bounds[b])
	})
	return kernel.NewLists(items), slices.Concat(found...)
}
