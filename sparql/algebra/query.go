package algebra

// Query is a query: operators for its pattern, and what is made of their rows by the
// sequence of section 18.2.5: count, order, project, make distinct, slice.
type Query struct {
	Names    []string // of the variables, by their numbers
	Pattern  Op       // with the VALUES after it
	Ask      bool     // whether there is a row at all; nothing below counts then
	Columns  []Column // of the result: variables, or counts only
	OrderBy  []Key
	Distinct bool
	Offset   int
	Limit    int // -1 for none
}

// Column is a column of the result, named after its variable or that of AS.
type Column struct {
	Name  string
	Var   int // -1 for one that the pattern lacks, and for a count
	Count *Count
}

// Count counts the rows that bind its variable or, if All, all rows; Distinct ones by the values of Vars.
type Count struct {
	All, Distinct bool
	Vars          []int // one, -1 if the pattern lacks it; all that have a name if All
}

// Key is a variable to sort by, -1 for one that the pattern lacks.
type Key struct {
	Var        int
	Descending bool
}

// Counts tells whether the query asks for numbers of rows instead of rows.
func (q *Query) Counts() bool { return len(q.Columns) > 0 && q.Columns[0].Count != nil }
