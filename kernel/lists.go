package kernel

// Lists are rows of ascending entity ids: row i is Items[At[i]:At[i+1]].
type Lists struct {
	At    []int32
	Items []int32
}

// NewLists packs rows, each of which ascends.
func NewLists(rows [][]int32) Lists {
	l := Lists{At: make([]int32, 1, len(rows)+1)}
	for _, r := range rows {
		l.Items = append(l.Items, r...)
		l.At = append(l.At, int32(len(l.Items)))
	}
	return l
}

// Len is the number of rows; the zero value has none.
func (l Lists) Len() int { return max(len(l.At)-1, 0) }

// Row is row i.
func (l Lists) Row(i int) []int32 { return l.Items[l.At[i]:l.At[i+1]] }

// Rank compares an answer with the entities that are no answers: how many score
// higher and how many the same. Its best rank is 1 + Greater, its worst that + Equal.
type Rank struct{ Greater, Equal int32 }
