package cuda

import (
	"slices"

	"github.com/lacuna-kg/lacuna/kernel"
)

func (d *device) Fill(dst kernel.Buffer, value float32) {
	if f := d.frame(); f != nil {
		f.fill(at(dst), value, dst.Len())
		f.close()
	}
}

func (f *frame) fill(dst address, value float32, n int) {
	f.moved = 4 * int64(n)
	f.launch("fill", grid{x: min(blocks(n, 256), 1<<16), threads: 256}, 0, dst, value, int64(n))
}

// rowGrid has a thread per column and a block per row, as far as a grid goes.
func rowGrid(rows, width int) grid { return over(width).by(min(rows, maxRows)) }

func (d *device) Gather(out, table kernel.Buffer, rows []int32, width int) {
	want(out.Len() == len(rows)*width, "gather", out.Len(), len(rows)*width)
	checkRows("gather", table, rows, width)
	f := d.frame()
	if f == nil || len(rows) == 0 {
		return
	}
	defer f.close()
	f.moved = 8 * int64(out.Len())
	f.launch("gather", rowGrid(len(rows), width), 0, at(out), at(table), send(f, rows), int32(len(rows)), int64(width))
}

func (d *device) Scatter(table, in kernel.Buffer, rows []int32, width int) {
	want(in.Len() == len(rows)*width, "scatter", in.Len(), len(rows)*width)
	checkRows("scatter", table, rows, width)
	f := d.frame()
	if f == nil || len(rows) == 0 {
		return
	}
	defer f.close()
	f.moved = 8 * int64(in.Len())
	f.launch("scatter", rowGrid(len(rows), width), 0, at(table), at(in), send(f, rows), int32(len(rows)), int64(width))
}

func checkRows(what string, table kernel.Buffer, rows []int32, width int) {
	for _, r := range rows {
		want(r >= 0 && (int(r)+1)*width <= table.Len(), what, []int{int(r), width}, table.Len())
	}
}

// ScatterAdd sorts the rows, so that each row of the table has one owner, who adds in order of i.
func (d *device) ScatterAdd(table, in kernel.Buffer, rows []int32, width int) {
	want(in.Len() == len(rows)*width, "scatter add", in.Len(), len(rows)*width)
	checkRows("scatter add", table, rows, width)
	f := d.frame()
	if f == nil || len(rows) == 0 {
		return
	}
	defer f.close()
	targets, first, from := groupRows(rows)
	f.moved = 4*int64(in.Len()) + 8*int64(len(targets)*width)
	f.launch("scatter_add", rowGrid(len(targets), width), 0, at(table), at(in), send(f, targets), send(f, first), send(f, from), int32(len(targets)), int64(width))
}

// groupRows gives the distinct rows, ascending, and for target k the positions from[first[k]:first[k+1]], ascending.
func groupRows(rows []int32) (targets, first, from []int32) {
	from = make([]int32, len(rows))
	for i := range from {
		from[i] = int32(i)
	}
	slices.SortStableFunc(from, func(a, b int32) int { return int(rows[a] - rows[b]) })
	for k, i := range from {
		if k == 0 || rows[i] != targets[len(targets)-1] {
			targets, first = append(targets, rows[i]), append(first, int32(k))
		}
	}
	return targets, append(first, int32(len(rows))), from
}

// sumRows adds to out (groups, columns) the sum over the rows of x (groups, rows, columns), each times its
// weight where there are weights (groups, rows). Blocks of 256 rows, then blocks of blocks: the order
// is fixed by the shape.
func (f *frame) sumRows(out, x, weight address, groups, rows, columns int) {
	mark := f.mark()
	defer f.release(mark)
	for rows > 64 || weight != 0 {
		parts := blocks(rows, 256)
		part := f.floats(groups * parts * columns)
		for from := 0; from < groups; from += maxRows {
			n := min(maxRows, groups-from)
			f.moved = 4 * int64(n*rows*columns)
			f.launch("sum_rows_partly", grid{x: parts, threads: 256}.by(n).tiles(blocks(columns, 32)), 0,
				part.plus(4*from*parts*columns), x.plus(4*from*rows*columns), weight.row(from, rows), int32(rows), int32(columns))
		}
		x, rows, weight = part, parts, 0
	}
	f.launch("add_parts", over(groups*columns), 0, out, x, int32(rows), int32(columns), int64(groups*columns))
}

// row is where row i of a matrix of float32 begins; nowhere has no rows.
func (a address) row(i, width int) address {
	if a == 0 {
		return 0
	}
	return a.plus(4 * i * width)
}
