package cuda

import (
	"math"
	"unsafe"

	"github.com/lacuna-kg/lacuna/kernel"
)

// segment is how much of a row a block of evidence.cu takes.
const segment = 4096

func (d *device) Observe(sets kernel.Buffer, listed kernel.Lists) []kernel.Evidence {
	rows := listed.Len()
	want(rows > 0 && sets.Len()%rows == 0, "observe", sets.Len(), rows)
	evidence := make([]kernel.Evidence, rows)
	f := d.frame()
	if f == nil || sets.Len() == 0 {
		return evidence
	}
	defer f.close()
	nodes := sets.Len() / rows
	parts := blocks(nodes, segment)
	sums, tops := make([]float64, rows*parts), make([]float32, rows*parts)
	toSums, toTops, marks := f.bytes(8*len(sums)), f.floats(len(tops)), f.marks(listed, nodes)
	for from := 0; from < rows; from += maxRows {
		n := min(maxRows, rows-from)
		f.moved = 9 * int64(n*nodes)
		f.launch("observe", grid{x: parts, threads: 256}.by(n), 0, toSums.plus(8*from*parts), toTops.plus(4*from*parts),
			at(sets).row(from, nodes), marks.plus(from*nodes), int64(nodes))
	}
	f.download(unsafe.Pointer(&sums[0]), toSums, 8*len(sums))
	f.download(unsafe.Pointer(&tops[0]), toTops, 4*len(tops))
	for i, sum := range sums {
		e := &evidence[i/parts]
		e.Sum, e.Top = e.Sum+sum, max(e.Top, tops[i])
	}
	return evidence
}

// Above counts first: then it is known where everything goes, and only what is found comes back.
func (d *device) Above(sets kernel.Buffer, bounds []float32) (kernel.Lists, []float32) {
	rows := len(bounds)
	want(rows > 0 && sets.Len()%rows == 0, "above", sets.Len(), rows)
	list := kernel.Lists{At: make([]int32, rows+1)}
	f := d.frame()
	if f == nil || sets.Len() == 0 {
		return list, nil
	}
	defer f.close()
	nodes := sets.Len() / rows
	parts := blocks(nodes, segment)
	counts, to := make([]int32, rows*parts), f.bytes(4*rows*parts)
	above := send(f, bounds)
	each := func(run func(from int, g grid)) {
		for from := 0; from < rows; from += maxRows {
			f.moved = 4 * int64(min(maxRows, rows-from)*nodes)
			run(from, grid{x: parts, threads: 256}.by(min(maxRows, rows-from)))
		}
	}
	each(func(from int, g grid) {
		f.launch("count_above", g, 0, to.plus(4*from*parts), at(sets).row(from, nodes), above.plus(4*from), int64(nodes))
	})
	f.download(unsafe.Pointer(&counts[0]), to, 4*len(counts))
	first, total := places(counts)
	for b := range rows {
		list.At[b+1] = first[(b+1)*parts]
	}
	list.Items = make([]int32, total)
	values := make([]float32, total)
	entities, found, begin := f.bytes(4*total), f.floats(total), send(f, first)
	each(func(from int, g grid) {
		f.launch("list_above", g, 0, entities, found, at(sets).row(from, nodes), above.plus(4*from), begin.plus(4*from*parts), int64(nodes))
	})
	f.download(unsafe.Pointer(unsafe.SliceData(list.Items)), entities, 4*total)
	f.download(unsafe.Pointer(unsafe.SliceData(values)), found, 4*total)
	return list, values
}

// places says where each part begins among all, and their end.
func places(counts []int32) (first []int32, total int) {
	first = make([]int32, len(counts)+1)
	for i, n := range counts {
		total += int(n)
		want(total <= math.MaxInt32, "above", total, math.MaxInt32)
		first[i+1] = int32(total)
	}
	return first, total
}
