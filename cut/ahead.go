package cut

// together is how many rows of a graph are read ahead together. Each lies somewhere else in memory, and a core waits for many of them
// as long as for one, where no decision on one stands between.
const together = 64

// ahead reads rows ahead of their use. It is the sum of what it read, which nobody asks for: a compiler leaves out what goes nowhere.
type ahead uint32

// read fetches both ends of a row, which is all of most.
func read[T ~uint32](a *ahead, row []T) {
	if len(row) > 0 {
		*a += ahead(row[0]) + ahead(row[len(row)-1])
	}
}
