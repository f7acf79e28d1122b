package cpu

// plainMeetForward is meetForward for any number of columns.
func plainMeetForward(columns int, total, table, x []float32, counts, relations []int32, xRow, width int) {
	for v, n := range counts {
		for c := range columns {
			heard := float32(0)
			for _, r := range relations[:n] {
				heard += table[int(r)*width+c]
			}
			heard *= x[v*xRow+c]
			for _, r := range relations[:n] {
				total[int(r)*width+c] += heard
			}
		}
		relations = relations[n:]
	}
}

// plainMeetBackward is meetBackward for any number of columns.
func plainMeetBackward(columns int, dtable, dx, told, table, x []float32, counts, relations []int32, width int) {
	for v, n := range counts {
		for c := range columns {
			heard, t := float32(0), float32(0)
			for _, r := range relations[:n] {
				heard += table[int(r)*width+c]
				t += told[int(r)*width+c]
			}
			dx[v*width+c] += t * heard
			t *= x[v*width+c]
			for _, r := range relations[:n] {
				dtable[int(r)*width+c] += t
			}
		}
		relations = relations[n:]
	}
}
