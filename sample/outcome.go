package sample

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/dataset"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
)

// Outcome tells how the drawing of one shape of one split went.
type Outcome struct {
	Split    dataset.Split
	Shape    string
	Wanted   int // or All
	Found    int
	Attempts int
	verdicts verdictCounts
}

// verdictCounts counts attempts by what became of them.
type verdictCounts [numVerdicts]int

// Short tells whether fewer queries were found than wanted.
func (o Outcome) Short() bool { return o.Found < o.Wanted }

// String is one line about the outcome.
func (o Outcome) String() string {
	if o.Wanted == All || !o.Short() {
		return fmt.Sprintf("%s: %s in %s", place(o.Split, o.Shape), count.Of(o.Found, "query"), count.Of(o.Attempts, "attempt"))
	}
	return fmt.Sprintf("%s: found %d of %s in %s (%s)", place(o.Split, o.Shape), o.Found, count.Of(o.Wanted, "query"), count.Of(o.Attempts, "attempt"), o.verdicts)
}

// check makes an error of a shape without any query.
func (o Outcome) check() error {
	if o.Found > 0 {
		return nil
	}
	return kg.Errorf(kg.Invalid, place(o.Split, o.Shape), "the graph yields no query of this shape: none in %s (%s)", count.Of(o.Attempts, "attempt"), o.verdicts)
}

// String names the reasons for which attempts came to nothing.
func (counts verdictCounts) String() string {
	text := ""
	for v, n := range counts {
		if n == 0 || verdict(v) == accepted {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%s %s", count.Number(n), verdict(v))
	}
	return text
}

// String says it in words that complete "12 attempts were …".
func (v verdict) String() string {
	switch v {
	case broken:
		return "broken off"
	case unanswered:
		return "without answers"
	case nothingHard:
		return "without hard answers"
	case nothingLost:
		return "without lost answers"
	case tooMany:
		return "over the limit of answers"
	case otherMissing:
		return "without an answer that lacks just so many links"
	case repeated:
		return "repeated"
	}
	return "accepted"
}
