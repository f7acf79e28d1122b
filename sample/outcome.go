package sample

import (
	"fmt"

	"github.com/lacuna-kg/lacuna/dataset"
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
		return fmt.Sprintf("%s: %d queries in %d attempts", place(o.Split, o.Shape), o.Found, o.Attempts)
	}
	return fmt.Sprintf("%s: found %d of %d queries in %d attempts (%s)", place(o.Split, o.Shape), o.Found, o.Wanted, o.Attempts, o.verdicts)
}

// check makes an error of a shape without any query.
func (o Outcome) check() error {
	if o.Found > 0 {
		return nil
	}
	return kg.Errorf(kg.Invalid, place(o.Split, o.Shape), "the graph yields no query of this shape: none in %d attempts (%s)", o.Attempts, o.verdicts)
}

// String names the reasons for which attempts came to nothing.
func (counts verdictCounts) String() string {
	text := ""
	for v, count := range counts {
		if count == 0 || verdict(v) == accepted {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%d %s", count, verdict(v))
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
	case repeated:
		return "repeated"
	}
	return "accepted"
}
