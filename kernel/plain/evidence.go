package plain

import "github.com/lacuna-kg/lacuna/kernel"

func (p *Device[F]) Observe(sets kernel.Buffer, listed kernel.Lists) []kernel.Evidence {
	x, rows := p.Values(sets), listed.Len()
	want(rows > 0 && len(x)%rows == 0, "observe", len(x), rows)
	evidence := make([]kernel.Evidence, rows)
	for b := range evidence {
		evidence[b] = ObserveRow(row(x, b, len(x)/rows), listed.Row(b))
	}
	return evidence
}

// ObserveRow is Observe of one row.
func ObserveRow[F Float](values []F, listed []int32) (e kernel.Evidence) {
	for v, p := range values {
		values[v] = (p + kernel.OddsEpsilon) / (1 - p + kernel.OddsEpsilon)
	}
	for _, v := range listed {
		values[v] = 0
	}
	top := F(0)
	for _, odds := range values {
		e.Sum += float64(odds)
		top = max(top, odds)
	}
	e.Top = float32(top)
	return e
}

func (p *Device[F]) Above(sets kernel.Buffer, bounds []float32) (kernel.Lists, []float32) {
	x := p.Values(sets)
	want(len(bounds) > 0 && len(x)%len(bounds) == 0, "above", len(x), len(bounds))
	list := kernel.Lists{At: make([]int32, 1, len(bounds)+1)}
	var values []float32
	for b, bound := range bounds {
		list.Items, values = AppendAbove(list.Items, values, row(x, b, len(x)/len(bounds)), bound)
		list.At = append(list.At, int32(len(list.Items)))
	}
	return list, values
}

// AppendAbove is Above of one row.
func AppendAbove[F Float](items []int32, values []float32, row []F, bound float32) ([]int32, []float32) {
	for v, x := range row {
		if x > F(bound) {
			items, values = append(items, int32(v)), append(values, float32(x))
		}
	}
	return items, values
}
