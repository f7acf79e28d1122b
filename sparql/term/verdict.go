package term

// Verdict is a value of SPARQL's logic of three (section 17.2): an error is neither
// true nor false, and a filter drops it. The opposite of a verdict is its negative.
type Verdict int8

const (
	No Verdict = iota - 1
	Undecided
	Yes
)

// VerdictOf is a truth value that may be undecided.
func VerdictOf(holds, decided bool) Verdict {
	switch {
	case !decided:
		return Undecided
	case holds:
		return Yes
	}
	return No
}
